/** The program of a process that uses a state in SQLite: `node sqlite-state-process.ts <place> <task> <name> <argument>`. */
import { sqliteStateStore } from '../../src/adapters/state/sqlite/sqlite-state-store.ts';
import { performTask } from './state-store-tasks.ts';

const [place = '', task = '', name = '', argument = '0'] = process.argv.slice(2);
const state = await sqliteStateStore({ file: place });
await performTask(state, { task, name, argument: Number(argument) });
await state.close();
