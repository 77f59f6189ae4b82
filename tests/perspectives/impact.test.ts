/** What a change reaches, as each reader may know it: over HTTP, of a column that is supposed to change and of a plan. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ServedPlatform } from '../support/served-platform.ts';
import { askerOf, type Caller, PEOPLE, perspectivePlatform, type Tokens } from './perspective-product.ts';

let platform: { readonly served: ServedPlatform; readonly tokens: Tokens };
let ask: ReturnType<typeof askerOf>;

beforeAll(async () => {
  platform = await perspectivePlatform();
  ask = askerOf(platform);
  const make = (who: Caller, slug: string, query: unknown, visibility: string) =>
    ask(who, 'POST', '/perspectives', { slug, name: slug, query, visibility });
  await make('ann', 'spending', { measures: ['people.spend'] }, 'product');
  await make('ann', 'heads', { measures: ['people.heads'] }, 'product');
  await make('bob', 'mine', { measures: ['people.spend'], dimensions: ['people.country'] }, 'private');
  await ask('ann', 'PUT', '/followers/me?target=perspective:spending', { min_severity: 'warning' });
  await ask('bob', 'POST', '/query/semantic/rest', { query: { measures: ['people.spend'] } });
}, 120_000);
afterAll(() => platform?.served.stop());

interface Shown {
  readonly impact: readonly { readonly name: string; readonly members: readonly string[] }[];
  readonly reached: {
    readonly models: readonly {
      readonly name: string;
      readonly columns: readonly { readonly name: string }[];
    }[];
    readonly perspectives: readonly { readonly slug: string; readonly through: readonly string[] }[];
    readonly followers: readonly { readonly party: string }[];
    readonly consumers: readonly { readonly principal: string; readonly statements: number }[];
  };
  readonly untouched: { readonly members: readonly string[]; readonly perspectives: readonly string[] };
}

const of = ({ impact, reached, untouched }: Shown) => ({
  members: impact.flatMap(({ name, members }) => members.map((member) => `${name}.${member}`)),
  columns: reached.models.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name}`)),
  perspectives: reached.perspectives.map(({ slug }) => slug).toSorted(),
  followers: reached.followers.map(({ party }) => party),
  consumers: reached.consumers.map(({ principal, statements }) => `${principal} ${statements}`),
  untouched: untouched.perspectives.toSorted(),
});
const impact = async (who: Caller, ref: string) =>
  of((await ask(who, 'GET', `/metadata/impact?ref=${ref}`)).body as Shown);

test('a column reaches what is made of it, and each reader sees their part', async () => {
  const shared = { members: ['people.spend'], columns: ['marts.people.spend'], untouched: ['heads'] };
  expect(await impact('dora', 'marts.people.spend')).toEqual({
    ...shared,
    perspectives: ['spending'],
    followers: ['user:ann'],
    consumers: ['bob 1'],
  });
  expect(await impact('ann', 'marts.people.spend')).toEqual({
    ...shared,
    perspectives: ['spending'],
    followers: ['user:ann'],
    consumers: [],
  });
  expect(await impact('bob', 'marts.people.spend')).toEqual({
    ...shared,
    perspectives: ['mine', 'spending'],
    followers: [],
    consumers: ['bob 1'],
  });
  const text = JSON.stringify((await ask('cy', 'GET', '/metadata/impact?ref=marts.people.spend')).body);
  for (const name of ['mine', 'user:ann', 'bob', 'people.spend', 'people.heads'])
    expect(text).not.toContain(`"${name}"`);
});

test('a column by which a policy filters reaches every question that the policy guards', async () => {
  expect(await impact('ann', 'marts.people.country')).toMatchObject({
    perspectives: ['heads', 'spending'],
    untouched: [],
  });
  expect(await impact('ann', 'marts.people.email')).toMatchObject({
    perspectives: [],
    untouched: ['heads', 'spending'],
  });
  expect(await impact('ann', 'semantic:people.spend')).toMatchObject({ perspectives: ['spending'] });
});

test('a plan lists the same of what the files change', async () => {
  const [folder = ''] = platform.served.folders;
  const changed = (PEOPLE['models/people.sql'] ?? '').replace(
    'SELECT *',
    'SELECT id, email, country, spend * 2 AS spend',
  );
  writeFileSync(join(folder, 'models/people.sql'), changed);
  const { body } = await ask('dora', 'POST', '/activity/plans', {});
  expect(of(body as Shown)).toMatchObject({
    members: ['people.spend'],
    perspectives: ['spending'],
    followers: ['user:ann'],
    consumers: ['bob 1'],
    untouched: ['heads'],
  });
});
