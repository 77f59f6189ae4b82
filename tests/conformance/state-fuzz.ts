/** Random calls of several processes to one state, and the model that what they were told and what is left must fit. */
import { spawn } from 'node:child_process';
import { writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { StoredEvent } from '../../src/domain/event.ts';
import { tableKey } from '../../src/domain/relation.ts';
import type { StateStore } from '../../src/domain/state-store.ts';
import { seededNumbers } from '../support/seeded-bits.ts';
import { audit, person } from './access-store-fixtures.ts';
import { resultOf } from './quality-store-fixtures.ts';
import type { StateStoreUnderTest } from './state-store.ts';
import { day, ledgerRow, table } from './state-store-fixtures.ts';

/** What one call was told, as the process prints it. */
interface Told {
  readonly call: 'lease' | 'row' | 'create' | 'remove' | 'answer' | 'event' | 'result';
  readonly on: string;
  readonly token?: number;
  /** Of a result. */
  readonly id?: string;
}

const NAMES = ['a', 'b', 'c'];
const OUTCOMES = ['pass', 'fail', 'fail', 'warn', 'error'] as const;

/** One of the processes: makes calls, and prints what was acknowledged. */
export async function fuzzState(state: StateStore, name: string, calls: number): Promise<void> {
  const own = Number(name);
  const random = seededNumbers(Number(process.env['PLINTH_FUZZ_SEED'] ?? 20261119) + own);
  const tell = (told: Told): void => {
    writeSync(1, `${JSON.stringify(told)}\n`);
  };
  for (let index = 0; index < calls; index++) {
    const on = NAMES[Math.floor(random() * NAMES.length)] as string;
    const kind = Math.floor(random() * 7);
    if (kind === 0) {
      const request = { name: on, holder: name, who: name, now: Date.now() };
      const answer = await state.journal.takeLease(request);
      if (answer.kind === 'held') continue;
      tell({ call: 'lease', on, token: answer.leases[0]?.token ?? -1 });
      await state.journal.releaseLease(on, name);
    } else if (kind === 1) {
      const number = own * 1_000_000 + index + 1;
      const row = ledgerRow(`a.${on}`, day(index), { token: 1, dataVersion: String(number) });
      await state.journal.finishBackfill(`none-${number}`, { rows: [row], events: [] });
      tell({ call: 'row', on, token: number });
    } else if (kind === 2) {
      const made = await state.principals.createPrincipal(person(on), audit('create'));
      if (made) tell({ call: 'create', on });
    } else if (kind === 3) {
      const gone = await state.principals.removePrincipal(person(on).id, audit('remove'));
      if (gone === 'done') tell({ call: 'remove', on });
    } else if (kind === 4) {
      const answer = { name: `${on}${index % 10}`, asked: 'q', worker: name, at: 100 };
      const outcome = await state.answers.begin(answer, { canRepeat: false, since: 0 });
      if (outcome.kind === 'begun') tell({ call: 'answer', on: answer.name, token: own });
    } else if (kind === 5) {
      const id = `c_${String(Date.now()).padStart(15, '0')}${name}${index}`;
      const outcome = OUTCOMES[Math.floor(random() * OUTCOMES.length)] ?? 'pass';
      await state.quality.recordResults([resultOf(id, { check: on, outcome })], []);
      tell({ call: 'result', on, id });
    } else {
      await state.snapshots.invalidate('none', 1, [{ at: 1, event: 'fuzz', data: null }]);
      tell({ call: 'event', on });
    }
  }
}

const PROCESSES = 4;

/** `PLINTH_FUZZ_CALLS` and `PLINTH_FUZZ_SEED` make it long and other. */
export function describeStateFuzz(
  name: string,
  store: StateStoreUnderTest & { readonly program: URL },
): void {
  test(`${name}: whatever four processes call, all that was told is true, and nothing was lost or done twice`, async () => {
    const place = store.newPlace();
    // The place is made before, as by a first plan.
    await (await store.open(place)).close();
    const calls = process.env['PLINTH_FUZZ_CALLS'] ?? '60';
    const lines = await Promise.all(
      Array.from({ length: PROCESSES }, (_, index) =>
        toldBy(store.program, [place, 'fuzz', String(index), calls]),
      ),
    );
    const all = lines.flat();
    const state = await store.open(place);
    try {
      await expectModel(state, all);
    } finally {
      await state.close();
    }
  });
}

/** Everything that one process was told; an error that it is shown ends it, and is thrown. */
export function toldBy(
  program: URL,
  words: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<readonly Told[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [fileURLToPath(program), ...words], {
      env: { ...process.env, ...variables },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    child.on('close', (code) => {
      if (code !== 0) reject(new Error(`the process ended with ${code}`));
      else resolve(text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Told])));
    });
  });
}

