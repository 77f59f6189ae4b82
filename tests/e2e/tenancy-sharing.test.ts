/** Answers are shared only where they are the same for everybody who gets them: never across products, never across policies. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from './served-twins.ts';
import { type TenancyWorld, type TenantName, tenancyWorld, WORD } from './tenancy-world.ts';

let world: TenancyWorld;
let [eu, eu2, all] = ['', '', ''];

beforeAll(async () => {
  world = await tenancyWorld();
  const { twins } = world;
  const reader = (name: string, group: string) =>
    twins.person('acme', name, { role: 'viewer', groups: [group] });
  eu = await reader('one_of_eu', 'eu');
  eu2 = await reader('two_of_eu', 'eu');
  all = await reader('one_of_all', 'admin');
}, 300_000);
afterAll(() => world?.twins.stop());

const baseOf = (tenant: TenantName): string => world.twins[tenant];

const submit = (tenant: TenantName, bearer: string, rest: string, body: unknown): Promise<Answer> =>
  world.twins.ask('POST', `${baseOf(tenant)}/query/${rest}`, { bearer, body });

const strategyOf = ({ body }: Answer): string => body.strategy;
const rowsOf = ({ body }: Answer): unknown => body.result.rows;

describe('the same text in two products', () => {
  const TEXTS = [
    'SELECT product, pieces FROM marts.lines ORDER BY line_id',
    'SELECT count(*) AS n, sum(amount) AS total FROM marts.orders',
    'SELECT email FROM marts.customers ORDER BY customer_id',
  ];

  test.each(TEXTS)(
    'asked at the same time gives each its own rows, first run and then cached: %s',
    async (sql) => {
      const { callers } = world;
      const seen: Record<TenantName, Set<string>> = { acme: new Set(), globex: new Set() };
      const strategies: Record<TenantName, string[]> = { acme: [], globex: [] };
      for (let round = 0; round < 10; round++) {
        const text = `${sql} -- ${round}`;
        const tenants: readonly TenantName[] = ['acme', 'globex', 'globex', 'acme'];
        const answers = await Promise.all(
          tenants.map((tenant) =>
            submit(tenant, callers[tenant].admin, 'statement', { sql: text, wait: 20 }),
          ),
        );
        for (const [i, answer] of answers.entries()) {
          const tenant = tenants[i] as TenantName;
          expect(answer.body.status, answer.text).toBe('SUCCESS');
          seen[tenant].add(JSON.stringify(rowsOf(answer)));
          strategies[tenant].push(strategyOf(answer));
        }
      }
      for (const tenant of ['acme', 'globex'] as const) {
        expect(seen[tenant].size, tenant).toBe(1);
        // Its own product has executed each text: nothing came from the other's.
        expect(strategies[tenant].filter((strategy) => strategy === 'execute').length).toBeGreaterThanOrEqual(
          10,
        );
        expect(strategies[tenant].some((strategy) => strategy !== 'execute')).toBe(true);
      }
      expect(seen.acme).not.toEqual(seen.globex);
      expect([...seen.acme].join()).not.toContain(WORD.globex);
      expect([...seen.globex].join()).not.toContain(WORD.acme);
    },
  );

  test('has another fingerprint, and its statement is not to be had by the id of the other', async () => {
    const { callers, twins } = world;
    const body = { sql: 'SELECT 1 AS one FROM marts.lines', wait: 20 };
    const acme = await submit('acme', callers.acme.admin, 'statement', body);
    const globex = await submit('globex', callers.globex.admin, 'statement', body);
    expect(strategyOf(globex)).toBe('execute');
    expect(acme.body.fingerprint).not.toBe(globex.body.fingerprint);
    const { status } = await twins.ask('GET', `${twins.acme}/query/statement/${globex.body.id}/result`, {
      bearer: callers.acme.admin,
    });
    expect(status).toBe(404);
  });
});

describe('the same question of callers whose policies differ', () => {
  const QUESTIONS: readonly (readonly [string, unknown])[] = [
    [
      'semantic/rest',
      {
        query: {
          measures: ['orders.count', 'orders.revenue'],
          dimensions: ['orders.status'],
          order: { 'orders.status': 'asc' },
        },
      },
    ],
    [
      'semantic/sql',
      { sql: 'SELECT status, MEASURE(revenue) AS revenue FROM orders GROUP BY status ORDER BY status' },
    ],
    [
      'statement',
      { sql: 'SELECT status, MEASURE(count) AS n FROM orders GROUP BY status ORDER BY status', wait: 20 },
    ],
    ['metric/monthly_revenue', { dimensions: ['orders.status'] }],
    ['semantic/rest', { query: { dimensions: ['customers.email', 'customers.region'] } }],
  ];

  test.each(QUESTIONS)(
    'by %s is executed for each of them, at the same time and one after the other',
    async (path, body) => {
      const ask = (token: string) => submit('acme', token, path, body);
      for (const isTogether of [true, false]) {
        const [some, whole] = isTogether
          ? await Promise.all([ask(eu), ask(all)])
          : [await ask(eu), await ask(all)];
        expect([some.body.status, whole.body.status], some.text + whole.text).toEqual(['SUCCESS', 'SUCCESS']);
        expect(some.body.fingerprint).not.toBe(whole.body.fingerprint);
        expect(rowsOf(some)).not.toEqual(rowsOf(whole));
        if (isTogether) expect([strategyOf(some), strategyOf(whole)]).toEqual(['execute', 'execute']);
        else expect([strategyOf(some), strategyOf(whole)]).toEqual(['from_cache', 'from_cache']);
      }
      // Who has the same policies gets the same answer: it would have been shared above if it could.
      const same = await ask(eu2);
      expect([strategyOf(same), JSON.stringify(rowsOf(same))]).toEqual([
        'from_cache',
        JSON.stringify(rowsOf(await ask(eu))),
      ]);
    },
  );

  test('by GraphQL gives each of them their own', async () => {
    const query = '{ orders(orderBy: {status: asc}) { status count } }';
    const ask = (token: string) =>
      world.twins.ask('POST', baseOf('acme').replace('/api/v1', '/graphql'), {
        bearer: token,
        body: { query },
      });
    const [some, whole] = await Promise.all([ask(eu), ask(all)]);
    expect(some.body.errors, some.text).toBeUndefined();
    expect(whole.body.errors, whole.text).toBeUndefined();
    expect(some.body.data).not.toEqual(whole.body.data);
    expect(JSON.stringify(some.body.data)).not.toContain('returned');
    expect(JSON.stringify(whole.body.data)).toContain('returned');
  });

  test('leaves statements that only their owners find', async () => {
    const { twins } = world;
    const { body } = await submit('acme', all, ...(QUESTIONS[0] as [string, unknown]));
    for (const rest of ['', '/result'])
      expect(
        (await twins.ask('GET', `${twins.acme}/query/statement/${body.id}${rest}`, { bearer: eu })).status,
      ).toBe(404);
    expect(
      (await twins.ask('POST', `${twins.acme}/query/statement/${body.id}/cancel`, { bearer: eu })).status,
    ).toBe(404);
    expect(
      (await twins.ask('GET', `${twins.acme}/query/statement?all=true`, { bearer: eu })).text,
    ).not.toContain(body.id);
  });
});
