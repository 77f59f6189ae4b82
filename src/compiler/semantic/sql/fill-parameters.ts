import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { ParameterInSql } from '../../../domain/engine.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import { quoteText } from '../../../foundation/sql/quote.ts';
import type { Edit } from '../../../foundation/sql/splice.ts';
import { tokenize } from '../../../foundation/sql/tokenize.ts';
import { ASKED_DIALECT } from './asked-dialect.ts';

/** Places of a text that wait for values, filled with constants; or why that cannot be. */
export type FilledParameters =
  | { readonly ok: true; readonly edits: readonly Edit[] }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** A value becomes a constant of the type that JSON gave it, in parentheses: never a piece of the text around it. */
export function fillParameters(
  places: readonly ParameterInSql[],
  values: readonly unknown[],
): FilledParameters {
  const bad = (detail: string): FilledParameters => ({
    ok: false,
    diagnostics: [diagnostic('statement.bad-parameters', { detail })],
  });
  const named = places.find(({ name }) => !/^[1-9]\d{0,8}$/.test(name));
  if (named !== undefined) return bad(`${named.name} is a name, and only ? and numbers have values`);
  const wanted = places.reduce((most, { name }) => Math.max(most, Number(name)), 0);
  if (wanted !== values.length)
    return bad(`${wanted === 0 ? 'none is' : `${wanted} are`} asked for, and ${values.length} given`);
  const edits: Edit[] = [];
  for (const { name, start, end } of places) {
    const value = values[Number(name) - 1];
    if (hasLostDigits(value))
      return bad(`value ${name} is beyond 2^53, where numbers of JSON lose digits; give it as text`);
    const constant = constantSql(value);
    if (constant === undefined) return bad(`value ${name} is neither text, number, true, false nor null`);
    edits.push({ start, end, text: `(${constant})` });
  }
  return { ok: true, edits };
}

/** A whole number that was read from JSON need not be the one that was written; above 10^21 readers do not take it for exact. */
function hasLostDigits(value: unknown): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value as number) < 1e21;
}

function constantSql(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      // The engine's parser ends a text at this character, whatever quotes are around it.
      return value.includes('\0') ? undefined : quoteText(value, ASKED_DIALECT);
    case 'number':
      return Number.isFinite(value) ? String(value) : undefined;
    case 'boolean':
      return value ? 'TRUE' : 'FALSE';
    default:
      return value === null ? 'NULL' : undefined;
  }
}

/** The places in a text that our own parser reads, as it would see them. */
export function parametersOf(sql: string): readonly ParameterInSql[] {
  let last = 0;
  return tokenize(sql, ASKED_DIALECT)
    .tokens.filter(({ kind }) => kind === 'parameter')
    .map(({ text, start, end }) => {
      const name = text === '?' ? String(++last) : text.replace(/^[$?:]/, '');
      return { name, start, end };
    });
}
