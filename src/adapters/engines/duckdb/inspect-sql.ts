import type { InspectedSql, MentionInSql, ParameterInSql, TableInSql } from '../../../domain/engine.ts';
import { SINGLE_LIMITS } from '../../../domain/query-limits.ts';
import { tokenize } from '../../../foundation/sql/tokenize.ts';
import { isUnbounded } from './bounded-functions.ts';
import {
  asciiLower,
  type InspectedTree,
  inspectTree,
  type Refuse,
  type TableInTree,
  type TreeNode,
} from './inspect-tree.ts';
import { Refusal } from './keeper-refusal.ts';
import { mostGroupCommas } from './most-group-commas.ts';
import { nameAt, unitsOfBytes, withPlainSpaces } from './sql-places.ts';

/** What the inspection needs of a connection. */
export interface InspectContext {
  /** `json_serialize_sql` of a text: DuckDB's own parser, which neither plans nor runs anything. */
  serialize(sql: string): Promise<string>;
  /** Lower-case names of functions and macros that the warehouse defines itself. */
  ownFunctions(): Promise<ReadonlySet<string>>;
}

/** Reads a user's text with DuckDB's parser; refuses all but one SELECT of allowed parts, and says what it reads. */
export async function inspectSql(sql: string, context: InspectContext): Promise<InspectedSql> {
  const toUnits = unitsOfBytes(sql);
  const refuse: Refuse = (code, parameters, location, hint) => {
    const start = location === undefined ? undefined : toUnits(location);
    const end =
      start === undefined ? undefined : (nameAt(sql, start, 1)?.end ?? Math.min(start + 1, sql.length));
    return new Refusal({
      code,
      parameters,
      ...(hint === undefined ? {} : { hint }),
      ...(start === undefined || end === undefined ? {} : { at: { start, end } }),
    });
  };
  // Another reader of the same text might stop there.
  const nul = sql.indexOf('\0');
  if (nul >= 0)
    throw refuse(
      'query.cannot-parse',
      { detail: 'it holds a zero character' },
      Buffer.byteLength(sql.slice(0, nul)),
    );
  const refuseMore = (what: keyof typeof SINGLE_LIMITS, count: number): void => {
    const max = SINGLE_LIMITS[what];
    if (count > max) throw refuse('query.too-complex', { what, max }, undefined);
  };
  // The parser takes quadratic time for these, and nothing can stop it.
  if (!isUnbounded) refuseMore('comments', sql.split('/*', SINGLE_LIMITS.comments + 2).length - 1);
  refuseMore('conditions', sql.match(/\b(?:and|or)\b/gi)?.length ?? 0);
  if (sql.length > SINGLE_LIMITS['commas in GROUP BY'])
    refuseMore('commas in GROUP BY', mostGroupCommas(sql));

  const ownFunctions = await context.ownFunctions();
  const facts = inspectTree(onlyStatement(sql, await context.serialize(sql), refuse), {
    refuse,
    ownFunctions,
  });
  const plain = withPlainSpaces(sql);
  let located = facts;
  if (plain !== undefined) {
    located = inspectTree(onlyStatement(plain, await context.serialize(plain), refuse), {
      refuse,
      ownFunctions,
    });
    if (located.tables.length !== facts.tables.length)
      throw refuse('query.cannot-parse', { detail: 'it holds spaces of unusual kinds' }, undefined);
  }
  const tables = facts.tables.map((table, index) =>
    placed(sql, { ...table, location: located.tables[index]?.location }, { toUnits, refuse }),
  );
  return {
    tables: tables.toSorted((a, b) => a.start - b.start),
    mentions: mentionsIn(sql, located, toUnits),
    parameters: await placesOfParameters(sql, facts.parameters, {
      refuse,
      ownFunctions,
      context,
    }),
    isStable: facts.isStable,
  };
}

function onlyStatement(sql: string, serialized: string, refuse: Refuse): TreeNode {
  const tree = parsed(serialized, refuse);
  if (tree['error'] === true) throw parseRefusal(sql, tree, refuse);
  const statements = (tree['statements'] ?? []) as readonly TreeNode[];
  const [statement] = statements;
  if (statement === undefined) throw refuse('query.not-a-query', { text: beginningOf(sql) }, undefined);
  if (statements.length > 1)
    throw refuse('query.several-statements', { count: statements.length }, undefined);
  return statement;
}

/** DuckDB writes numbers beyond what a DOUBLE can hold as words that JSON does not know. */
function parsed(serialized: string, refuse: Refuse): TreeNode {
  try {
    return JSON.parse(serialized) as TreeNode;
  } catch {
    throw refuse('query.cannot-parse', { detail: 'a number in it is too large' }, undefined);
  }
}

