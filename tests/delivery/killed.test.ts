/** A process that delivers is killed at every step; the next one goes on, and no event is lost. The harness is proven by a planted defect. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { everyStateStore, isHere } from '../conformance/every-state-store.ts';
import { IS_LONG } from '../support/long-form.ts';
import { broken, happened, type Receiver, startReceiver } from './delivery-bench.ts';

const stores = everyStateStore();
const PROGRAM = fileURLToPath(new URL('./delivery-process.ts', import.meta.url));
const CHANNELS = ['n_1', 'n_2'];
const SEQUENCES = [1, 2, 3];

async function processOf(
  args: readonly string[],
): Promise<{ readonly steps: number; readonly signal: string | null; readonly errors: string }> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [said, errors] = ['', ''];
  child.stdout.on('data', (chunk) => (said += chunk));
  child.stderr.on('data', (chunk) => (errors += chunk));
  const signal = await new Promise<string | null>((resolve) => child.on('exit', (_, by) => resolve(by)));
  return { steps: Number(said), signal, errors };
}

/** One life: killed at a step, then another process until all is sent. */
async function life(
  name: string,
  kind: string,
  step: number,
  more: readonly string[] = [],
): Promise<{ readonly wrong: readonly string[]; readonly wasKilled: boolean; readonly steps: number }> {
  const store = stores[name];
  if (store === undefined) throw new Error(name);
  const place = store.newPlace();
  const state = await store.open(place);
  await happened(state, SEQUENCES.length);
  await state.close();
  const receiver: Receiver = await startReceiver();
  try {
    const given = [kind, place, receiver.urlOf('')];
    const first = await processOf([...given, String(step), ...more]);
    const last = first.signal === 'SIGKILL' ? await processOf([...given, '0']) : first;
    expect(last.signal, last.errors).toBeNull();
    expect(last.errors.replace(/.*ExperimentalWarning.*\n|.*--trace-warnings.*\n/g, '')).toBe('');
    return {
      wrong: broken(receiver.arrivals, { channels: CHANNELS, sequences: SEQUENCES }),
      wasKilled: first.signal === 'SIGKILL',
      steps: last.steps,
    };
  } finally {
    await receiver.close();
  }
}

/** Killed at every so-many-th step of a whole life, until what was looked for is found. */
async function lives(
  name: string,
  kind: string,
  {
    every,
    more = [],
    wanted,
  }: { readonly every: number; readonly more?: readonly string[]; readonly wanted?: RegExp },
): Promise<readonly string[]> {
  const { steps, wrong } = await life(name, kind, 0, more);
  expect(wrong).toEqual([]);
  expect(steps).toBeGreaterThan(20);
  const found: string[] = [];
  for (let step = 1; step <= steps - 4; step += every) {
    const one = await life(name, kind, step, more);
    found.push(...one.wrong.map((each) => `step ${step}: ${each}`));
    if (wanted?.test(found.join('\n')) === true) break;
  }
  return found;
}

describe('a process that delivers, killed at every step', () => {
  test('loses nothing of a state in SQLite', async () => {
    expect(await lives('in SQLite', 'sqlite', { every: IS_LONG ? 1 : 4 })).toEqual([]);
  }, 300_000);

  test.skipIf(!isHere('in PostgreSQL'))(
    'loses nothing of a state in PostgreSQL',
    async () => {
      expect(await lives('in PostgreSQL', 'postgres', { every: IS_LONG ? 1 : 10 })).toEqual([]);
    },
    300_000,
  );

  test('with a planted defect, a cursor that moves before the deliveries are written, is found', async () => {
    const wanted = /never had/;
    const found = await lives('in SQLite', 'sqlite', { every: 1, more: ['defect'], wanted });
    expect(found.join('\n')).toMatch(wanted);
  }, 300_000);
});
