import { GraphQLError } from 'graphql';
import { apiWords } from '../../domain/diagnostics/api-words.ts';
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { FailedStatement, knownProblems } from './ask-question.ts';

/** Values of the caller are not repeated: they may be what the caller wants to keep, and land in logs of others. */
const VALUES: readonly (readonly [RegExp, string])[] = [
  [/(got invalid value) [\s\S]*?(?:( at "[\w.[\]]*")| at "[^"]*")?(; )/g, '$1$2$3'],
  [/, found [\s\S]*?\.(?=$| Did| Field| String| Int| Boolean)/g, '.'],
  [/(cannot represent (?:a )?non(?:-| )[a-z0-9]+(?: [a-z0-9]+)* value): [\s\S]*$/g, '$1.'],
  [/(cannot represent value): [\s\S]*$/g, '$1.'],
  [/(Value )"[\s\S]*?"( does not exist)/g, 'The value$2'],
];

function withoutValues(message: string): string {
  let text = message;
  for (const [pattern, instead] of VALUES) text = text.replace(pattern, instead);
  return text;
}

/** An error of the library before anything was executed. */
export function requestError(error: GraphQLError, code: 'graphql.syntax' | 'graphql.invalid'): GraphQLError {
  const message = error.message.replace(/^Syntax Error: /, '').replace(/\.$/, '');
  const detail = withoutValues(code === 'graphql.invalid' ? error.message : message).slice(0, 500);
  return coded(diagnostic(code, { detail }), error);
}

/** An error with our code, at the place and path of another. */
function coded(
  what: Diagnostic,
  at: GraphQLError | undefined,
  more: Readonly<Record<string, unknown>> = {},
): GraphQLError {
  const { code, message, hint } = apiWords(what);
  return new GraphQLError(message, {
    ...(at?.nodes === undefined ? {} : { nodes: at.nodes }),
    ...(at?.source === undefined ? {} : { source: at.source }),
    ...(at?.positions === undefined ? {} : { positions: at.positions }),
    ...(at?.path === undefined ? {} : { path: at.path }),
    extensions: { code, ...(hint === undefined ? {} : { hint }), ...more },
  });
}

/** Whatever was thrown, as what the caller may know of it; `onBug` gets the rest. */
export function answerError(error: unknown, onBug: (error: unknown) => void): GraphQLError {
  const at = error instanceof GraphQLError ? error : undefined;
  const cause = at?.originalError ?? error;
  if (cause instanceof FailedStatement) {
    const { id, status, error: why } = cause.statement;
    const code = why?.code ?? 'statement.no-result';
    const reported = { code, message: cause.message, severity: 'error' as const };
    return coded(why?.hint === undefined ? reported : { ...reported, hint: why.hint }, at, {
      statement: id,
      status,
    });
  }
  const known = knownProblems(cause);
  const [first, ...more] = known ?? [];
  if (first !== undefined)
    return coded(
      first,
      at,
      more.length === 0
        ? {}
        : { errors: known?.map(apiWords).map(({ code, message, hint }) => ({ code, message, hint })) },
    );
  // Of the library itself: a value that does not fit, say.
  const isOfLibrary = at?.originalError === undefined || at.originalError instanceof GraphQLError;
  if (at !== undefined && isOfLibrary) return requestError(at, 'graphql.invalid');
  onBug(cause);
  return coded(diagnostic('http.bug', {}), at);
}
