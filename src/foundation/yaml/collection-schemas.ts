import { nearest } from '../diagnostics/nearest.ts';
import type { Located } from './located.ts';
import {
  firstLine,
  type JsonContext,
  type JsonSchema,
  type KeyField,
  type Schema,
  type SchemaReader,
} from './schema.ts';
import type { YamlEntry, YamlMap, YamlNode } from './tree.ts';

/** One key of an object. */
export interface Field<Value, IsRequired extends boolean = boolean> extends KeyField {
  readonly schema: Schema<Value>;
  readonly isRequired: IsRequired;
  /** What to do instead of writing the key without a value, where its absence means something else than what was begun. */
  readonly whenEmpty?: EmptyRule;
  /** What stands in for a required value that is missing or wrong, so that what stands beside it is still checked. */
  readonly standIn?: (place: ObjectPlace) => Value;
}

/** A key without a value, or with an empty list unless that is fine, is a problem. */
export interface EmptyRule {
  readonly hint: string;
  readonly acceptsEmptyList?: true;
}

export function required<Value>(
  schema: Schema<Value>,
  description: string,
  aliases: readonly string[] = [],
): Field<Value, true> {
  return { schema, description, isRequired: true, aliases };
}

/** A required key without which the rest of the object can still be checked: `standIn` takes its place, and `$broken` names it. */
export function needed<Value>(
  schema: Schema<Value>,
  standIn: (place: ObjectPlace) => Value,
  about: { readonly description: string; readonly aliases?: readonly string[] },
): Field<Value, true> {
  return { ...required(schema, about.description, about.aliases), standIn };
}

export function optional<Value>(
  schema: Schema<Value>,
  description: string,
  aliases: readonly string[] = [],
): Field<Value, false> {
  return { schema, description, isRequired: false, aliases };
}

/** The same key, never without a value: what was begun and left empty must not count as absent. */
export function filled<Value, IsRequired extends boolean>(
  field: Field<Value, IsRequired>,
  whenEmpty: EmptyRule,
): Field<Value, IsRequired> {
  return { ...field, whenEmpty };
}

/** A key that other tools know: accepted, checked, and noted as doing nothing. */
export function withoutEffect<Value>(schema: Schema<Value>, why: string): Field<Value, false> {
  return { schema, description: `No effect: ${why}.`, isRequired: false, aliases: [], withoutEffect: why };
}

/** A key whose feature does not exist yet: accepted, checked, and warned about, so that its silence is not taken for work done. */
export function notYet<Value>(schema: Schema<Value>, why: string): Field<Value, false> {
  return { schema, description: `Not yet: ${why}.`, isRequired: false, aliases: [], notYet: why };
}

export type Fields = Readonly<Record<string, Field<unknown>>>;

/** Where an object stands: the whole of it. */
export interface ObjectPlace {
  readonly start: number;
  readonly end: number;
}

type RequiredKeys<F extends Fields> = {
  [K in keyof F]: F[K] extends Field<unknown, true> ? (true extends F[K]['isRequired'] ? K : never) : never;
}[keyof F];
type FieldValue<F> = F extends Field<infer Value> ? Value : never;

/** The value of an object: its keys as written in the file, and its place. */
export type ObjectValue<F extends Fields> = { readonly [K in RequiredKeys<F>]: FieldValue<F[K]> } & {
  readonly [K in Exclude<keyof F, RequiredKeys<F>>]?: FieldValue<F[K]> | undefined;
} & {
  readonly $at: ObjectPlace;
  /** Keys whose values had problems or that are misspelled; they are missing above, or stand-ins. */
  readonly $broken: readonly string[];
};

export interface ObjectOptions {
  /** How messages call it: `a measure`. */
  readonly name: string;
  /** A scalar in its place means this key: `- status` for `- {name: status}`. */
  readonly shorthand?: string;
  /** What is not there yet: an object that is written is accepted with one warning, whatever its keys say. */
  readonly notYet?: string;
}

