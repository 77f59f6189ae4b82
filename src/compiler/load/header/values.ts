import { foldPart } from '../../../domain/model-name.ts';
import type { SourceRange } from '../../../foundation/diagnostics/diagnostic.ts';
import type { Token } from '../../../foundation/sql/token.ts';
import { nesting } from '../../../foundation/sql/token-ranges.ts';
import { identifierText, stringText } from '../../../foundation/sql/tokenize.ts';
import { type BlockReader, report } from './block.ts';
import { nameParts } from './names.ts';
import {
  isSymbol,
  itemsOf,
  part,
  rangeOf,
  type Slice,
  sizeOf,
  textOf,
  tokenAt,
  unwrap,
  unwrapAll,
} from './slice.ts';

/** A named value being read: what a message about it needs. */
export interface NamedValue {
  readonly property: string;
  /** Where the property's name stands: what a missing value is marked at. */
  readonly nameRange: SourceRange;
  readonly value: Slice;
}

/** Says that a value does not fit; returns undefined, so that readers can `return wrong(…)`. */
export function wrong(reader: BlockReader, named: NamedValue, expected: string, at?: Slice): undefined {
  const slice = at ?? named.value;
  if (sizeOf(named.value) === 0)
    report(reader, 'model.missing-value', { property: named.property, expected }, named.nameRange);
  else
    report(
      reader,
      'model.wrong-value',
      { property: named.property, value: oneLine(textOf(slice)), expected },
      rangeOf(slice),
    );
  return undefined;
}

/** A value as it can stand in a message. */
export function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 80 ? `${line.slice(0, 77)}…` : line;
}

/** Text of a value that is one string, one name, a dotted name or a number, brackets around it ignored; undefined for anything else. */
export function plainText(slice: Slice, reader: BlockReader): string | undefined {
  const value = unwrapAll(slice, () => true);
  const first = tokenAt(value, 0);
  if (sizeOf(value) === 1) return scalarText(first, reader);
  if (sizeOf(value) === 2 && isSymbol(first, '-') && tokenAt(value, 1).kind === 'number')
    return `-${tokenAt(value, 1).text}`;
  return areConnected(value) && (first.kind === 'word' || first.kind === 'number')
    ? textOf(value)
    : undefined;
}

/** A string's content, a name without its quotes, a number or word as written. */
export function scalarText(token: Token, reader: BlockReader): string | undefined {
  switch (token.kind) {
    case 'string':
      return stringText(token, reader.dialect);
    case 'name':
      return identifierText(token);
    case 'word':
    case 'number':
    case 'parameter':
      return token.text;
    default:
      return undefined;
  }
}

/** Whether the tokens touch one another and hold no bracket, string or comma: `a.b`, `us-east1`, `UTC+2`. */
function areConnected(slice: Slice): boolean {
  for (let i = slice.from; i < slice.to; i++) {
    const token = slice.tokens[i] as Token;
    if (nesting(token) !== 0 || token.kind === 'string' || token.kind === 'at') return false;
    if (i > slice.from && token.start !== (slice.tokens[i - 1] as Token).end) return false;
  }
  return slice.to > slice.from;
}

export function readText(
  reader: BlockReader,
  named: NamedValue,
  expected = 'a text or a name',
): string | undefined {
  const text = plainText(named.value, reader);
  return text === undefined ? wrong(reader, named, expected) : text;
}

const TRUE_WORDS = new Set(['true', 't', 'yes', 'y', 'on', '1']);
const FALSE_WORDS = new Set(['false', 'f', 'no', 'n', 'off', '0']);

export function readBoolean(reader: BlockReader, named: NamedValue): boolean | undefined {
  const text = plainText(named.value, reader)?.toLowerCase();
  if (text !== undefined && TRUE_WORDS.has(text)) return true;
  if (text !== undefined && FALSE_WORDS.has(text)) return false;
  const equation = constantEquation(named.value);
  return equation === undefined ? wrong(reader, named, 'true or false') : equation;
}

/** `(1 = 1)` and `(1 = 0)`: how T-SQL formatters write booleans. */
function constantEquation(slice: Slice): boolean | undefined {
  const inner = unwrap(slice);
  if (inner === undefined || sizeOf(inner) !== 3 || !isSymbol(tokenAt(inner, 1), '=')) return undefined;
  const [left, right] = [tokenAt(inner, 0), tokenAt(inner, 2)];
  return left.kind === 'number' && right.kind === 'number' ? left.text === right.text : undefined;
}

