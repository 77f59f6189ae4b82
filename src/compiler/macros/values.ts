/** How values of variables and arguments look in SQL, whole (`'eu'`) and bare (`eu`, as part of a name). */
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { lexicalRules } from '../../foundation/sql/dialect.ts';
import { quoteText } from '../../foundation/sql/quote.ts';
import { identifierText, stringText, tokenize } from '../../foundation/sql/tokenize.ts';
import type { MacroValue } from './expansion.ts';

/** The literal of a value: lists become tuples (`IN @list`) unless an array is asked for, records become maps. */
export function valueSql(value: MacroValue, dialect: Dialect, lists: 'tuple' | 'array' = 'tuple'): string {
  if (value === null) return 'NULL';
  switch (typeof value) {
    case 'string':
      return quoteText(value, dialect);
    case 'number':
      return numberSql(value);
    case 'boolean':
      return value ? 'TRUE' : 'FALSE';
  }
  if (isList(value)) {
    const items = value.map((item) => valueSql(item, dialect, 'array')).join(', ');
    return lists === 'tuple' ? `(${items})` : arraySql(items, dialect);
  }
  const entries = Object.entries(value);
  const keys = entries.map(([key]) => quoteText(key, dialect)).join(', ');
  const values = entries.map(([, item]) => valueSql(item, dialect, 'array')).join(', ');
  return `MAP(${arraySql(keys, dialect)}, ${arraySql(values, dialect)})`;
}

function isList(value: MacroValue): value is readonly MacroValue[] {
  return Array.isArray(value);
}

function arraySql(items: string, dialect: Dialect): string {
  if (dialect === 'spark' || dialect === 'databricks') return `ARRAY(${items})`;
  return dialect === 'postgres' || dialect === 'trino' || dialect === 'redshift'
    ? `ARRAY[${items}]`
    : `[${items}]`;
}

/** Whole numbers without exponent, so that a large one stays an integer. */
export function numberSql(value: number): string {
  if (!Number.isFinite(value)) return 'NULL';
  return Number.isInteger(value) && Math.abs(value) < 1e21 ? BigInt(value).toString() : String(value);
}

const SAFE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** A name, in quotes only when it would not be one without them. */
export function nameSql(name: string, dialect: Dialect, always = false): string {
  if (!always && SAFE_NAME.test(name)) return name;
  const [open, close] = Object.entries(lexicalRules(dialect).identifierQuotes)[0] as [string, string];
  return `${open}${name.replaceAll(close, close + close)}${close}`;
}

/** A SQL text as it appears inside a name or string: strings and names lose their quotes, anything else stays as it is. */
export function bareText(sql: string, dialect: Dialect): string {
  const text = sql.trim();
  if (SAFE_NAME.test(text)) return text;
  const { tokens } = tokenize(text, dialect);
  const only = tokens.length === 2 ? tokens[0] : undefined;
  if (only?.kind === 'string') return stringText(only, dialect);
  return only?.kind === 'name' ? identifierText(only) : text;
}

/** What a lambda's argument is called: `t.col` is `col`, a call is its function's name. */
export function calledText(sql: string, dialect: Dialect): string {
  const { tokens } = tokenize(sql, dialect);
  const isPath = tokens.every(
    (token, i) =>
      i === tokens.length - 1 ||
      (i % 2 === 0 ? token.kind === 'word' || token.kind === 'name' : token.text === '.'),
  );
  const last = tokens[tokens.length - 2];
  if (isPath && last !== undefined && tokens.length % 2 === 0) return identifierText(last);
  const [first, second] = tokens;
  if (first?.kind === 'word' && second?.text === '(') return first.text.toLowerCase();
  return bareText(sql, dialect);
}

/** Replaces `@name` and `@{name}` in a text; `@@` is one sign, and what has no value stays, since `a@b.com` is a text too. */
export function fillTemplate(text: string, lookUpName: (name: string) => string | undefined): string {
  if (!text.includes('@')) return text;
  return text.replace(
    /@(?:(@)|\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))/g,
    (whole, escaped: string | undefined, braced: string | undefined, plain: string | undefined) =>
      escaped !== undefined ? '@' : (lookUpName((braced ?? plain ?? '').toLowerCase()) ?? whole),
  );
}

/** Whether operators stand in a text outside of any brackets, so that a neighbour could tear it apart: `a + 1`, `x IS NULL`. */
export function isLoose(text: string, dialect: Dialect): boolean {
  if (/^\w+$/.test(text)) return false;
  const { tokens } = tokenize(text, dialect);
  let depth = 0;
  return tokens.some((token, i) => {
    const before = tokens[i - 1]?.text;
    if (token.text === '(' || token.text === '[') depth++;
    else if (token.text === ')' || token.text === ']') depth--;
    else if (depth === 0 && token.kind === 'symbol') return token.text !== '.' && token.text !== '::';
    else if (depth === 0 && token.kind === 'word') return i > 0 && before !== '.' && before !== '::';
    return false;
  });
}
