import { type Dialect, dialectOf } from '../../foundation/sql/dialect.ts';

/** Blocks are small: a dialect further down is not that of the block. */
const HEAD = 10_000;
const DIALECT =
  /[(,]\s*(?:--[^\n]*\n\s*|\/\*[\s\S]*?\*\/\s*)*dialect\s+['"]?([a-z][a-z0-9]*)['"]?\s*(?:--[^\n]*\n\s*)*[,)]/i;

/** The dialect that the block of a file names, found before the file can be cut into tokens, since that depends on it. */
export function dialectInText(text: string): Dialect | undefined {
  if (!/dialect/i.test(text)) return undefined;
  const head = text.slice(0, HEAD);
  const block = /\b(?:model|audit)\s*\(/i.exec(head);
  if (block === null) return undefined;
  const word = DIALECT.exec(head.slice(block.index))?.[1];
  return word === undefined ? undefined : (dialectOf(word) ?? foreignDialect(word));
}

/** Dialects that SQLMesh projects may name, and the one of ours that is nearest to each. */
const NEAREST: Readonly<Record<string, Dialect>> = {
  db2: 'generic',
  doris: 'mysql',
  dremio: 'generic',
  drill: 'generic',
  druid: 'generic',
  dune: 'trino',
  exasol: 'generic',
  materialize: 'postgres',
  oracle: 'generic',
  risingwave: 'postgres',
  singlestore: 'mysql',
  solr: 'generic',
  starrocks: 'mysql',
  tableau: 'generic',
  teradata: 'generic',
};

/** The dialect that a foreign one is read as; undefined when the word is not a dialect at all. */
export function foreignDialect(word: string): Dialect | undefined {
  const key = word.toLowerCase();
  return Object.hasOwn(NEAREST, key) ? NEAREST[key] : undefined;
}
