/*
 * Kills a command, or the keeper that it asks, while it checks and profiles:
 *
 *   base ─▶ work, undisturbed ─▶ what is known then, and when each event came
 *     └───▶ work, killed some milliseconds after some event ─▶ whole models and right verdicts only ─▶ `after` ─▶ the same is known
 *                                                                                                       └─▶ `run`: nothing is left to do
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { changePacks, writeCheckedProject } from './checked-project.ts';
import { firstDifference } from './compare.ts';
import { copyProject, removeProject } from './kill-state.ts';
import { halfDone, knownQuality, rightQuality } from './known-quality.ts';
import { type Ended, ended, isGone, keeperOf, startPlinth } from './processes.ts';

export interface CheckScenario {
  readonly name: string;
  readonly base: 'empty' | 'planned';
  readonly edit?: (folder: string) => void;
  readonly work: readonly string[];
  /** What comes next, and is not told that something died. */
  readonly after: readonly string[];
  /** Evaluating again counts one more failure of those that were recorded. */
  readonly isRepeated?: boolean;
}

const DAY_5 = ['--execution-time', '2025-01-06T00:10:00Z'];
const DAY_8 = ['--execution-time', '2025-01-09T00:10:00Z'];
const WAIT = ['--wait', '30s'];

export const CHECK_SCENARIOS: readonly CheckScenario[] = [
  { name: 'first plan', base: 'empty', work: ['plan', '--yes', ...DAY_5], after: ['run', ...DAY_5, ...WAIT] },
  { name: 'run', base: 'planned', work: ['run', ...DAY_8], after: ['run', ...DAY_8, ...WAIT] },
  {
    name: 'plan of other packs over the same rows',
    base: 'planned',
    edit: changePacks,
    work: ['plan', '--yes', ...DAY_5],
    after: ['run', ...DAY_5, ...WAIT],
  },
  { name: 'check', base: 'planned', work: ['check'], after: ['check'], isRepeated: true },
  { name: 'profile', base: 'planned', work: ['profile'], after: ['profile'], isRepeated: true },
];

/** A line of `--json` that is an event of checks or profiles, and when it came. */
interface Moment {
  readonly event: string;
  readonly ms: number;
}

const SHOWN = /"event":"((?:checks|profiles)\.started|model\.(?:checked|profiled))"/g;

/** An undisturbed life of a scenario. */
export interface CheckReference {
  readonly code: number | null;
  readonly known: string;
  readonly before: { readonly results: number; readonly profiles: number };
  readonly right: Awaited<ReturnType<typeof rightQuality>>;
  readonly moments: readonly Moment[];
}

export interface CheckKill {
  readonly scenario: string;
  readonly victim: 'command' | 'keeper';
  /** After which event, and so many milliseconds. */
  readonly place: string;
  readonly wasKilled: boolean;
  /** Models that the killed work had recorded when it died. */
  readonly checked: number;
  readonly profiled: number;
  readonly problems: readonly string[];
  readonly folder: string;
}

/** Makes the folders that scenarios begin with. */
export async function makeCheckBases(home: string): Promise<void> {
  writeCheckedProject(join(home, 'empty'));
  await copyProject(join(home, 'empty'), join(home, 'planned'));
  const { code, stderr } = await finished(join(home, 'planned'), ['plan', '--yes', ...DAY_5]);
  if (code !== 0) throw new Error(stderr);
  await atRest(join(home, 'planned'));
}

/** The keeper lets go of the file, so that it can be copied. */
async function atRest(folder: string): Promise<void> {
  const pid = keeperOf(folder);
  process.kill(pid, 'SIGTERM');
  if (!(await isGone(pid))) throw new Error(`the keeper of ${folder} does not end`);
}

const finished = (folder: string, words: readonly string[]): Promise<Ended> =>
  ended(startPlinth(folder, words));

async function begun(home: string, scenario: CheckScenario, name: string): Promise<string> {
  const folder = join(home, name);
  await copyProject(join(home, scenario.base), folder);
  scenario.edit?.(folder);
  return folder;
}

async function removed(folder: string): Promise<void> {
  await atRest(folder);
  await removeProject(folder);
}