/** A whole number of at least `least`. */
export function readWhole(reader: BlockReader, named: NamedValue, least: number): number | undefined {
  const text = plainText(named.value, reader);
  const number = text !== undefined && /^-?\d{1,9}$/.test(text) ? Number(text) : undefined;
  if (number === undefined || number < least)
    return wrong(
      reader,
      named,
      least === 0 ? 'a whole number that is not negative' : `a whole number of at least ${least}`,
    );
  return number;
}

/** One of a few words, in any case; the word is returned in lower case. */
export function readChoice<Word extends string>(
  reader: BlockReader,
  named: NamedValue,
  words: readonly Word[],
): Word | undefined {
  const text = plainText(named.value, reader)?.toLowerCase();
  const found = words.find((word) => word === text);
  return found ?? wrong(reader, named, `one of ${words.join(', ')}`);
}

/** Items that are plain texts or names: tags, owners, rules. */
export function readTexts(
  reader: BlockReader,
  named: NamedValue,
  expected = 'a list of names or texts',
): readonly string[] | undefined {
  if (sizeOf(named.value) === 0) return wrong(reader, named, expected);
  const texts: string[] = [];
  for (const item of itemsOf(named.value)) {
    const text = plainText(item, reader);
    if (text === undefined) return wrong(reader, named, expected, item);
    texts.push(text);
  }
  return texts;
}

/** Items that are expressions, as SQL texts; a string is read as the SQL it holds when `stringsAreSql`. */
export function readExpressions(
  reader: BlockReader,
  named: NamedValue,
  expected: string,
): readonly string[] | undefined {
  if (sizeOf(named.value) === 0) return wrong(reader, named, expected);
  return itemsOf(named.value).map((item) => expressionText(item, reader));
}

/** The SQL text of an expression item; quotes around a whole item are dropped, since `('a', 'b')` lists columns too. */
export function expressionText(item: Slice, reader: BlockReader): string {
  const value = unwrapAll(item, isOneItem);
  const only = tokenAt(value, 0);
  if (sizeOf(value) === 1 && only.kind === 'string') return stringText(only, reader.dialect);
  return textOf(value);
}

function isOneItem(slice: Slice): boolean {
  let depth = 0;
  for (let i = slice.from; i < slice.to; i++) {
    const token = slice.tokens[i] as Token;
    if (depth === 0 && isSymbol(token, ',')) return false;
    depth += nesting(token);
  }
  return true;
}

/** A `key = value` item; the key is in lower case when `foldKeys`. */
export interface Pair {
  readonly key: string;
  readonly keySlice: Slice;
  readonly value: Slice;
}

/** `key = value`, `key := value` or `key => value`; undefined when the item is something else. */
export function pairOf(item: Slice, reader: BlockReader): Pair | undefined {
  let depth = 0;
  for (let i = item.from; i < item.to; i++) {
    const token = item.tokens[i] as Token;
    if (
      depth === 0 &&
      token.kind === 'symbol' &&
      (token.text === '=' || token.text === ':=' || token.text === '=>')
    ) {
      const at = i - item.from;
      const keySlice = part(item, 0, at);
      const value = part(item, at + 1, sizeOf(item));
      if (sizeOf(value) === 0) return undefined;
      const key = plainText(keySlice, reader) ?? dottedKey(keySlice, reader);
      return key === undefined ? undefined : { key, keySlice, value };
    }
    depth += nesting(token);
  }
  return undefined;
}

/** `"MyStruct"."field"` as the path it names. */
function dottedKey(slice: Slice, reader: BlockReader): string | undefined {
  return nameParts(slice, reader.dialect)
    ?.map((key) => foldPart(key, reader.dialect))
    .join('.');
}

/** A list of `key = value`; anything else among them is reported and left out. */
export function readPairs(reader: BlockReader, named: NamedValue): readonly Pair[] | undefined {
  const inner = unwrap(named.value);
  const expected = 'a list of key = value in parentheses';
  if (inner === undefined) return wrong(reader, named, expected);
  const pairs: Pair[] = [];
  const seen = new Set<string>();
  for (const item of itemsOf(named.value)) {
    const pair = pairOf(item, reader);
    if (pair === undefined) {
      wrong(reader, named, 'key = value', item);
      continue;
    }
    if (seen.has(pair.key.toLowerCase()))
      report(
        reader,
        'model.duplicate-property',
        { property: `${named.property}.${pair.key}` },
        rangeOf(pair.keySlice),
      );
    else pairs.push(pair);
    seen.add(pair.key.toLowerCase());
  }
  return pairs;
}

/** SQL texts by key, as `physical_properties (a = 1)` gives them. */
export function readProperties(
  reader: BlockReader,
  named: NamedValue,
): Readonly<Record<string, string>> | undefined {
  const pairs = readPairs(reader, named);
  return pairs && Object.fromEntries(pairs.map((pair) => [pair.key, textOf(pair.value)]));
}
