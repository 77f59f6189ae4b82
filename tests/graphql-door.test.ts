/** The GraphQL door over a product that is really served: what is in the schema, how it changes, and what happens to those who hang up. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Identity } from '../src/domain/principal.ts';
import { listStatements } from '../src/operations/statements.ts';
import { answerGraphql } from '../src/server/graphql/answer-graphql.ts';
import { SEMANTIC_PROJECT } from './e2e/semantic-project.ts';
import { ADMIN, identityOf, type ServedProduct, servedProduct } from './served-product.ts';

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
};

let served: ServedProduct;
beforeAll(async () => {
  served = await servedProduct(FILES);
}, 120_000);
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