/** Lives a scenario undisturbed. */
export async function referenceOf(home: string, scenario: CheckScenario): Promise<CheckReference> {
  const folder = await begun(home, scenario, `reference-${scenario.name.replaceAll(' ', '-')}`);
  const { results, profiles } = await rightQuality(folder);
  const moments: Moment[] = [];
  const start = performance.now();
  const child = startPlinth(folder, [...scenario.work, '--json']);
  child.stdout?.on('data', (text: Buffer | string) => {
    for (const [, event = ''] of String(text).matchAll(SHOWN))
      moments.push({ event, ms: performance.now() - start });
  });
  const { code } = await ended(child);
  const known = await knownQuality(folder, { isCounted: scenario.isRepeated !== true });
  const right = await rightQuality(folder);
  await removed(folder);
  return { code, known, before: { results, profiles }, right, moments };
}

/** Kills once, after an event that is chosen by `part` (0 to 1) and a part of the time to the next one. */
export async function killChecks(
  home: string,
  scenario: CheckScenario,
  {
    victim,
    part,
    name,
  }: { readonly victim: CheckKill['victim']; readonly part: number; readonly name: string },
  reference: CheckReference,
): Promise<CheckKill> {
  const { moments } = reference;
  const place = part * moments.length;
  const index = Math.min(Math.floor(place), moments.length - 1);
  const [from, to] = [moments[index]?.ms ?? 0, moments[index + 1]?.ms ?? (moments[index]?.ms ?? 0) + 40];
  const delay = Math.round((place - index) * (to - from));
  const folder = await begun(home, scenario, name);
  const { wasKilled, end } = await disturbed(folder, scenario, { victim, events: index + 1, delay });
  const problems: string[] = [];
  const half = await halfDone(folder, reference.before, reference.right);
  problems.push(...half.problems);
  // The keeper's death is not the command's fault: it asks again, and ends as if nothing had been.
  if (victim === 'keeper' && end.code !== reference.code)
    problems.push(`it ended with ${end.code}: ${end.stderr.slice(-600)}`);
  if (victim === 'command') {
    const next = await finished(folder, scenario.after);
    if (next.code !== 0 && next.code !== reference.code)
      problems.push(`${scenario.after.join(' ')} ended with ${next.code}: ${next.stderr}`);
  }
  const known = await knownQuality(folder, { isCounted: scenario.isRepeated !== true });
  if (known !== reference.known) problems.push(firstDifference(reference.known, known));
  const last = await finished(folder, [
    'run',
    ...(scenario.name === 'run' ? DAY_8 : DAY_5),
    ...WAIT,
    '--json',
  ]);
  const left = [...last.stdout.matchAll(/"event":"model\.(?:checked|profiled)","model":"([^"]*)"/g)];
  if (last.code !== 0 || left.length > 0)
    problems.push(`something was left to do: ${last.code}, ${left.map(([text]) => text).join()}`);
  if (problems.length === 0) await removed(folder);
  return {
    ...{
      scenario: scenario.name,
      victim,
      wasKilled,
      checked: half.checked,
      profiled: half.profiled,
      problems,
      folder,
    },
    place: `${moments[index]?.event} ${index + 1} + ${delay} ms`,
  };
}

async function disturbed(
  folder: string,
  { work }: CheckScenario,
  {
    victim,
    events,
    delay,
  }: { readonly victim: CheckKill['victim']; readonly events: number; readonly delay: number },
): Promise<{ readonly wasKilled: boolean; readonly end: Ended }> {
  let [seen, wasKilled, isOver] = [0, false, false];
  const child = startPlinth(folder, [...work, '--json']);
  const killed: Promise<void>[] = [];
  const kill = async (): Promise<void> => {
    await sleep(delay);
    if (isOver) return;
    if (victim === 'command') child.kill('SIGKILL');
    else {
      process.kill(keeperOf(folder), 'SIGKILL');
      wasKilled = true;
    }
  };
  child.stdout?.on('data', (text: Buffer | string) => {
    const before = seen;
    seen += [...String(text).matchAll(SHOWN)].length;
    if (before < events && seen >= events) killed.push(kill());
  });
  const end = await ended(child);
  isOver = true;
  await Promise.all(killed);
  return { wasKilled: wasKilled || end.signal === 'SIGKILL', end };
}
