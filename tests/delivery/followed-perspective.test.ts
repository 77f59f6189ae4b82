/** A perspective is followed by its slug or id, hit by what its models are hit by, and followed by no caller who may not see it now. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  askerOf,
  type Caller,
  PEOPLE,
  perspectivePlatform,
  type Tokens,
} from '../perspectives/perspective-product.ts';
import type { ServedPlatform } from '../support/served-platform.ts';
import { until } from './delivery-bench.ts';

let platform: { readonly served: ServedPlatform; readonly tokens: Tokens };
beforeAll(async () => {
  platform = await perspectivePlatform();
}, 120_000);
afterAll(() => platform?.served.stop());

/** The audit fails; `version` makes the model another one. */
const failing = (version: number): Readonly<Record<string, string>> => ({
  ...PEOPLE,
  'models/people.sql': (PEOPLE['models/people.sql'] ?? '')
    .replace('kind FULL', `kind FULL, audits (accepted_values(column := country, is_in := ('EU'), blocking := false))`)
    .replace(', 10)', `, ${version})`),
}); // biome-ignore format: one text

test('those who may see a perspective hear of a failing audit below it', async () => {
  const ask = askerOf(platform);
  const unread = async (who: Caller): Promise<readonly string[]> =>
    (await ask(who, 'GET', '/notifications/inbox?limit=50')).body.items
      .filter(({ event }: { event: { type: string } }) => event.type === 'audit.failed')
      .flatMap(({ because }: { because: readonly string[] }) => because);
  const follow = (who: Caller, name: string) =>
    ask(who, 'PUT', `/followers/me?target=perspective:${name}`, { min_severity: 'warning' });

  const made = await ask('ann', 'POST', '/perspectives', {
    ...{ slug: 'spending', name: 'Spending', query: { measures: ['people.spend'] } },
  });
  expect(made.code, JSON.stringify(made.body)).toBe('201');
  const key = `perspective:${made.body.id}`;
  const [own, others, absent] = [await follow('ann', 'spending'), await follow('bob', made.body.id), await follow('bob', 'x_0000000000000000')];
  expect([own.code, own.body.target]).toEqual(['200', key]);
  expect(others.code).toBe('404 notification.no-target');
  expect(absent.code).toBe('404 notification.no-target');

  const shared = { visibility: 'shared', principals: ['bob'] };
  const change = (body: unknown) => ask('ann', 'PATCH', `/perspectives/${made.body.id}`, body);
  const opened = await change(shared);
  expect(opened.code, JSON.stringify(opened.body)).toBe('200');
  expect((await follow('bob', made.body.id)).code).toBe('200');
  await platform.served.plan(failing(11));
  await until(async () => (await unread('bob')).length === 1, 'the inbox of bob');
  await until(async () => (await unread('ann')).length === 1, 'the inbox of ann');
  expect([await unread('ann'), await unread('bob')]).toEqual([[key], [key]]);

  expect((await change({ visibility: 'private' })).code).toBe('200');
  await platform.served.plan(failing(12));
  await until(async () => (await unread('ann')).length === 2, 'the inbox of ann, again');
  expect(await unread('bob')).toEqual([key]);
}, 120_000); // biome-ignore format: calls of one kind
