/*
 * A process that calls functions as the keeper does, one after the other: {id, sql} lines come in, a line when a call begins and one
 * with its outcome go out. It ends itself after a call that leaves DuckDB unusable; a crash ends it by itself.
 */
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { KeeperSettings } from '../../src/adapters/engines/duckdb/duckdb-config.ts';
import { errorOf } from '../../src/adapters/engines/duckdb/keeper-refusal.ts';
import { KeeperSession, type TakeParts } from '../../src/adapters/engines/duckdb/keeper-session.ts';
import { openWarehouse } from '../../src/adapters/engines/duckdb/keeper-warehouse.ts';

/** What a call came to, when the process lives on or ends itself. */
export type Told =
  | 'answered'
  | 'failed'
  | 'refused'
  | 'stopped'
  | 'internal error'
  | 'too much memory'
  | 'ignores interrupts';

export interface Line {
  readonly id: number;
  readonly told?: Told;
  readonly detail?: string;
  readonly ms?: number;
}

const WATCH_MS = 20;
/** Of an interrupt. */
const OBEY_MS = 2_000;

const { settings, runMs } = JSON.parse(process.argv[2] ?? '') as {
  readonly settings: KeeperSettings;
  readonly runMs: number;
};
const warehouse = await openWarehouse(settings);

const say = (line: Line): void => {
  writeSync(1, `${JSON.stringify(line)}\n`);
};
const take: TakeParts = {
  columns: () => undefined,
  lines: async () => undefined,
  rows: async () => undefined,
  release: () => undefined,
  fail: () => undefined,
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, sql } = JSON.parse(line) as { readonly id: number; readonly sql: string };
  say({ id });
  await call(id, sql);
}
process.kill(process.pid, 'SIGKILL');

async function call(id: number, sql: string): Promise<void> {
  const begun = performance.now();
  let isInternal = false;
  const session = new KeeperSession({
    ...warehouse,
    handleFailure(error, fatality) {
      isInternal = fatality === 'own';
      return error;
    },
  });
  let stoppedAt: number | undefined;
  const watch = setInterval(() => {
    const now = performance.now();
    const isFat = process.memoryUsage.rss() > settings.residentMax;
    if (isFat || (now - begun > runMs && stoppedAt === undefined)) {
      stoppedAt ??= now;
      session.stop({ code: 'engine.cancelled', parameters: {} });
    }
    if (stoppedAt === undefined || now - stoppedAt < OBEY_MS) return;
    say({ id, told: isFat ? 'too much memory' : 'ignores interrupts', ms: now - begun });
    process.kill(process.pid, 'SIGKILL');
  }, WATCH_MS);
  const ended = (told: Told, detail = ''): void => say({ id, told, detail, ms: performance.now() - begun });
  let isInspected = false;
  try {
    await session.call({ kind: 'inspect', sql }, take);
    isInspected = true;
    await session.call({ kind: 'read', sql, isInspected: true }, take);
    ended('answered');
  } catch (thrown) {
    const { code, parameters } = errorOf(thrown);
    const detail = `${code} ${String(parameters['detail'] ?? JSON.stringify(parameters))}`;
    if (isInternal) {
      ended('internal error', detail);
      process.kill(process.pid, 'SIGKILL');
    }
    ended(stoppedAt !== undefined ? 'stopped' : isInspected ? 'failed' : 'refused', detail);
  } finally {
    clearInterval(watch);
  }
}
