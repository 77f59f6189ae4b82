/*
 * A product as an environment was applied with, and as much of it as one caller may see (visible-product.ts):
 *
 *   environment ─▶ contents of its snapshots ─▶ models ┐
 *              └─▶ applied semantics ──────────────────┴─▶ without what policies deny the caller
 *
 * The folder's files may be further already; this is what questions are answered from.
 */
import type { AppliedProduct } from '../../domain/applied-product.ts';
import { type Environment, isRollup } from '../../domain/environment.ts';
import { Failure } from '../../domain/failure.ts';
import type { Model } from '../../domain/model.ts';
import type { Identity } from '../../domain/principal.ts';
import { orderByDependencies } from '../../foundation/graph.ts';
import { permittedEnvironment } from '../access/callers.ts';
import { appliedSemantics } from '../applied-semantics.ts';
import { appliedEnvironment } from '../open-world.ts';
import { forgetApplied } from '../product-caches.ts';
import type { ProductReader } from '../product-reader.ts';

/** Read once for each promotion; `environment.unknown` when nothing was ever applied, `policy.environment` to callers who may not query it. */
export async function appliedProduct(
  product: ProductReader,
  asker: Identity,
  written: string | undefined,
): Promise<AppliedProduct> {
  const environment = await appliedEnvironment(product.world, permittedEnvironment(product, asker, written));
  const { applied } = product.caches;
  // A failed read was reported to its caller; this one reads again.
  const before = await applied.get(environment.name)?.catch(() => undefined);
  if (before?.environment.promotionId === environment.promotionId) return before;
  if (before !== undefined) forgetApplied(product.caches, before);
  const reading = readProduct(product, environment);
  applied.set(environment.name, reading);
  return reading;
}

/** Undefined when nothing was ever applied. Any other failure is thrown: unreadable policies must not count as no policies. */
export async function appliedIfAny(
  product: ProductReader,
  asker: Identity,
  written: string | undefined,
): Promise<AppliedProduct | undefined> {
  try {
    return await appliedProduct(product, asker, written);
  } catch (error) {
    if (error instanceof Failure && error.code === 'environment.unknown') return undefined;
    throw error;
  }
}

async function readProduct({ world }: ProductReader, environment: Environment): Promise<AppliedProduct> {
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
    semanticModels: semantics === 'unreadable' ? [] : semantics.semanticModels,
    metrics: semantics === 'unreadable' ? [] : semantics.metrics,
  };
}
