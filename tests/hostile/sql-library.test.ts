import { expect, test } from 'vitest';
import { loadInProcess } from './hostile-project.ts';

/** On this text the SQL library loops for ever; only the end of its thread stops it. */
const ENDLESS = 'CREATE TABLE c (pk BIGINT GENERATED ALWAYS AS IDENTITY (START WITH 10';

test('queries on which the SQL library never returns, as query, as statement and in other dialects', async () => {
  const report = await loadInProcess(
    {
      'models/query.sql': `MODEL (name bad.query);\n${ENDLESS}`,
      'models/inside.sql': `MODEL (name bad.inside, dialect snowflake);\nSELECT * FROM (${ENDLESS}`,
      'models/before.sql': `MODEL (name bad.before);\n${ENDLESS};\nSELECT 1 AS x`,
      'models/after.sql': `MODEL (name bad.after, dialect postgres);\nSELECT 1 AS x;\n${ENDLESS}`,
    },
    { seconds: 60, heapMb: 512 },
  );
  expect(report.diagnostics.map(({ file, code }) => [file, code])).toEqual([
    ['models/after.sql', 'sql.syntax'],
    ['models/before.sql', 'sql.syntax'],
    ['models/inside.sql', 'sql.timeout'],
    ['models/query.sql', 'model.no-query'],
  ]);
  expect(report.models).toEqual(
    expect.arrayContaining(['bad.after: x INTEGER', 'bad.before: x INTEGER', 'bad.inside: ']),
  );
  expect(report.ms).toBeLessThan(50_000);
});
