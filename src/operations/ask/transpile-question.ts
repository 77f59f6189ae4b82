import type { Identity } from '../../domain/principal.ts';
import type { QueryType } from '../../domain/statement.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { permittedEnvironment } from '../access/callers.ts';
import type { Product } from '../platform.ts';
import { askContext } from './ask-context.ts';
import { checkStatementOptions } from './check-statement-options.ts';
import { compileQuestion } from './compile-question.ts';
import { executorOf } from './executor-of.ts';
import { currentContext } from './statement-contexts.ts';
import type { Submission } from './submission.ts';

/** What a question becomes, without anything being run. */
export type TranspiledQuestion =
  | {
      readonly ok: true;
      readonly queryType: QueryType;
      readonly sql: string;
      readonly columns: readonly { readonly name: string; readonly type: string }[];
      readonly dependsOn: readonly string[];
      readonly notes: readonly string[];
    }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** The SQL that a question means for this caller, policies included; nothing is run. */
export async function transpileQuestion(
  product: Product,
  asker: Identity,
  { question, environment, timezone }: Pick<Submission, 'question' | 'environment' | 'timezone'>,
): Promise<TranspiledQuestion> {
  const problems = checkStatementOptions({ question, timezone }, executorOf(product).limits);
  if (problems.length > 0) return { ok: false, diagnostics: problems };
  const context = await currentContext(product, permittedEnvironment(product, asker, environment));
  const asking = askContext(product, asker, { context, timezone, isUnlimited: false });
  const answer = await compileQuestion(asking, question);
  if (!answer.ok) return answer;
  const { queryType, texts, columns = [], reads, notes } = answer.compiled;
  return {
    ok: true,
    queryType,
    sql: texts.at(-1)?.sql ?? '',
    columns: columns.map(({ name, type }) => ({ name, type })),
    dependsOn: reads,
    notes,
  };
}
