/** Drains what is queued in a state, and says how much memory that took. `drain-process.ts PLACE` */
import { writeSync } from 'node:fs';
import { sqliteStateStore } from '../../src/adapters/state/sqlite/sqlite-state-store.ts';
import { deliverEvents } from '../../src/runtime/deliver/deliver-events.ts';
import { benchWorld, hurriedClock } from './delivery-bench.ts';

const [place = ''] = process.argv.slice(2);
const state = await sqliteStateStore({ file: place });
let [sent, bytesMax] = [0, 0];
const began = Date.now();
const stop = new AbortController();
const look = setInterval(() => {
  bytesMax = Math.max(bytesMax, process.memoryUsage().rss);
}, 50);
const running = deliverEvents(
  benchWorld(state, {
    ...{ clock: hurriedClock(), channels: ['n_1', 'n_2', 'n_3', 'n_4'] },
    open: () => ({
      send: async () => {
        sent++;
        return { kind: 'delivered', status: 204 };
      },
    }),
  }),
  { holder: 'w', who: 'test', signal: stop.signal, onProblem: (error) => writeSync(2, `${error}\n`) },
);
for (;;) {
  const { open, sequence } = await state.notifications.backlog();
  if (open === 0 && sequence >= (await state.events.lastSequence())) break;
  await new Promise((resolve) => setTimeout(resolve, 100));
}
stop.abort();
await running;
clearInterval(look);
await state.close();
writeSync(1, JSON.stringify({ sent, bytesMax, ms: Date.now() - began }));