/** What is left is what the processes were told. */
export async function expectModel(state: StateStore, all: readonly Told[]): Promise<void> {
  const of = (call: Told['call'], on?: string): readonly Told[] =>
    all.filter((each) => each.call === call && (on === undefined || each.on === on));
  const events = await state.events.events({ limit: 1_000_000 });
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
  expect(events.filter(({ event }) => event === 'fuzz')).toHaveLength(of('event').length);
  const versions = await state.journal.dataVersions();
  const present = await state.principals.principals({ tenant: 'acme' });
  for (const on of NAMES) {
    const tokens = of('lease', on).map(({ token }) => token as number);
    // Who takes a lease that it has not let go of yet keeps its token: here each is let go of at once.
    expect(tokens.toSorted((a, b) => a - b)).toEqual(tokens.map((_, index) => index + 1));
    const rows = of('row', on).map(({ token }) => BigInt(token as number));
    const version =
      rows.length === 0 ? undefined : `${rows.length}:${rows.reduce((sum, each) => sum ^ each, 0n)}`;
    expect(versions.get(tableKey(table(`a.${on}`)))).toBe(version);
    await expectQuality(state, { check: on, ids: of('result', on).map(({ id }) => id as string), events });
    expect(of('create', on).length - of('remove', on).length).toBe(
      present.some((each) => each.name === on) ? 1 : 0,
    );
  }
  // Its own process may begin an answer again.
  for (const [, begun] of Map.groupBy(of('answer'), ({ on }) => on))
    expect(new Set(begun.map(({ token }) => token)).size).toBe(1);
  const entries = await state.principals.auditLog({ tenant: 'acme', limit: 1_000_000 });
  expect(entries.length).toBe(of('create').length + of('remove').length);
}

/** Each result is there once; incidents opened and closed in turn, and each change of an outcome was told once. */
async function expectQuality(
  { quality }: StateStore,
  {
    check,
    ids,
    events,
  }: { readonly check: string; readonly ids: readonly string[]; readonly events: readonly StoredEvent[] },
): Promise<void> {
  const scope = { environment: 'prod', check, limit: 1_000_000 };
  expect((await quality.results(scope)).map(({ id }) => id)).toEqual(ids.toSorted().reverse());
  const [latest] = (await quality.latestResults(scope)).filter((each) => each.check === check);
  expect(latest?.id).toBe(ids.toSorted().at(-1));
  const own = events.filter(({ data }) => (data as { check?: string } | null)?.check === check);
  const told = (prefix: string): readonly string[] =>
    own.map(({ event }) => event).filter((event) => event.startsWith(prefix));
  const incidents = await quality.incidents(scope);
  const turns = told('incident.');
  expect(turns).toEqual(turns.map((_, index) => (index % 2 === 0 ? 'incident.opened' : 'incident.closed')));
  expect(turns.length).toBe(
    incidents.length + incidents.filter(({ closedAt }) => closedAt !== undefined).length,
  );
  const outcomes = told('dq.');
  expect(outcomes.filter((event, index) => event === outcomes[index - 1])).toEqual([]);
}
