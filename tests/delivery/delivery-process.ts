/*
 * Delivers what is in a state until nothing is left, and kills itself at one step: before or after one of the calls by which it
 * reads, deals out, claims, sends and writes down.
 *
 *   delivery-process.ts STORE PLACE URL STEP [defect]
 */
import { writeSync } from 'node:fs';
import { sqliteStateStore } from '../../src/adapters/state/sqlite/sqlite-state-store.ts';
import type { StateStore } from '../../src/domain/state-store.ts';
import { deliverEvents } from '../../src/runtime/deliver/deliver-events.ts';
import { openPostgresState } from '../postgres-state.ts';
import { benchWorld, hurriedClock, webhookTo } from './delivery-bench.ts';

const [kind, place = '', url = '', stepText = '0', defect] = process.argv.slice(2);
const killAt = Number(stepText);
let steps = 0;

/** Dies at the step that was asked for, as a process does whose machine loses power. */
function step(): void {
  steps++;
  if (steps === killAt) process.kill(process.pid, 'SIGKILL');
}

const stepping = <Args extends readonly unknown[], Result>(
  call: (...args: Args) => Promise<Result>,
): ((...args: Args) => Promise<Result>) => {
  return async (...args) => {
    step();
    const result = await call(...args);
    step();
    return result;
  };
};

const state: StateStore =
  kind === 'postgres'
    ? await openPostgresState(place)
    : await sqliteStateStore({ file: place, thread: 'never' });
const { notifications } = state;
/** Planted: the cursor moves on before the deliveries are written. */
const halves: typeof notifications.fanOut = async (request) => {
  const isMine = await notifications.fanOut({ ...request, deliveries: [], inbox: [] });
  if (!isMine) return false;
  step();
  return notifications.fanOut({ ...request, from: request.to });
};
const world = benchWorld(
  {
    events: { ...state.events, events: stepping(state.events.events) },
    journal: state.journal,
    notifications: {
      ...notifications,
      attend: stepping(notifications.attend),
      fanOut: stepping(defect === 'defect' ? halves : notifications.fanOut),
      claim: stepping(notifications.claim),
      settle: stepping(notifications.settle),
      settings: notifications.settings,
    },
  },
  {
    clock: hurriedClock(),
    channels: ['n_1', 'n_2'],
    open: (channel) => {
      const { send } = webhookTo(`${url}${channel}`);
      return { send: stepping(send) };
    },
  },
);
const stop = new AbortController();
const running = deliverEvents(world, {
  ...{ holder: `w${process.pid}`, who: 'test', signal: stop.signal },
  onProblem: (error) => writeSync(2, `${error instanceof Error ? error.stack : error}\n`),
});
const end = Date.now() + 30_000;
for (;;) {
  const { sequence, open } = await notifications.backlog();
  if (sequence >= (await state.events.lastSequence()) && open === 0) break;
  if (Date.now() > end) throw new Error('it took too long');
  await new Promise((resolve) => setTimeout(resolve, 5));
}
stop.abort();
await running;
await state.close();
writeSync(1, `${steps}\n`);
