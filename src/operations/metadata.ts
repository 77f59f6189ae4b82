/*
 * A product as an environment was applied with, and as much of it as one caller may see:
 *
 *   environment ─▶ contents of its snapshots ─▶ models ┐
 *              └─▶ applied semantics ──────────────────┴─▶ without what policies deny the caller
 *
 * The folder's files may be further already; what is told here is what questions are answered from.
 */
import { accessOf } from '../compiler/semantic/policies.ts';
import { type Environment, isRollup } from '../domain/environment.ts';
import type { Metric } from '../domain/metric.ts';
import type { Model } from '../domain/model.ts';
import type { Identity } from '../domain/principal.ts';
import { orderByDependencies } from '../foundation/graph.ts';
import { appliedSemantics } from './applied-semantics.ts';
import { metricSources } from './lineage.ts';
import { appliedEnvironment, environmentOf } from './open-world.ts';
import type { Product } from './platform.ts';
import { indexOf, type Semantics } from './query.ts';
import { callerOf } from './statement-question.ts';

/** What an environment shows, dependencies first, without the models that rollups are. */
export interface AppliedProduct extends Semantics {
  readonly environment: Environment;
}

const known = new WeakMap<Product, Map<string, Promise<AppliedProduct>>>();

/** Read once for each promotion; `environment.unknown` when nothing was ever applied. */
export async function appliedProduct(product: Product, written: string | undefined): Promise<AppliedProduct> {
  const environment = await appliedEnvironment(product.world, environmentOf(product.world.config, written));
  const remembered = known.get(product) ?? new Map<string, Promise<AppliedProduct>>();
  known.set(product, remembered);
  const before = await remembered.get(environment.name)?.catch(() => undefined);
  if (before?.environment.promotionId === environment.promotionId) return before;
  const reading = readProduct(product, environment);
  remembered.set(environment.name, reading);
  return reading;
}

async function readProduct({ world }: Product, environment: Environment): Promise<AppliedProduct> {
  const entries = environment.entries.filter((entry) => !isRollup(entry));
  const [contents, semantics] = await Promise.all([
    world.state.snapshots.contents(entries.map(({ fingerprint }) => fingerprint)),
    appliedSemantics(world, environment),
  ]);
  const models = new Map<string, Model>();
  for (const { fingerprint } of entries) {
    const model = contents.get(fingerprint)?.model;
    if (model !== undefined) models.set(model.name, model);
  }
  const { order } = orderByDependencies(
    new Map([...models].map(([name, { dependencies }]) => [name, dependencies])),
  );
  return {
    environment,
    models: order.flatMap((name) => models.get(name) ?? []),
    semanticModels: semantics?.semanticModels ?? [],
    metrics: semantics?.metrics ?? [],
  };
}

/** The part that a caller may know of: a semantic model that policies deny is not there, nor a metric computed from it. */
export function visibleProduct(applied: AppliedProduct, identity: Identity): AppliedProduct {
  const caller = callerOf(identity);
  if (caller.isUnrestricted) return applied;
  const index = indexOf(applied);
  const denied = new Set(
    [...index.models]
      .filter(([, model]) => accessOf(model, caller).isDenied)
      .map(([name]) => name.toLowerCase()),
  );
  if (denied.size === 0) return applied;
  const isDenied = (name: string): boolean => {
    const word = name.toLowerCase();
    if (denied.has(word)) return true;
    return !index.models.has(word) && (index.roles.get(word) ?? []).some(({ to }) => denied.has(to));
  };
  return {
    ...applied,
    semanticModels: applied.semanticModels
      .filter(({ name }) => !isDenied(name.value))
      .map((semantic) => ({
        ...semantic,
        joins: semantic.joins.filter(({ model }) => !isDenied(model.value)),
      })),
    metrics: visibleMetrics(applied.metrics, isDenied),
  };
}

function visibleMetrics(
  metrics: readonly Metric[],
  isDenied: (semantic: string) => boolean,
): readonly Metric[] {
  const names = new Set(metrics.map(({ name }) => name.value));
  const hidden = new Set<string>();
  for (let before = -1; before < hidden.size; ) {
    before = hidden.size;
    for (const metric of metrics) {
      const sources = [...metricSources(metric, names)];
      if (
        sources.some((id) =>
          id.startsWith('metric:')
            ? hidden.has(id.slice('metric:'.length))
            : isDenied(id.slice('semantic:'.length)),
        )
      )
        hidden.add(metric.name.value);
    }
  }
  return metrics
    .filter(({ name }) => !hidden.has(name.value))
    .map((metric) => ({
      ...metric,
      dimensions: metric.dimensions.filter(({ ref }) => !isDenied(ref.value.split('.')[0] ?? '')),
    }));
}
