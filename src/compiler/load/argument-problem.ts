import type { Dialect } from '../../foundation/sql/dialect.ts';
import { parseExpression } from '../../foundation/sql/parse/parse-query.ts';
import { builtInAudit } from './built-in-audits.ts';

/** Lists of which every item counts, so that none may be NULL. */
const LISTS = new Set(['columns', 'criteria', 'patterns']);
const SWITCHES = new Set(['inclusive', 'dependent']);
const BOUNDS = ['min_v', 'max_v'] as const;
/** A NULL, or a list of nothing but comments. */
const MAY_BE_USELESS = /null|^\s*[([]\s*(?:[)\]]|--|#|\/)/i;

/**
 * What makes a built-in audit unable to fail whatever the rows are: NULL instead of a value, an empty list, a range without
 * bounds. Such an audit would always pass. Texts with `@` are looked at when their macros are expanded.
 */
export function argumentProblem(
  name: string,
  given: Readonly<Record<string, string>>,
  dialect: Dialect,
): { readonly argument: string; readonly problem: string } | undefined {
  const found = builtInAudit(name);
  if (found === undefined) return undefined;
  for (const [argument, text] of Object.entries(given)) {
    const problem = text.includes('@') ? undefined : problemOf(argument, text, dialect);
    if (problem !== undefined) return { argument, problem };
  }
  const isRange = BOUNDS.every((bound) => found.audit.optional.includes(bound));
  const hasBound = BOUNDS.some((bound) => given[bound] !== undefined && !isNull(given[bound], dialect));
  return isRange && !hasBound
    ? { argument: 'min_v', problem: 'neither min_v nor max_v is given, so no value could be outside' }
    : undefined;
}

function problemOf(argument: string, text: string, dialect: Dialect): string | undefined {
  if (argument === 'min_v' || argument === 'max_v') return undefined;
  // Most arguments need no parser.
  if (!MAY_BE_USELESS.test(text)) return switchProblem(argument, text);
  const items = itemsOf(text, dialect);
  if (items?.length === 0) return 'the list is empty, so there is nothing to look at';
  if (isNull(text, dialect)) return 'it is NULL, so no row could fail';
  const nulls = (items ?? []).filter((item) => isNull(item, dialect)).length;
  if (LISTS.has(argument) && nulls > 0) return 'one of the list is NULL, so no row could fail by it';
  if (argument === 'is_in' && nulls === items?.length) return 'the list has no value but NULL';
  return switchProblem(argument, text);
}

const switchProblem = (argument: string, text: string): string | undefined =>
  SWITCHES.has(argument) && !/^\(*\s*(?:true|false|0|1)\s*\)*$/i.test(text)
    ? 'it is neither true nor false'
    : undefined;

const isNull = (text: string, dialect: Dialect): boolean => {
  if (!/null/i.test(text)) return false;
  const parsed = parseExpression(text, dialect);
  return parsed.ok && /^null$/i.test(text.slice(parsed.value.span.start, parsed.value.span.end));
};

/** Texts of the items of `(a, b)` and `[a, b]`; undefined for what is not a list. */
function itemsOf(text: string, dialect: Dialect): readonly string[] | undefined {
  if (/^\s*(?:\(\s*\)|\[\s*\])\s*$/.test(text)) return [];
  const parsed = parseExpression(text, dialect);
  if (!parsed.ok || (parsed.value.kind !== 'tuple' && parsed.value.kind !== 'list')) return undefined;
  return parsed.value.items.map(({ span }) => text.slice(span.start, span.end));
}
