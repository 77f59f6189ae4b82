/* The compiler against the oracle, with what it was asked counted. */
import type { SemanticQuery } from '../../../src/domain/semantic-query.ts';
import { overCases } from './cases.ts';
import { queryOf, windowQueryOf } from './generate-query.ts';
import { type Theme, worldOf } from './generate-world.ts';
import { compilerFor, type Database } from './project.ts';
import { type Outcome, runCase } from './run-case.ts';
import { Tape } from './tape.ts';
import type { World } from './world.ts';

/** What has been asked so far. */
class Shares {
  asked = 0;
  same = 0;
  refused = 0;
  undecided = 0;
  fannedOut = 0;
  multiplied = 0;
  severalFacts = 0;
  nullKeys = 0;
  rows = 0;
  maskedRows = 0;
  readonly codes = new Map<string, number>();

  count(outcome: Outcome): void {
    this.asked++;
    if (outcome.kind === 'undecided') this.undecided++;
    if (outcome.kind === 'refused') {
      this.refused++;
      const code = outcome.codes.join(' and ');
      this.codes.set(code, (this.codes.get(code) ?? 0) + 1);
    }
    if (outcome.kind !== 'same') return;
    this.same++;
    this.rows += outcome.rows;
    if (outcome.facts.fansOut) this.fannedOut++;
    if (outcome.facts.multiplies) this.multiplied++;
    if (outcome.facts.factCount > 1) this.severalFacts++;
    if (outcome.facts.hasNullKeys) this.nullKeys++;
    if (outcome.hasMaskedRows) this.maskedRows++;
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
      `masked in some rows only ${percent(this.maskedRows)}`,
      `refused by both ${percent(this.refused)} (${[...this.codes].map(([code, count]) => `${code}: ${count}`).join(', ')})`,
      `left open by the rules ${percent(this.undecided)}`,
    ].join('\n  ');
  }
}

/** The question that choices mean. */
function questionFor(theme: Theme, choices: readonly number[], world: World): SemanticQuery {
  const tape = new Tape(choices);
  const isOverTime = theme === 'windows' || (theme === 'shapes' && tape.chance(60));
  return (isOverTime ? windowQueryOf : queryOf)(tape, world);
}

/** Who asks it: in a world with policies members of some groups. */
function groupsFor(theme: Theme, choices: readonly number[]): { readonly groups?: readonly string[] } {
  if (theme === 'plain' || theme === 'windows') return {};
  const last = choices.at(-1) ?? 0;
  return { groups: [['red'], ['red', 'blue'], ['blue'], ['red']][last % 4] as string[] };
}

/** Random questions about random worlds, asked of the compiler and the oracle. */
export async function campaign(
  theme: Theme,
  database: Database,
  { cases, seed }: { readonly cases: number; readonly seed: number },
): Promise<Shares> {
  const shares = new Shares();
  await overCases<Outcome>({
    cases,
    seed,
    prepare: async (choices) => {
      const world = worldOf(choices, theme);
      const compile = compilerFor(world);
      await database.fill(world);
      return async (question) => {
        const outcome = await runCase(world, questionFor(theme, question, world), {
          compile,
          database,
          ...groupsFor(theme, question),
        });
        if (outcome.kind === 'different') throw new Error(outcome.story);
        return outcome;
      };
    },
    count: (outcome) => shares.count(outcome),
  });
  return shares;
}
