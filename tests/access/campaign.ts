/*
 * The matrix: generated worlds live through being open, closed, rolled back and damaged, and at each moment callers ask by
 * every door; each answer is held against the oracle. Prints counts; the last line of stdout is JSON.
 *
 *   node tests/access/campaign.ts --cells 10000 --seed 1        writes bench/results/access-matrix.json
 *   node tests/access/campaign.ts --world 17                    one world, every problem
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect, parseArgs } from 'node:util';
import { commitOfHere, describeMachine } from '../../bench/measure.ts';
import { type Cell, type CellSource, keptCell, passiveCell, questionCell } from './cells.ts';
import { Chance } from './chance.ts';
import { generateWorld, SCHEMES } from './generate-world.ts';
import { type KeptAnswer, keepAnswers } from './kept-answers.ts';
import { commandNameCell, environmentCell, nameCell } from './pair-cells.ts';
import { happenedIn, PASSIVE_DOORS } from './passive-doors.ts';
import { QUESTION_DOORS } from './question-doors.ts';
import { ServedWorld } from './served-world.ts';
import {
  type Counted,
  PHASES,
  type Phase,
  type Summary,
  summarise,
  summaryText,
  unexercised,
} from './summary.ts';
import type { Caller } from './world.ts';

export interface CampaignOptions {
  readonly seed: number;
  readonly cells: number;
  /** Whether one problem is enough: for who asks only whether there is one. */
  readonly endsAtFirst?: boolean;
  readonly say?: (line: string) => void;
}

class OneIsEnough extends Error {}

const LANES = 4;
/** Of each world, about; the same ones whenever it is asked. */
const CELLS = 300;
const COMMANDS = 2;

export async function campaign(
  options: CampaignOptions,
): Promise<{ readonly summary: Summary; readonly missing: readonly string[] }> {
  const { seed, cells, endsAtFirst = false, say = () => undefined } = options;
  const begun = performance.now();
  const results: Counted[] = [];
  const others: string[] = [];
  let worlds = 0;
  // Worlds that break off are problems, and do not make it endless.
  while (results.length < cells && worlds < 5 + cells / 100) {
    const life = new Life(seed + worlds, endsAtFirst);
    await life.live().catch((error: unknown) => {
      if (!(error instanceof OneIsEnough)) others.push(`world ${life.seed} broke off: ${inspect(error)}`);
    });
    results.push(...life.results);
    others.push(...life.others);
    worlds++;
    say(
      `${results.length} of ${cells} cells, ${others.length + results.reduce((sum, { problems }) => sum + problems.length, 0)} problems`,
    );
  }
  const seconds = Math.round((performance.now() - begun) / 1000);
  const summary = summarise(results, { seed, wanted: cells, worlds, seconds, others });
  const callers = generateWorld(seed).callers.map(({ name }) => name);
  const schemes = SCHEMES.filter((_, at) =>
    Array.from({ length: worlds }, (__, i) => (seed + i) % SCHEMES.length).includes(at),
  );
  return {
    summary,
    missing: unexercised(summary, { callers, schemes, phases: PHASES }),
  };
}

/** One world from its beginning to its end. */
class Life {
  readonly seed: number;
  readonly results: Counted[] = [];
  /** What is wrong with something else than an answer. */
  readonly others: string[] = [];
  readonly #chance: Chance;
  /** Of each kind of cell, how many there were: doors are asked in turn. */
  readonly #turns = new Map<string, number>();

  readonly #endsAtFirst: boolean;

  constructor(seed: number, endsAtFirst: boolean) {
    this.seed = seed;
    this.#endsAtFirst = endsAtFirst;
    this.#chance = new Chance(seed * 31 + 7);
  }

