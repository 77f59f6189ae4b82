/*
 * What a rollup is made from: the tables, and the views between, whose data versions say whether it is up to date.
 *
 *   rollup ──▶ base ──▶ written: counts, nothing below it matters
 *                  └──▶ view or embedded: what it reads counts instead, and a view itself, which may be another tomorrow
 */
import type { Model } from '../../../domain/model.ts';
import { isWritten } from '../../../domain/snapshot.ts';
import type { Dialect } from '../../../foundation/sql/dialect.ts';
import { parseQuery } from '../../../foundation/sql/parse/parse-query.ts';
import type { Call } from '../../../foundation/sql/tree.ts';
import { walk } from '../../../foundation/sql/walk.ts';
import { isAllowedFunction, isClockFunction } from '../sql/allowed-functions.ts';

/** Names of models that have a data version, sorted, or why there is no data version. */
export type RollupSources =
  | { readonly kind: 'known'; readonly models: readonly string[] }
  | { readonly kind: 'unknown'; readonly reason: string };

/** Rows that come from elsewhere or change by themselves. A word too many costs a rollup, one too few an old answer. */
const RESTLESS =
  /@|\{\{|\b(?:now|today|current_\w+|localtime\w*|getdate|get_current_\w+|transaction_timestamp|statement_timestamp|clock_timestamp|random|setseed|uuid\w*|gen_random_\w+|nextval|currval|getenv|glob|sniff_csv|read_\w+|\w*_scan|\w+_scanner|query|query_table|\w+_query)\s*\(|\b(?:current_date|current_time|current_timestamp|localtime|localtimestamp|sysdate)\b|\b(?:from|join)\s+'/i;

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

/** Pure functions that strangers may not call, because of their size; views of the project may. */
const OWNERS_PURE: ReadonlySet<string> = new Set(
  `array_aggregate array_apply array_reduce array_resize bar bitstring bitstring_agg equi_width_bins from_json from_json_strict
  generate_series generate_subscripts histogram_exact json_group_object json_group_structure json_transform
  json_transform_strict list_aggr list_aggregate list_apply list_reduce list_resize md5_number_lower md5_number_upper range reduce
  set_bit to_base union_extract union_tag union_value`.split(/\s+/),
);

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
    if (node.kind === 'call') isFound ||= !isPure(node);
    if (node.kind === 'table') isFound ||= node.isFile;
    return isFound ? false : undefined;
  });
  return isFound;
}

function isPure({ name: { name }, qualifiers }: Call): boolean {
  const isKnown = isAllowedFunction(name) || OWNERS_PURE.has(name.toLowerCase());
  return isKnown && !isClockFunction(name) && qualifiers.length === 0;
}
