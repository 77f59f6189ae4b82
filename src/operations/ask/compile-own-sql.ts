import {
  bareTables,
  compileSqlQuestion,
  hasSemanticTable,
} from '../../compiler/semantic/sql/compile-sql-question.ts';
import type { Caller } from '../../domain/semantic-query.ts';
import { type OwnAsking, placeOf } from './open-own.ts';
import type { OwnCompiled, OwnQuestion } from './own-question.ts';

/** Only names without a schema can be semantic models; for others the project need not be loaded. */
export async function compileOwnSql<Folder>(
  { sql, limit }: Extract<OwnQuestion, { readonly kind: 'sql' }>,
  { caller, now }: { readonly caller: Caller; readonly now: number },
  open: () => Promise<OwnAsking<Folder>>,
): Promise<OwnCompiled<Folder>> {
  const words = bareTables(sql);
  if (words.length === 0 && caller.isUnrestricted) return { kind: 'tables' };
  const asking = await open();
  const { semantics, models, tables } = asking;
  if (caller.isUnrestricted && !hasSemanticTable(semantics, caller, words)) return { kind: 'tables' };
  const question = { sql, caller, now, models, tables, ...(limit === undefined ? {} : { limit }) };
  const result = compileSqlQuestion(semantics, question, placeOf(asking));
  if (!result.ok) return { kind: 'refused', diagnostics: result.diagnostics, asking };
  return { kind: 'compiled', asking, question: { plain: result.compiled, words }, hasDefaultLimit: false };
}
