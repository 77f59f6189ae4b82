/** 100,000 queued deliveries drain in bounded memory. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { sqliteStateStore } from '../../src/adapters/state/sqlite/sqlite-state-store.ts';
import { append, happened } from './delivery-bench.ts';

const PROGRAM = fileURLToPath(new URL('./drain-process.ts', import.meta.url));
const EVENTS = 25_000;
/** Of all deliveries at once the bodies alone would take more. */
const HEAP_MB = 64;

test('100,000 queued deliveries drain with a heap of 64 MB', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-drain-'));
  try {
    const file = join(folder, 'state.db');
    const state = await sqliteStateStore({ file, thread: 'never' });
    await happened(state, 1_000);
    for (let count = 1_000; count < EVENTS; count += 1_000) await append(state, 1_000);
    await state.close();
    const options = [`--max-old-space-size=${HEAP_MB}`, PROGRAM, file];
    const { stdout, stderr, status } = spawnSync(process.execPath, options, { encoding: 'utf8' });
    expect(status, stderr).toBe(0);
    const { sent, bytesMax, ms } = JSON.parse(stdout) as { sent: number; bytesMax: number; ms: number };
    expect(sent).toBe(4 * EVENTS);
    console.log(
      `${sent} deliveries in ${(ms / 1000).toFixed(0)} s, at most ${Math.round(bytesMax / 2 ** 20)} MB`,
    );
    expect(bytesMax).toBeLessThan(400 * 2 ** 20);
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 600_000);
