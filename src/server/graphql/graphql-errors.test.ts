import fc from 'fast-check';
import { buildSchema, execute, GraphQLError, parse, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import { answerError, requestError } from './graphql-errors.ts';

const SCHEMA = buildSchema(`
  enum Way { asc desc }
  input Where { a: Int, b: [String!], c: Boolean, way: Way, f: Float, and: [Where!] }
  type Query { r(where: Where, limit: Int, id: ID): Int }
`);

/** Everything the library says of a request that cannot fit. */
async function told(
  query: string,
  variables: Readonly<Record<string, unknown>>,
): Promise<readonly GraphQLError[]> {
  const document = parse(query);
  const invalid = validate(SCHEMA, document);
  if (invalid.length > 0) return invalid.map((each) => requestError(each, 'graphql.invalid'));
  const { errors = [] } = await execute({ schema: SCHEMA, document, variableValues: variables });
  return errors.map((each) => answerError(each, () => undefined));
}

describe('errors of requests', () => {
  const value = fc.string({ minLength: 1, maxLength: 12 }).map((text) => `s3cret${text}`);
  const places = fc.constantFrom<(text: unknown) => unknown>(
    (text) => ({ a: text }),
    (text) => ({ b: [{ x: text }] }),
    (text) => ({ c: text }),
    (text) => ({ way: text }),
    (text) => ({ f: [text] }),
    (text) => ({ and: [{ a: text }] }),
    (text) => text,
    (text) => [text],
  );

  test('do not repeat values of variables', () =>
    fc.assert(
      fc.asyncProperty(value, places, async (text, place) => {
        const errors = await told('query ($w: Where) { r(where: $w) }', { w: place(text) });
        expect(errors.length).toBeGreaterThan(0);
        expect(JSON.stringify(errors)).not.toContain('s3cret');
      }),
    ));

  test('of variables are those of the caller, with the path of what does not fit', async () => {
    const bugs: unknown[] = [];
    const wrong: readonly (readonly [string, unknown, RegExp])[] = [
      ['Int', 'x', /\$v" got invalid value; Int cannot represent/],
      ['Int!', null, /\$v/],
      ['Where', { and: [{ a: 'x' }] }, /at "v\.and\[0\]\.a"; Int cannot represent/],
      ['Where', { nope: 1 }, /"nope" is not defined/],
      ['Where', { way: 'up' }, /at "v\.way"; .*does not exist/],
    ];
    for (const [type, value, message] of wrong) {
      const field = type === 'Where' ? 'where' : 'limit';
      const document = parse(`query ($v: ${type}) { r(${field}: $v) }`);
      const { errors = [] } = await execute({ schema: SCHEMA, document, variableValues: { v: value } });
      const [error] = errors.map((each) => answerError(each, (bug) => bugs.push(bug)));
      expect(error?.extensions['code']).toBe('graphql.invalid');
      expect(error?.message).toMatch(message);
    }
    expect(bugs).toEqual([]);
  });

  test('do not repeat values that are written in the document', () =>
    fc.assert(
      fc.asyncProperty(
        value,
        fc.constantFrom('a: V', 'b: [{x: V}]', 'c: V', 'way: V', 'f: [V]', 'and: [{a: V}]'),
        async (text, written) => {
          const errors = await told(
            `{ r(where: {${written.replace('V', () => JSON.stringify(text))}}) }`,
            {},
          );
          expect(errors.length).toBeGreaterThan(0);
          expect(JSON.stringify(errors)).not.toContain('s3cret');
        },
      ),
    ));

  test('still say what is expected, and where', async () => {
    const [error] = await told('{ r(limit: "s3cret") }', {});
    expect(error?.message).toContain('Int');
    expect(error?.locations).toEqual([{ line: 1, column: 12 }]);
    expect(error?.extensions).toMatchObject({ code: 'graphql.invalid' });
  });

  test('that nobody expected are told as bugs without their words', () => {
    const bugs: unknown[] = [];
    const error = new GraphQLError('s3cret', { originalError: new Error('s3cret') });
    expect(answerError(error, (bug) => bugs.push(bug)).toJSON()).toEqual({
      message: 'The server met an internal error.',
      extensions: { code: 'http.bug', hint: expect.any(String) },
    });
    expect(bugs).toHaveLength(1);
  });
});
