import { type Dialect, dialectOf } from '../dialect.ts';
import { PORTABLE_FUNCTIONS } from '../functions/portable-functions.ts';
import { parseQuery } from '../parse/parse-query.ts';
import { translateQuery } from '../print/print-query.ts';
import { isKnownFunction, spellingOf } from '../print/spelling-of.ts';
import type { SqlError, SqlResult } from '../sql-error.ts';
import { tokenize } from '../tokenize.ts';
import type { Span } from '../tree.ts';
import { type LibraryClient, libraryClient } from './library-client.ts';
import { libraryDialectOf } from './library-dialect.ts';
import { patched, silentMistake } from './library-patches.ts';

/**
 * A query in another dialect: by our own parser and printer when they know everything in it, else by the library with its known mistakes
 * repaired or refused. Either way the target engine has the last word: plan prepares every translated query there.
 */
export async function transpile(
  text: string,
  from: string,
  to: string,
  client?: LibraryClient,
): Promise<SqlResult<string>> {
  const source = dialectOf(from);
  const target = dialectOf(to);
  if (source !== undefined && target !== undefined) {
    const own = transpileOwn(text, source, target);
    if (own.ok) return own;
    const mistake = silentMistake(text, source, target);
    if (mistake !== undefined)
      return {
        ok: false,
        error: {
          ...own.error,
          message: `${own.error.message}, and the SQL library gets it wrong: ${mistake}`,
        },
      };
  }
  const result = await transpileByLibrary(text, from, to, client ?? libraryClient());
  if (!result.ok || target === undefined) return result;
  const value = patched(result.value, target);
  const lost = source === undefined ? undefined : passedThrough(text, value, source, target);
  if (lost === undefined) return { ok: true, value };
  return {
    ok: false,
    error: {
      kind: 'unsupported',
      message: `the function ${lost} cannot be said in ${target}`,
      span: wholeOf(text),
    },
  };
}

/** A function that we know the target lacks and that the library left standing, as it does with any name it has no rule for. */
function passedThrough(text: string, output: string, from: Dialect, to: Dialect): string | undefined {
  if (from !== 'duckdb') return undefined;
  const { functions } = spellingOf(to);
  const left = new Set(calledWords(output, to));
  return calledWords(text, from).find(
    (word) =>
      left.has(word) &&
      isKnownFunction(word) &&
      !PORTABLE_FUNCTIONS.has(word) &&
      !Object.hasOwn(functions, word),
  );
}

/** Lower-case words directly before an opening parenthesis. */
function calledWords(text: string, dialect: Dialect): readonly string[] {
  const { tokens } = tokenize(text, dialect);
  return tokens
    .filter((token, i) => token.kind === 'word' && tokens[i + 1]?.text === '(')
    .map((token) => token.text.toLowerCase());
}

/** Our own route alone: no library, no thread, an answer at once. */
export function transpileOwn(text: string, from: Dialect, to: Dialect): SqlResult<string> {
  const parsed = parseQuery(text, from);
  return parsed.ok ? translateQuery(parsed.value, { from, to }) : parsed;
}

/** The library alone, unrepaired: the fallback, and the oracle tests compare with. */
export async function transpileByLibrary(
  text: string,
  from: string,
  to: string,
  client: LibraryClient,
): Promise<SqlResult<string>> {
  const source = libraryDialectOf(from);
  const target = libraryDialectOf(to);
  if (source === undefined || target === undefined)
    return { ok: false, error: unknownDialect(source === undefined ? from : to, text) };
  const answer = await client.ask({ kind: 'transpile', text, from: source, to: target });
  if (!answer.ok) return answer;
  return { ok: true, value: (answer.value as readonly string[]).join(';\n') };
}

function unknownDialect(name: string, text: string): SqlError {
  return {
    kind: 'unsupported',
    message: `${name} is not a known SQL dialect`,
    span: { start: 0, end: text.length },
  };
}

const wholeOf = (text: string): Span => ({ start: 0, end: text.length });
