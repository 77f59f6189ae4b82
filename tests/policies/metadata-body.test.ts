import { expect, test } from 'vitest';
import { modelBody } from '../../src/server/http/answers/metadata-body.ts';
import { servedPlatform } from '../support/served-platform.ts';
import { temporaryProject } from '../support/temporary-project.ts';

test('how rows of a model are merged is shown to those only who may see its SQL', async () => {
  const project = temporaryProject({
    'config.yaml': 'name: sales\ngateways: {local: {connection: {type: duckdb, database: sales.duckdb}}}\n',
    'models/m.sql':
      "MODEL (name s.m, kind INCREMENTAL_BY_UNIQUE_KEY (unique_key id, merge_filter source.tier = 'hidden'));\nSELECT 1 AS id, 'a' AS tier",
  });
  try {
    const loaded = await project.load();
    const model = loaded.project?.models.find(({ name }) => name === 's.m');
    if (model === undefined) throw new Error(JSON.stringify(loaded.diagnostics));
    const shown = (showsSql: boolean): string =>
      JSON.stringify(
        modelBody(model, { view: null, table: null, showsSql, status: undefined, activity: undefined }),
      );
    expect(shown(true)).toContain('hidden');
    expect(shown(false)).not.toContain('hidden');
    expect(shown(false)).toContain('"unique_key":["id"]');
  } finally {
    project.delete();
  }
});

test('titles of semantic models and descriptions of joins are shown, and titles are found', async () => {
  const semantic = (name: string, more: string): string =>
    `kind: semantic\nname: ${name}\ndepends_on: s.m\nprimary_key: [a]\ndimensions: [a]\n${more}`;
  const served = await servedPlatform(['name: told'], {
    'models/semantics/one.yml': semantic(
      'one',
      'title: Zebras counted\njoins: [{name: two, type: one_to_one, on: "{one.a} = {two.a}", description: The same zebra}]\n',
    ),
    'models/semantics/two.yml': semantic('two', ''),
  });
  try {
    const get = async (path: string) =>
      (
        await served.ask(
          served.root,
          'GET',
          `/plinth/tenants/default/data-products/default-told/api/v1/metadata/${path}`,
        )
      ).body;
    expect((await get('semantic')).models[0]).toMatchObject({
      name: 'one',
      title: 'Zebras counted',
      joins: [{ name: 'two', description: 'The same zebra' }],
    });
    expect((await get('search?q=zebras')).items[0]).toMatchObject({ name: 'one', title: 'Zebras counted' });
  } finally {
    await served.stop();
  }
});
