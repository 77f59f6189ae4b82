/** Plans that break perspectives name them, owners hear of it, and a rename offers the rewrite. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LOCAL_ADMIN } from '../../src/domain/local-admin.ts';
import type { Perspective } from '../../src/domain/perspective.ts';
import { Directory } from '../../src/operations/access/directory.ts';
import { brokenByPlan } from '../../src/operations/perspectives/broken-by-plan.ts';
import { createPerspective } from '../../src/operations/perspectives/create-perspective.ts';
import { getPerspective } from '../../src/operations/perspectives/list-perspectives.ts';
import { refreshPerspectives } from '../../src/operations/perspectives/refresh-perspectives.ts';
import { rewritePerspective } from '../../src/operations/perspectives/rewrite-perspective.ts';
import { viewerOf } from '../../src/operations/perspectives/viewer-of.ts';
import type { Platform } from '../../src/operations/platform.ts';
import { draftProduct, identityOf, type ServedProduct, servedProduct } from '../support/served-product.ts';
import { PEOPLE } from './perspective-product.ts';

let served: ServedProduct;
let directory: Directory;
let platform: Platform;
const ann = identityOf({ groups: ['whole'], productRoles: { 'default-shop': 'consumer' } });
const bea = identityOf({
  principalId: 'u_bea',
  name: 'bea',
  groups: ['whole'],
  productRoles: { 'default-shop': 'consumer' },
});

beforeAll(async () => {
  served = await servedProduct({
    ...PEOPLE,
    'config.yaml':
      'name: shop\ngateways: {local: {connection: {type: duckdb, database: w.duckdb}}}\nusers: [{username: x, groups: [whole, eu]}]\n',
  });
  const { product } = served;
  platform = { products: [product], lost: [] } as unknown as Platform;
  directory = new Directory(platform, { principalId: 'test', now: 1 });
}, 120_000);
afterAll(() => served?.close());

const made = async (
  asker: typeof ann,
  name: string,
  query: Perspective['query'],
  more = {},
): Promise<string> => {
  const { product } = served;
  const answer = await createPerspective(
    directory,
    { product, asker },
    { name, query, visibility: 'product', ...more },
  );
  if (answer.kind !== 'done') throw new Error(JSON.stringify(answer));
  return answer.perspective.slug;
};

describe('a plan', () => {
  test('names what it breaks to those who may see it, and says which rename explains it', async () => {
    const { product, project } = served;
    await made(ann, 'By members', {
      kind: 'semantic',
      query: {
        measures: ['people.spend'],
        dimensions: ['people.country'],
        filters: [{ member: 'people.country', operator: 'equals', values: ['people.spend'] }],
        order: { 'people.spend': 'desc' },
      },
    });
    await made(ann, 'By SQL', {
      kind: 'sql',
      sql: 'SELECT country, MEASURE(spend) AS spend FROM people GROUP BY 1',
    });
    await made(ann, 'Untouched', { kind: 'semantic', query: { measures: ['people.heads'] } });
    await made(
      bea,
      'Secret',
      { kind: 'semantic', query: { measures: ['people.spend'] } },
      { visibility: 'private' },
    );
    await made(LOCAL_ADMIN, 'Of a column', { kind: 'sql', sql: 'SELECT p.email FROM marts.people AS p' });
    project.write({
      'models/semantics/people.yml': PEOPLE['models/semantics/people.yml']
        ?.replace('{name: spend, type: sum', '{name: spent, title: All, type: sum')
        .replace('email, country]', 'country]') as string,
      'models/people.sql': PEOPLE['models/people.sql']?.replace(
        'SELECT *',
        'SELECT id, country, spend',
      ) as string,
    });
    const { plan, diagnostics } = await draftProduct(product);
    if (plan === undefined) throw new Error(JSON.stringify(diagnostics));
    const seen = async (asker: typeof ann) =>
      (await brokenByPlan(product.world, plan, viewerOf(product, asker)))
        .map(({ perspective, rewrite }) => [perspective.slug, rewrite?.renames.map(({ to }) => to) ?? []])
        .toSorted();
    const ofAll = [
      ['by-members', ['spent']],
      ['by-sql', ['spent']],
      ['of-a-column', []],
    ];
    expect(await seen(ann)).toEqual(ofAll);
    expect(await seen(bea)).toEqual([...ofAll, ['secret', ['spent']]]);
    const [members] = await brokenByPlan(product.world, plan, viewerOf(product, ann));
    expect(members?.because).toContain('spend');
    await served.plan();
    const events = await product.world.state.events.events({ types: ['perspective.broken'], limit: 10 });
    expect(events.map(({ data }) => (data as { slug: string }).slug).toSorted()).toEqual([
      'by-members',
      'by-sql',
      'of-a-column',
      'secret',
    ]);
  });

  test('that is applied leaves a rewrite to do, which keeps values and names of columns', async () => {
    const { product } = served;
    const done = await rewritePerspective(directory, { product, asker: ann }, 'by-members');
    expect(done.query).toEqual({
      kind: 'semantic',
      query: {
        measures: ['people.spent'],
        dimensions: ['people.country'],
        filters: [{ member: 'people.country', operator: 'equals', values: ['people.spend'] }],
        order: { 'people.spent': 'desc' },
      },
    });
    await rewritePerspective(directory, { product, asker: ann }, 'by-sql');
    expect((await getPerspective(product, ann, 'by-sql')).question?.query).toEqual({
      kind: 'sql',
      sql: 'SELECT country, MEASURE(spent) AS spend FROM people GROUP BY 1',
    });
    await expect(rewritePerspective(directory, { product, asker: ann }, 'untouched')).rejects.toThrow(
      /rename/,
    );
    await expect(rewritePerspective(directory, { product, asker: bea }, 'by-sql')).rejects.toThrow(/denied/);
    await expect(rewritePerspective(directory, { product, asker: ann }, 'secret')).rejects.toThrow(
      /no perspective/,
    );
  });
});

test('auto-refresh makes an answer again as its owner, and finds it when nothing has changed', async () => {
  const { product } = served;
  const slug = await made(
    LOCAL_ADMIN,
    'Fresh',
    { kind: 'semantic', query: { measures: ['people.heads'] } },
    { isRefreshed: true },
  );
  await made(
    ann,
    'Of a stranger',
    { kind: 'semantic', query: { measures: ['people.heads'] } },
    { isRefreshed: true },
  );
  const { id } = await getPerspective(product, LOCAL_ADMIN, slug);
  const stop = new AbortController().signal;
  const first = await refreshPerspectives(platform, product, stop);
  // `ann` is no user of this folder: whose rights are not known is not asked for.
  expect(first.map(({ outcome }) => outcome).toSorted()).toEqual(['left', 'made']);
  const again = await refreshPerspectives(platform, product, stop);
  expect(again.find((each) => each.id === id)?.outcome).toBe('kept');
}, 60_000);
