/** What happens to a project, as data: a case is a project and a list of these, and can be played again with some of them left out. */
import type { Definition, Project } from './definition.ts';
import { EDITS, type Edit, type EditName } from './edits.ts';
import type { Feature } from './features.ts';
import type { DataChange, SourceRows } from './sources.ts';
import type { Chance, Row } from './values.ts';

export type Step =
  | ({ readonly do: 'edit' } & Edit)
  /** A model becomes this; for cases that are written by hand, as `pour` is. */
  | { readonly do: 'define'; readonly definition: Definition }
  /** An external table gets these rows instead of its own. */
  | { readonly do: 'pour'; readonly table: string; readonly rows: readonly Row[] }
  | { readonly do: 'data'; readonly change: DataChange; readonly n: number }
  /** Days, or half of one. */
  | { readonly do: 'advance'; readonly days: number }
  /** The signal lets nothing more through than so many days after the last that is over, or not that day only; `release` lets everything through. */
  | { readonly do: 'hold'; readonly after: number; readonly isHole?: boolean }
  | { readonly do: 'release' }
  | PlanStep
  | { readonly do: 'run'; readonly environment: string; readonly select?: string }
  | { readonly do: 'kill'; readonly at: number }
  | { readonly do: 'rollback'; readonly environment: string }
  | { readonly do: 'janitor'; readonly later: number }
  | { readonly do: 'invalidate' };

export interface PlanStep {
  readonly do: 'plan';
  readonly environment: string;
  readonly select?: string;
  readonly isForwardOnly?: boolean;
  readonly skipsBackfill?: boolean;
  readonly withRun?: boolean;
  /** Columns may be lost. */
  readonly mayLose?: boolean;
  readonly restate?: string;
  /** `--effective-from`, a day. */
  readonly effectiveFrom?: number;
  /** Days; the end is included. */
  readonly start?: number;
  readonly end?: number;
}

/** Everything that a run of the campaign is about. */
export interface Case {
  readonly seed: number;
  readonly theme: string;
  readonly features: readonly Feature[];
  readonly project: Project;
  readonly rows: SourceRows;
  readonly steps: readonly Step[];
}

/** What a step is counted as. */
export function stepName(step: Step): string {
  switch (step.do) {
    case 'edit':
      return `edit ${step.edit}`;
    case 'data':
      return `rows ${step.change}`;
    case 'plan': {
      const words = [
        ...(step.restate === undefined ? [] : ['restate']),
        ...(step.select === undefined ? [] : ['select']),
        ...(step.isForwardOnly === true ? ['forward-only'] : []),
        ...(step.effectiveFrom === undefined ? [] : ['effective-from']),
        ...(step.skipsBackfill === true ? ['skip-backfill'] : []),
        ...(step.withRun === true ? ['run'] : []),
        ...(step.start === undefined && step.end === undefined ? [] : ['start/end']),
      ];
      return ['plan', step.environment, ...words].join(' ');
    }
    case 'run':
      return `run ${step.environment}${step.select === undefined ? '' : ' select'}`;
    case 'rollback':
      return `rollback ${step.environment}`;
    default:
      return step.do;
  }
}

const DATA: readonly (readonly [DataChange, number])[] = [
  ['late', 3],
  ['delete', 2],
  ['change', 3],
  ['bad', 2],
  ['repair', 1],
];

const EDIT_WEIGHTS: Readonly<Record<EditName, number>> = {
  rows: 6,
  'column-add': 4,
  'column-remove': 2,
  'column-retype': 1,
  metadata: 1,
  style: 2,
  audit: 1,
  schedule: 1,
  kind: 2,
  seed: 1,
  'seed-column': 1,
  'add-model': 1,
  'remove-model': 1,
  revert: 3,
};

/** A list of steps by chance: first a plan of prod, then whatever the features allow. */
export function generateSteps(
  project: Project,
  count: number,
  { chance, features }: { readonly chance: Chance; readonly features: ReadonlySet<Feature> },
): readonly Step[] {
  const steps: Step[] = [];
  if (features.has('signals') && chance.oneIn(2))
    steps.push({ do: 'hold', after: -1 - chance.below(4), ...(chance.oneIn(2) ? { isHole: true } : {}) });
  steps.push({ do: 'plan', environment: 'prod' });
  while (steps.length < count) steps.push(...nextSteps(project, { chance, features }));
  return steps.slice(0, count);
}

interface Choices {
  readonly chance: Chance;
  readonly features: ReadonlySet<Feature>;
}

