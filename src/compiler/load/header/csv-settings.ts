import type { CsvSettings } from '../../../domain/model-kind.ts';
import { type BlockKey, type BlockReader, report, suggestion } from './block.ts';
import { itemsOf, rangeOf, type Slice } from './slice.ts';
import {
  type NamedValue,
  type Pair,
  pairOf,
  plainText,
  readBoolean,
  readPairs,
  readText,
  wrong,
} from './values.ts';

type Draft = { -readonly [Key in keyof CsvSettings]?: CsvSettings[Key] | undefined };

const ESCAPES: Readonly<Record<string, string>> = {
  '\\t': '\t',
  '\\n': '\n',
  '\\r': '\r',
  '\\r\\n': '\r\n',
  '\\\\': '\\',
};

type ReadSetting = (reader: BlockReader, named: NamedValue, into: Draft) => void;

/** Every setting of `csv_settings`. */
export const CSV_SETTINGS: Readonly<Record<string, BlockKey<ReadSetting>>> = {
  delimiter: { read: (r, n, into) => (into.delimiter = readCharacters(r, n)) },
  quotechar: { read: (r, n, into) => (into.quotechar = readCharacters(r, n)) },
  doublequote: { read: (r, n, into) => (into.doublequote = readBoolean(r, n)) },
  escapechar: { read: (r, n, into) => (into.escapechar = readCharacters(r, n)) },
  skipinitialspace: { read: (r, n, into) => (into.skipinitialspace = readBoolean(r, n)) },
  lineterminator: { read: (r, n, into) => (into.lineterminator = readLineEnd(r, n)) },
  encoding: { read: (r, n, into) => (into.encoding = readEncoding(r, n)) },
  na_values: { read: (r, n, into) => (into.naValues = readMissingValues(r, n)) },
  keep_default_na: { read: (r, n, into) => (into.keepDefaultNa = readBoolean(r, n)) },
};

/** `csv_settings (delimiter = ';', …)`; only what was given is set. */
export function readCsvSettings(reader: BlockReader, named: NamedValue): Partial<CsvSettings> | undefined {
  const pairs = readPairs(reader, named);
  if (pairs === undefined) return undefined;
  const into: Draft = {};
  for (const pair of pairs) readSetting(reader, pair, into);
  return Object.fromEntries(
    Object.entries(into).filter(([, value]) => value !== undefined),
  ) as Partial<CsvSettings>;
}

function readSetting(reader: BlockReader, pair: Pair, into: Draft): void {
  const key = pair.key.toLowerCase();
  const read = Object.hasOwn(CSV_SETTINGS, key) ? CSV_SETTINGS[key]?.read : undefined;
  const nameRange = rangeOf(pair.keySlice);
  if (read === undefined)
    report(
      reader,
      'model.unknown-option',
      { option: pair.key, kind: 'SEED (csv_settings)' },
      nameRange,
      suggestion(reader, key, Object.keys(CSV_SETTINGS)) ??
        `settings are ${Object.keys(CSV_SETTINGS).join(', ')}`,
    );
  else read(reader, { property: `csv_settings.${key}`, nameRange, value: pair.value }, into);
}

/** Encodings that seeds can have, by the names Python has for them, with the engine's; undefined needs no option. */
export const ENCODINGS: Readonly<Record<string, string | undefined>> = {
  'utf-8': undefined,
  utf8: undefined,
  'utf-8-sig': undefined,
  ascii: undefined,
  'us-ascii': undefined,
  'latin-1': 'latin-1',
  latin1: 'latin-1',
  'iso-8859-1': 'latin-1',
  'iso8859-1': 'latin-1',
  'utf-16': 'utf-16',
  utf16: 'utf-16',
};

/** Line ends that seeds can have, as the engine spells them. */
export const LINE_ENDS: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\r\n': '\\r\\n' };

function readEncoding(reader: BlockReader, named: NamedValue): string | undefined {
  const text = readText(reader, named, 'the name of an encoding')?.toLowerCase();
  if (text === undefined || Object.hasOwn(ENCODINGS, text)) return text;
  return wrong(reader, named, 'utf-8, ascii, latin-1 or utf-16');
}

function readLineEnd(reader: BlockReader, named: NamedValue): string | undefined {
  const text = readCharacters(reader, named);
  if (text === undefined || Object.hasOwn(LINE_ENDS, text)) return text;
  return wrong(reader, named, "'\\n', '\\r' or '\\r\\n'");
}

function readCharacters(reader: BlockReader, named: NamedValue): string | undefined {
  const text = plainText(named.value, reader);
  if (text === undefined || text === '') return wrong(reader, named, 'a character in quotes');
  return ESCAPES[text] ?? text;
}

/** Values that mean NULL: a list for all columns, or a list by column. */
function readMissingValues(reader: BlockReader, named: NamedValue): CsvSettings['naValues'] | undefined {
  const items = itemsOf(named.value);
  const first = items[0];
  if (first !== undefined && pairOf(first, reader) !== undefined) {
    const byColumn: [string, readonly string[]][] = [];
    for (const item of items) {
      const pair = pairOf(item, reader);
      if (pair === undefined) return wrong(reader, named, "column = ('value', …)", item);
      byColumn.push([pair.key, texts(reader, named, pair.value)]);
    }
    return Object.fromEntries(byColumn);
  }
  return texts(reader, named, named.value);
}

function texts(reader: BlockReader, named: NamedValue, list: Slice): readonly string[] {
  return itemsOf(list).flatMap(
    (item) => plainText(item, reader) ?? wrong(reader, named, 'a text or number', item) ?? [],
  );
}
