/* Guessed credentials, in the audit log of those whose doors were tried. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServedPlatform, servedPlatform } from '../support/served-platform.ts';

let served: ServedPlatform;

beforeAll(async () => {
  served = await servedPlatform(['name: sales\ntenant: acme', 'name: sales\ntenant: globex']);
});
afterAll(() => served?.stop());

test('an address that guesses is in the audit log of the tenant once a minute, with how often it was wrong', async () => {
  const guess = async (tenant: string, count: number): Promise<void> => {
    for (let i = 0; i < count; i++)
      expect((await served.ask(`plt_${i}`, 'GET', `/tenants/${tenant}/users`)).code).toBe('401 auth.invalid');
  };
  await guess('globex', 3);
  await guess('acme', 1);
  await guess('nowhere', 2);
  expect((await fetch(`${served.url}/platform-api/v1/me`)).status).toBe(401);
  // What is not told yet is told when the server ends.
  await served.restart();
  const log = async (tenant: string): Promise<readonly unknown[]> =>
    (await served.ask(served.root, 'GET', `/tenants/${tenant}/audit-log?action=authenticate`)).body.items;
  const entry = (target: string) => ({
    at: expect.any(String),
    actor: '',
    action: 'authenticate',
    target,
    outcome: 'denied',
    correlation_id: expect.stringMatching(/^[\da-f-]{36}$/),
  });
  expect(await log('globex')).toEqual([entry('127.0.0.1, 3 times')]);
  expect(await log('acme')).toEqual([entry('127.0.0.1, 2 times'), entry('127.0.0.1, once')]);
});