/** A map with known keys. Unknown keys are problems; a key without value counts as absent. */
export function object<F extends Fields>(fields: F, options: ObjectOptions): Schema<ObjectValue<F>> {
  const byKey = new Map<string, string>();
  for (const [key, field] of Object.entries(fields))
    for (const each of [key, ...field.aliases]) byKey.set(each, key);
  const requiredKeys = Object.keys(fields).filter((key) => fields[key]?.isRequired === true);
  const expected =
    options.shorthand === undefined
      ? `${options.name} (a map)`
      : `${options.name} (a map, or its ${options.shorthand} alone)`;
  const read = (node: YamlNode, reader: SchemaReader): ObjectValue<F> | undefined => {
    const map =
      node.kind === 'scalar' && options.shorthand !== undefined && node.value !== null
        ? shorthandMap(node, options.shorthand)
        : node;
    if (map.kind !== 'map') return reader.wrongType(node, expected);
    if (options.notYet !== undefined)
      reader.report({ kind: 'not-yet', key: options.name, why: options.notYet }, firstLine(node));
    const value: Record<string, unknown> = {};
    let isComplete = true;
    const broken: string[] = [];
    const seen = new Set<string>();
    const misspelled = new Set<string>();
    const standIn = (name: string, at: ObjectPlace): void => {
      const field = fields[name] as Field<unknown>;
      if (field.standIn !== undefined) value[name] = field.standIn({ start: at.start, end: at.end });
      else isComplete = false;
    };
    for (const entry of map.entries) {
      const name = byKey.get(entry.key.text);
      if (name === undefined) {
        reader.report(
          { kind: 'unknown-key', key: entry.key.text, owner: options.name, known: [...byKey.keys()] },
          entry.key,
        );
        const meant = reader.isFull ? undefined : nearest(entry.key.text, byKey.keys());
        if (meant !== undefined) misspelled.add(byKey.get(meant) as string);
        continue;
      }
      const field = fields[name] as Field<unknown>;
      if (field.whenEmpty !== undefined && isEmpty(entry.value, field.whenEmpty)) {
        const { hint } = field.whenEmpty;
        reader.report({ kind: 'empty-value', key: entry.key.text, owner: options.name, hint }, entry.key);
        seen.add(name);
        broken.push(name);
        if (field.isRequired) standIn(name, entry.value);
        continue;
      }
      if (isAbsent(entry.value)) continue;
      if (seen.has(name))
        reader.report({ kind: 'same-key', key: entry.key.text, name, owner: options.name }, entry.key);
      if (field.withoutEffect !== undefined)
        reader.report({ kind: 'no-effect', key: entry.key.text, why: field.withoutEffect }, entry.key);
      if (field.notYet !== undefined)
        reader.report({ kind: 'not-yet', key: entry.key.text, why: field.notYet }, entry.key);
      seen.add(name);
      reader.path.push(name);
      const read = field.schema.read(entry.value, reader);
      reader.path.pop();
      if (read === undefined) {
        broken.push(name);
        if (field.isRequired) standIn(name, entry.value);
      } else value[name] = read;
    }
    for (const key of requiredKeys) {
      if (seen.has(key)) continue;
      standIn(key, firstLine(node));
      if (misspelled.has(key)) continue;
      broken.push(key);
      reader.report({ kind: 'missing-key', key, owner: options.name }, firstLine(node));
    }
    for (const key of misspelled) if (!seen.has(key)) broken.push(key);
    value['$at'] = { start: node.start, end: node.end };
    value['$broken'] = broken.length === 0 ? NOTHING_BROKEN : broken;
    return isComplete ? (value as ObjectValue<F>) : undefined;
  };
  const json = (context: JsonContext): JsonSchema => {
    const properties: Record<string, JsonSchema> = {};
    for (const [key, field] of Object.entries(fields)) {
      const shape = { ...field.schema.json(context), ...notEmpty(field.whenEmpty) };
      properties[key] = { description: field.description, ...shape };
      for (const alias of field.aliases) properties[alias] = { description: `Same as ${key}.`, ...shape };
    }
    const plain = requiredKeys.filter((key) => fields[key]?.aliases.length === 0);
    const alternatives = requiredKeys.filter((key) => fields[key]?.aliases.length !== 0);
    const shape = {
      type: 'object',
      properties,
      additionalProperties: false,
      ...(plain.length === 0 ? {} : { required: plain }),
      ...(alternatives.length === 0
        ? {}
        : {
            allOf: alternatives.map((key) => ({
              anyOf: [key, ...(fields[key]?.aliases ?? [])].map((each) => ({ required: [each] })),
            })),
          }),
    };
    return options.shorthand === undefined ? shape : { anyOf: [{ type: ['string', 'number'] }, shape] };
  };
  return {
    expected,
    accepts: (node) => node.kind === 'map' || (options.shorthand !== undefined && node.kind === 'scalar'),
    read,
    json,
    parts: () => ({
      kind: 'keys',
      fields,
      ...(options.notYet === undefined ? {} : { notYet: options.notYet }),
    }),
  };
}

