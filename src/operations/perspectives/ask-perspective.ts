import { fillPerspective } from '../../compiler/semantic/perspectives/fill-perspective.ts';
import { Failure, failure } from '../../domain/failure.ts';
import type { Perspective } from '../../domain/perspective.ts';
import type { Identity } from '../../domain/principal.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { callerOf } from '../access/callers.ts';
import type { Submission, SubmitAnswer } from '../ask/submission.ts';
import { submitStatement } from '../ask/submit-statement.ts';
import type { Product } from '../platform.ts';
import { findPerspective } from './find-perspective.ts';
import { problemsOfAsking } from './perspective-question.ts';
import { tagsOf } from './tags-of.ts';
import { viewerOf } from './viewer-of.ts';

type How = Pick<Submission, 'environment' | 'waitMs' | 'timeoutMs' | 'rowLimit' | 'cache'>;

/**
 * Asks a perspective as its reader: their policies, their rights, their statement. Nothing of the owner's counts. Throws
 * `perspective.withheld` in place of words of the question that the reader may not know.
 */
export async function askPerspective(
  product: Product,
  asker: Identity,
  {
    slug,
    values,
    ...how
  }: How & { readonly slug: string; readonly values: Readonly<Record<string, unknown>> },
): Promise<SubmitAnswer> {
  const perspective = await findPerspective(product, viewerOf(product, asker), slug);
  const knowsWords = perspective.writtenBy === asker.principalId || callerOf(product, asker).isUnrestricted;
  const filled = fillPerspective(perspective, values);
  if (!filled.ok) {
    // Parameters and their values are words of the question, too.
    const isAskable = knowsWords || (await problemsOfAsking(product, asker, perspective)).length === 0;
    if (isAskable) return filled;
    throw failure('perspective.withheld', { slug });
  }
  const answer = await submitted(product, asker, {
    perspective,
    submission: { ...how, question: filled.question },
  });
  const refusal =
    answer instanceof Failure ? answer.diagnostic : answer.ok ? undefined : answer.diagnostics[0];
  if (refusal !== undefined && !knowsWords && isAboutWords(refusal))
    throw failure('perspective.withheld', { slug });
  if (answer instanceof Failure) throw answer;
  return answer;
}

async function submitted(
  product: Product,
  asker: Identity,
  { perspective, submission }: { readonly perspective: Perspective; readonly submission: Submission },
): Promise<SubmitAnswer | Failure> {
  try {
    const tags = tagsOf(perspective);
    return await submitStatement(product, asker, { ...submission, tags, pageRows: 0 });
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** Whether a refusal is about the question, and not about the environment, the options or the load of the server. */
const isAboutWords = ({ code }: Diagnostic): boolean =>
  code !== 'policy.environment' &&
  code !== 'policy.unreadable' &&
  !/^(?:environment|engine|state|server|access)\.|^statement\.(?!bad-parameters|not-semantic)/.test(code);
