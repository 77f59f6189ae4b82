import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { commitOfHere } from './measure.ts';

// Beside other work a figure says nothing: each part of a bench waits until the machine is quiet, and results say when it was
// measured, of which commit and at which load. What was not taken so is not written.

const LOAD_MAX = 1.5;
const WAIT_MS = 10 * 60_000;

/** When a part was measured, of which commit, and how busy the machine was. */
export interface PartTime {
  readonly at: string;
  readonly commit: string;
  readonly loadAverage: { readonly before: number; readonly after: number };
}

/** What tells what is measured and how busy the machine is; tests hand in another. */
export interface Watch {
  readonly commit: () => string;
  readonly load: () => number;
  readonly pause: () => Promise<unknown>;
  readonly now: () => number;
}

const MACHINE: Watch = {
  commit: commitOfHere,
  load: () => loadavg()[0] ?? 0,
  pause: () => sleep(5_000),
  now: Date.now,
};

/** Waits until the load average is low enough and returns it; throws when it does not become so. */
export async function quietLoad(watch: Watch = MACHINE): Promise<number> {
  const until = watch.now() + WAIT_MS;
  if (watch.load() > LOAD_MAX)
    console.error(`the load average is ${watch.load().toFixed(1)}; waiting until it is at most ${LOAD_MAX}`);
  while (watch.load() > LOAD_MAX) {
    if (watch.now() >= until)
      throw new Error(
        `The load average is ${watch.load().toFixed(1)}, expected at most ${LOAD_MAX}: no figures are taken beside other work. Next step: end it, then measure again.`,
      );
    await watch.pause();
  }
  return watch.load();
}

/** Measures a part on a quiet machine. */
export async function measurePart<Figures>(
  measure: () => Promise<Figures>,
  watch: Watch = MACHINE,
): Promise<{ readonly figures: Figures; readonly time: PartTime }> {
  const before = await quietLoad(watch);
  const [at, commit] = [new Date(watch.now()).toISOString(), watch.commit()];
  const figures = await measure();
  return { figures, time: { at, commit, loadAverage: { before, after: watch.load() } } };
}

/** Why a part may not stand in a file of results; undefined when it may. */
export function unfit({ commit, loadAverage }: Partial<PartTime>): string | undefined {
  if (commit === undefined) return 'names no commit';
  if (loadAverage === undefined) return 'names no load average';
  if (loadAverage.before > LOAD_MAX)
    return `was measured at a load average of ${loadAverage.before.toFixed(1)}, expected at most ${LOAD_MAX}`;
  return undefined;
}

/** Writes results of one part, or of parts that each have a time of their own; throws when one is unfit. */
export function writeResults<
  Results extends { readonly parts: Readonly<Record<string, PartTime>> } | PartTime,
>(file: string, results: Results): void {
  const parts: readonly (readonly [string, PartTime])[] =
    'parts' in results ? Object.entries(results.parts) : [['the bench', results]];
  for (const [name, time] of parts) {
    const reason = unfit(time);
    if (reason !== undefined)
      throw new Error(`${file}: ${name} ${reason}. Next step: measure it again on a quiet machine.`);
  }
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
}
