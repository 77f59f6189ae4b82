/** What changed in a semantic model is told member by member, as far as the caller may know the members. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GUARDED_CONFIG, GUARDED_FILES, PEOPLE_YML, POLICIES } from '../support/guarded-project.ts';
import { type ServedPlatform, servedPlatform } from '../support/served-platform.ts';

const SEMANTIC = 'models/semantics/people.yml';
let served: ServedPlatform;
const tokens: Record<string, string> = {};
beforeAll(async () => {
  const gone = '  - {name: left, type: sum, expression: "{spend}"}\n';
  served = await servedPlatform([GUARDED_CONFIG], {
    ...GUARDED_FILES,
    [SEMANTIC]: `${PEOPLE_YML}${gone}${POLICIES}`,
  });
  await served.plan(
    {
      [SEMANTIC]: `${PEOPLE_YML.replace('country,', 'country, {name: paid, expression: "{pay.id}", type: number},')}  - {name: later, type: sum, expression: "{spend}"}
joins: [{name: pay, type: many_to_one, on: "{people.id} = {pay.id}"}]
${POLICIES}  - {group: newcomers}
rollups: [{name: small, measures: [later], dimensions: [country]}]
`,
      'models/semantics/pay.yml': `${GUARDED_FILES['models/semantics/pay.yml']?.replace('dimensions:', 'primary_key: [id]\ndimensions:')}`,
    },
    'prod',
  );
  const people = { ann: ['eu'], mara: ['admin', 'payers'] };
  for (const [name, groups] of Object.entries(people))
    tokens[name] = await served.person('default', name, { role: 'viewer', groups });
});
afterAll(() => served.stop());

const BASE = '/plinth/tenants/default/data-products/default-guarded/api/v1';
const get = async (who: string, path: string) =>
  (await served.ask(tokens[who] ?? '', 'GET', `${BASE}${path}`)).body;

interface Told {
  readonly name: string;
  readonly kind: string;
  readonly columns: { readonly added: readonly string[]; readonly removed: readonly string[] };
}
const ofPeople = (changes: readonly Told[]): Told | undefined =>
  changes.find(({ kind, name }) => kind === 'semantic' && name === 'people');

const doors: Readonly<Record<string, (who: string) => Promise<Told | undefined>>> = {
  changes: async (who) => ofPeople((await get(who, '/metadata/changes')).items[0].changes),
  'a plan': async (who) => {
    const [{ id }] = (await get(who, '/activity/plans')).items;
    return ofPeople((await get(who, `/activity/plans/${id}`)).changes);
  },
};

test.each(Object.entries(doors))('%s name no member that is hidden', async (_, told) => {
  expect(await told('ann')).toMatchObject({ columns: { added: ['measure later'], removed: [] } });
  expect((await told('mara'))?.columns).toMatchObject({
    added: expect.arrayContaining(['dimension paid', 'measure later', 'join pay']),
    removed: ['measure left'],
  });
});

test('a change that breaks is said to break, also to those who may not know by what', async () => {
  const breaking = async (who: string): Promise<unknown> => {
    const [{ breaking: whole, changes }] = (await get(who, '/metadata/changes')).items;
    return [whole, (ofPeople(changes) as unknown as { readonly breaking: boolean }).breaking];
  };
  expect(await breaking('ann')).toEqual([true, true]);
  expect(await breaking('mara')).toEqual([true, true]);
});
