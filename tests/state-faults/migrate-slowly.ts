/** The program of a process that stands for seconds in the middle of a migration: `node migrate-slowly.ts <port> <schema>`. */

import { MIGRATIONS } from '../../src/adapters/state/postgres/postgres-dialect.ts';
import { postgresStateStore } from '../../src/adapters/state/postgres/postgres-state-store.ts';
import { configOn } from '../postgres-state.ts';

const SLOW =
  'CREATE TABLE added AS SELECT id FROM runs; SELECT pg_sleep(5); ALTER TABLE runs ADD colour TEXT';

const [port = '', schema = ''] = process.argv.slice(2);
const state = await postgresStateStore(configOn(Number(port), schema), { migrations: [...MIGRATIONS, SLOW] });
await state.close();
