import { expect, test } from 'vitest';
import { codesOf, loadInProcess } from './hostile-project.ts';

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
  for (const name of ['query', 'inside']) {
    const codes = codesOf(report, `models/${name}.sql`);
    expect(codes.length, name).toBeGreaterThan(0);
    for (const code of codes)
      expect(['sql.timeout', 'sql.syntax', 'sql.unsupported', 'model.no-query']).toContain(code);
  }
  expect(report.models.filter((model) => model.endsWith(': x INTEGER')).length).toBeGreaterThanOrEqual(1);
  expect(report.ms).toBeLessThan(50_000);
});
