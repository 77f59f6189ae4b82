/** Columns and types of files that models read are known when a project is loaded. */
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadProject } from '../../src/operations/project/load-project.ts';
import { openWorkspace } from '../../src/operations/workspace.ts';
import { plainDuckdb } from '../support/plain-duckdb.ts';
import { type TemporaryProject, temporaryProject } from '../support/temporary-project.ts';

let project: TemporaryProject;
beforeEach(async () => {
  project = temporaryProject({
    'config.yaml': 'name: files\n',
    'raw/trips.csv': 'trip_id,fare,day\n1,2.5,2026-01-01\n',
    'raw/more/a.json': '[{"id": 1, "tags": ["x"], "place": {"lat": 1.5}}]',
    'models/trips.sql': "MODEL (name staging.trips, kind FULL);\nSELECT * FROM read_csv('raw/trips.csv')",
  });
  const duckdb = await plainDuckdb(project.folder);
  await duckdb.execute(
    `COPY (SELECT 1::BIGINT AS rider_id, 1.5::DECIMAL(10, 2) AS amount) TO '${project.folder}/raw/riders.parquet'`,
  );
});
afterEach(() => project.delete());

const columnsOf = async (name: string): Promise<string> => {
  const { project: loaded } = await project.load();
  const model = loaded.models.find((each) => each.name === name);
  const columns = (model?.columns ?? []).map((column) => `${column.name} ${column.type}`).join(', ');
  return model?.hasAllColumns === true ? columns : `${columns} …`;
};

const model = (query: string): Readonly<Record<string, string>> => ({
  'models/m.sql': `MODEL (name m.m, kind FULL);\n${query}`,
});

describe('columns of files', () => {
  test.each([
    ["SELECT * FROM read_csv('raw/trips.csv')", 'trip_id BIGINT, fare DOUBLE, day DATE'],
    ["SELECT * FROM 'raw/trips.csv'", 'trip_id BIGINT, fare DOUBLE, day DATE'],
    ["SELECT t.fare * 2 AS twice FROM read_csv('raw/*.csv', header = true) AS t", 'twice DOUBLE'],
    ["SELECT * FROM read_csv('raw/trips.csv', all_varchar := true)", 'trip_id VARCHAR, fare VARCHAR, day VARCHAR'],
    ["SELECT * FROM read_parquet(['raw/riders.parquet'])", 'rider_id BIGINT, amount DECIMAL(10,2)'],
    ["SELECT riders.amount FROM 'raw/riders.parquet'", 'amount DECIMAL(10,2)'],
    ["SELECT * FROM read_json('raw/more/*.json')", 'id BIGINT, tags VARCHAR[], place STRUCT(lat DOUBLE)'],
    ["WITH r AS (SELECT * FROM parquet_scan('raw/riders.parquet')) SELECT r.* FROM r", 'rider_id BIGINT, amount DECIMAL(10,2)'],
  ])('%s', async (query, columns) => {
    project.write(model(query));
    expect((await project.load()).diagnostics).toEqual([]);
    expect(await columnsOf('m.m')).toBe(columns);
  }); // biome-ignore format: a table

  test('are known in what reads the model, and a column that is not there is an error with its place', async () => {
    project.write(model('SELECT fare, day FROM staging.trips'));
    expect(await columnsOf('m.m')).toBe('fare DOUBLE, day DATE');
    project.write(model("SELECT fair FROM read_csv('raw/trips.csv')"));
    expect((await project.load()).diagnostics).toMatchObject([
      { code: 'sql.unknown-column', severity: 'error', at: { file: 'models/m.sql' } },
    ]);
  });

  test('stay unknown where a file is missing, remote, closed or broken', async () => {
    project.write({ '.plinth/x.csv': 'a\n1\n', 'raw/broken.parquet': 'not parquet' });
    for (const path of ['raw/none.csv', 'https://lake.invalid/a.csv', '/etc/passwd', '.plinth/x.csv']) {
      project.write(model(`SELECT * FROM read_csv('${path}')`));
      expect(await columnsOf('m.m'), path).toBe(' …');
    }
    project.write(model("SELECT * FROM 'raw/broken.parquet'"));
    expect(await columnsOf('m.m')).toBe(' …');
  });

  test('are read again when the content changed, and only then', async () => {
    expect(await columnsOf('staging.trips')).toBe('trip_id BIGINT, fare DOUBLE, day DATE');
    expect((await project.load()).work).toEqual({ loaded: 0, analyzed: 0, resolved: 0 });
    project.write({ 'raw/trips.csv': 'trip_id,fare,rider\n1,2.5,ann\n' });
    utimesSync(join(project.folder, 'raw/trips.csv'), new Date(), new Date(Date.now() + 5_000));
    expect((await project.load()).work).toEqual({ loaded: 0, analyzed: 0, resolved: 1 });
    expect(await columnsOf('staging.trips')).toBe('trip_id BIGINT, fare DOUBLE, rider VARCHAR');
  });

  test('need an engine once for each content, and never in a project without files', async () => {
    const enginesOf = async (): Promise<number> => {
      const workspace = openWorkspace({ folder: project.folder, variables: {}, executionTime: 0 });
      let count = 0;
      try {
        await loadProject({
          ...workspace,
          engine: (...asked) => {
            count++;
            return workspace.engine(...asked);
          },
        });
      } finally {
        await workspace.close();
      }
      return count;
    };
    expect(await enginesOf()).toBe(1);
    expect(await enginesOf()).toBe(0);
    project.write({ 'models/trips.sql': 'MODEL (name staging.trips, kind FULL);\nSELECT 1 AS a' });
    expect(await enginesOf()).toBe(0);
  });
});
