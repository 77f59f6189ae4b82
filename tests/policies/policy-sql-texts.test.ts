/** The SQL of a model can hold its rows, or quote them in a condition: it is for those who may read the rows. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ACCESS_CONFIG, GUARDED_FILES } from '../support/guarded-project.ts';
import { type Answer, type ServedPlatform, servedPlatform } from '../support/served-platform.ts';

let served: ServedPlatform;
const tokens: Record<string, string> = {};
beforeAll(async () => {
  served = await servedPlatform([ACCESS_CONFIG], GUARDED_FILES);
  await served.plan(
    {
      'models/mails.sql':
        "MODEL (name side.mails, kind FULL);\nSELECT born FROM raw.people WHERE email <> 'bob@x.us'\n",
    },
    'prod',
  );
  const people = {
    ann: { role: 'viewer', groups: ['eu'] },
    mia: { role: 'viewer', groups: ['masked'] },
    mara: { role: 'viewer', groups: ['admin', 'payers'] },
    aud: { role: 'viewer', groups: ['auditors'] },
    edi: { role: 'developer', groups: ['eu'] },
  };
  for (const [name, more] of Object.entries(people))
    tokens[name] = await served.person('default', name, more);
});
afterAll(() => served.stop());

const BASE = '/plinth/tenants/default/data-products/default-guarded/api/v1';
const get = (who: string, path: string): Promise<Answer> =>
  served.ask(tokens[who] ?? '', 'GET', `${BASE}${path}`);

const doors: Readonly<Record<string, (who: string) => Promise<string>>> = {
  'a model': async (who) => JSON.stringify((await get(who, '/metadata/models/raw.people')).body),
  'a condition of a model': async (who) =>
    JSON.stringify((await get(who, '/metadata/models/side.mails')).body),
  'an export': async (who) => JSON.stringify((await get(who, '/metadata/export?format=openlineage')).body),
  changes: async (who) => JSON.stringify((await get(who, '/metadata/changes')).body),
  'a plan': async (who) => {
    const { items } = (await get(who, '/activity/plans')).body;
    const plans = await Promise.all(
      items.map(({ id }: { readonly id: string }) => get(who, `/activity/plans/${id}`)),
    );
    return JSON.stringify(plans.map(({ body }) => body));
  },
};

describe.each(Object.entries(doors))('the SQL in %s', (_, shown) => {
  test.each(['ann', 'mia'])('is not for %s, from whom policies keep rows that it quotes', async (who) => {
    expect(await shown(who)).not.toContain('@x.');
  });
  test.each(['mara', 'aud'])('is for %s, whom no policy restricts', async (who) => {
    expect(await shown(who)).toContain('@x.');
  });
  test('is for editors, who have the files', async () => {
    expect(await shown('edi')).toContain('@x.');
  });
});

test('a model that no policy reaches shows its SQL to all who may read models', async () => {
  expect((await get('ann', '/metadata/models/far.days')).body.sql).toBe('SELECT 1 AS day');
  expect((await get('ann', '/metadata/models/raw.people')).body).toMatchObject({
    sql: null,
    table: expect.stringContaining('raw'),
  });
});
