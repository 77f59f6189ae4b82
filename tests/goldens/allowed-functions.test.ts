import { expect, test } from 'vitest';
import { STEADY_FUNCTIONS, UNSTEADY_FUNCTIONS } from '../../src/adapters/engines/duckdb/allowed-functions.ts';
import { ALLOWED_FUNCTIONS } from '../../src/compiler/semantic/sql/allowed-functions.ts';

test.each([
  ['sql', [...STEADY_FUNCTIONS, ...UNSTEADY_FUNCTIONS]],
  ['questions', ALLOWED_FUNCTIONS],
])(
  'what callers may call in %s was read, name by name: a later engine opens nothing',
  async (asked, names) => {
    const sorted = [...new Set(names.map((name) => name.toLowerCase()))].toSorted();
    await expect(`${sorted.join('\n')}\n`).toMatchFileSnapshot(`allowed-functions/${asked}.txt`);
  },
);