const NOTHING_BROKEN: readonly string[] = [];

function isAbsent(node: YamlNode): boolean {
  return node.kind === 'scalar' && node.value === null && node.isUnknown !== true;
}

/** An empty list would fit the shape of a list. */
const notEmpty = (rule: EmptyRule | undefined): JsonSchema =>
  rule === undefined || rule.acceptsEmptyList === true ? {} : { not: { enum: [[], ''] } };

function isEmpty(node: YamlNode, { acceptsEmptyList }: EmptyRule): boolean {
  if (node.kind === 'list') return node.items.length === 0 && acceptsEmptyList !== true;
  return (
    isAbsent(node) || (node.kind === 'scalar' && typeof node.value === 'string' && node.value.trim() === '')
  );
}

function shorthandMap(node: YamlNode & { kind: 'scalar' }, key: string): YamlMap {
  const entry: YamlEntry = {
    key: { kind: 'scalar', value: key, text: key, style: 'plain', start: node.start, end: node.end },
    value: node,
  };
  return { kind: 'map', entries: [entry], start: node.start, end: node.end };
}

/** A list. With `acceptsOne`, a single value stands for a list of it. Items with problems are left out. */
export function list<Value>(
  item: Schema<Value>,
  options: { readonly acceptsOne?: boolean } = {},
): Schema<readonly Value[]> {
  const acceptsOne = options.acceptsOne === true;
  const expected = `a list (each item ${item.expected})`;
  return {
    expected,
    accepts: (node) => node.kind === 'list' || (acceptsOne && item.accepts(node)),
    read(node, reader) {
      if (node.kind !== 'list' && !acceptsOne) return reader.wrongType(node, expected);
      const values: Value[] = [];
      const nodes = node.kind === 'list' ? node.items : [node];
      nodes.forEach((each, index) => {
        reader.path.push(String(index));
        const value = item.read(each, reader);
        reader.path.pop();
        if (value !== undefined) values.push(value);
      });
      return values;
    },
    json: (context) => {
      const items = item.json(context);
      const shape = { type: 'array', items };
      return acceptsOne ? { anyOf: [shape, items] } : shape;
    },
    parts: () => ({ kind: 'inside', schemas: [{ step: '', schema: item }] }),
  };
}

export interface RecordEntry<Value> {
  readonly key: Located<string>;
  readonly value: Value;
}

