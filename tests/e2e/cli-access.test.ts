/** Users, roles with an end and requests for access at the command line. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Directory } from '../../src/operations/access/directory.ts';
import { requestAccess } from '../../src/operations/access/request-access.ts';
import type { Product } from '../../src/operations/platform.ts';
import { openPlatform } from '../../src/operations/serve/open-platform.ts';
import { type TemporaryProject, temporaryProject } from '../support/temporary-project.ts';
import { envelope, runPlinth } from './run-plinth.ts';

let project: TemporaryProject;
const NOW = Date.UTC(2025, 5, 15, 12);

beforeAll(() => {
  project = temporaryProject({
    'config.yaml':
      'name: shop\ntenant: acme\ngateways: {local: {connection: {type: duckdb, database: shop.duckdb}}}\n',
  });
});
afterAll(() => project.delete());

const plinth = async (line: string) => {
  const ended = await runPlinth([...line.split(' '), '--json'], { cwd: project.folder });
  const { ok, data, error } = envelope(ended);
  return { code: ended.code, ok, data, error };
};

/** Begun hours from now on. */
const hoursUntil = (time: unknown): number => Math.ceil((Date.parse(String(time)) - Date.now()) / 3_600_000);

/** As somebody asks through the server. */
async function asked(name: string): Promise<string> {
  const platform = await openPlatform({ folders: [project.folder], variables: {}, executionTime: NOW });
  try {
    const directory = new Directory(platform, { principalId: 'test', now: NOW });
    const { id } = (await directory.located('acme', name)).principal;
    const product = platform.products[0] as Product;
    return (await requestAccess(directory, product, { principalId: id, role: 'editor' })).request.id;
  } finally {
    await platform.close();
  }
}

test('a user is changed: role and groups, and none of them', async () => {
  expect((await plinth('user create nemo --role none --group none')).data).toMatchObject({
    role: null,
    groups: [],
  });
  await plinth('user create bob --role viewer --group a');
  expect((await plinth('user change bob --role developer --group b --group c')).data).toMatchObject({
    role: 'developer',
    groups: ['b', 'c'],
  });
  expect((await plinth('user change bob --group none')).data).toMatchObject({
    role: 'developer',
    groups: [],
  });
  expect((await plinth('user change bob --role platform-admin')).data).toMatchObject({
    role: 'platform-admin',
  });
  expect((await plinth('user change bob --role none')).data).toMatchObject({ role: null });
  expect((await plinth('user change bob')).error).toMatchObject({ code: 'cli.missing-argument' });
  expect((await plinth('user change nobody --role viewer')).error).toMatchObject({
    code: 'access.not-found',
  });
});

test('a role on a product has an end, is listed and taken back', async () => {
  const granted = (await plinth('grant bob consumer --expires 8h')).data;
  expect(granted).toMatchObject({ product: 'acme-shop' });
  expect(hoursUntil(granted?.['expires_at'])).toBe(8);
  expect((await plinth('grant bob viewer --expires 8h')).error).toMatchObject({ code: 'cli.bad-value' });
  expect((await plinth('grant bob consumer --expires never')).error).toMatchObject({ code: 'cli.bad-value' });
  expect((await plinth('access grants')).data).toMatchObject({
    grants: [{ principal: 'bob', role: 'consumer', source: 'granted', is_active: true }],
  });
  expect((await plinth('access revoke bob')).ok).toBe(true);
  expect((await plinth('access revoke bob')).error).toMatchObject({ code: 'access.not-found' });
});

test('a request is seen and decided once', async () => {
  const id = await asked('bob');
  expect((await plinth('access requests')).data).toMatchObject({ requests: [{ id, status: 'pending' }] });
  const decided = (await plinth(`access approve ${id} --role consumer --expires 90d --note fine`)).data;
  expect(decided).toMatchObject({ status: 'approved', granted_role: 'consumer', note: 'fine' });
  expect(hoursUntil(decided?.['expires_at'])).toBe(90 * 24);
  expect((await plinth(`access deny ${id}`)).error).toMatchObject({ code: 'access.decided' });
  expect((await plinth('access requests')).data).toMatchObject({ requests: [] });
  expect((await plinth('access requests --status all')).data).toMatchObject({ requests: [{ id }] });
  expect((await plinth('access approve a_none')).error).toMatchObject({ code: 'access.not-found' });
  const second = (await plinth('access request nemo --role editor --expires 8h --note night')).data;
  expect(second).toMatchObject({
    ...{ principal: 'nemo', role: 'editor', reason: 'night', status: 'pending', is_new: true },
  });
  expect((await plinth('access request nemo --role editor')).data).toMatchObject({
    ...{ id: second?.['id'], is_new: false },
  });
  const denied = await plinth(`access deny ${String(second?.['id'])}`);
  expect(denied.data).toMatchObject({ status: 'denied' });
  expect((await plinth('access request none')).error).toMatchObject({ code: 'access.not-found' });
});
