/** Loaded before the program: makes its process one of another machine, with another start of its kernel and a clock that differs. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const machine = process.env.PLINTH_TEST_MACHINE;
const aheadMs = Number(process.env.PLINTH_TEST_AHEAD_MS ?? 0);
if (machine !== undefined) {
  const read = fs.readFileSync;
  fs.readFileSync = (path, ...more) =>
    path === '/proc/sys/kernel/random/boot_id' ? `${machine}\n` : read(path, ...more);
  syncBuiltinESMExports();
}
if (aheadMs !== 0) {
  const now = Date.now;
  Date.now = () => now() + aheadMs;
}
