/** Many processes that change the same rows of a state in PostgreSQL: the server refuses some of their transactions, and none of them is told so. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postgresStateStore } from '../../src/adapters/state/postgres/postgres-state-store.ts';
import type { StateStore } from '../../src/domain/state-store.ts';
import { expectModel, toldBy } from '../conformance/state-fuzz.ts';
import { type PostgresServer, postgresPrograms, startPostgresServer } from '../postgres-server.ts';
import { configOn, newSchema, variablesFor } from '../postgres-state.ts';
import { IS_LONG } from '../support/long-form.ts';

const PROCESSES = 8;
/** PLINTH_CAMPAIGN=1 makes it long. */
const CALLS = IS_LONG ? '1000' : '60';
const PROGRAM = new URL('../conformance/postgres-state-process.ts', import.meta.url);
/** Serialisation failure, deadlock, and a key that another transaction took since this one looked. */
const REFUSED = /^(?:40001|40P01|23505) ERROR/;

describe.skipIf(postgresPrograms() === undefined)('eight processes on one state in PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgresServer([
      ...['logging_collector=on', 'log_directory=told', 'log_filename=server.log'],
      ...['log_line_prefix=%e ', 'log_min_messages=error', 'log_min_error_statement=panic'],
    ]);
  });
  afterAll(() => server.stop());

  /** By code, what the server has refused so far. */
  function refusals(): ReadonlyMap<string, number> {
    const folder = join(server.folder, 'data', 'told');
    const lines = readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'));
    const codes = lines.filter((line) => REFUSED.test(line)).map((line) => line.slice(0, 5));
    return new Map([...Map.groupBy(codes, (code) => code)].map(([code, each]) => [code, each.length]));
  }

  test('race, and all that they are told is true: each refusal was repeated, and none was shown', async () => {
    const schema = newSchema();
    const open = (): Promise<StateStore> => postgresStateStore(configOn(server.port, schema));
    await (await open()).close();
    // A process that is shown an error ends with it, and the test fails.
    const told = await Promise.all(
      Array.from({ length: PROCESSES }, (_, index) =>
        toldBy(PROGRAM, [schema, 'fuzz', String(index), CALLS], variablesFor(server)),
      ),
    );
    const seen = refusals();
    const count = [...seen.values()].reduce((sum, each) => sum + each, 0);
    const words = [...seen].map(([code, each]) => `${each} with ${code}`).join(', ');
    console.log(
      `${PROCESSES} processes of ${CALLS} calls: ${count} transactions refused (${words}), 0 errors shown`,
    );
    expect(count).toBeGreaterThan(0);
    const state = await open();
    try {
      await expectModel(state, told.flat());
    } finally {
      await state.close();
    }
  });
});
