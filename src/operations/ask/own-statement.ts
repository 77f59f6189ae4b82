import { failure } from '../../domain/failure.ts';
import { permits } from '../../domain/permissions.ts';
import type { Identity } from '../../domain/principal.ts';
import type { Statement } from '../../domain/statement.ts';
import type { Product } from '../platform.ts';

/** Of others only with the right to; else there is no such statement. */
export async function ownStatement(product: Product, asker: Identity, id: string): Promise<Statement> {
  const owner = permits(asker, 'query:read-all', product) ? undefined : asker.principalId;
  const statement = await product.world.state.statements.statement(id, owner);
  if (statement === undefined) throw failure('statement.unknown', { id });
  return statement;
}
