import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DUCKDB_FUNCTIONS_FILE, duckdbFunctionsText } from '../../../../scripts/generate-duckdb-functions.ts';

const root = join(import.meta.dirname, '../../../..');

test('the generated table is of the DuckDB that is installed: else run node scripts/generate-duckdb-functions.ts', async () => {
  expect(readFileSync(join(root, DUCKDB_FUNCTIONS_FILE), 'utf8')).toBe(await duckdbFunctionsText());
});
