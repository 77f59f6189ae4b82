/** What readers of a product find about it: its README as safe HTML, its owners, and what policies hide from each of them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServedPlatform, servedPlatform } from '../support/served-platform.ts';

const AT = '/plinth/tenants/acme/data-products/acme-shown/api/v1';
const README = '# Shown\n\n<script>alert(1)</script> [go](javascript:alert(1)) [docs](https://x.example/d)\n';
let served: ServedPlatform;
const tokens: Record<string, string> = {};

beforeAll(async () => {
  served = await servedPlatform(
    [
      'name: shown\ntenant: acme\nowner: olga\naccess: [{principal: olga, role: owner}, {principal: olga, policies: exempt}, {principal: otto, role: owner}]',
    ],
    {
      'README.md': README,
      'models/people.sql': `MODEL (name marts.people, kind FULL, owner mia);
SELECT * FROM (VALUES (1, 'ann@x.eu', 'EU', DATE '2025-01-01')) AS t(id, email, country, day)`,
      'models/semantics/people.yml': `kind: semantic
name: people
owner: sam
depends_on: marts.people
dimensions: [{name: id, type: number, sql: id, primary_key: true}, email, country, day]
measures: [{name: heads, type: count}]
policies:
  - {group: whole}
  - {group: eu, filter: [{member: country, operator: equals, values: [EU]}], mask: [email]}
  - {group: masked, mask: [email]}
`,
      'models/metrics/heads.yml':
        'kind: metric\nname: heads_by_day\nowner: mel\nmeasure: people.heads\nts: people.day\ngranularity: day\n',
    },
  );
  const groups: Readonly<Record<string, readonly string[]>> = {
    olga: [],
    otto: ['eu'],
    whole: ['whole'],
    eu: ['eu'],
    masked: ['masked'],
    both: ['eu', 'masked'],
    none: [],
  };
  for (const [name, of] of Object.entries(groups))
    tokens[name] = await served.person('acme', name, { role: 'viewer', groups: of });
}, 120_000);
afterAll(() => served?.stop());

const get = async (name: string, path: string) =>
  (await served.ask(tokens[name] ?? '', 'GET', `${AT}${path}`)).body;

test('the README is shown as text and as HTML in which nothing runs', async () => {
  const { readme, readme_html: html } = await get('whole', '/metadata');
  expect(readme).toBe(README);
  expect(html).toBe(
    '<h1>Shown</h1>\n<p>&lt;script&gt;alert(1)&lt;/script&gt; [go](javascript:alert(1)) <a href="https://x.example/d" rel="noopener noreferrer nofollow">docs</a></p>\n',
  );
});

test('product, model, semantic model and metric have owners', async () => {
  expect(await get('whole', '/metadata')).toMatchObject({ owner: 'olga', owners: ['olga', 'otto'] });
  expect((await get('whole', '/metadata/models/marts.people')).owner).toBe('mia');
  const { models, metrics } = await get('whole', '/metadata/semantic');
  expect([models[0].owner, metrics[0].owner]).toEqual(['sam', 'mel']);
});

test.each([
  ['whole', { rows: false, values: [] }],
  ['eu', { rows: true, values: [{ member: 'email', in: 'every-row' }] }],
  ['masked', { rows: false, values: [{ member: 'email', in: 'every-row' }] }],
  ['both', { rows: false, values: [{ member: 'email', in: 'every-row' }] }],
  ['otto', { rows: true, values: [{ member: 'email', in: 'every-row' }] }],
] as const)('%s is told what policies hide, and not which policies there are', async (name, hides) => {
  const [people] = (await get(name, '/metadata/semantic')).models;
  expect(people).toMatchObject({ hides, policies: null });
});

test('an owner whom no policy restricts reads the policies; a caller without any sees no semantic model', async () => {
  const [people] = (await get('olga', '/metadata/semantic')).models;
  expect(people.hides).toEqual({ rows: false, values: [] });
  expect(people.policies).toEqual([
    { group: 'whole', filter: [], mask: [] },
    { group: 'eu', filter: [{ member: 'country', operator: 'equals', values: ['EU'] }], mask: ['email'] },
    { group: 'masked', filter: [], mask: ['email'] },
  ]);
  expect((await get('none', '/metadata/semantic')).models).toEqual([]);
});