/** A map whose keys are names that the user gives; `name` says of what. */
export function record<Value>(
  item: Schema<Value>,
  options: { readonly keys?: RegExp; readonly keysExpected?: string; readonly name: string },
): Schema<readonly RecordEntry<Value>[]> {
  const expected = options.name;
  return {
    expected,
    accepts: (node) => node.kind === 'map',
    read(node, reader) {
      if (node.kind !== 'map') return reader.wrongType(node, expected);
      const entries: RecordEntry<Value>[] = [];
      for (const { key, value } of node.entries) {
        if (options.keys !== undefined && !options.keys.test(key.text)) {
          reader.badValue(key, options.keysExpected ?? 'another name');
          continue;
        }
        reader.path.push(key.text);
        const read = item.read(value, reader);
        reader.path.pop();
        if (read !== undefined)
          entries.push({ key: { value: key.text, start: key.start, end: key.end }, value: read });
      }
      return entries;
    },
    json: (context) => ({
      type: 'object',
      ...(options.keys === undefined ? {} : { propertyNames: { pattern: options.keys.source } }),
      additionalProperties: item.json(context),
    }),
    parts: () => ({ kind: 'inside', schemas: [{ step: '*', schema: item }] }),
  };
}

/** The first alternative that accepts the node's shape reads it. */
export function either<const Schemas extends readonly Schema<unknown>[]>(
  ...schemas: Schemas
): Schema<Schemas[number] extends Schema<infer Value> ? Value : never> {
  type Value = Schemas[number] extends Schema<infer V> ? V : never;
  const expected = schemas.map((schema) => schema.expected).join(' or ');
  return {
    expected,
    accepts: (node) => schemas.some((schema) => schema.accepts(node)),
    read(node, reader) {
      const schema = schemas.find((each) => each.accepts(node));
      return schema === undefined
        ? reader.wrongType(node, expected)
        : (schema.read(node, reader) as Value | undefined);
    },
    json: (context) => ({ anyOf: schemas.map((schema) => schema.json(context)) }),
    parts: () => ({ kind: 'inside', schemas: schemas.map((schema) => ({ step: '', schema })) }),
  };
}

/** Objects distinguished by the word under one key (`type: duckdb`). */
export function variants<const Choices extends Readonly<Record<string, Schema<unknown>>>>(
  tag: string,
  choices: Choices,
  options: { readonly name: string; readonly otherwise?: keyof Choices & string },
): Schema<
  {
    [K in keyof Choices & string]: {
      readonly variant: K;
      readonly value: Choices[K] extends Schema<infer Value> ? Value : never;
    };
  }[keyof Choices & string]
> {
  type Result = {
    [K in keyof Choices & string]: {
      readonly variant: K;
      readonly value: Choices[K] extends Schema<infer Value> ? Value : never;
    };
  }[keyof Choices & string];
  const names = Object.keys(choices);
  const expected = `${options.name} (a map with the key ${tag})`;
  return {
    expected,
    accepts: (node) => node.kind === 'map',
    read(node, reader) {
      if (node.kind !== 'map') return reader.wrongType(node, expected);
      const entry = node.entries.find(({ key }) => key.text === tag);
      if (entry === undefined && options.otherwise === undefined)
        return reader.report({ kind: 'missing-key', key: tag, owner: options.name }, firstLine(node));
      if (entry !== undefined && entry.value.kind !== 'scalar')
        return reader.wrongType(entry.value, `one of ${names.join(', ')}`);
      const name =
        entry === undefined ? (options.otherwise as string) : (entry.value as { readonly text: string }).text;
      if (!Object.hasOwn(choices, name)) {
        reader.path.push(tag);
        reader.badValue(
          (entry as YamlEntry).value as YamlNode & { kind: 'scalar' },
          `one of ${names.join(', ')}`,
          names,
        );
        reader.path.pop();
        return undefined;
      }
      const value = (choices[name] as Schema<unknown>).read(node, reader);
      return value === undefined ? undefined : ({ variant: name, value } as Result);
    },
    json: (context) => ({ anyOf: names.map((name) => (choices[name] as Schema<unknown>).json(context)) }),
    parts: () => ({
      kind: 'inside',
      schemas: names.map((name) => ({ step: name, schema: choices[name] as Schema<unknown> })),
    }),
  };
}
