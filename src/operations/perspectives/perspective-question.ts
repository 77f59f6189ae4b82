import { fillPerspective } from '../../compiler/semantic/perspectives/fill-perspective.ts';
import { sampleValue } from '../../compiler/semantic/perspectives/parameter-value.ts';
import type { StatementContext } from '../../compiler/semantic/statement-context.ts';
import { Failure } from '../../domain/failure.ts';
import type { Perspective } from '../../domain/perspective.ts';
import type { Identity } from '../../domain/principal.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { permittedEnvironment } from '../access/callers.ts';
import { askContext } from '../ask/ask-context.ts';
import { type AskContext, compileQuestion } from '../ask/compile-question.ts';
import { currentContext } from '../ask/statement-contexts.ts';
import type { Product } from '../platform.ts';

type Asked = Pick<Perspective, 'query' | 'params'>;

/** Values to try a question with: the defaults, and samples where there are none. */
export const sampleValues = ({ params }: Asked): Readonly<Record<string, unknown>> =>
  Object.fromEntries(params.map((param) => [param.name, sampleValue(param)]));

/** What keeps a caller from asking a perspective now; none when they can. Nothing is run. */
export async function problemsOfAsking(
  product: Product,
  asker: Identity,
  perspective: Asked,
): Promise<readonly Diagnostic[]> {
  const filled = fillPerspective(perspective, sampleValues(perspective));
  if (!filled.ok) return filled.diagnostics;
  try {
    const context = await currentContext(product, permittedEnvironment(product, asker, undefined));
    const compiled = await compileQuestion(contextOf(product, asker, context), filled.question);
    return compiled.ok ? [] : compiled.diagnostics;
  } catch (error) {
    if (error instanceof Failure) return [error.diagnostic];
    throw error;
  }
}

/** As for a statement. A command executes none, and begins no executor to look at a text. */
function contextOf(product: Product, asker: Identity, context: StatementContext): AskContext {
  const asked = askContext(product, asker, { context, isUnlimited: false });
  const { world, ongoing } = product;
  return ongoing.statements === undefined ? { ...asked, inspect: (sql) => world.engine.inspect(sql) } : asked;
}
