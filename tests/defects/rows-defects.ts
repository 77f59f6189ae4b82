import type { Defect, Edit, Mechanism } from './defect.ts';

const CASES = 'tests/rows-campaign/known-cases.test.ts';

/** One case of the campaign that has what the defect is about. */
const inCase = (name: string): Mechanism => ({
  file: CASES,
  variables: { PLINTH_ROWS_CASE: name },
});
const focused = (file: string): Mechanism => ({ file });

const edit = (file: string, find: string, replace: string): Edit => ({ file, find, replace });

const TRAITS = 'src/compiler/plan/intervals/kind-traits.ts';
const HISTORY = 'src/runtime/execute/materialize/history.ts';

/** Section 2 of issue 13: wrong rows. */
export const ROWS_DEFECTS: readonly Defect[] = [
  {
    name: 'rows: a partial promotion leaves readers on rows of before',
    seen: 'After plan --select of a model, plan found nothing to do, and its readers had sums of before for ever.',
    mechanism: inCase('a partial promotion leaves readers'),
    theme: 'selections',
    edits: [
      edit(
        'src/compiler/plan/change-effects.ts',
        'if (missed !== undefined) return missed;',
        'if (missed !== undefined && missed.length === 0) return missed;',
      ),
    ],
  },
  {
    name: 'rows: batches over the own past run side by side',
    seen: 'A running total was 1, 3, 4, 5, 6, 12, 13 in place of 1, 3, 6, 10, 15, 21, 28.',
    mechanism: inCase('batches of a model over its own past'),
    theme: 'own past',
    edits: [
      edit(
        TRAITS,
        "return kind === 'incremental-by-time-range' && !readsItself;",
        "return kind === 'incremental-by-time-range' || (readsItself && !readsItself);",
      ),
    ],
  },
  {
    name: 'rows: restating a day of a model over its own past redoes that day only',
    seen: 'Totals of later days stayed those of before.',
    mechanism: inCase('restating a day of a model over its own past'),
    theme: 'own past',
    edits: [edit(TRAITS, "readsItself ? 'onward' : 'each';", "readsItself ? 'each' : 'each';")],
  },
  {
    name: 'rows: lookback records time that is held back',
    seen: 'A day that its parent got late never came to a model with lookback.',
    mechanism: inCase('lookback records a day'),
    theme: 'signals',
    edits: [
      edit(
        'src/compiler/plan/missing-intervals.ts',
        'return subtractRanges(all, heldUnits(input, all));',
        'return all;',
      ),
    ],
  },
  {
    name: 'rows: a FULL model is recorded beyond what it reads',
    seen: 'A table over one that a signal held back was built empty and counted as filled.',
    mechanism: inCase('a FULL model over a table that a signal holds back'),
    theme: 'signals',
    edits: [
      edit(
        'src/compiler/plan/intervals/due-intervals.ts',
        "if (kind === 'full') for (const upstream of above.values()) until = Math.min(until, upstream.until);",
        'if (above.size < 0) until = 0;',
      ),
    ],
  },
  {
    name: 'rows: a plan of dev fills tables of prod',
    seen: 'plan dev filled tables that prod shows up to now.',
    mechanism: inCase('a plan of a new dev fills tables of prod'),
    theme: 'environments',
    edits: [
      edit(
        'src/compiler/plan/held-tables.ts',
        "if (environment.name === 'prod') return held;",
        "if (environment.name !== '') return held;",
      ),
    ],
  },
  {
    name: 'rows: restating in dev rewrites tables of prod',
    seen: 'Consumers of prod saw rows that somebody restated in dev.',
    mechanism: inCase('restating in dev rewrites tables of prod'),
    edits: [
      edit(
        'src/compiler/plan/held-tables.ts',
        "if (environment.name === 'prod') return held;",
        "if (environment.name !== '') return held;",
      ),
    ],
  },
  {
    name: 'rows: taking back a forward-only change keeps its rows',
    seen: 'A sum was 96 where the query says 48, and every plan found nothing to do.',
    mechanism: inCase('taking back a forward-only change'),
    theme: 'forward-only',
    edits: [
      edit(
        'src/compiler/plan/prepare-plan.ts',
        'taken.isReturn(stored, environment, entries.get(model));',
        "taken.isReturn(stored, environment, entries.get(model)) &&\n      environment === '';",
      ),
    ],
  },
  {
    name: 'rows: a forward-only change in dev computes all history',
    seen: 'plan dev --forward-only took as long as a rebuild.',
    mechanism: inCase('a forward-only change in dev computes all history'),
    theme: 'forward-only',
    edits: [
      edit(
        'src/compiler/plan/intervals/due-intervals.ts',
        'const isWanted = this.#input.previews?.has(model) === true;',
        "const isWanted = this.#input.previews?.has(model) === true && model === '';",
      ),
    ],
  },
  {
    name: 'rows: a range for an existing dev is ignored',
    seen: 'plan dev --start with an earlier day said that all is up to date.',
    mechanism: inCase('a range for an existing dev'),
    theme: 'environments',
    edits: [
      edit(
        'src/compiler/plan/plan-missing.ts',
        'const bounds = existing.has(model) && !isExtending ? {} : asked;',
        'const bounds = existing.has(model) || !isExtending ? {} : asked;',
      ),
      edit(
        'src/compiler/plan/plan-missing.ts',
        '      (input.bounds.start === undefined || input.isExtending === false) &&\n',
        '',
      ),
    ],
  },
  {
    name: 'rows: restating by key merges once more',
    seen: 'Keys that had left the source stayed: 500 rows where 400 are right.',
    mechanism: inCase('a restatement by key keeps keys'),
    theme: 'keys',
    edits: [
      edit(
        TRAITS,
        "return kind === 'incremental-by-partition' && !readsItself ? 'each' : 'whole';",
        "return (kind === 'incremental-by-partition' || kind === 'incremental-by-unique-key') && !readsItself\n    ? 'each'\n    : 'whole';",
      ),
    ],
  },
  {
    name: 'rows: restating two days by key adds them up once more',
    seen: 'A sum that when_matched adds up grew with each restatement.',
    mechanism: inCase('a restatement of two days adds them up'),
    edits: [
      edit(
        TRAITS,
        "return kind === 'incremental-by-partition' && !readsItself ? 'each' : 'whole';",
        "return (kind === 'incremental-by-partition' || kind === 'incremental-by-unique-key') && !readsItself\n    ? 'each'\n    : 'whole';",
      ),
    ],
  },
  {
    name: 'rows: a row that is held back ends its history',
    seen: 'With invalidate_hard_deletes a row in quarantine counted as deleted.',
    mechanism: inCase('a row that is held back counts as deleted'),
    theme: 'history',
    edits: [
      edit(
        HISTORY,
        '${subquery(all)} AS plinth__rows) AS plinth__all',
        '${subquery(source)} AS plinth__rows) AS plinth__all',
      ),
    ],
  },
  {
    name: 'rows: a row without a time of change never changes again',
    seen: 'A key of SCD_TYPE_2_BY_TIME that was first seen with NULL kept its first version for ever.',
    mechanism: inCase('a row that was first seen without a time'),
    theme: 'history',
    edits: [
      edit(
        HISTORY,
        "ELSE ${updated('o')} IS NULL OR ${updated('s')} > ${updated('o')} END`",
        "ELSE ${updated('s')} > ${updated('o')} END`",
      ),
    ],
  },
  {
    name: 'rows: a kept answer does not know of a commit',
    seen: 'After a kill between COMMIT and the update of state the server answered 670 where the warehouse had 680.',
    mechanism: inCase('an answer is kept after a kill'),
    theme: 'answers',
    edits: [
      edit(
        'src/adapters/engines/duckdb/keeper-versions.ts',
        'this.#known.set(table, { count: count + 1, xor: xor ^ BigInt(dataVersion) });',
        'if (count === 0) this.#known.set(table, { count: 1, xor: xor ^ BigInt(dataVersion) });',
      ),
    ],
  },
  {
    name: 'rows: a kept answer does not know of a promotion',
    seen: 'After a promotion whose process was killed before state heard of it, kept answers were those of the views before.',
    mechanism: focused('tests/statements/cached-answers.test.ts'),
    edits: [
      edit(
        'src/operations/ask/read-context.ts',
        'return [...views, ...(tables as readonly TableId[])];',
        'return [...views.slice(views.length), ...(tables as readonly TableId[])];',
      ),
    ],
  },
  {
    name: 'rows: an audit over another model is asked for its own table only',
    seen: 'A write that took away what a relationship refers to was published.',
    mechanism: inCase('an audit over another model'),
    theme: 'audits',
    edits: [
      edit(
        'src/compiler/plan/backfill-groups.ts',
        '(audit) => membersAmong(tables.read(audits.reads?.[audit] ?? [])).length > 0,',
        "(audit) => audit === '' && membersAmong(tables.read(audits.reads?.[audit] ?? [])).length > 0,",
      ),
    ],
  },
  {
    name: 'rows: a sum of DOUBLE counts as proven',
    seen: 'A table that was built again had other last digits than its readers.',
    mechanism: inCase('a sum of DOUBLE counts as proven'),
    theme: 'changes',
    edits: [
      edit(
        'src/compiler/plan/categorize/call-value.ts',
        'return numbers.every((part) => isExactNumber(session, part));',
        'return numbers.every((part) => isExactNumber(session, part) || part > -1);',
      ),
    ],
  },
  {
    name: 'rows: standalone audits are never asked',
    seen: 'A standalone audit was listed in the plan, and rows that it is against were shown without a word.',
    mechanism: inCase('a standalone audit is listed'),
    theme: 'audits',
    edits: [
      edit(
        'src/compiler/plan/later-audits.ts',
        'return standalone.flatMap((entry): readonly Stage[] => {',
        'return standalone.slice(0, 0).flatMap((entry): readonly Stage[] => {',
      ),
    ],
  },
  {
    name: 'rows: an external column of another type is metadata',
    seen: 'Tables kept the type and the values of before.',
    mechanism: inCase('an external column of another type'),
    theme: 'sources',
    edits: [edit('src/compiler/plan/own-change.ts', '    ...retyped.map(({ words: text }) => text),\n', '')],
  },
  {
    name: 'rows: a failed plan marks shown tables as broken',
    seen: 'status said broken of tables that nobody had touched.',
    mechanism: inCase('a failed plan marks tables as broken'),
    theme: 'audits',
    edits: [
      edit(
        'src/compiler/plan/model-statuses.ts',
        "return (kind !== 'plan' && kind !== 'rollback') || end === 'succeeded' || planId === environment.planId;",
        "return (kind !== 'plan' && kind !== 'rollback') || end !== 'running' || planId === environment.planId;",
      ),
    ],
  },
  {
    name: 'rows: a breaking change below a forward-only one reaches nobody',
    seen: 'A view and what it reads changed in one plan, and what reads the view kept rows of before.',
    mechanism: inCase('a change below a forward-only one'),
    theme: 'forward-only',
    edits: [
      edit(
        'src/compiler/plan/change-effects.ts',
        "if (effect === undefined || effect.change.kind === 'same') return [];",
        "if (effect === undefined || effect.isForward || effect.change.kind === 'same') return [];",
      ),
    ],
  },
  {
    name: 'rows: a restatement fills again what it does not reach',
    seen: 'Restating days before the start of a table by key filled everything below it again.',
    mechanism: focused('tests/plan-rows/filled-again.test.ts'),
    theme: 'keys',
    edits: [
      edit(
        'src/compiler/plan/intervals/restatement-ranges.ts',
        '  if (restatementRanges(table, requested).length === 0) return requested;\n',
        '',
      ),
    ],
  },
  {
    name: 'rows: --effective-from does not count for what dev has planned',
    seen: 'plan prod --forward-only --effective-from filled nothing again after plan dev --forward-only.',
    mechanism: inCase('a time from which on a change counts'),
    theme: 'forward-only',
    edits: [
      edit(
        'src/compiler/plan/target-entries.ts',
        'const from = forward && (context.effectiveFrom ?? forward.effectiveFrom);',
        'const from = forward?.effectiveFrom;',
      ),
    ],
  },
  {
    name: 'rows: a seed that gains a column is breaking',
    seen: 'A new column in a CSV file rebuilt everything that reads the seed.',
    mechanism: focused('tests/plan-rows/source-columns.test.ts'),
    edits: [
      edit(
        'src/compiler/plan/own-change.ts',
        'const change = isOnly ? seedChange(before, after) : undefined;',
        'const change = isOnly ? undefined : seedChange(before, after);',
      ),
    ],
  },
  {
    name: "rows: statements for the stage 'creating' never run",
    seen: "@IF(@runtime_stage = 'creating', CREATE INDEX …) made no index.",
    mechanism: focused('tests/execute/runtime-stages.test.ts'),
    edits: [
      edit(
        'src/compiler/render/render-snapshot.ts',
        'const isStaged = options.isMaking === true && hasMacros;',
        'const isStaged = hasMacros && !hasMacros;',
      ),
    ],
  },
];
