import { permits } from '../../domain/permissions.ts';
import type { Identity } from '../../domain/principal.ts';
import { callerOf } from '../access/callers.ts';
import type { Product } from '../platform.ts';
import type { AskContext } from './compile-question.ts';
import { inspectFor } from './inspect-for.ts';

/** Questions of a caller of the server, as they are compiled now. */
export const askContext = (
  product: Product,
  asker: Identity,
  asked: Pick<AskContext, 'context' | 'timezone' | 'isUnlimited'>,
): AskContext => ({
  ...asked,
  caller: callerOf(product, asker),
  mayReadModels: permits(asker, 'query:models', product),
  dialect: product.world.engine.dialect,
  compiled: product.caches.compiled,
  now: product.world.clock.now(),
  inspect: inspectFor(product, asker),
});
