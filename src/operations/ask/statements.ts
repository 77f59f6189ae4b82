import { permits } from '../../domain/permissions.ts';
import type { Identity } from '../../domain/principal.ts';
import type { StatementLimits } from '../../domain/server-limits.ts';
import { isTerminal, type Statement, type StatementStatus } from '../../domain/statement.ts';
import type { StatementFigures } from '../../domain/statement-figures.ts';
import type { Product } from '../platform.ts';
import { deskOf } from './desk.ts';
import { ownStatement } from './own-statement.ts';
import { shownStatement } from './statement-access.ts';
import { statementList } from './statement-list.ts';

export interface ListRequest {
  readonly limit: number;
  /** Older than this id: where the last list ended. */
  readonly before?: string | undefined;
  readonly status?: StatementStatus | undefined;
  readonly tag?: string | undefined;
  /** Of others too, with the scope `query:read-all`. */
  readonly all?: boolean | undefined;
}

/** Takes over what a process that died has left, and begins to work; the first statement does it too. */
export async function openStatements(product: Product, limits?: Partial<StatementLimits>): Promise<void> {
  await deskOf(product, limits).opened;
}

/** Accepts nothing new, gives what runs so long to end, and leaves the rest to the next process. */
export async function closeStatements(product: Product, drainMs = 0): Promise<void> {
  const { statements } = product.underway;
  if (statements === undefined) return;
  await statements.opened.catch(() => undefined);
  await statements.desk.close(drainMs);
}

/** What statements of a product are under way in this process, and which have ended; for those who watch the server. Undefined before the first. */
export function statementFigures(product: Product): StatementFigures | undefined {
  return product.underway.statements?.desk.figures;
}

/** The statement; with `waitMs`, as soon as it differs from `sinceVersion` or, without one, has ended. Throws `statement.unknown`. */
export async function getStatement(
  product: Product,
  asker: Identity,
  {
    id,
    waitMs = 0,
    sinceVersion,
  }: {
    readonly id: string;
    readonly waitMs?: number | undefined;
    readonly sinceVersion?: number | undefined;
  },
): Promise<Statement> {
  const statement = await ownStatement(product, asker, id);
  if (waitMs <= 0 || isTerminal(statement.status)) return shownStatement(product, asker, statement);
  const news = await deskOf(product).desk.wait(id, {
    waitMs,
    ...(sinceVersion === undefined ? {} : { sinceVersion }),
  });
  return shownStatement(product, asker, news?.statement ?? statement);
}

/** The statement as it is then; one that has ended stays as it is. */
export async function cancelStatement(product: Product, asker: Identity, id: string): Promise<Statement> {
  const statement = await ownStatement(product, asker, id);
  return shownStatement(product, asker, (await deskOf(product).desk.cancel(id)) ?? statement);
}

/** Newest first; `next` where there are more. */
export async function listStatements(
  product: Product,
  asker: Identity,
  { limit, before, status, tag, all = false }: ListRequest,
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
