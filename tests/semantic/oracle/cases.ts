/* Worlds by fast-check with many questions for each; a question whose answer is wrong is made small and told. */
import fc from 'fast-check';
import { IS_LONG } from '../../support/long-form.ts';
import type { WorldChoices } from './generate-world.ts';
import { type Shrinkable, shrinkCase } from './shrink-case.ts';

const SHRINKING_MS_MAX = 60_000;
const QUESTIONS_MAX = 60;

const choice = fc.nat({ max: 999_999 });
const tape = (length: number): fc.Arbitrary<number[]> =>
  fc.array(choice, { minLength: length, maxLength: length, size: 'max' });
const table = fc.oneof(
  { weight: 1, arbitrary: fc.constant([]) },
  { weight: 14, arbitrary: fc.array(tape(16), { minLength: 2, maxLength: 12, size: 'max' }) },
);

const worlds = fc.noBias(
  fc.record({
    shape: tape(500),
    extra: tape(80),
    rows: fc.tuple(table, table, table, table, table),
    questions: fc.array(tape(100), { minLength: 1, maxLength: QUESTIONS_MAX, size: 'max' }),
  }),
);

/** A world; `extra` is for what some tests add to it. */
export interface CaseChoices extends WorldChoices {
  readonly extra: readonly number[];
}

/** Asks one question and tells what became of it; a wrong answer is thrown. */
type Ask<T> = (question: readonly number[]) => Promise<T>;

export interface Campaign<T> {
  /** At least so many questions are asked. */
  readonly cases: number;
  readonly seed: number;
  readonly questionsMax?: number;
  /** Makes a world ready; undefined when it is none to ask about. */
  readonly prepare: (choices: CaseChoices) => Promise<Ask<T> | undefined>;
  readonly count: (outcome: T) => void;
}

/** The seed of a long run is another each time, unless `PLINTH_SEED` says which; a short run is always the same. */
export const seedOf = (short: number): number =>
  Number(process.env['PLINTH_SEED'] ?? (IS_LONG ? Date.now() % 2 ** 31 : short));

/** For one test; a long run may share its machine. */
export const TIME_MAX_MS = IS_LONG ? 14_400_000 : 900_000;

/** Asks until enough is asked. The first wrong answer ends it, shrunk for at most a minute. */
export async function overCases<T>(campaign: Campaign<T>): Promise<void> {
  const { cases, seed, prepare, count, questionsMax = QUESTIONS_MAX } = campaign;
  let asked = 0;
  for (let batch = 0; asked < cases; batch++) {
    if (batch > cases) throw new Error('too few worlds are to ask about');
    for (const { questions, ...choices } of fc.sample(worlds, { numRuns: 8, seed: seed + batch })) {
      if (asked >= cases) break;
      const ask = await failureOf(() => prepare(choices));
      if (ask.failure !== undefined) throw await toldSmall(campaign, choices, [], ask.failure);
      if (ask.value === undefined) continue;
      for (const question of questions.slice(0, questionsMax)) {
        const outcome = await failureOf(() => (ask.value as Ask<T>)(question));
        if (outcome.failure !== undefined)
          throw await toldSmall(campaign, choices, question, outcome.failure);
        count(outcome.value as T);
        asked++;
      }
    }
  }
}

async function failureOf<T>(
  run: () => Promise<T>,
): Promise<{ readonly value?: T; readonly failure?: unknown }> {
  try {
    return { value: await run() };
  } catch (failure) {
    return { failure: failure ?? 'nothing was thrown' };
  }
}

async function toldSmall<T>(
  { prepare, seed }: Campaign<T>,
  choices: CaseChoices,
  question: readonly number[],
  failure: unknown,
): Promise<Error> {
  const end = Date.now() + SHRINKING_MS_MAX;
  const fails = async ({ tapes, tables }: Shrinkable): Promise<unknown> => {
    const [asked = [], shape = [], extra = []] = tapes;
    const ready = await failureOf(() => prepare({ shape, extra, rows: tables }));
    if (ready.failure !== undefined || ready.value === undefined) return ready.failure;
    return (await failureOf(() => (ready.value as Ask<T>)(asked))).failure;
  };
  const first: Shrinkable = { tapes: [question, choices.shape, choices.extra], tables: choices.rows };
  const small = await shrinkCase(first, failure, { fails, mayGoOn: () => Date.now() < end });
  const told =
    small.failure instanceof Error ? (small.failure.stack ?? small.failure.message) : `${small.failure}`;
  return new Error(`PLINTH_SEED=${seed}, made small in ${small.attempts} attempts\n${told}`);
}
