import { afterEach, expect, test } from 'vitest';
import { marked } from '../support/marked-source.ts';
import { type TemporaryProject, temporaryProject } from '../support/temporary-project.ts';

let project: TemporaryProject | undefined;
afterEach(() => project?.delete());

/** Loads one model with these properties; expects one diagnostic per mark, at it. */
async function found(
  properties: string,
  query = "SELECT 1 AS id, 'x' AS status, DATE '2025-01-01' AS ds, NOW() AS updated_at",
): Promise<readonly string[]> {
  const { text, ranges } = marked(`MODEL (name m.a, ${properties});\n${query}`);
  project = temporaryProject({ 'models/a.sql': text });
  // That a property has no effect is told beside.
  const diagnostics = (await project.load()).diagnostics.filter(
    ({ code }) => code !== 'model.unused-property' && code !== 'model.property-not-yet',
  );
  expect(diagnostics.map(({ at }) => at)).toEqual(
    ranges.map((range) => ({ file: 'models/a.sql', ...range })),
  );
  return diagnostics.map(({ code, severity, hint }) => `${severity} ${code} ${hint}`);
}

const unknown = (severity: string, name: string): string =>
  `${severity} model.unknown-column-in-block did you mean ${name}?`;

test.each([
  ['kind INCREMENTAL_BY_TIME_RANGE (time_column «dss»)', 'ds'],
  ["kind INCREMENTAL_BY_TIME_RANGE (time_column («dss», '%Y-%m-%d'))", 'ds'],
  ['kind INCREMENTAL_BY_UNIQUE_KEY (unique_key (id, «statu»))', 'status'],
  ["kind INCREMENTAL_BY_UNIQUE_KEY (unique_key (id, COALESCE(«statu», '')))", 'status'],
  ['kind FULL, partitioned_by «statu»', 'status'],
  ["kind FULL, partitioned_by DATE_TRUNC('month', «dss»)", 'ds'],
  ['kind FULL, clustered_by (id, «statu»)', 'status'],
  ['kind SCD_TYPE_2_BY_TIME (unique_key «idd»)', 'id'],
  ['kind SCD_TYPE_2_BY_TIME (unique_key id, updated_at_name «updated»)', undefined],
  ['kind SCD_TYPE_2_BY_COLUMN (unique_key id, columns («statu»))', 'status'],
  ['kind FULL, columns (id INT, «statu» TEXT, ds DATE, updated_at TIMESTAMP)', 'status'],
])(
  'a column that the engine needs and the query does not return is an error at its name: %s',
  async (properties, name) => {
    const [only] = await found(properties);
    if (name === undefined) expect(only).toContain('error model.unknown-column-in-block');
    else expect(only).toBe(unknown('error', name));
  },
);

test.each([
  ['kind FULL, grain (id, «statu»)', 'status'],
  ['kind FULL, grains (id, (id, «statu»))', 'status'],
  ['kind FULL, references («statu» AS other)', 'status'],
  ["kind FULL, column_descriptions (id = 'the id', «statu» = 'the statu')", 'status'],
  ['kind FULL, column_tags («statu» = (pii))', 'status'],
  ['kind FULL, profiles (id, «statu»)', 'status'],
])('a column that is only described is a warning at its name: %s', async (properties, name) => {
  expect(await found(properties)).toEqual([unknown('warning', name)]);
});

test.each([
  'kind INCREMENTAL_BY_TIME_RANGE (time_column ds), grain (ID, "status"), partitioned_by (ds, status)',
  'kind SCD_TYPE_2_BY_TIME (unique_key id), columns (id INT, status TEXT, ds DATE, updated_at TIMESTAMP, valid_from TIMESTAMP, valid_to TIMESTAMP), grain (id, valid_from)',
  "kind FULL, references (id, status AS other), clustered_by id, profiles *, column_descriptions (ID = 'x', status.code = 'y')",
])('columns that exist are quiet: %s', async (properties) => {
  expect(await found(properties)).toEqual([]);
});

test('a model whose columns are not all known is left alone', async () => {
  const { text } = marked('MODEL (name m.a, kind FULL, grain nothing);\nSELECT * FROM other.t');
  project = temporaryProject({ 'models/a.sql': text });
  const { diagnostics } = await project.load();
  expect(diagnostics.map(({ code }) => code)).not.toContain('model.unknown-column-in-block');
});