function nextSteps(project: Project, { chance, features }: Choices): readonly Step[] {
  const model = (): string => chance.pick(project.models).name;
  const has = (feature: Feature, weight: number): number => (features.has(feature) ? weight : 0);
  const editOf = (name: string, edit?: EditName): Step => ({
    do: 'edit',
    edit: edit ?? chance.weighted(EDITS.map((each) => [each, EDIT_WEIGHTS[each]] as const)),
    model: name,
    n: chance.below(1000),
  });
  const edit = (): Step => editOf(model());
  const data = (change?: DataChange): Step => ({
    do: 'data',
    change: change ?? chance.weighted(DATA),
    n: chance.below(1000),
  });
  const plan = (more: Partial<PlanStep> = {}): PlanStep => ({ do: 'plan', environment: 'prod', ...more });
  const run: Step = { do: 'run', environment: 'prod' };
  const days = (count: number): Step => ({ do: 'advance', days: count });
  const chosen = model();
  return chance.weighted<() => readonly Step[]>([
    [() => [edit(), plan()], 6],
    [() => [edit(), edit(), plan()], 2],
    [() => [edit()], 1],
    [() => [data()], 4],
    [() => [days(1 + chance.below(2)), run], 6],
    [() => [plan()], 1],
    [() => [days(1), plan({ withRun: true })], 1],
    [() => [edit(), plan({ skipsBackfill: true }), plan()], 1],
    [() => [{ do: 'rollback', environment: 'prod' }], 1],
    [() => [{ do: 'janitor', later: chance.pick([0, 30]) }], 1],
    [() => [editOf(chosen), plan(), days(1), run, editOf(chosen, 'revert'), plan()], 1],
    [() => [days(0.5), run, days(0.5), run], has('partials', 3)],
    [() => [data(), plan(restated(chosen, chance))], has('restatements', 3)],
    [() => [data('delete'), plan(restated(chosen, chance))], has('restatements', 1) + has('relations', 2)],
    [() => [data('bad'), days(1), run, data('repair'), run], has('audits', 3) + has('standalone', 3)],
    [() => [data('change'), days(1), run], has('history', 4)],
    [() => [plan({ select: chosen })], has('selections', 1)],
    [() => [editOf(chosen), plan({ select: chosen }), plan()], has('selections', 6)],
    [() => [edit(), edit(), plan({ select: chosen }), plan()], has('selections', 1)],
    [() => [days(1), { do: 'run', environment: 'prod', select: chosen }, days(1), run], has('selections', 2)],
    [() => [{ do: 'hold', after: chance.below(2) }], has('signals', 2)],
    [() => [{ do: 'hold', after: 0, isHole: true }, days(2), run, { do: 'release' }, run], has('signals', 3)],
    [() => [{ do: 'hold', after: chance.below(2) }, days(2), run, { do: 'release' }, run], has('signals', 4)],
    [() => [{ do: 'release' }, days(1), run], has('signals', 2)],
    [() => [edit(), plan({ isForwardOnly: true, mayLose: chance.oneIn(2) })], has('forward-only', 6)],
    [
      () => [editOf(chosen, 'rows'), plan({ isForwardOnly: true, effectiveFrom: 1 + chance.below(4) })],
      has('forward-only', 5),
    ],
    [
      () => [editOf(chosen), plan({ isForwardOnly: true }), days(1), run, editOf(chosen, 'revert'), plan()],
      has('forward-only', 2),
    ],
    [() => devSteps({ editOf, edit, data, model, chance, features }), has('dev', 18)],
    [() => [data(), days(1), { do: 'kill', at: chance.below(4) }], has('kills', 5)],
    [() => [data('retype'), plan(), days(1), run], has('retypes', 3)],
    [() => [data('change'), plan(restated(overPast(project, chance), chance))], has('own-past', 5)],
  ])();
}

/** A model that reads its own past, where there is one. */
function overPast({ models }: Project, chance: Chance): string {
  const found = models.filter(({ query }) => query?.past !== undefined);
  return chance.pick(found.length === 0 ? models : found).name;
}

function restated(model: string, chance: Chance): Partial<PlanStep> {
  const start = chance.below(5);
  return chance.oneIn(2) ? { restate: model } : { restate: model, start, end: start + chance.below(2) };
}

function devSteps({
  editOf,
  edit,
  data,
  model,
  chance,
  features,
}: Choices & {
  readonly editOf: (model: string) => Step;
  readonly edit: () => Step;
  readonly data: () => Step;
  readonly model: () => string;
}): readonly Step[] {
  const plan = (more: Partial<PlanStep> = {}): PlanStep => ({ do: 'plan', environment: 'dev', ...more });
  const start = chance.below(4);
  const chosen = model();
  const has = (feature: Feature, weight: number): number => (features.has(feature) ? weight : 0);
  return chance.weighted<() => readonly Step[]>([
    [() => [plan()], 2],
    [() => [edit(), plan()], 4],
    [() => [edit(), plan(), { do: 'plan', environment: 'prod' }], 4],
    [() => [edit(), plan({ start })], 2],
    [() => [plan({ start, end: start + chance.below(3) })], 1],
    [
      () => [
        { do: 'advance', days: 1 },
        { do: 'run', environment: 'dev' },
      ],
      4,
    ],
    [() => [{ do: 'advance', days: 1 }, plan()], 2],
    [
      () => [edit(), plan({ isForwardOnly: true }), { do: 'plan', environment: 'prod', isForwardOnly: true }],
      has('forward-only', 8),
    ],
    [() => [data(), plan({ ...restated(model(), chance) })], has('restatements', 10)],
    [() => [editOf(chosen), plan({ select: chosen }), plan()], has('selections', 6)],
    [
      () => [editOf(chosen), plan({ select: chosen }), { do: 'plan', environment: 'prod' }],
      has('selections', 6),
    ],
    [() => [{ do: 'rollback', environment: 'dev' }], 3],
    [() => [{ do: 'invalidate' }, { do: 'janitor', later: 0 }], 4],
  ])();
}
