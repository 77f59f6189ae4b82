/* The end of a server, as a process manager asks for it: SIGTERM, while statements run and streams are open. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { expectWithin } from '../support/promised-times.ts';
import { type PlannedProject, plannedProject } from './planned-project.ts';
import { SEMANTIC_PROJECT } from './semantic-project.ts';
import { newToken, type StartedServer, startedServer } from './served-project.ts';

/** A second or some of one processor. */
const SLOW = 'SELECT count(*) AS n FROM range(150000000) AS t(i) WHERE i % 7 = 3';
const ENDLESS = 'SELECT count(*) AS n FROM range(1000000000000) AS t(i) WHERE i % 7 = 3';

let project: PlannedProject;
let token = '';
const servers: StartedServer[] = [];

async function planned(): Promise<void> {
  project = plannedProject(SEMANTIC_PROJECT, '2025-06-15');
  const { code, stderr } = await project.plinth('plan', '--yes');
  if (code !== 0) throw new Error(stderr);
  await project.plinth('user', 'create', 'ann', '--role', 'admin');
  token = await newToken(project, '--user', 'ann');
}

const started = async (): Promise<StartedServer> => {
  const server = await startedServer(project.folder);
  servers.push(server);
  return server;
};

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
  project?.remove();
});

const ask = (server: StartedServer, path: string, body?: unknown): Promise<Response> =>
  fetch(`${server.products[0]?.base_url}${path}`, {
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });

interface Shown {
  readonly id: string;
  readonly status: string;
}
const shown = async (answer: Promise<Response>): Promise<Shown> => (await (await answer).json()) as Shown;

test('SIGTERM: what was asked is answered, streams end, the rest is refused, and nothing acknowledged is lost', async () => {
  await planned();
  const server = await started();
  const accepted = await shown(ask(server, '/query/statement', { sql: SLOW }));
  const waiting = shown(ask(server, `/query/statement/${accepted.id}?wait=50`));
  const stream = await ask(server, '/activity/stream');
  const streamed = stream.text();
  await sleep(200);
  server.signal('SIGTERM');
  // Every statement that is acknowledged from here on must be known afterwards, too.
  const acknowledged: string[] = [accepted.id];
  let refusal: Response | undefined;
  for (let left = 200; left > 0 && refusal === undefined; left--) {
    const answer = await ask(server, '/query/statement', { sql: `SELECT ${left} AS n` }).catch(
      () => undefined,
    );
    if (answer?.status === 202 || answer?.status === 200)
      acknowledged.push(((await answer.json()) as Shown).id);
    else if (answer !== undefined) refusal = answer;
  }
  expect(refusal?.status).toBe(503);
  expect(refusal?.headers.get('retry-after')).toBe('5');
  // Refused at the door, or by the executor when it was let in a moment before.
  expect(await refusal?.text()).toMatch(/"code":"(?:http\.draining|statement\.closing)"/);
  const ready = await fetch(`${server.url}/readyz`);
  expect([ready.status, (await fetch(`${server.url}/livez`)).status]).toEqual([503, 200]);
  expect(await streamed).toContain(': open');
  // Long before its wait is over: it is told how the statement stands.
  expect((await waiting).id).toBe(accepted.id);
  expect(await server.ended).toBe(0);
  const again = await started();
  for (const id of acknowledged) {
    const statement = await shown(ask(again, `/query/statement/${id}?wait=50`));
    expect([id, statement.status]).toEqual([id, 'SUCCESS']);
    expect((await ask(again, `/query/statement/${id}/result`)).status).toBe(200);
  }
});

test('a second SIGTERM ends at once; what ran is known to the next server', async () => {
  await planned();
  const server = await started();
  const accepted = await shown(ask(server, '/query/statement', { sql: ENDLESS }));
  for (let left = 100; left > 0; left--) {
    if ((await shown(ask(server, `/query/statement/${accepted.id}`))).status === 'IN_PROGRESS') break;
    await sleep(50);
  }
  server.signal('SIGTERM');
  await sleep(300);
  const begin = performance.now();
  server.signal('SIGTERM');
  await server.ended;
  // A drain takes up to 30 s; this is none.
  expectWithin(performance.now() - begin, 10_000);
  const again = await started();
  // It is taken up again, and can be cancelled like any other.
  await ask(again, `/query/statement/${accepted.id}/cancel`, {});
  const statement = await shown(ask(again, `/query/statement/${accepted.id}?wait=30`));
  expect(statement.status).toBe('CANCELLED');
});
