import type { EnvironmentEntry } from '../../domain/environment.ts';
import { tableKey } from '../../domain/relation.ts';
import { isBuilt, type Snapshot } from '../../domain/snapshot.ts';
import { reachable } from '../../foundation/graph.ts';
import { hullOfRanges, type RangeSet } from '../../foundation/time/ranges.ts';
import {
  type Bounds,
  dueIntervals,
  type TableToFill,
  type WaitingRanges,
} from './intervals/due-intervals.ts';
import { withinBounds } from './intervals/within-bounds.ts';

/*
 * What a plan fills. A table that is new to the environment is filled up to what is due; one that stands is left to
 * `plinth run`, except for holes in what it has and for what `--start` and `--end` add to it. Outside prod they bound what
 * is new:
 *
 *   --start 5 --end 8      new      ░░░░[──────)      stands   [─────)──────)   extended, never cut
 *   over its own past      new      [──────────)      and all that it is made of, since every interval needs those before
 */

export interface PlanMissingInput {
  readonly environment: string;
  /** Dependencies first, with what the environment will show. */
  readonly models: readonly { readonly snapshot: Snapshot; readonly entry: EnvironmentEntry }[];
  /** Entries as the environment shows them now, by model. */
  readonly present: ReadonlyMap<string, EnvironmentEntry>;
  /** By `tableKey`, less what is to be filled again. */
  readonly filled: ReadonlyMap<string, RangeSet>;
  /** What must be filled again, by `tableKey`. */
  readonly restated: ReadonlyMap<string, RangeSet>;
  readonly executionTime: number;
  /** Of an environment other than prod. */
  readonly bounds: Bounds;
  /** Whether the bounds add to tables that stand; not when they say what is restated. */
  readonly isExtending?: boolean;
  /** Also what cron has made due of tables that stand. */
  readonly withRun: boolean;
  readonly ignoreCron?: boolean;
  /** Where tables of forward-only changes begin outside prod without `--start`, by model. */
  readonly devStarts: ReadonlyMap<string, number>;
  /** Models of which an environment other than prod makes the last interval only. */
  readonly previews?: ReadonlySet<string>;
  /** Tables that another environment fills, by `tableKey`. */
  readonly held?: ReadonlyMap<string, string>;
  /** Models whose rows were made of tables that the environment does not show. */
  readonly leftBehind?: ReadonlyMap<string, readonly string[]>;
  /** Time that signals hold back, by model. */
  readonly blocked?: ReadonlyMap<string, RangeSet>;
}

export interface PlanMissing {
  /** Ranges to fill by model; an empty set for a table that must only be made. Models with nothing to do are absent. */
  readonly missing: ReadonlyMap<string, RangeSet>;
  readonly waiting: readonly WaitingRanges[];
}

export function planMissing(input: PlanMissingInput): PlanMissing {
  const { models, present, filled, restated, held, leftBehind, environment } = input;
  const stands = ({ model, version }: EnvironmentEntry): boolean => present.get(model)?.version === version;
  const existing = new Set(models.flatMap(({ entry }) => (stands(entry) ? entry.model : [])));
  const whole = fromTheirBeginning(models, existing);
  const due = dueIntervals({
    ...input,
    entries: models.map(({ entry }) => entry),
    snapshots: new Map(models.map(({ snapshot }) => [snapshot.fingerprint, snapshot])),
    intervals: filled,
    restatements: models.flatMap(({ entry: { model, version } }) => {
      const table = version === undefined ? undefined : { model, version };
      const ranges = table && restated.get(tableKey(table));
      return table === undefined || ranges === undefined ? [] : [{ table, ranges }];
    }),
    previews: new Set([...(input.previews ?? [])].filter((model) => !whole.has(model))),
    boundsOf: (table) => boundsOf(input, table, { existing, whole }),
    isContinuing: ({ snapshot: { model }, key }) =>
      environment !== 'prod' &&
      existing.has(model) &&
      !whole.has(model) &&
      (input.bounds.start === undefined || input.isExtending === false) &&
      (filled.get(key) ?? []).length > 0,
  });
  const missing = new Map(due.missing);
  for (const { snapshot, entry } of models) {
    const { model, version } = entry;
    if (version === undefined || !isBuilt(snapshot.kind) || missing.has(model) || existing.has(model))
      continue;
    const key = tableKey({ model, version });
    const isOwn = held?.has(key) !== true && leftBehind?.has(model) !== true;
    if (isOwn && (filled.get(key) ?? []).length === 0) missing.set(model, []);
  }
  return { missing, waiting: due.waiting };
}

/** New tables over their own past, and all that they are made of. */
function fromTheirBeginning(
  models: PlanMissingInput['models'],
  existing: ReadonlySet<string>,
): ReadonlySet<string> {
  const own = models
    .filter(({ snapshot: { model, readsItself } }) => readsItself === true && !existing.has(model))
    .map(({ snapshot: { model } }) => model);
  if (own.length === 0) return new Set();
  const parents = new Map(models.map(({ snapshot: { model, parents: above } }) => [model, above]));
  return new Set([...own, ...reachable(own, (model) => parents.get(model) ?? [])]);
}

function boundsOf(
  { bounds: asked, isExtending = true, withRun, devStarts }: PlanMissingInput,
  table: TableToFill,
  { existing, whole }: { readonly existing: ReadonlySet<string>; readonly whole: ReadonlySet<string> },
): Bounds {
  const { model } = table.snapshot;
  const bounds = existing.has(model) && !isExtending ? {} : asked;
  const begin = whole.has(model) ? undefined : (bounds.start ?? devStarts.get(model));
  const within = withinBounds({ start: begin, end: bounds.end }, table);
  const hull = hullOfRanges(table.had);
  if (!existing.has(model) || withRun || hull === undefined) return within;
  // A table that stands is left to runs, but for what the bounds add to it.
  const own = Math.max(hull.end, bounds.end ?? hull.end);
  return { ...within, end: Math.min(own, within.end ?? own) };
}
