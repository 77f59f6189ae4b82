/*
 * What an event hits, as keys of targets that can be followed:
 *
 *   of a model's rows      the model ─▶ models made of it ─▶ metrics over their semantic models ─▶ perspectives over any of these
 *   of columns             only what those columns flow into (lineage), by column
 *   of a metric            the metric ─▶ metrics and perspectives made of it
 *   of anything            the product
 */
import type { StoredEvent } from '../../domain/event.ts';
import { EVENT_TYPES } from '../../domain/event-types.ts';
import { targetKey } from '../../domain/follower.ts';
import type { Semantics } from '../../domain/semantics.ts';
import { membersReached, metricsReading, referencesOf } from '../catalog/impact.ts';

/** A saved query, as far as what it is made of goes. */
export interface KnownPerspective {
  readonly id: string;
  /** Whose rows it is made of. */
  readonly models: readonly string[];
  /** `model.column`, where columns are known. */
  readonly columns: readonly string[];
  /** `semantic.member`. */
  readonly members: readonly string[];
  readonly metrics: readonly string[];
}

/** What is made of what, in one environment. */
export interface Reach extends Pick<Semantics, 'models' | 'semanticModels' | 'metrics'> {
  readonly perspectives: readonly KnownPerspective[];
}

export type Distance = 'direct' | 'indirect';

/** Targets by key. An event that says nothing of the data stays where it happened. */
export function reachedTargets(event: StoredEvent, reach: Reach): ReadonlyMap<string, Distance> {
  const found = new Map<string, Distance>([['product', 'direct']]);
  const add = (kind: 'model' | 'metric' | 'perspective', names: Iterable<string>): void => {
    for (const name of names) {
      const key = targetKey({ kind, name });
      if (!found.has(key)) found.set(key, 'indirect');
    }
  };
  const { model } = event;
  if (model !== undefined) found.set(targetKey({ kind: 'model', name: model }), 'direct');
  const metric = event.event === 'metric.changed' ? fieldOf(event, 'metric') : undefined;
  if (metric !== undefined) found.set(targetKey({ kind: 'metric', name: metric }), 'direct');
  const perspective = fieldOf(event, 'id');
  if (event.event.startsWith('perspective.') && perspective !== undefined)
    found.set(targetKey({ kind: 'perspective', name: perspective }), 'direct');
  if (EVENT_TYPES[event.event]?.spreads !== true) return found;
  const hit = hitBy(event, reach, metric);
  add('model', hit.models);
  add('metric', hit.metrics);
  add(
    'perspective',
    reach.perspectives.filter((each) => isHit(each, hit)).map((each) => each.id),
  );
  return found;
}

interface Hit {
  readonly models: ReadonlySet<string>;
  /** `model.column` where the event is about columns; all columns of `models` otherwise. */
  readonly columns?: ReadonlySet<string>;
  /** `semantic.member`, likewise. */
  readonly members?: ReadonlySet<string>;
  readonly semantics: ReadonlySet<string>;
  readonly metrics: ReadonlySet<string>;
}

function hitBy(event: StoredEvent, reach: Reach, metric: string | undefined): Hit {
  const nothing = { models: new Set<string>(), semantics: new Set<string>() };
  if (metric !== undefined)
    return {
      ...nothing,
      columns: new Set(),
      members: new Set(),
      metrics: metricsOver(reach, new Set(), new Set([metric])),
    };
  if (event.model === undefined) return { ...nothing, metrics: new Set() };
  return event.event === 'schema.changed'
    ? hitByColumns(event, event.model, reach)
    : hitByRows(event.model, reach);
}

/** Whatever is made of a model may be wrong when its rows are. */
function hitByRows(model: string, reach: Reach): Hit {
  const models = new Set([model]);
  for (let before = 0; before < models.size; ) {
    before = models.size;
    for (const each of reach.models)
      if (each.dependencies.some((name) => models.has(name))) models.add(each.name);
  }
  const semantics = new Set(
    reach.semanticModels
      .filter((each) => models.has(each.model.value.toLowerCase()))
      .map(({ name }) => name.value),
  );
  return { models, semantics, metrics: metricsOver(reach, semantics, new Set()) };
}

/** Metrics over these semantic models or metrics, and metrics over those. */
function metricsOver(
  { metrics }: Reach,
  semantics: ReadonlySet<string>,
  first: ReadonlySet<string>,
): ReadonlySet<string> {
  const found = new Set(first);
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const metric of metrics)
      if (referencesOf(metric).some((ref) => found.has(ref) || semantics.has(ref.split('.', 1)[0] ?? '')))
        found.add(metric.name.value);
  }
  return found;
}

/** Columns that are gone or have another type; new ones change nothing that is there. */
function hitByColumns(event: StoredEvent, model: string, reach: Reach): Hit {
  const { removed = [], retyped = [] } = event.data as {
    readonly removed?: readonly string[];
    readonly retyped?: readonly string[];
  };
  const touched = new Map([[model, new Set([...removed, ...retyped].map((name) => name.toLowerCase()))]]);
  for (let isGrowing = true; isGrowing; ) {
    isGrowing = false;
    for (const { name, lineage } of reach.models)
      for (const { column, sources } of lineage) {
        const own = touched.get(name) ?? new Set();
        if (own.has(column.toLowerCase())) continue;
        if (!sources.some((from) => touched.get(from.model)?.has(from.column.toLowerCase()))) continue;
        touched.set(name, own.add(column.toLowerCase()));
        isGrowing = true;
      }
  }
  const members = membersReached(reach.semanticModels, { touched });
  const metrics = metricsReading(reach.metrics, members, new Set()).map(({ name }) => name);
  return {
    models: new Set([...touched].flatMap(([name, columns]) => (columns.size > 0 ? [name] : []))),
    columns: new Set(
      [...touched].flatMap(([name, columns]) => [...columns].map((each) => `${name}.${each}`)),
    ),
    members: new Set(members.keys()),
    semantics: new Set(),
    metrics: new Set(metrics),
  };
}

function isHit({ models, columns, members, metrics }: KnownPerspective, hit: Hit): boolean {
  if (metrics.some((name) => hit.metrics.has(name))) return true;
  if (hit.columns !== undefined)
    return (
      columns.some((name) => hit.columns?.has(name.toLowerCase())) ||
      members.some((name) => hit.members?.has(name))
    );
  return (
    models.some((name) => hit.models.has(name)) ||
    members.some((name) => hit.semantics.has(name.split('.', 1)[0] ?? ''))
  );
}

function fieldOf({ data }: StoredEvent, name: string): string | undefined {
  const value = (data as Readonly<Record<string, unknown>> | null)?.[name];
  return typeof value === 'string' ? value : undefined;
}