  /** The next one; each world begins elsewhere, so that few cells of many worlds come to all doors. */
  #turn(kind: string): number {
    const turn = this.#turns.get(kind) ?? this.seed * 37;
    this.#turns.set(kind, turn + 1);
    return turn;
  }

  async live(): Promise<void> {
    const served = await ServedWorld.start(generateWorld(this.seed));
    try {
      await this.#phases(served);
    } finally {
      await served.stop();
    }
  }

  async #phases(served: ServedWorld): Promise<void> {
    const chance = this.#chance;
    const share = (part: number): number => Math.ceil(CELLS * part);
    const source: CellSource = {
      served,
      chance,
      number: () => this.#turn('cell'),
      environments: ['default', 'early'],
    };
    await this.#ask(served, 'open', this.#questions(source, share(0.05)));
    const before: KeptAnswer[] = [];
    for (const caller of ['none', 'one', 'editor'] as const)
      before.push(...(await keepAnswers(served, { caller, environment: 'default', chance })));
    before.push(...(await keepAnswers(served, { caller: 'owner', environment: 'early', chance })));

    await served.close();
    const all: CellSource = { ...source, environments: ['default', 'early', 'late'] };
    const happened = await happenedIn(served);
    const root = served.world.callers.find(({ name }) => name === 'root') as Caller;
    await this.#ask(served, 'closed', [
      // They take longest.
      ...times(COMMANDS, (at) => this.#command(all, at)),
      ...[commandNameCell(all, this.seed)].filter((cell) => cell !== undefined),
      ...this.#questions(all, share(0.38)),
      ...times(share(0.16), () => passiveCell(all, happened, this.#turn('passive'))),
      // What has cells for the administrator would show them to others, too.
      ...PASSIVE_DOORS.flatMap(({ isLoud }, at) => (isLoud ? passiveCell(all, happened, at, root) : [])),
      ...this.#names(all, share(0.14)),
      // Each world goes on where the one before has ended.
      ...times(share(0.06), (at) => environmentCell(all, this.seed * share(0.06) + at)),
      ...times(share(0.08), () => keptCell(all, chance.of(before), this.#turn('kept'))),
    ]);

    const kept = await keepAnswers(served, { caller: 'leaver', environment: 'default', chance });
    await served.changeGroups('leaver', []);
    await this.#ask(
      served,
      'group taken',
      times(share(0.06), () => keptCell(all, chance.of(kept), this.#turn('kept'))),
    );

    if ((await served.planOpen()).code === 0)
      this.others.push(`world ${this.seed}: a plan that widens access is done without being allowed`);
    const refused = await served.rollBack({ isAllowed: false });
    if (refused.code === 0)
      this.others.push(`world ${this.seed}: a rollback that widens access is done without being allowed`);
    await this.#ask(served, 'rollback refused', this.#questions(all, share(0.03)));

    const rolled = await served.rollBack({ isAllowed: true });
    if (rolled.code !== 0) this.others.push(`world ${this.seed}: rollback: ${rolled.text}`);
    await this.#ask(served, 'rolled back', this.#questions(all, share(0.05)));

    await served.closeAgain();
    await this.#ask(served, 'closed again', this.#questions(all, share(0.04)));

    await served.lose();
    await this.#ask(served, 'lost', [
      ...this.#questions(all, share(0.04)),
      ...times(share(0.02), () => passiveCell(all, happened, this.#turn('passive'))),
    ]);
  }

  /** Doors in turn. */
  #questions(source: CellSource, count: number): readonly Cell[] {
    const doors = QUESTION_DOORS.filter(({ who }) => who === 'http');
    return times(count, () =>
      questionCell(source, doors[this.#turn('question') % doors.length] as (typeof doors)[number]),
    );
  }

  #command(source: CellSource, at: number): Cell {
    const doors = QUESTION_DOORS.filter(({ who }) => who === 'command');
    const callers = source.served.world.callers.filter(
      ({ name }) => name === 'as-group' || name === 'command-line',
    );
    const door = doors[(this.seed + at) % doors.length] as (typeof doors)[number];
    return questionCell(source, door, callers[Math.floor((this.seed + at) / 2) % callers.length] as Caller);
  }

  /** Places in turn; where nothing is hidden from a caller another one is asked. */
  #names(source: CellSource, count: number): readonly Cell[] {
    const found: Cell[] = [];
    for (let tries = 0; found.length < count && tries < count * 20; tries++) {
      const cell = nameCell(source, this.#turn('name'));
      if (cell !== undefined) found.push(cell);
    }
    return found;
  }

  async #ask(served: ServedWorld, phase: Phase, cells: readonly Cell[]): Promise<void> {
    const waiting = [...cells];
    const { scheme } = served.world;
    const lane = async (): Promise<void> => {
      for (let cell = waiting.shift(); cell !== undefined && !this.#isEnough(); cell = waiting.shift())
        try {
          this.results.push({ ...(await cell()), seed: this.seed, scheme, phase });
        } catch (error) {
          this.others.push(`world ${this.seed}, ${phase}: ${inspect(error)}`);
        }
    };
    await Promise.all(times(LANES, lane));
    if (this.#isEnough()) throw new OneIsEnough();
  }

  #isEnough(): boolean {
    return (
      this.#endsAtFirst &&
      (this.others.length > 0 || this.results.some(({ problems }) => problems.length > 0))
    );
  }
}

const times = <Item>(count: number, make: (at: number) => Item): Item[] =>
  Array.from({ length: count }, (_, at) => make(at));

const RESULTS = join(import.meta.dirname, '../../bench/results/access-matrix.json');

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      cells: { type: 'string', default: '10000' },
      seed: { type: 'string', default: '1' },
      world: { type: 'string' },
    },
  });
  const isOne = values.world !== undefined;
  const commit = commitOfHere();
  const { summary, missing } = await campaign({
    seed: Number(values.world ?? values.seed),
    cells: isOne ? 1 : Number(values.cells),
    say: (line) => console.error(line),
  });
  console.log(summaryText(summary));
  for (const each of isOne ? [] : missing) console.log(`MISSING ${each}`);
  if (!isOne) {
    const command = `node tests/access/campaign.ts --cells ${values.cells} --seed ${values.seed}`;
    writeFileSync(
      RESULTS,
      `${JSON.stringify({ command, commit, machine: describeMachine(), ...summary, missing }, undefined, 2)}\n`,
    );
  }
  process.exit(summary.problems.length === 0 && (isOne || missing.length === 0) ? 0 : 1);
}
