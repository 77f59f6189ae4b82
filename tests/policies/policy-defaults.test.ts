/** What policies keep from callers of a product whose config.yaml has no rules of access. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GUARDED_CONFIG, GUARDED_FILES, PEOPLE_YML, POLICIES } from '../support/guarded-project.ts';
import { type ServedPlatform, servedPlatform } from '../support/served-platform.ts';

const SEMANTIC = 'models/semantics/people.yml';
let served: ServedPlatform;
const tokens: Record<string, string> = {};
beforeAll(async () => {
  served = await servedPlatform([GUARDED_CONFIG], GUARDED_FILES);
  await served.plan({ [SEMANTIC]: PEOPLE_YML }, 'dev');
  const roles = { viewer: 'viewer', editor: 'developer', owner: 'admin' };
  for (const [name, role] of Object.entries(roles))
    tokens[name] = await served.person('default', name, { role, groups: ['eu'] });
});
afterAll(() => served.stop());

/** The rows as texts, or the code of the refusal. */
async function asked(who: string, door: string, body: object): Promise<unknown> {
  const path = `/plinth/tenants/default/data-products/default-guarded/api/v1/query/${door}`;
  const { code, body: said } = await served.ask(tokens[who] ?? '', 'POST', path, { body });
  return said.result?.rows.map(String) ?? code;
}
const table = (who: string, model: string): Promise<unknown> =>
  asked(who, 'statement', { sql: `SELECT email FROM ${model}`, wait: 20 });
const mails = (who: string, environment: string): Promise<unknown> =>
  asked(who, 'semantic/rest', {
    query: { dimensions: ['people.email'], order: { 'people.email': 'asc' } },
    environment,
  });
const OF_EU = ['ann@x.eu', 'eve@x.eu'];

test.each(['raw.people', 'staging.people', 'marts.people'])(
  'a viewer with a row filter does not read %s in SQL',
  async (model) => {
    expect(await table('viewer', model)).toBe('403 policy.model-restricted');
    expect(await mails('viewer', 'prod')).toEqual(OF_EU);
  },
);

test.each(['editor', 'owner'])('neither does the %s of the product', async (who) => {
  expect(await table(who, 'marts.people')).toBe('403 policy.model-restricted');
  expect(await mails(who, 'prod')).toEqual(OF_EU);
});

test('an environment that was planned without the policies is closed to viewers, and shows editors no more', async () => {
  expect(await mails('viewer', 'dev')).toBe('403 policy.environment');
  for (const who of ['editor', 'owner']) expect(await mails(who, 'dev')).toEqual(OF_EU);
});

test('nothing is shown while the record of the policies is gone', async () => {
  const database = new DatabaseSync(join(served.folders[0] ?? '', '.plinth/state.db'));
  database.exec(
    "DELETE FROM plans WHERE id = (SELECT plan_id FROM promotions WHERE environment = 'prod' ORDER BY sequence DESC LIMIT 1)",
  );
  database.close();
  await served.restart();
  for (const who of ['viewer', 'editor', 'owner']) {
    expect(await table(who, 'marts.people')).toBe('403 policy.model-restricted');
    expect(await mails(who, 'prod')).toBe('403 policy.unreadable');
  }
  await served.plan({ [SEMANTIC]: `${PEOPLE_YML}description: planned again\n${POLICIES}` });
  await served.restart();
  expect(await mails('viewer', 'prod')).toEqual(OF_EU);
});
