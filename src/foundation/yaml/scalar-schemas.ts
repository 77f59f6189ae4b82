import type { Data } from './data.ts';
import type { Located, LocatedText } from './located.ts';
import { piecesOf } from './pieces.ts';
import type { JsonSchema, Schema, SchemaReader } from './schema.ts';
import type { YamlNode, YamlScalar } from './tree.ts';

const isScalar = (node: YamlNode): node is YamlScalar => node.kind === 'scalar';

/** Marks values from outside the file, and secrets written down, as not to be shown. */
function note(node: YamlScalar, reader: SchemaReader, isSecret: boolean): void {
  if (node.shownAs !== undefined)
    reader.sensitive.push({ path: [...reader.path], shown: node.shownAs, value: node.value });
  else if (isSecret) reader.sensitive.push({ path: [...reader.path], shown: '***', value: node.value });
}

const TEMPLATE: JsonSchema = { type: 'string', pattern: '\\{\\{.*\\}\\}' };

export interface TextOptions {
  readonly pattern?: RegExp;
  /** The words for what the pattern asks. */
  readonly expected?: string;
  readonly isSecret?: boolean;
  readonly format?: 'date' | 'uri';
}

/** Text; an unquoted number is taken as it is spelled (`version: 1.10`). */
export function text(options: TextOptions = {}): Schema<string> {
  const expected = options.expected ?? 'text';
  return {
    expected,
    accepts: (node) => isScalar(node) && (typeof node.value === 'string' || typeof node.value === 'number'),
    read(node, reader) {
      if (!isScalar(node) || typeof node.value === 'boolean' || node.value === null)
        return reader.wrongType(node, expected);
      note(node, reader, options.isSecret === true);
      if (options.pattern !== undefined && !options.pattern.test(node.text))
        return reader.badValue(node, expected);
      return node.text;
    },
    json: ({ allowsTemplates }) => {
      const pattern = options.pattern?.source;
      const shape = {
        type: ['string', 'number'],
        ...(pattern === undefined ? {} : { pattern }),
        ...(options.format === undefined ? {} : { format: options.format }),
      };
      return allowsTemplates && pattern !== undefined ? { anyOf: [shape, TEMPLATE] } : shape;
    },
  };
}

/** One of a few words; letter case matters unless `ignoresCase`. */
export function word<const Words extends readonly string[]>(
  words: Words,
  options: { readonly ignoresCase?: boolean } = {},
): Schema<Words[number]> {
  const expected = words.length === 1 ? String(words[0]) : `one of ${words.join(', ')}`;
  const fold = (each: string): string => (options.ignoresCase === true ? each.toLowerCase() : each);
  const byText = new Map<string, Words[number]>(words.map((each) => [fold(each), each]));
  return {
    expected,
    accepts: (node) => isScalar(node) && byText.has(fold(node.text)),
    read(node, reader) {
      if (!isScalar(node) || node.value === null) return reader.wrongType(node, expected);
      note(node, reader, false);
      const found = byText.get(fold(node.text));
      return found ?? reader.badValue(node, expected, words);
    },
    json: ({ allowsTemplates }) => {
      const shape = {
        enum:
          options.ignoresCase === true
            ? [...new Set(words.flatMap((each) => [each, each.toUpperCase(), each.toLowerCase()]))]
            : [...words],
      };
      return allowsTemplates ? { anyOf: [shape, TEMPLATE] } : shape;
    },
  };
}

export interface NumberOptions {
  readonly isInteger?: boolean;
  readonly min?: number;
  readonly max?: number;
}

/** A number; one in quotes is taken, too, as values from the environment often are. */
export function number(options: NumberOptions = {}): Schema<number> {
  const { isInteger = false, min, max } = options;
  const noun = isInteger ? 'a whole number' : 'a number';
  const bounds =
    min !== undefined && max !== undefined
      ? ` between ${min} and ${max}`
      : min !== undefined
        ? ` of at least ${min}`
        : max !== undefined
          ? ` of at most ${max}`
          : '';
  const expected = noun + bounds;
  return {
    expected,
    accepts: (node) =>
      isScalar(node) &&
      (typeof node.value === 'number' || (typeof node.value === 'string' && NUMERIC.test(node.text))),
    read(node, reader) {
      if (!isScalar(node) || !this.accepts(node)) return reader.wrongType(node, expected);
      note(node, reader, false);
      const value = Number(node.value);
      if (
        !Number.isFinite(value) ||
        (isInteger && !Number.isInteger(value)) ||
        value < (min ?? value) ||
        value > (max ?? value)
      )
        return reader.badValue(node, expected);
      return value;
    },
    json: ({ allowsTemplates }) => ({
      type: [isInteger ? 'integer' : 'number', 'string'],
      pattern: allowsTemplates ? `${NUMERIC.source}|\\{\\{` : NUMERIC.source,
      ...(min === undefined ? {} : { minimum: min }),
      ...(max === undefined ? {} : { maximum: max }),
    }),
  };
}