function parseRefusal(sql: string, tree: TreeNode, refuse: Refuse): Refusal {
  const detail = String(tree['error_message']).replace(/[.!]+$/, '');
  if (tree['error_type'] !== 'not implemented') {
    const position = Number(tree['position'] ?? Number.NaN);
    // This one is counted in characters, all others in bytes.
    const before = Array.from(sql).slice(0, position).join('');
    return refuse(
      'query.cannot-parse',
      { detail },
      Number.isNaN(position) ? undefined : Buffer.byteLength(before),
    );
  }
  // Of a PIVOT that must look at the data for its columns DuckDB makes several statements.
  const isPivot =
    /^\s*(?:with|select|from|pivot|table|values|\()/i.test(uncommented(sql)) && /\bpivot/i.test(sql);
  return isPivot
    ? refuse('query.pivot-needs-in', {}, Buffer.byteLength(sql.slice(0, sql.search(/\bpivot/i))))
    : refuse('query.not-a-query', { text: beginningOf(sql) }, undefined);
}

/** Without the comments in front: only for the choice of words. */
function uncommented(sql: string): string {
  return sql.replace(/^(?:\s|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)+/, '');
}

function beginningOf(sql: string): string {
  const text = uncommented(sql).trim().replace(/\s+/g, ' ');
  return text === '' ? 'an empty text' : text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

function placed(
  sql: string,
  table: TableInTree,
  { toUnits, refuse }: { readonly toUnits: (bytes: number) => number; readonly refuse: Refuse },
): TableInSql {
  const { parts, location, hasAlias } = table;
  const start = location === undefined ? undefined : toUnits(location);
  const found = start === undefined ? undefined : nameAt(sql, start, parts.length);
  const isSame =
    found?.parts.every((part, index) => asciiLower(part) === asciiLower(parts[index] ?? '')) === true;
  if (start === undefined || found === undefined || !isSame)
    throw refuse('query.unclear-name', { name: parts.join('.') }, location);
  // `TABLE t` is a whole query and takes no alias.
  return { parts, start, end: found.end, hasAlias: hasAlias || /\btable\s*$/i.test(sql.slice(0, start)) };
}

/**
 * A table `a.t` is named in columns as `a.t.id`, or with its catalog in front. Where the query calls something else `a`, that
 * may be a field `id` of a column `t`: such a place is left as it is.
 */
function mentionsIn(
  sql: string,
  { tables, columns, aliases }: InspectedTree,
  toUnits: (bytes: number) => number,
): readonly MentionInSql[] {
  const keyOf = (names: readonly string[]): string => asciiLower(names.join('\0'));
  const named = new Map(
    tables
      .filter(({ parts, hasAlias }) => parts.length > 1 && !hasAlias)
      .map(({ parts }) => [keyOf(parts.slice(-2)), parts]),
  );
  if (named.size === 0) return [];
  return columns.flatMap(({ names, location }): readonly MentionInSql[] => {
    if (location === undefined || aliases.has(asciiLower(names[0] ?? ''))) return [];
    const count = [2, 3].find(
      (each) => names.length >= each && named.has(keyOf(names.slice(each - 2, each))),
    );
    const parts = count === undefined ? undefined : named.get(keyOf(names.slice(count - 2, count)));
    if (count === undefined || parts === undefined) return [];
    if (count === 3 && parts.length === 3 && keyOf(parts) !== keyOf(names.slice(0, 3))) return [];
    const start = toUnits(location);
    const found = nameAt(sql, start, count);
    return found === undefined || keyOf(found.parts) !== keyOf(names.slice(0, count))
      ? []
      : [{ parts, start, end: found.end }];
  });
}

/**
 * DuckDB does not say where its parameters stand. They are looked for, and proven: with names of ours in those places DuckDB must see
 * exactly these names, so none of the places is in a text or a comment, where a value would become SQL.
 */
async function placesOfParameters(
  sql: string,
  names: readonly string[],
  {
    refuse,
    ownFunctions,
    context,
  }: {
    readonly refuse: Refuse;
    readonly ownFunctions: ReadonlySet<string>;
    readonly context: InspectContext;
  },
): Promise<readonly ParameterInSql[]> {
  if (names.length === 0) return [];
  const unclear = (): Refusal =>
    refuse(
      'query.cannot-parse',
      { detail: 'its parameters cannot be distinguished from the rest' },
      undefined,
    );
  const places = parameterTokens(sql);
  const isSame = (some: readonly string[], others: readonly string[]): boolean =>
    JSON.stringify(some.toSorted()) === JSON.stringify(others.toSorted());
  const found = places.map(({ name }) => name);
  if (!isSame(names, found)) throw unclear();
  let renamed = '';
  let done = 0;
  const proofs = places.map((_, index) => `plinth_proof_${index}`);
  for (const [index, { start, end }] of places.entries()) {
    renamed += `${sql.slice(done, start)} $${proofs[index]} `;
    done = end;
  }
  const statement = onlyStatement(sql, await context.serialize(renamed + sql.slice(done)), unclear);
  if (!isSame(inspectTree(statement, { refuse: unclear, ownFunctions }).parameters, proofs)) throw unclear();
  return places;
}

function parameterTokens(sql: string): readonly ParameterInSql[] {
  let count = 0;
  return tokenize(sql)
    .tokens.filter(({ kind, text }) => kind === 'parameter' && /^[?$]/.test(text))
    .map(({ text, start, end }) => ({ name: text === '?' ? String(++count) : text.slice(1), start, end }));
}
