import type { InspectedSql, ParameterInSql, TableInSql } from '../../../domain/engine.ts';
import { tokenize } from '../../../foundation/sql/tokenize.ts';
import { asciiLower, inspectTree, type Refuse, type TableInTree, type TreeNode } from './inspect-tree.ts';
import { Refusal } from './keeper-refusal.ts';
import { nameAt, unitsOfBytes, withPlainSpaces } from './sql-places.ts';

/** What the inspection needs of a connection. */
export interface InspectSurroundings {
  /** `json_serialize_sql` of a text: DuckDB's own parser, which neither plans nor runs anything. */
  serialize(sql: string): Promise<string>;
  /** Lower-case names of functions and macros that the warehouse defines itself. */
  ownFunctions(): Promise<ReadonlySet<string>>;
}

const CONDITIONS_MAX = 10_000;

/** Reads a user's text with DuckDB's parser; refuses all but one SELECT of allowed parts, and says what it reads. */
export async function inspectSql(sql: string, around: InspectSurroundings): Promise<InspectedSql> {
  const toUnits = unitsOfBytes(sql);
  const refuse: Refuse = (code, parameters, location) => {
    const start = location === undefined ? undefined : toUnits(location);
    const end =
      start === undefined ? undefined : (nameAt(sql, start, 1)?.end ?? Math.min(start + 1, sql.length));
    return new Refusal({
      code,
      parameters,
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
  // The parser takes quadratic time for these, and nothing can stop it.
  if ((sql.match(/\b(?:and|or)\b/gi)?.length ?? 0) > CONDITIONS_MAX)
    throw refuse('query.too-complex', { what: 'conditions', max: CONDITIONS_MAX }, undefined);

  const ownFunctions = await around.ownFunctions();
  const facts = inspectTree(onlyStatement(sql, await around.serialize(sql), refuse), {
    refuse,
    ownFunctions,
  });
  const plain = withPlainSpaces(sql);
  let located = facts.tables;
  if (plain !== undefined) {
    located = inspectTree(onlyStatement(plain, await around.serialize(plain), refuse), {
      refuse,
      ownFunctions,
    }).tables;
    if (located.length !== facts.tables.length)
      throw refuse('query.cannot-parse', { detail: 'it holds spaces of unusual kinds' }, undefined);
  }
  const tables = facts.tables.map((table, index) =>
    placed(sql, { ...table, location: located[index]?.location }, { toUnits, refuse }),
  );
  return {
    tables: tables.toSorted((a, b) => a.start - b.start),
    parameters: await placesOfParameters(sql, facts.parameters, { refuse, ownFunctions, around }),
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
 * DuckDB does not say where its parameters stand. They are looked for, and proven: with names of ours in those places DuckDB must see
 * exactly these names, so none of the places is in a text or a comment, where a value would become SQL.
 */
async function placesOfParameters(
  sql: string,
  names: readonly string[],
  {
    refuse,
    ownFunctions,
    around,
  }: {
    readonly refuse: Refuse;
    readonly ownFunctions: ReadonlySet<string>;
    readonly around: InspectSurroundings;
  },
): Promise<readonly ParameterInSql[]> {
  if (names.length === 0) return [];
  const unclear = (): Refusal =>
    refuse('query.cannot-parse', { detail: 'its parameters cannot be told apart from the rest' }, undefined);
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
  const statement = onlyStatement(sql, await around.serialize(renamed + sql.slice(done)), unclear);
  if (!isSame(inspectTree(statement, { refuse: unclear, ownFunctions }).parameters, proofs)) throw unclear();
  return places;
}

function parameterTokens(sql: string): readonly ParameterInSql[] {
  let count = 0;
  return tokenize(sql)
    .tokens.filter(({ kind, text }) => kind === 'parameter' && /^[?$]/.test(text))
    .map(({ text, start, end }) => ({ name: text === '?' ? String(++count) : text.slice(1), start, end }));
}
