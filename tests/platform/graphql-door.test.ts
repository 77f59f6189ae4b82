/** The GraphQL door over a product that is really served: what is in the schema, how it changes, and what happens to those who hang up. */
import { Readable } from 'node:stream';
import {
  execute,
  GraphQLInt,
  GraphQLList,
  GraphQLObjectType,
  type GraphQLResolveInfo,
  GraphQLSchema,
  parse,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Identity } from '../../src/domain/principal.ts';
import { statementColumn } from '../../src/domain/statement.ts';
import { listStatements } from '../../src/operations/ask/list-statements.ts';
import { submitStatement } from '../../src/operations/ask/submit-statement.ts';
import { framedOf } from '../../src/runtime/statements/result-formats.ts';
import { answerGraphql } from '../../src/server/graphql/answer-graphql.ts';
import { shapedRows } from '../../src/server/graphql/shaped-rows.ts';
import { SEMANTIC_PROJECT } from '../e2e/semantic-project.ts';
import { ADMIN, identityOf, type ServedProduct, servedProduct } from '../support/served-product.ts';

/** Without a list of dimensions its columns are dimensions, whatever they are called. */
const ODD = `kind: semantic
name: odd
depends_on: marts.odd
measures:
  - {name: AND, type: count}
  - {name: hidden, type: count, public: false}
  - {name: total, type: sum, expression: "{n} % 7 * ({n} % 11)"}
`;
const FILES = {
  ...SEMANTIC_PROJECT,
  'models/odd.sql':
    'MODEL (name marts.odd, kind VIEW, columns (n BIGINT, "2nd word" TEXT, "2nd-word" TEXT));\nSELECT range AS n, \'w\' AS "2nd word", \'v\' AS "2nd-word" FROM range(1000000000000)',
  'models/semantics/odd.yml': ODD,
  'models/kinds.sql': `MODEL (name marts.kinds, kind FULL, grain id);
SELECT range::INTEGER AS id, 'a "quoted" \\ text, ' || chr(10) || chr(1) || chr(233) || '/' || range AS words, (range / 8)::DECIMAL(12, 3) AS price,
  CASE range % 4 WHEN 0 THEN 1e300 WHEN 1 THEN 'NaN'::DOUBLE WHEN 2 THEN -0.0 ELSE range / 7.0 END::DOUBLE AS share,
  range * 90071992547409 AS big, DATE '2024-01-01' + (range % 900)::INTEGER AS day, NULLIF(range % 3, 1) = 0 AS flag,
  {'1': [range, 1.50], 'b': NULL} AS nested
FROM range(3000)
`,
  'models/semantics/kinds.yml': `kind: semantic
name: kinds
depends_on: marts.kinds
dimensions: [id, words, price, share, big, day, flag, nested]
policies: [{group: admin}]
`,
};

let served: ServedProduct;
beforeAll(async () => {
  served = await servedProduct(FILES);
});
afterAll(() => served?.close());

interface Answer {
  readonly data?: Readonly<Record<string, unknown>>;
  readonly errors?: readonly {
    readonly message: string;
    readonly extensions: Readonly<Record<string, unknown>>;
  }[];
}

async function ask(
  query: string,
  {
    identity = ADMIN,
    signal = new AbortController().signal,
  }: { readonly identity?: Identity; readonly signal?: AbortSignal } = {},
): Promise<Answer> {
  const { body } = await answerGraphql(served.product, identity, {
    request: { query },
    signal,
    onBug: (error) => {
      throw error;
    },
  });
  return JSON.parse(JSON.stringify(body)) as Answer;
}

const fieldsOf = async (type: string, identity?: Identity): Promise<readonly string[]> => {
  const { data } = await ask(
    `{ __type(name: "${type}") { fields { name } } }`,
    identity === undefined ? {} : { identity },
  );
  const found = data?.['__type'] as { readonly fields: readonly { readonly name: string }[] } | null;
  return found?.fields.map(({ name }) => name) ?? [];
};

const member = (...groups: readonly string[]): Identity =>
  identityOf({ tenantRole: 'viewer', tenant: served.product.tenant, groups });

describe('the schema', () => {
  test('has names that GraphQL can have, and nothing that is not public', async () => {
    expect(await fieldsOf('Odd')).toEqual(['AND_2', 'total', 'n', '_2nd_word', '_2nd_word_2', 'count']);
  });

  test('has joins in both directions where a name means one way', async () => {
    expect(await fieldsOf('Lines')).toContain('orders');
    expect(await fieldsOf('Lines_orders')).toContain('customers');
    expect(await fieldsOf('Customers')).toContain('orders');
    expect(await fieldsOf('Customers_orders')).toContain('lines');
  });

  test('is that of the caller: groups that no policy names make no difference, others do', async () => {
    const [none, eu] = [await fieldsOf('Query', member('elsewhere')), await fieldsOf('Query', member('eu'))];
    expect(none).toEqual(['_meta', 'statements', 'lines', 'odd']);
    expect(eu).toEqual(['_meta', 'statements', 'customers', 'lines', 'odd', 'orders', 'monthly_revenue']);
    expect(await fieldsOf('Lines', member('elsewhere'))).toEqual(['pieces', 'product', 'count']);
  });

  test('follows a promotion at once', async () => {
    expect(await fieldsOf('Orders')).not.toContain('average');
    const orders = SEMANTIC_PROJECT['models/semantics/orders.yml'] as string;
    served.project.write({
      'models/semantics/orders.yml': orders.replace(
        'measures:\n',
        'measures:\n  - {name: average, type: avg, expression: "{amount}"}\n',
      ),
    });
    const before = await ask('{ _meta { promotion_id } }');
    await served.plan();
    expect(await fieldsOf('Orders')).toContain('average');
    const after = await ask('{ _meta { promotion_id } orders(limit: 1) { average } }');
    expect(after.errors).toBeUndefined();
    expect(after.data?.['_meta']).not.toEqual(before.data?.['_meta']);
  });
});

