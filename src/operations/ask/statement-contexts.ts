/*
 * What questions to an environment are compiled from, read once per promotion. The store says to a submission when the environment
 * has moved on; others ask whether it has.
 */
import type { StatementContext } from '../../compiler/semantic/statement-context.ts';
import { askedOnce } from '../../foundation/bounded-cache.ts';
import { appliedEnvironment, environmentOf } from '../open-world.ts';
import { forgetContext } from '../product-caches.ts';
import type { ProductReader } from '../product-reader.ts';
import { homeEnvironment, readContext } from './read-context.ts';

/** As it was read last: the store says to a submission when it has changed. Of other environments than the default one as they are now. */
export async function lastContext(product: ProductReader, environment: string): Promise<StatementContext> {
  if (environment !== environmentOf(product.world.config, undefined))
    return currentContext(product, environment);
  return remembered(product, environment);
}

/** As the environment, and the default one, are at this moment. */
export async function currentContext(product: ProductReader, environment: string): Promise<StatementContext> {
  const known = await product.caches.contexts.get(environment)?.catch(() => undefined);
  if (known !== undefined && (await isCurrentContext(product, known))) return known;
  drop(product, environment, known);
  return remembered(product, environment);
}

/** Whether its environment, and the default one, are what they were when it was read. */
export async function isCurrentContext(
  { world }: ProductReader,
  { environment, homePromotionId }: StatementContext,
): Promise<boolean> {
  const [{ promotionId }, home] = await Promise.all([
    appliedEnvironment(world, environment.name),
    homeEnvironment(world, environment.name),
  ]);
  return environment.promotionId === promotionId && homePromotionId === home?.promotionId;
}

/** This one is out of date: the next caller gets another. */
export async function dropContext(product: ProductReader, { environment }: StatementContext): Promise<void> {
  // One that cannot be read is not remembered for long, and is not this one.
  const known = await product.caches.contexts.get(environment.name)?.catch(() => undefined);
  if (known?.environment.promotionId === environment.promotionId) drop(product, environment.name, known);
}

function drop({ caches }: ProductReader, environment: string, known: StatementContext | undefined): void {
  caches.contexts.delete(environment);
  if (known !== undefined) forgetContext(caches, known);
}

/** What cannot be read may be there the next time. */
async function remembered(product: ProductReader, environment: string): Promise<StatementContext> {
  const { contexts } = product.caches;
  const context = await askedOnce(contexts, environment, () => readContext(product.world, environment));
  if (context.isUnreadable) drop(product, environment, context);
  return context;
}
