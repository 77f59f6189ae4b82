import type { Environment, EnvironmentEntry } from '../../domain/environment.ts';
import { isRollup } from '../../domain/environment.ts';
import type { NewEvent } from '../../domain/event.ts';
import type { SnapshotContent } from '../../domain/snapshot.ts';
import type { WorldReader } from '../world.ts';
import { brokenEvents } from './perspectives-broken.ts';

/** What a promotion changes of the columns of a model that was there before. */
interface SchemaChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Columns of another type than before. */
  readonly retyped: readonly string[];
}

/** What readers of an environment notice of a promotion, for the log: columns and metrics that changed or are gone, and perspectives that cannot be asked any more. New ones do not affect them. */
export async function promotionEvents(
  world: Pick<WorldReader, 'state' | 'engine' | 'clock'>,
  target: Environment,
  { at, runId }: { readonly at: number; readonly runId: string },
): Promise<readonly NewEvent[]> {
  const { state } = world;
  const before = await state.snapshots.environment(target.name);
  if (before === undefined || before.promotionId === target.promotionId) return [];
  const reported = { at, environment: target.name, runId };
  const schemas = await schemaChanges(state, before, target);
  return [
    ...[...schemas].map(
      ([model, columns]): NewEvent => ({
        ...reported,
        event: 'schema.changed',
        model,
        data: {
          change: target.entries.some((entry) => entry.model === model) ? 'changed' : 'removed',
          breaking: columns.removed.length + columns.retyped.length > 0,
          ...columns,
        },
      }),
    ),
    ...metricChanges(before, target).map(
      (data): NewEvent => ({
        ...reported,
        event: 'metric.changed',
        data: { ...data, planId: target.planId },
      }),
    ),
    ...(await brokenEvents(world, { before, target, at, runId })),
  ];
}

async function schemaChanges(
  { snapshots }: WorldReader['state'],
  before: Environment,
  target: Environment,
): Promise<ReadonlyMap<string, SchemaChange>> {
  const now = new Map(target.entries.map((entry) => [entry.model, entry]));
  const differing = before.entries.filter(
    (entry) => !isRollup(entry) && now.get(entry.model)?.fingerprint !== entry.fingerprint,
  );
  const contents = await snapshots.contents(
    differing.flatMap(({ model, fingerprint }) => {
      const later = now.get(model);
      return later === undefined ? [] : [fingerprint, later.fingerprint];
    }),
  );
  const changes = new Map<string, SchemaChange>();
  for (const entry of differing) {
    const later = now.get(entry.model);
    const had = columnTypes(entry, contents.get(entry.fingerprint));
    const has = later === undefined ? new Map() : columnTypes(later, contents.get(later.fingerprint));
    const change = {
      added: [...has.keys()].filter((name) => !had.has(name)),
      removed: [...had.keys()].filter((name) => !has.has(name)),
      retyped: [...has].flatMap(([name, type]) => {
        const earlier = had.get(name);
        return earlier === undefined || earlier === type || [earlier, type].includes('UNKNOWN') ? [] : [name];
      }),
    };
    if (later === undefined || change.added.length + change.removed.length + change.retyped.length > 0)
      changes.set(entry.model, change);
  }
  return changes;
}

/** By name in lower case; names as the view has them, types as the model was compiled with. */
function columnTypes(
  { columns }: EnvironmentEntry,
  content: SnapshotContent | undefined,
): ReadonlyMap<string, string> {
  const types = new Map(
    (content?.model.columns ?? []).map(({ name, type }) => [name.toLowerCase(), type.toUpperCase()]),
  );
  return new Map(columns.map((name) => [name.toLowerCase(), types.get(name.toLowerCase()) ?? 'UNKNOWN']));
}

const METRIC = 'metric:';

function metricChanges(
  { definitions: before }: Environment,
  { definitions: after }: Environment,
): readonly {
  readonly metric: string;
  readonly change: 'changed' | 'removed';
  readonly breaking: boolean;
}[] {
  return Object.keys(before)
    .filter((key) => key.startsWith(METRIC) && before[key] !== after[key])
    .sort()
    .map((key) => {
      const change = after[key] === undefined ? 'removed' : 'changed';
      return { metric: key.slice(METRIC.length), change, breaking: change === 'removed' };
    });
}
