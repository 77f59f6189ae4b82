import type { Defect, Mechanism } from './defect.ts';

const BOUNDS = 'src/adapters/engines/duckdb/bounded-functions.ts';
const mechanismOf = (functions: string): Mechanism => ({
  file: 'tests/function-campaign/function-campaign.test.ts',
  variables: { PLINTH_FUNCTIONS: functions },
});

/** Bounds of functions that are gone. */
export const FUNCTIONS_DEFECTS: readonly Defect[] = [
  {
    name: 'functions: JSON of any depth reaches json_structure',
    seen: 'A text of 67 characters ended the process that all callers share.',
    mechanism: mechanismOf('json_'),
    edits: [
      { file: BOUNDS, find: ", 'json_merge_patch', 'json_structure']", replace: ", 'json_merge_patch']" },
    ],
  },
  {
    name: 'functions: arrays of NULLs reach array_distance',
    seen: 'DuckDB gave up its database after an INTERNAL error, for all callers.',
    mechanism: mechanismOf('array_'),
    edits: [
      {
        file: BOUNDS,
        find: ", 'array_cosine_similarity', 'array_distance']",
        replace: ", 'array_cosine_similarity']",
      },
    ],
  },
];
