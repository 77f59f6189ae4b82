/* Many cases: worlds by fast-check, many questions for each, shares counted. */
import fc from 'fast-check';
import type { SemanticQuery } from '../../../src/domain/semantic-query.ts';
import { queryOf, windowQueryOf } from './generate-query.ts';
import { type Theme, type WorldChoices, worldOf } from './generate-world.ts';
import { compilerFor, type Database } from './project.ts';
import { type Outcome, runCase } from './run-case.ts';
import { Tape } from './tape.ts';
import type { World } from './world.ts';

const choice = fc.nat({ max: 999_999 });
const tape = (length: number): fc.Arbitrary<number[]> =>
  fc.array(choice, { minLength: length, maxLength: length, size: 'max' });
const table = fc.array(tape(16), { maxLength: 10, size: 'max' });

/** A world and questions about it, as choices that fast-check can make simpler. */
export interface CaseChoices extends WorldChoices {
  readonly questions: readonly (readonly number[])[];
}

export const QUESTIONS_MAX = 60;

export const caseChoices: fc.Arbitrary<CaseChoices> = fc.noBias(
  fc.record({
    shape: tape(200),
    rows: fc.tuple(table, table, table, table, table),
    questions: fc.array(tape(90), { minLength: 1, maxLength: QUESTIONS_MAX, size: 'max' }),
  }),
);

/** What has been asked so far. */
export class Shares {
  asked = 0;
  same = 0;
  refused = 0;
  undecided = 0;
  fannedOut = 0;
  multiplied = 0;
  severalFacts = 0;
  nullKeys = 0;
  rows = 0;
  readonly codes = new Map<string, number>();

  count(outcome: Outcome): void {
    this.asked++;
    if (outcome.kind === 'undecided') this.undecided++;
    if (outcome.kind === 'refused') {
      this.refused++;
      const code = outcome.codes.join(' or ');
      this.codes.set(code, (this.codes.get(code) ?? 0) + 1);
    }
    if (outcome.kind !== 'same') return;
    this.same++;
    this.rows += outcome.rows;
    if (outcome.facts.fansOut) this.fannedOut++;
    if (outcome.facts.multiplies) this.multiplied++;
    if (outcome.facts.factCount > 1) this.severalFacts++;
    if (outcome.facts.hasNullKeys) this.nullKeys++;
  }

  /** Share of all questions that were asked. */
  of(count: number): number {
    return this.asked === 0 ? 0 : count / this.asked;
  }

  toString(): string {
    const percent = (count: number): string => `${(100 * this.of(count)).toFixed(1)} %`;
    return [
      `${this.asked} cases: ${this.same} answered alike (${(this.rows / Math.max(this.same, 1)).toFixed(1)} rows each)`,
      `fan-out ${percent(this.fannedOut)} (rows met several times: ${percent(this.multiplied)})`,
      `several facts ${percent(this.severalFacts)}`,
      `NULL keys ${percent(this.nullKeys)}`,
      `refused by both ${percent(this.refused)} (${[...this.codes].map(([code, count]) => `${code}: ${count}`).join(', ')})`,
      `left open by the rules ${percent(this.undecided)}`,
    ].join('\n  ');
  }
}

/** The question that choices mean. */
export function questionFor(theme: Theme, choices: readonly number[], world: World): SemanticQuery {
  return (theme === 'windows' ? windowQueryOf : queryOf)(new Tape(choices), world);
}

/** Who asks it: in a world with policies members of some groups. */
export function groupsFor(theme: Theme, choices: readonly number[]): { readonly groups?: readonly string[] } {
  if (theme !== 'policies') return {};
  const last = choices.at(-1) ?? 0;
  return { groups: [['red'], ['red', 'blue'], ['blue'], ['red']][last % 4] as string[] };
}

/** Asks all questions of one case; the story of the first difference is thrown. */
async function askAll(
  theme: Theme,
  choices: CaseChoices,
  database: Database,
  shares?: Shares,
): Promise<void> {
  const world = worldOf(choices, theme);
  const compile = compilerFor(world);
  await database.fill(world);
  for (const question of choices.questions) {
    const outcome = await runCase(world, questionFor(theme, question, world), {
      compile,
      database,
      ...groupsFor(theme, question),
    });
    if (outcome.kind === 'different') throw new Error(outcome.story);
    shares?.count(outcome);
  }
}

/** Runs worlds until fast-check is done; the failing one is made as small as it can be within a minute. */
export async function campaign(
  theme: Theme,
  database: Database,
  { worlds, seed }: { readonly worlds: number; readonly seed: number },
): Promise<Shares> {
  const shares = new Shares();
  let hasFailed = false;
  await fc.assert(
    fc.asyncProperty(caseChoices, async (choices) => {
      try {
        await askAll(theme, choices, database, hasFailed ? undefined : shares);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }),
    // Shrinking ends here, too: the smallest case so far is told.
    { numRuns: worlds, seed, interruptAfterTimeLimit: 600_000, markInterruptAsFailure: true },
  );
  return shares;
}
