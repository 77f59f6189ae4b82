/** The keeper dies while somebody waits for its answer. What may be asked twice is asked again, of the next keeper. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Engine } from '../../src/domain/engine.ts';
import { keeperOf } from '../kill/processes.ts';
import { concurrentProject } from './gated-project.ts';

let project: ReturnType<typeof concurrentProject>;
let engine: Engine;

beforeEach(async () => {
  project = concurrentProject(() => ({}));
  engine = await project.warehouse();
});
afterEach(() => project.close());

/** Asks a keeper that stands still, then kills it. */
async function askedOfTheDying<Result>(ask: () => Promise<Result>): Promise<Result> {
  const pid = keeperOf(project.folder);
  process.kill(pid, 'SIGSTOP');
  const answer = ask();
  answer.catch(() => {});
  await new Promise((done) => setTimeout(done, 50));
  process.kill(pid, 'SIGKILL');
  return answer;
}

const FENCE = { table: { model: 's.m', version: 'v' }, token: 7 };

test.each([
  ['a query', () => engine.query('SELECT 1 AS one')],
  ['the identity of the warehouse', () => engine.identity('mine')],
  ['the ledger', () => engine.ledger()],
  ['raising a fence', () => engine.raiseFences([FENCE])],
] as const)('%s', async (_, ask) => {
  await askedOfTheDying<unknown>(ask);
  expect((await engine.query('SELECT 1 AS one')).rows).toEqual([[1]]);
});

test('a fence that was raised again holds in the next keeper', async () => {
  await askedOfTheDying(() => engine.raiseFences([FENCE]));
  await expect(
    engine.write([{ ...FENCE, token: 6 }], async (session) => session.query('SELECT 1')),
  ).rejects.toMatchObject({
    code: 'engine.fenced',
  });
});

test('a write is not repeated by the engine: its caller reads the ledger first', async () => {
  await expect(
    askedOfTheDying(() => engine.write([FENCE], async (session) => session.query('SELECT 1'))),
  ).rejects.toMatchObject({ code: 'engine.lost', isRetryable: true });
});
