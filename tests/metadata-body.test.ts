import { expect, test } from 'vitest';
import { modelBody } from '../src/server/http/answers/metadata-body.ts';
import { temporaryProject } from './temporary-project.ts';

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
