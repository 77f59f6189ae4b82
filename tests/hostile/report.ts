import type { LoadedWorkspace } from '../../src/operations/project/load-project.ts';

/** What a hostile test looks at: plain data, so that it can come from another process. */
export interface LoadReport {
  readonly diagnostics: readonly {
    readonly code: string;
    readonly severity: string;
    readonly message: string;
    readonly file: string | undefined;
    readonly start: number | undefined;
    readonly end: number | undefined;
  }[];
  /** `name: column type, …` of each model, at most the first hundred. */
  readonly models: readonly string[];
  readonly modelCount: number;
}

const KEPT = 100;
const COLUMNS_KEPT = 20;

/** Cuts a loaded project down to what tests compare; long messages are cut, their length is asserted by the caller. */
export function reportOf({ project, diagnostics }: LoadedWorkspace): LoadReport {
  return {
    diagnostics: diagnostics.slice(0, KEPT).map(({ code, severity, message, at }) => ({
      code,
      severity,
      message,
      file: at?.file,
      start: at?.start,
      end: at?.end,
    })),
    models: project.models
      .toSorted((a, b) => Number(b.name.startsWith('healthy.')) - Number(a.name.startsWith('healthy.')))
      .slice(0, KEPT)
      .map(
        ({ name, columns }) =>
          `${name}: ${columns
            .slice(0, COLUMNS_KEPT)
            .map((column) => `${column.name} ${column.type}`)
            .join(', ')}`,
      ),
    modelCount: project.models.length,
  };
}
