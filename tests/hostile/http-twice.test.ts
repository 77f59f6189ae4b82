/* What was meant for one list, one tenant or one process, at another: cursors, and keys that two processes get at once. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type StartedServer, startedServer } from '../e2e/served-project.ts';
import { type Answer, type ServedTwins, servedTwins } from '../e2e/served-twins.ts';

let twins: ServedTwins;
let second: StartedServer;
let [ann, gil] = ['', ''];

beforeAll(async () => {
  twins = await servedTwins();
  ann = await twins.person('acme', 'ann', { role: 'admin', groups: ['admin'] });
  gil = await twins.person('globex', 'gil', { role: 'admin', groups: ['admin'] });
  await twins.person('acme', 'bob');
  await twins.person('globex', 'bea');
  second = await startedServer(twins.served.folder);
});
afterAll(async () => {
  await second?.stop();
  await twins?.stop();
});

/** A page of one, and where the next begins. */
const cursorOf = async (address: string, who: object): Promise<string> => {
  const { body } = await twins.ask('GET', `${address}${address.includes('?') ? '&' : '?'}limit=1`, who);
  expect(body.next_cursor, address).toBeTypeOf('string');
  return body.next_cursor;
};

test('a cursor is good for its own list of its own tenant with its own filters, and 400 elsewhere', async () => {
  for (let i = 0; i < 2; i++)
    for (const [base, bearer] of [
      [twins.acme, ann],
      [twins.globex, gil],
    ] as const)
      await twins.ask('POST', `${base}/query/statement`, {
        bearer,
        body: { sql: `SELECT ${i} AS a`, wait: 10 },
      });
  const [bearer, apikey] = [{ bearer: ann }, { apikey: twins.root }];
  const lists: readonly (readonly [string, object])[] = [
    [`${twins.acme}/query/statement`, bearer],
    [`${twins.acme}/query/statement?status=SUCCESS`, bearer],
    [`${twins.globex}/query/statement`, { bearer: gil }],
    [`${twins.acme}/activity`, bearer],
    [`${twins.acme}/metadata/models`, bearer],
    ['/platform-api/v1/tenants/acme/users', apikey],
    ['/platform-api/v1/tenants/globex/users', apikey],
    ['/platform-api/v1/tenants/acme/tokens', apikey],
    ['/platform-api/v1/tenants/acme/audit-log', apikey],
    ['/platform-api/v1/tenants', apikey],
  ];
  const cursors = await Promise.all(lists.map(([address, who]) => cursorOf(address, who)));
  for (const [at, [address, who]] of lists.entries())
    for (const [of, cursor] of cursors.entries()) {
      const sign = address.includes('?') ? '&' : '?';
      const answer = await twins.ask('GET', `${address}${sign}limit=7&cursor=${cursor}`, who);
      const about = `${cursor} of ${lists[of]?.[0]} at ${address}`;
      if (at === of) expect([answer.status, answer.body.items?.length > 0], about).toEqual([200, true]);
      else expect([answer.status, answer.body.code], about).toEqual([400, 'http.bad-cursor']);
    }
});

test('one key at two processes at once is one statement, one user and one answer', async () => {
  const urls = [twins.served.url, second.url];
  const at = (url: string, address: string): string => address.replace(twins.served.url, url);
  const post = (i: number, path: string, sent: object, key: string): Promise<Answer> =>
    twins.ask('POST', at(urls[i % 2] as string, path), { ...sent, headers: { 'idempotency-key': key } });
  for (let round = 0; round < 5; round++) {
    const asked = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        post(
          i,
          `${twins.acme}/query/statement`,
          { bearer: ann, body: { sql: `SELECT ${round} AS b`, wait: 1 } },
          `s${round}`,
        ),
      ),
    );
    expect(asked.map(({ status }) => status)).toEqual(asked.map(() => 200));
    expect(new Set(asked.map(({ body }) => body.id)).size).toBe(1);
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        post(
          i,
          `${twins.served.url}/platform-api/v1/tenants/acme/users`,
          { apikey: twins.root, body: { name: `twice${round}` } },
          `u${round}`,
        ),
      ),
    );
    expect(made.map(({ status }) => status)).toEqual(made.map(() => 201));
    expect(made.filter(({ headers }) => headers.get('idempotency-replayed') === 'true')).toHaveLength(7);
    expect(new Set(made.map(({ text }) => text)).size).toBe(1);
  }
});
