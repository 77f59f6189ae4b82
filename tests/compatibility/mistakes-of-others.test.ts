/** What users of dbt and SQLMesh write, and misspelt words: the hint has the word that is used here. */
import { afterEach, expect, test } from 'vitest';
import { type TemporaryProject, temporaryProject } from '../support/temporary-project.ts';

let project: TemporaryProject | undefined;
afterEach(() => project?.delete());

const model = (query: string, head = 'kind FULL'): string => `MODEL (name marts.x, ${head});\n${query}`;

test.each([
  [model('SELECT id FROM staging.trps'), 'model.no-such-table', 'did you mean staging.trips?'],
  [model('SELECT id, sum(fare) AS s FROM staging.trips GRUOP BY id'), 'sql.syntax', 'did you mean GROUP?'],
  [model('SELECT id FROM staging.trips t WEHRE id = 1'), 'sql.syntax', 'did you mean WHERE?'],
  [model("SELECT * FROM {{ ref('trips') }}"), 'sql.syntax', 'FROM schema.model, without ref()'],
  [model("SELECT * FROM {{ source('a', 'b') }}"), 'sql.syntax', 'FROM schema.model, without ref()'],
  [
    "{{ config(materialized='table') }}\nSELECT * FROM {{ ref('trips') }}",
    'model.no-query',
    'this is a model of dbt: write MODEL (name schema.model, kind FULL); in place of config()',
  ],
  [model('SELECT 1 AS a', 'kind TABLE'), 'model.unknown-kind', 'FULL is a table'],
  [model('SELECT 1 AS a', 'kind INCREMENTAL'), 'model.unknown-kind', 'INCREMENTAL_BY_TIME_RANGE'],
  [model('SELECT 1 AS a', 'kind EPHEMERAL'), 'model.unknown-kind', 'EMBEDDED'],
  [model('SELECT 1 AS a', 'materialized table'), 'model.unknown-property', 'kind FULL is a table'],
  [model('SELECT 1 AS a', 'unique_key id'), 'model.unknown-property', 'INCREMENTAL_BY_UNIQUE_KEY'],
])('%s', async (text, code, hint) => {
  project = temporaryProject({
    'config.yaml': 'name: mistakes\n',
    'models/trips.sql': 'MODEL (name staging.trips, kind FULL);\nSELECT 1 AS id, 2.5 AS fare',
    'models/x.sql': text,
  });
  const { diagnostics } = await project.load();
  const found = diagnostics.filter((each) => each.code === code);
  expect(found.map((each) => each.hint ?? '').join()).toContain(hint);
});

test('what is expected is not said twice', async () => {
  project = temporaryProject({
    'config.yaml': 'name: mistakes\n',
    'models/x.sql': model('SELECT sum(fare AS s FROM a.b'),
  });
  const { diagnostics } = await project.load();
  const [found] = diagnostics.filter(({ code }) => code === 'sql.syntax');
  expect(found?.message).toContain('expected “)”');
  expect(found?.hint).toBeUndefined();
});

test('a date difference with a unit of Databricks loads with its lineage, and Jinja comments are none of SQL', async () => {
  project = temporaryProject({
    'config.yaml': 'name: mistakes\n',
    'models/trips.sql':
      "MODEL (name staging.trips, kind FULL);\nSELECT DATE '2025-01-01' AS a, DATE '2025-01-03' AS b",
    'models/x.sql': model(
      '{# how long #}\nSELECT datediff(day, a, b) AS days {# end #} FROM staging.trips',
      'kind FULL, dialect databricks',
    ),
  });
  const { diagnostics, project: loaded } = await project.load();
  expect(diagnostics).toEqual([]);
  expect(loaded.models.find(({ name }) => name === 'marts.x')?.reads).toEqual({
    'staging.trips': ['a', 'b'],
  });
});
