import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isGone, ownProcess } from '../sql/process-identity.ts';
import { sqliteStateStore } from './sqlite-state-store.ts';

const isTold = ownProcess() !== '';

test('this process is there', () => {
  expect(isGone(ownProcess())).toBe(false);
});

test('a process of another machine or name space never counts as gone', () => {
  expect(isGone('another-boot@pid:[1]#1#1')).toBe(false);
  expect(isGone('')).toBe(false);
});

test.runIf(isTold)('an id that was given to a process that began later is another process', () => {
  expect(isGone(`${ownProcess()}0`)).toBe(true);
});

test.runIf(isTold)(
  'a lease passes on at once when the process of its holder was killed, and not before',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'plinth-lease-'));
    const file = join(folder, 'state.db');
    const store = await sqliteStateStore({ file });
    const script = `
    const { sqliteStateStore } = await import(${JSON.stringify(join(import.meta.dirname, 'sqlite-state-store.ts'))});
    const store = await sqliteStateStore({ file: ${JSON.stringify(file)} });
    await store.journal.takeLease({ name: 'scheduler', holder: 'other', who: 'other', now: Date.now() });
    console.log('held');
    setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await once(child.stdout, 'data');
      const take = () =>
        store.journal.takeLease({ name: 'scheduler', holder: 'mine', who: 'mine', now: Date.now() });
      expect(await take()).toMatchObject({ kind: 'held', by: { holder: 'other' } });
      child.kill('SIGKILL');
      await once(child, 'exit');
      expect(await take()).toMatchObject({ kind: 'granted', leases: [{ holder: 'mine', token: 2 }] });
    } finally {
      child.kill('SIGKILL');
      await store.close();
      rmSync(folder, { recursive: true });
    }
  },
);
