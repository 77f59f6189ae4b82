import { foldPart } from '../../../domain/model-name.ts';
import type { SourceRange } from '../../../foundation/diagnostics/diagnostic.ts';
import type { Token } from '../../../foundation/sql/token.ts';
import { identifierText, stringText } from '../../../foundation/sql/tokenize.ts';
import { type BlockReader, report } from './block.ts';
import { declaredType } from './declared-type.ts';
import {
  isSymbol,
  isWord,
  part,
  rangeOf,
  type Slice,
  sizeOf,
  splitAtCommas,
  textOf,
  tokenAt,
  unwrap,
} from './slice.ts';
import { type NamedValue, oneLine, wrong } from './values.ts';

/** The columns a block declares, in order. */
export interface DeclaredColumns {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** `COMMENT '…'` behind a type. */
  readonly comments: Readonly<Record<string, string>>;
  /** Where each column's name stands. */
  readonly ranges: ReadonlyMap<string, SourceRange>;
}

/** Words that end a type and begin a constraint, which is accepted as in CREATE TABLE and otherwise ignored. */
const CONSTRAINTS = new Set([
  'PRIMARY', 'NOT', 'NULL', 'UNIQUE', 'DEFAULT', 'COMMENT', 'REFERENCES', 'CHECK', 'COLLATE', 'GENERATED', 'OPTIONS', 'CONSTRAINT', 'AUTO_INCREMENT',
  'ENCODE', 'CODEC', 'MASKING', 'TTL',
]); // biome-ignore format: a table

/** Reads `columns (id INT, tags STRUCT<a INT, b TEXT>, note VARCHAR COMMENT 'x')`. */
export function readColumns(reader: BlockReader, named: NamedValue): DeclaredColumns | undefined {
  const inner = unwrap(named.value);
  if (inner === undefined) return wrong(reader, named, 'a list of columns with types in parentheses');
  const columns: { name: string; type: string }[] = [];
  const comments: [string, string][] = [];
  const seen = new Set<string>();
  const ranges = new Map<string, SourceRange>();
  for (const item of splitAtCommas(inner, true)) {
    const key = tokenAt(item, 0);
    if (key.kind !== 'word' && key.kind !== 'name' && key.kind !== 'string') {
      wrong(reader, named, 'a column name and a type', item);
      continue;
    }
    const name =
      key.kind === 'string'
        ? stringText(key, reader.dialect)
        : foldPart({ name: identifierText(key), quoted: key.kind === 'name' }, reader.dialect);
    const typeFrom = isSymbol(tokenAt(item, 1), ':') ? 2 : 1;
    const typeTo = typeEnd(item, typeFrom);
    if (typeTo <= typeFrom) {
      wrong(reader, named, `a type for the column ${oneLine(name)}`, item);
      continue;
    }
    if (seen.has(name.toLowerCase())) {
      report(reader, 'model.duplicate-column', { column: name }, rangeOf(part(item, 0, 1)));
      continue;
    }
    seen.add(name.toLowerCase());
    ranges.set(name, rangeOf(part(item, 0, 1)));
    columns.push({ name, type: declaredType(textOf(part(item, typeFrom, typeTo)), reader.dialect) });
    const comment = commentIn(item, typeTo, reader);
    if (comment !== undefined) comments.push([name, comment]);
  }
  return { columns, comments: Object.fromEntries(comments), ranges };
}

function typeEnd(item: Slice, from: number): number {
  let depth = 0;
  for (let i = from; i < sizeOf(item); i++) {
    const token = tokenAt(item, i);
    if (token.kind === 'symbol') {
      if ('([{<'.includes(token.text)) depth++;
      else if (token.text === '>>') depth -= 2;
      else if (')]}>'.includes(token.text)) depth--;
    }
    if (depth === 0 && i > from && token.kind === 'word' && CONSTRAINTS.has(token.text.toUpperCase()))
      return i;
  }
  return sizeOf(item);
}

function commentIn(item: Slice, from: number, reader: BlockReader): string | undefined {
  for (let i = from; i < sizeOf(item) - 1; i++) {
    const next: Token = tokenAt(item, i + 1);
    if (isWord(tokenAt(item, i), 'COMMENT') && next.kind === 'string')
      return stringText(next, reader.dialect);
  }
  return undefined;
}