const NUMERIC = /^[-+]?[0-9]+(\.[0-9]+)?$/;
const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true], ['yes', true], ['on', true], ['1', true], ['false', false], ['no', false], ['off', false], ['0', false],
]); // biome-ignore format: a table

/** true or false; the spellings of YAML 1.1 (yes, on, …) are taken, too. */
export function flag(): Schema<boolean> {
  return {
    expected: 'true or false',
    accepts: (node) => isScalar(node) && FLAGS.has(node.text.toLowerCase()),
    read(node, reader) {
      if (!isScalar(node)) return reader.wrongType(node, 'true or false');
      note(node, reader, false);
      return FLAGS.get(node.text.toLowerCase()) ?? reader.wrongType(node, 'true or false');
    },
    json: ({ allowsTemplates }) => ({
      anyOf: [
        { type: 'boolean' },
        { enum: ['yes', 'no', 'on', 'off', 0, 1] },
        ...(allowsTemplates ? [TEMPLATE] : []),
      ],
    }),
  };
}

/** The same value with its place, for what is checked later. */
export function located<Value>(schema: Schema<Value>): Schema<Located<Value>> {
  return {
    expected: schema.expected,
    accepts: schema.accepts,
    read(node, reader) {
      const value = schema.read(node, reader);
      return value === undefined ? undefined : { value, start: node.start, end: node.end };
    },
    json: schema.json,
    ...(schema.parts === undefined ? {} : { parts: schema.parts }),
  };
}

/** Stands in for located text that is missing or wrong: checks skip what is empty. */
export function noText(place: { readonly start: number; readonly end: number }): Located<string> {
  return { value: '', start: place.start, end: place.end };
}

/** Text in a language of its own: every part of it can be pointed at. */
export function language(expected: string): Schema<LocatedText> {
  return {
    expected,
    accepts: (node) => isScalar(node) && node.value !== null,
    read(node, reader) {
      if (!isScalar(node) || node.value === null) return reader.wrongType(node, expected);
      note(node, reader, false);
      return { value: node.text, start: node.start, end: node.end, pieces: piecesOf(reader.text, node) };
    },
    json: () => ({ type: ['string', 'number', 'boolean'] }),
  };
}

/** Anything at all, as plain data; `why` a typo inside it cannot pass unnoticed although nothing is checked here. */
export function data(why: string): Schema<Data> {
  return {
    expected: 'any value',
    accepts: () => true,
    read: (node, reader) => dataOf(node, reader),
    json: () => ({}),
    parts: () => ({ kind: 'open', why }),
  };
}

/** Read and checked by a schema, and kept as plain data. */
export function asData(schema: Schema<unknown>): Schema<Data> {
  return {
    ...schema,
    read(node, reader) {
      if (schema.read(node, reader) === undefined) return undefined;
      const { length } = reader.sensitive;
      const value = dataOf(node, reader);
      // What is sensitive was noted by the schema.
      reader.sensitive.length = length;
      return value;
    },
  };
}

function dataOf(node: YamlNode, reader: SchemaReader): Data {
  if (node.kind === 'scalar') {
    note(node, reader, false);
    return node.value;
  }
  if (node.kind === 'list')
    return node.items.map((item, index) => inside(reader, String(index), () => dataOf(item, reader)));
  const result: Record<string, Data> = Object.create(null) as Record<string, Data>;
  for (const { key, value } of node.entries)
    result[key.text] = inside(reader, key.text, () => dataOf(value, reader));
  return { ...result };
}

function inside<Value>(reader: SchemaReader, key: string, read: () => Value): Value {
  reader.path.push(key);
  const value = read();
  reader.path.pop();
  return value;
}
