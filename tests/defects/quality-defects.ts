import type { Defect, Edit, Mechanism } from './defect.ts';

const edit = (name: string, find: string, replace: string): Edit => ({
  file: `src/compiler/quality/${name}.ts`,
  find,
  replace,
});
const CHECK_KILLS: Mechanism = { file: 'tests/kill/checks.test.ts', variables: { PLINTH_KILLS: '6' } };
const DEATHS: Mechanism = { file: 'tests/faults/check-recovery.test.ts' };
const RULES: Mechanism = { file: 'tests/quality/matrix/rule-matrix.test.ts' };
const rules = (name: string, seen: string, edits: readonly Edit[]): Defect => ({
  ...{ name: `quality: ${name}`, seen, mechanism: RULES, edits },
});

/** Rules that would pass without having been evaluated, and lists that a matrix must walk. */
export const QUALITY_DEFECTS: readonly Defect[] = [
  rules(
    'wrong rows that could not be counted are none',
    'A rule about other tables passed because the engine refused its query.',
    [
      edit(
        'count-work',
        "if (isRefusal(found)) return { outcome: 'error', reason: found.message };\n",
        'if (isRefusal(found)) return { outcome: outcomeOf(0, NONE, check.definition) };\n',
      ),
    ],
  ),
  rules('an average of nothing holds', 'A metric without a value passed.', [
    edit(
      'metric-work',
      "return { outcome: 'not_evaluated', value, ...(reason === undefined ? {} : { reason }), ...counts };",
      "return { outcome: 'pass', value, ...(reason === undefined ? {} : { reason }), ...counts };",
    ),
  ]),
  rules('no groups are no bad groups', 'A rule by group passed on an empty table.', [
    edit(
      'group-work',
      "return { outcome: 'not_evaluated', reason: 'there are no rows, and so no groups' };",
      "return { outcome: 'pass', reason: 'there are no rows, and so no groups' };",
    ),
  ]),
  rules('the first distribution is like itself', 'A distribution passed before there was an earlier one.', [
    edit(
      'distribution-work',
      "if (before === undefined)\n    return {\n      outcome: 'not_evaluated',",
      "if (before === undefined)\n    return {\n      outcome: 'pass',",
    ),
  ]),
  rules('a first value has not changed', 'A change passed though there was no value to compare with.', [
    edit(
      'change-work',
      "if (typeof before !== 'number')\n    return {\n      outcome: 'not_evaluated',",
      "if (typeof before !== 'number')\n    return {\n      outcome: 'pass',",
    ),
  ]),
  rules('a query without an answer is passed over', 'A rule passed whose query was never asked.', [
    edit(
      'plan-checks',
      "if (cell === undefined) return { code: 'quality.no-row', message: 'its query answered with no row' };",
      'if (cell === undefined) return 0;',
    ),
  ]),
  rules('conditions on a schema do nothing', 'warn: when > 0 was read, and a schema failed all the same.', [
    edit(
      'schema-work',
      'outcome: outcomeOf(violations.length, NONE, check.definition),',
      'outcome: outcomeOf(violations.length, NONE, { severity: check.definition.severity }),',
    ),
  ]),
  {
    ...rules('a new metric has no cases', 'A metric was added that no test had looked at.', []),
    edits: [
      {
        file: 'src/domain/dq-pack.ts',
        find: "  'unique_count',\n  'avg',",
        replace: "  'unique_count',\n  'mode_count',\n  'avg',",
      },
    ],
  },
  {
    name: 'quality: a new built-in audit has no cases',
    seen: 'An audit was added that no test had looked at.',
    mechanism: { file: 'tests/audits/matrix/built-in-matrix.test.ts' },
    edits: [
      {
        file: 'src/compiler/load/built-in-audits.ts',
        find: '  at_least_one: column,\n',
        replace: '  at_least_one: column,\n  not_too_many: column,\n',
      },
    ],
  },
  {
    ...{ name: 'quality: profiles that a dead process owes are not made', mechanism: CHECK_KILLS },
    seen: 'A process died between checks and profiles, and no later run profiled what it had changed.',
    edits: [
      {
        file: 'src/operations/quality/check-due.ts',
        find: 'const unprofiled = await unprofiledModels(world, checks);',
        replace: 'const unprofiled = (await unprofiledModels(world, checks)).slice(0, 0);',
      },
    ],
  },
  {
    ...{ name: 'quality: packs that a dead process owes are not checked', mechanism: DEATHS },
    seen: 'A process died after a plan had changed a pack, and its rules stood as they were until the rows changed.',
    edits: [
      {
        file: 'src/operations/quality/unseen-data.ts',
        find: 'results.every((each) => each.dataVersion === version && each.definedBy === environment.dqPacks)',
        replace: 'results.every((each) => each.dataVersion === version)',
      },
    ],
  },
  {
    ...{ name: 'quality: results of a model are recorded one by one', mechanism: DEATHS },
    seen: 'A model had some of the results of a run, and the others were those of the run before.',
    edits: [
      {
        file: 'src/runtime/quality/run-checks.ts',
        find: 'const changed = await world.state.quality.recordResults(results, []);',
        replace:
          'const changed = [];\n    for (const each of results) changed.push(...(await world.state.quality.recordResults([each], [])));',
      },
    ],
  },
];