describe('answers', () => {
  test('have objects where a join was chosen, whatever was chosen of it', async () => {
    const { data } = await ask('{ orders { count customers { __typename } ordered_on { __typename } } }');
    expect(data?.['orders']).toEqual([
      {
        count: 4,
        customers: { __typename: 'Orders_customers' },
        ordered_on: { __typename: 'DateBuckets' },
      },
    ]);
  });

  test('have NULLs in the object of a join without a match', async () => {
    const { data } = await ask(
      '{ orders(where: {customers: {region: {equals: null}}}) { count customers { region } } }',
    );
    expect(data?.['orders']).toEqual([{ count: 1, customers: { region: null } }]);
  });

  test('of alternatives without a condition hold for everything', async () => {
    const { data } = await ask('{ orders(where: {OR: [{}, {status: {equals: "returned"}}]}) { count } }');
    expect(data?.['orders']).toEqual([{ count: 4 }]);
  });

  const KINDS = ['id', 'words', 'price', 'share', 'big', 'flag', 'nested'];

  test('that are long are byte for byte what their values are as JSON', async () => {
    const { chunks } = await answerGraphql(served.product, ADMIN, {
      request: {
        query: `{ k: kinds(ungrouped: true, orderBy: {id: asc}) { ${KINDS.join(' ')} again: words at: day { value year } } _meta { product } none: kinds(ungrouped: true, limit: 0) { id } wrong: kinds(limit: 60000) { id } }`,
      },
      signal: new AbortController().signal,
      onBug: (error) => {
        throw error;
      },
    });
    const pieces: Buffer[] = [];
    for await (const piece of chunks ?? []) pieces.push(piece);
    const text = Buffer.concat(pieces).toString();
    const members = [...KINDS, 'day', 'day.year'].map((name) => `kinds.${name}`);
    const query = { dimensions: members, ungrouped: true, order: { 'kinds.id': 'asc' }, limit: 10_000 };
    const answer = await submitStatement(served.product, ADMIN, {
      question: { kind: 'semantic-query', query },
      waitMs: 30_000,
    });
    const rows = JSON.parse((answer.ok && answer.page?.rows) || '[]') as readonly (readonly unknown[])[];
    expect(rows).toHaveLength(3000);
    const parsed = JSON.parse(text) as Answer;
    expect(text).toBe(
      JSON.stringify({
        data: {
          k: rows.map(([id, words, price, share, big, flag, nested, value, year]) => ({
            ...{ id, words, price, share, big, flag, nested },
            ...{ again: words, at: { value, year } },
          })),
          _meta: { product: 'asked' },
          none: [],
          wrong: null,
        },
        errors: parsed.errors,
        extensions: (parsed as { readonly extensions?: unknown }).extensions,
      }),
    );
    expect(parsed.errors?.map(({ extensions }) => extensions['code'])).toEqual(['statement.bad-option']);
  });

  /** Rows of one column of an engine's type, in a field of the type Int. */
  async function inInt(engineType: string, ...cells: readonly unknown[]): Promise<string> {
    const row = new GraphQLObjectType({ name: 'Row', fields: { id: { type: GraphQLInt } } });
    let info: GraphQLResolveInfo | undefined;
    const rows = {
      type: new GraphQLList(row),
      resolve: (...[, , , given]: readonly [unknown, unknown, unknown, GraphQLResolveInfo]) => {
        info = given;
      },
    };
    const schema = new GraphQLSchema({ query: new GraphQLObjectType({ name: 'Query', fields: { rows } }) });
    await execute({ schema, document: parse('{ rows { id } }') });
    const lines = Buffer.from(cells.map((cell) => `[${JSON.stringify(cell)}]\n`).join(''));
    const shaped = shapedRows(
      info as GraphQLResolveInfo,
      {
        columns: [statementColumn({ name: 'id', type: engineType })],
        rowCount: cells.length,
        bytes: lines.length,
        framed: async (frame) => framedOf(Readable.from([lines]), frame),
      },
      () => 0,
    );
    await shaped.check();
    let text = '';
    for await (const piece of await shaped.text()) text += String(piece);
    return text;
  }

  test('with cells that are not what the schema says are made so, or refused before their first byte', async () => {
    expect(await inInt('INTEGER', 1, null, -7)).toBe('{"id":1},{"id":null},{"id":-7}');
    expect(await inInt('VARCHAR', '12', null)).toBe('{"id":12},{"id":null}');
    expect(await inInt('BOOLEAN', true, false)).toBe('{"id":1},{"id":0}');
    await expect(inInt('VARCHAR', '12', '***')).rejects.toThrow('Int cannot represent non-integer value');
    await expect(inInt('BIGINT', 3_000_000_000)).rejects.toThrow('Int cannot represent non 32-bit');
  });

  test('refuse environments that do not exist', async () => {
    const { body } = await answerGraphql(served.product, ADMIN, {
      request: { query: '{ orders { count } }', environment: 'nowhere' },
      signal: new AbortController().signal,
      onBug: () => undefined,
    });
    expect(JSON.stringify(body)).toContain('environment.unknown');
  });
});

test('who hangs up has their statement cancelled', async () => {
  const controller = new AbortController();
  const answered = ask('{ odd { total } }', { signal: controller.signal });
  controller.abort();
  const { errors } = await answered;
  expect(errors?.[0]?.extensions).toMatchObject({ status: 'CANCELLED' });
  const { items } = await listStatements(served.product, ADMIN, { limit: 1 });
  expect(items[0]?.status).toBe('CANCELLED');
});
