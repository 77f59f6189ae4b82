import { dialectOf } from '../dialect.ts';

/** Dialects only the library knows; ours, and their other names, are in `dialect.ts`. */
const FOREIGN: ReadonlySet<string> = new Set(
  'oracle teradata doris starrocks materialize risingwave singlestore cockroachdb tidb druid solr tableau dune drill dremio exasol datafusion'.split(
    ' ',
  ),
);

/** The library's word for a dialect a user names; undefined when the library does not know it. */
export function libraryDialectOf(name: string): string | undefined {
  const key = name.toLowerCase();
  if (FOREIGN.has(key)) return key;
  const own = dialectOf(key);
  return own === 'postgres' ? 'postgresql' : own;
}
