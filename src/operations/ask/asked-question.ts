import { metricQuestion } from '../../compiler/semantic/metric-question.ts';
import { writtenQuery } from '../../compiler/semantic/written-query.ts';
import type { Semantics } from '../../domain/semantics.ts';
import type { AskedQuestion } from '../../domain/statement.ts';
import type { Question, Submission } from './submission.ts';

/** Longer questions are not kept with their statement. */
const KEPT_MAX = 20_000;

/** A question as it can be asked again, beside the SQL of its statement; nothing when it is too long. */
export function askedQuestion(
  { question, timezone }: Pick<Submission, 'question' | 'timezone'>,
  semantics: Semantics,
): { readonly asked?: AskedQuestion } {
  const plain = askedOf(question, semantics);
  const asked =
    plain?.kind === 'semantic' && timezone !== undefined
      ? { ...plain, query: { timezone, ...(plain.query as object) } }
      : plain;
  return asked !== undefined && JSON.stringify(asked).length <= KEPT_MAX ? { asked } : {};
}

function askedOf(question: Question, semantics: Semantics): AskedQuestion | undefined {
  switch (question.kind) {
    case 'sql':
    case 'semantic-sql':
      // Without values the text is all.
      return question.parameters === undefined || question.parameters.length === 0
        ? undefined
        : { kind: 'sql', parameters: question.parameters };
    case 'semantic-query':
      return { kind: 'semantic', query: question.query };
    case 'built-query':
      return { kind: 'semantic', query: writtenQuery(question.query) };
    case 'metric': {
      const asked = metricQuestion(semantics, question.metric, question.request);
      return asked.ok ? { kind: 'semantic', query: asked.query } : undefined;
    }
  }
}
