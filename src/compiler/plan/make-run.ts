import type { Environment } from '../../domain/environment.ts';
import type { MissingIntervals, Stage } from '../../domain/plan.ts';
import { tableKey, type ViewNaming } from '../../domain/relation.ts';
import type { RangeSet } from '../../foundation/time/ranges.ts';
import { buildStages } from './build-stages.ts';
import { heldTables } from './held-tables.ts';
import {
  type Bounds,
  type DueInput,
  type DueIntervals,
  dueIntervals,
  type WaitingRanges,
} from './intervals/due-intervals.ts';
import { withinBounds } from './intervals/within-bounds.ts';
import { leftBehind } from './left-behind.ts';
import type { PromoteWork } from './plan-promotion.ts';
import type { BuiltModel } from './stage-input.ts';
import { TakenTables } from './taken-tables.ts';

/** A run as it is asked for, over applied state only: no file of the project is looked at. */
export interface RunInput extends Omit<DueInput, 'entries' | 'isContinuing' | 'held' | 'taken'> {
  readonly environment: Environment;
  /** All environments, this one included: rows that a run writes may show in any of them. `snapshots` has the entries of all. */
  readonly environments: readonly Environment[];
  readonly beforeAll: readonly string[];
  readonly afterAll: readonly string[];
  readonly naming: (environment: string) => ViewNaming;
  /** `--start` and `--end`. */
  readonly bounds?: Bounds;
  /** `--shared`. */
  readonly isShared?: boolean;
  /** Views that have to be made again, once everything is filled. */
  readonly promote?: PromoteWork;
  /** `run.max_parallel`. */
  readonly concurrency: number;
}

export interface RunOutcome {
  /** Empty when nothing is due. */
  readonly stages: readonly Stage[];
  readonly missing: readonly MissingIntervals[];
  readonly waiting: readonly WaitingRanges[];
}

/** What cron makes due now and the stages that fill it, upstream first. Models with signals wait unless `ready` names them. */
export function makeRun(input: RunInput): RunOutcome {
  const { environment, environments, snapshots, beforeAll, afterAll, naming, concurrency } = input;
  const found = dueOf({ ...input, ready: input.ready ?? new Map() });
  const stages = buildStages({
    environment: environment.name,
    models: builtModels(input),
    missing: found.missing,
    filled: found.filled,
    restated: found.restated,
    environments,
    snapshots,
    ...(environment.audits === undefined ? {} : { standalone: environment.audits }),
    ...(input.promote === undefined ? {} : { promote: input.promote }),
    beforeAll,
    afterAll,
    naming,
    concurrency,
  });
  return { stages, missing: listed(input, found.missing), waiting: found.waiting };
}

/** What the signals of each model are to be asked about: models that have signals, with what is due before their answer. */
export function signalQuestions(input: Omit<RunInput, 'ready'>): ReadonlyMap<string, RangeSet> {
  const { missing } = dueOf(input);
  const withSignals = builtModels(input).filter(({ snapshot }) => snapshot.schedule.signals.length > 0);
  return new Map(
    withSignals.flatMap(({ snapshot: { model } }) => {
      const ranges = missing.get(model);
      return ranges === undefined ? [] : [[model, ranges] as const];
    }),
  );
}

/** Tables of prod are filled from their start on; those that only other environments have go on from where a plan began. */
function dueOf(input: RunInput): DueIntervals {
  const { environment, environments } = input;
  const production = environments.find(({ name }) => name === 'prod');
  const shared = new Set(
    production?.entries.map(({ model, version }) => tableKey({ model, version: version ?? '' })),
  );
  return dueIntervals({
    ...input,
    entries: environment.entries,
    leftBehind: leftBehind(environment.entries, input.snapshots),
    taken: takenModels(input),
    held: heldTables(environment, environments, input.snapshots, { isShared: input.isShared === true }),
    boundsOf: (table) => withinBounds(input.bounds ?? {}, table),
    isContinuing: ({ key }) =>
      environment.name !== 'prod' && !shared.has(key) && input.bounds?.start === undefined,
  });
}

function takenModels({ environment, environments, snapshots }: RunInput): ReadonlySet<string> {
  const tables = new TakenTables(snapshots, environments);
  const taken = environment.entries.filter((entry) => tables.isTaken(entry, environment.name));
  return new Set(taken.map(({ model }) => model));
}

function builtModels({ environment, snapshots }: Omit<RunInput, 'ready'>): readonly BuiltModel[] {
  return environment.entries.flatMap((entry) => {
    const snapshot = snapshots.get(entry.fingerprint);
    return snapshot === undefined ? [] : [{ entry, snapshot }];
  });
}

function listed(
  { environment }: RunInput,
  missing: ReadonlyMap<string, RangeSet>,
): readonly MissingIntervals[] {
  const versions = new Map(environment.entries.map(({ model, version }) => [model, version]));
  return [...missing].map(([model, ranges]) => ({ model, version: versions.get(model) ?? '', ranges }));
}
