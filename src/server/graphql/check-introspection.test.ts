import { buildSchema, getIntrospectionQuery, parse } from 'graphql';
import { expect, test } from 'vitest';
import { Failure } from '../../domain/failure.ts';
import { checkIntrospection } from './check-introspection.ts';

/** Types that all lead to one another. */
const SCHEMA = buildSchema(
  `type Query { t0: T0 } ${Array.from(
    { length: 60 },
    (_, i) =>
      `type T${i} { ${Array.from({ length: 15 }, (__, j) => `f${j}(a: Int): T${(i * 7 + j) % 60}`).join(' ')} }`,
  ).join('\n')}`,
);

function codeOf(text: string): string | undefined {
  try {
    checkIntrospection(SCHEMA, parse(text));
    return undefined;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return error.code;
  }
}

const many = (count: number, field: string): string =>
  Array.from({ length: count }, (_, i) => `a${i}: ${field}`).join(' ');

test('what tools ask is let through, and so are questions about one type', () => {
  expect(codeOf(getIntrospectionQuery())).toBeUndefined();
  expect(
    codeOf(getIntrospectionQuery({ specifiedByUrl: true, inputValueDeprecation: true })),
  ).toBeUndefined();
  expect(codeOf('{ __type(name: "T1") { fields { name type { fields { name } } } } }')).toBeUndefined();
  expect(codeOf('{ t0 { f0 { __typename } } }')).toBeUndefined();
});

test.each([
  ['aliases far inside', `{ __schema { types { fields { type { fields { ${many(100, 'name')} } } } } } }`],
  ['aliases on the way', `{ __schema { types { ${many(40, 'fields { type { fields { name } } }')} } } }`],
  [
    'several roots',
    `{ ${many(10, `__schema { types { ${many(6, 'fields { type { fields { name } } }')} } }`)} }`,
  ],
  [
    'a fragment that is used often',
    `{ __schema { types { ${'...F '.repeat(30)} } } } fragment F on __Type { fields { type { fields { name description } } } }`,
  ],
  [
    'a question about one type',
    `{ __type(name: "T1") { fields { type { fields { type { fields { type { fields { type { fields { name } } } } } } } } } } }`,
  ],
] as const)('%s are refused', (_, text) => {
  expect(codeOf(text)).toBe('graphql.too-large');
});

test('counting what could never be made takes no time', () => {
  let inner = 'name';
  for (let i = 0; i < 60; i++) inner = `fields { type { ${inner} } }`;
  expect(codeOf(`{ __schema { types { ${inner} } } }`)).toBe('graphql.too-large');
});
