/** The program of a process that uses a state in PostgreSQL: `node postgres-state-process.ts <schema> <task> <name> <argument>`. */
import { openPostgresState } from '../postgres-state.ts';
import { performTask } from './state-store-tasks.ts';

const [schema = '', task = '', name = '', argument = '0'] = process.argv.slice(2);
const state = await openPostgresState(schema);
await performTask(state, { task, name, argument: Number(argument) });
await state.close();
