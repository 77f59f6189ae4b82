import { permits } from '../../domain/permissions.ts';
import type { Identity } from '../../domain/principal.ts';
import type { Statement, StatementStatus } from '../../domain/statement.ts';
import type { Product } from '../platform.ts';
import { statementList } from './statement-list.ts';

export interface StatementListRequest {
  readonly limit: number;
  /** Older than this id: where the last list ended. */
  readonly before?: string | undefined;
  readonly status?: StatementStatus | undefined;
  readonly tag?: string | undefined;
  /** Of others too, with the scope `query:read-all`. */
  readonly all?: boolean | undefined;
}

/** Newest first; `next` where there are more. */
export async function listStatements(
  product: Product,
  asker: Identity,
  { limit, before, status, tag, all = false }: StatementListRequest,
): Promise<{ readonly items: readonly Statement[]; readonly next?: string }> {
  const isOwn = !(all && permits(asker, 'query:read-all', product));
  return statementList(product, asker, {
    limit,
    ...(isOwn ? { principalId: asker.principalId } : {}),
    ...(before === undefined ? {} : { before }),
    ...(status === undefined ? {} : { status }),
    ...(tag === undefined ? {} : { tag }),
  });
}
