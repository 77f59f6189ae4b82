/*
 * A question of the owner of a project folder, or tried out as a member of groups:
 *
 *   what the environment was applied with, or the folder ─▶ compiled ─▶ shown, or answered by `answerQuestion`
 */
import { compileSemantic } from '../../compiler/semantic/compile-semantic.ts';
import { readSemanticQuery } from '../../compiler/semantic/read-query.ts';
import type { Caller } from '../../domain/semantic-query.ts';
import { compileOwnSql } from './compile-own-sql.ts';
import { type OwnAsking, placeOf } from './open-own.ts';
import type { OwnCompiled, OwnQuestion } from './own-question.ts';

/** `open` is called when the question needs semantics. */
export async function compileOwn<Folder>(
  question: OwnQuestion,
  { caller, now }: { readonly caller: Caller; readonly now: number },
  open: () => Promise<OwnAsking<Folder>>,
): Promise<OwnCompiled<Folder>> {
  if (question.kind === 'sql') return compileOwnSql(question, { caller, now }, open);
  const { data, isUnlimited } = question;
  const read = readSemanticQuery(data);
  if (!read.ok) return { kind: 'refused', diagnostics: read.diagnostics };
  const asking = await open();
  const request = { query: read.query, caller, now, isUnlimited };
  const place = placeOf(asking);
  const result = compileSemantic(asking.semantics, request, place);
  if (!result.ok) return { kind: 'refused', diagnostics: result.diagnostics, asking };
  const { measures, dimensions, limit } = read.query;
  return {
    kind: 'compiled',
    asking,
    question: {
      plain: result.compiled,
      withRollups: (rollups) => compileSemantic(asking.semantics, request, { ...place, rollups }),
      words: [...measures, ...dimensions],
    },
    hasDefaultLimit: limit === undefined && !isUnlimited,
  };
}
