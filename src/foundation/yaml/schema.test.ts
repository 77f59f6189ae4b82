import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { marked } from '../../../tests/support/marked-source.ts';
import {
  either,
  list,
  object,
  optional,
  record,
  required,
  variants,
  withoutEffect,
} from './collection-schemas.ts';
import { rangeInText } from './located.ts';
import { named, recursive } from './named-schemas.ts';
import { readYaml } from './read-yaml.ts';
import { data, flag, language, located, number, text, word } from './scalar-schemas.ts';
import { documentSchema, type Schema, SchemaReader } from './schema.ts';

function read<Value>(
  schema: Schema<Value>,
  source: string,
): { value: Value | undefined; reader: SchemaReader } {
  const reader = new SchemaReader(source);
  const { root } = readYaml(source);
  return { value: root === undefined ? undefined : schema.read(root, reader), reader };
}

const shape = variants(
  'type',
  {
    circle: object(
      { type: required(word(['circle']), ''), r: required(number({ min: 0 }), '') },
      { name: 'a circle' },
    ),
    dot: object({ type: required(word(['dot']), '') }, { name: 'a dot' }),
  },
  { name: 'a shape' },
);
const thing = object(
  {
    name: required(text({ pattern: /^[a-z]+$/, expected: 'lower-case letters' }), 'The name.', ['title']),
    size: optional(number({ isInteger: true, min: 1, max: 9 }), 'The size.'),
    on: optional(flag(), 'Whether.'),
    tags: optional(list(text(), { acceptsOne: true }), 'Words.'),
    shape: optional(shape, 'A shape.'),
    extra: optional(record(data('anything'), { name: 'a map' }), 'More.'),
    either: optional(either(flag(), list(text())), 'This or that.'),
    old: withoutEffect(text(), 'it is gone'),
  },
  { name: 'a thing', shorthand: 'name' },
);

describe('an object', () => {
  test('is read into a typed value with its place', () => {
    const { value, reader } = read(
      thing,
      'name: a\nsize: 3\non: yes\ntags: x\nextra: {k: [1, {z: null}]}\nshape: {type: circle, r: 2}',
    );
    expect(reader.problems).toEqual([]);
    expect(value).toMatchObject({
      name: 'a',
      size: 3,
      on: true,
      tags: ['x'],
      shape: { variant: 'circle', value: { r: 2 } },
    });
    expect(value?.extra?.[0]).toMatchObject({ key: { value: 'k' }, value: [1, { z: null }] });
  });

  test('accepts its shorthand, an alias, and a key without a value', () => {
    expect(read(thing, 'abc').value).toMatchObject({ name: 'abc' });
    expect(read(thing, 'title: abc\nsize:\n')).toMatchObject({
      value: { name: 'abc' },
      reader: { problems: [] },
    });
  });

  test.each([
    ['unknown-key', 'name: a\n«sise»: 3'],
    ['missing-key', '«size»: 3'],
    ['wrong-type', 'name: a\nsize: «[1]»'.replace('«[1]»', '[«1»]')],
    ['bad-value', 'name: «A1»'],
    ['bad-value', 'name: a\nsize: «10»'],
    ['bad-value', 'name: a\nsize: «2.5»'],
    ['wrong-type', 'name: a\non: «maybe»'],
    ['bad-value', 'name: a\nshape: {type: «circel», r: 1}'],
    ['missing-key', 'name: a\nshape: {«r»: 1}'],
    ['wrong-type', 'name: a\neither: {«x»: 1}'],
    ['no-effect', 'name: a\n«old»: x'],
  ])('reports %s at the key or value of %j', (kind, source) => {
    const { text: yaml, range } = marked(source);
    const { reader } = read(thing, yaml);
    expect(reader.problems.map((problem) => problem.kind)).toEqual([kind]);
    const [problem] = reader.problems;
    if (kind !== 'wrong-type' || !source.includes('size: ['))
      expect({ start: problem?.start, end: problem?.end }).toEqual(range);
  });

  test('reports all problems at once', () => {
    const { reader } = read(thing, 'name: A\nsize: 99\nfoo: 1\non: 5');
    expect(reader.problems.map((problem) => problem.kind)).toEqual([
      'bad-value',
      'bad-value',
      'unknown-key',
      'wrong-type',
    ]);
  });
});

describe('text with a language in it', () => {
  test.each([
    ['a: x + «y»', 'y'],
    ['a: "x + «y»"', 'y'],
    ["a: 'it''s «y»'", 'y'],
    ['a: "tab\\t \\u0041 «y»"', 'y'],
    ['a: |\n  first\n  second «y»\n', 'y'],
    ['a: >-\n  first\n  second «y»\n', 'y'],
    ['a: x\n  and «y»\n', 'y'],
  ])('knows where its parts stand in %j', (source, part) => {
    const { text: yaml, range } = marked(source);
    const { value } = read(object({ a: required(language('SQL'), '') }, { name: 'x' }), yaml);
    const located = value?.a;
    if (located === undefined) throw new Error('not read');
    const at = located.value.lastIndexOf(part);
    expect(rangeInText('f', located, at, at + part.length)).toEqual({ file: 'f', ...range });
  });

  test('maps every character of an escaped string to the same character or its escape', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('a', 'b', '\n', '"', '\\', "'", ' ', '\t', 'é'),
          minLength: 1,
          maxLength: 20,
        }),
        (value) => {
          const yaml = `a: ${JSON.stringify(value)}`;
          const read1 = read(object({ a: required(language('SQL'), '') }, { name: 'x' }), yaml).value?.a;
          if (read1 === undefined) return;
          expect(read1.value).toBe(value);
          [...value].forEach((char, i) => {
            const { start } = rangeInText('f', read1, i, i + 1);
            expect(yaml[start] === char || yaml[start] === '\\').toBe(true);
          });
        },
      ),
    );
  });
});

describe('the published JSON Schema', () => {
  test('describes keys, shorthands, aliases and definitions', () => {
    const tree: Schema<unknown> = recursive('tree', () =>
      object({ children: optional(list(tree), 'More.') }, { name: 'a tree' }),
    );
    const schema = documentSchema(
      object(
        {
          thing: required(thing, 'A thing.'),
          tree: optional(tree, ''),
          shape: optional(named('shape', shape), ''),
          where: optional(located(text()), ''),
        },
        { name: 'x' },
      ),
      { title: 't' },
    );
    expect(schema).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      required: ['thing'],
      additionalProperties: false,
    });
    expect(JSON.stringify(schema)).toContain('"$ref":"#/$defs/tree"');
    expect(Object.keys(schema['$defs'] as object)).toEqual(['tree', 'shape']);
  });
});
