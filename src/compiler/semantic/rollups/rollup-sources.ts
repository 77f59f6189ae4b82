/*
 * What a rollup is made from: the tables, and the views between, whose data versions say whether it is up to date.
 *
 *   rollup ──▶ base ──▶ written: counts, nothing below it matters
 *                  └──▶ view or embedded: what it reads counts instead, and a view itself, which may be another tomorrow
 */
import type { Model } from '../../../domain/model.ts';
import { isWritten } from '../../../domain/snapshot.ts';
import type { Dialect } from '../../../foundation/sql/dialect.ts';
import { functionsOf } from '../../../foundation/sql/functions/functions-of.ts';
import { NILADIC } from '../../../foundation/sql/functions/portable-functions.ts';
import { wordsOf } from '../../../foundation/sql/functions/words-of.ts';
import { parseQuery } from '../../../foundation/sql/parse/parse-query.ts';
import type { Call } from '../../../foundation/sql/tree.ts';
import { walk } from '../../../foundation/sql/walk.ts';

/** Names of models that have a data version, sorted, or why there is no data version. */
export type RollupSources =
  | { readonly kind: 'known'; readonly models: readonly string[] }
  | { readonly kind: 'unknown'; readonly reason: string };

const { clock, volatile } = functionsOf('generic');
/** Families of functions, wherever they come from: the clock, identifiers, files, other queries. */
const FAMILIES =
  /current_\w+|localtime\w*|get_current_\w+|uuid\w*|gen_random_\w+|getenv|glob|sniff_csv|read_\w+|\w*_scan|\w+_scanner|query|query_table|\w+_query/;
const CALLS = [...volatile, FAMILIES.source].join('|');
const BARE = [...NILADIC].filter((word) => clock.has(word) || word.startsWith('sys')).join('|');

/** Rows that come from elsewhere or change by themselves. A word too many costs a rollup, one too few an old answer. */
const RESTLESS = new RegExp(String.raw`@|\{\{|\b(?:${CALLS})\s*\(|\b(?:${BARE})\b|\b(?:from|join)\s+'`, 'i');

/** Looks below the models that a rollup reads; `modelOf` answers with models as they are applied, or as they would be. */
export async function rollupSources(
  reads: readonly string[],
  modelOf: (name: string) => Promise<Model | undefined>,
): Promise<RollupSources> {
  const models = new Set<string>();
  const seen = new Set<string>();
  const open = [...reads];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    const model = await modelOf(name);
    if (model === undefined || model.kind.kind === 'external')
      return { kind: 'unknown', reason: `${name} is not written by Plinth` };
    if (model.kind.kind === 'managed' || model.kind.kind === 'custom')
      return { kind: 'unknown', reason: `${name} is ${model.kind.kind.toUpperCase()}` };
    if (model.kind.kind !== 'embedded') models.add(name);
    if (isWritten(model.kind.kind)) continue;
    const { source } = model;
    if (source.kind !== 'sql' || isRestless(source.query.text, model.dialect))
      return { kind: 'unknown', reason: `${name} reads more than tables, or the present time` };
    open.push(...model.dependencies);
  }
  return { kind: 'known', models: [...models].sort() };
}

const TEXTS_MAX = 500;
const TEXT_LENGTH_MAX = 20_000;
/** The last texts and what was found: the same questions are asked again and again, and reading a text takes longer than the rest. */
const knownTexts = new Map<string, boolean>();

/** Whether the rows of a query may change without a write: what is not known to be a function of its arguments alone may. */
export function isRestless(sql: string, dialect: Dialect): boolean {
  const key = `${dialect} ${sql}`;
  const known = knownTexts.get(key);
  if (known !== undefined) return known;
  const found = isRestlessText(sql, dialect);
  if (sql.length > TEXT_LENGTH_MAX) return found;
  knownTexts.set(key, found);
  const [oldest] = knownTexts.keys();
  if (knownTexts.size > TEXTS_MAX && oldest !== undefined) knownTexts.delete(oldest);
  return found;
}

function isRestlessText(sql: string, dialect: Dialect): boolean {
  if (RESTLESS.test(sql)) return true;
  // Of other dialects only the words above are known.
  if (dialect !== 'duckdb') return false;
  const parsed = parseQuery(sql, dialect);
  if (!parsed.ok) return true;
  let isFound = false;
  walk(parsed.value, (node) => {
    if (node.kind === 'call') isFound ||= !isPure(node, dialect);
    if (node.kind === 'table') isFound ||= node.isFile;
    return isFound ? false : undefined;
  });
  return isFound;
}

/** Of the grammar: what they look at is looked at, too. */
const GRAMMAR: ReadonlySet<string> = new Set(wordsOf('all any columns'));

function isPure({ name: { name }, qualifiers }: Call, dialect: Dialect): boolean {
  if (qualifiers.length > 0) return false;
  const functions = functionsOf(dialect);
  const key = name.toLowerCase();
  if (functions.clock.has(key) || functions.volatile.has(key)) return false;
  const { aggregates, pure, tables, windows } = functions;
  return [pure, aggregates, windows, tables, GRAMMAR].some((names) => names.has(key));
}
