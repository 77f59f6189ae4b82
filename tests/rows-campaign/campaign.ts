import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { commitOfHere } from '../../bench/measure.ts';
import { FEATURES, type Feature, THEMES } from './features.ts';
import { type CaseRequest, generateCase } from './generate-case.ts';
import { describeCase, minimise } from './minimise.ts';
import { type Played, play } from './play.ts';
import type { Case } from './steps.ts';
import {
  type CampaignSummary,
  type FoundProblem,
  isFine,
  missingSteps,
  summarise,
  summaryText,
} from './summary.ts';
import type { Problem } from './verify-work.ts';

// Random projects and steps, played on the product and on the oracle at once. Progress goes to stderr, stdout gets the
// summary; a long campaign also writes it to bench/results/rows-campaign.json. `--case N` plays one case of a theme again.
//   node tests/rows-campaign/campaign.ts --steps 2000 --seed 1 [--theme history] [--without kills,signals] [--quick]
//   node tests/rows-campaign/campaign.ts --case 117 --theme history [--whole]

/** Steps of one case. */
const CASE_STEPS = 25;
/** Product or oracle is broken beyond use. */
const PROBLEMS_MAX = 12;
/** Cases that come to nothing are made up for, as long as there are not this many times as many. */
const CASES_MAX = 3;
/** A long campaign that lacks a sort of step goes on for so many rounds of the themes. */
const ROUNDS_MORE = 2;

export interface CampaignOptions {
  readonly seed: number;
  readonly steps: number;
  readonly theme?: string | undefined;
  readonly without?: readonly Feature[];
  /** Whether failing cases are made small: not where the answer is all that counts. */
  readonly isMinimised?: boolean;
  readonly isLong?: boolean;
  /** Steps of one case. */
  readonly caseSteps?: number;
  /** Begins nothing new after so many seconds. */
  readonly secondsMax?: number;
  readonly problemsMax?: number;
  readonly say?: (line: string) => void;
}

/** Plays cases until enough steps were done (a long campaign: each sort of them, too), each theme in its turn. */
export async function campaign(options: CampaignOptions): Promise<CampaignSummary> {
  const { seed, steps: wanted, say = () => {}, isMinimised = true } = options;
  const { problemsMax = PROBLEMS_MAX, caseSteps = CASE_STEPS } = options;
  const begun = performance.now();
  const seconds = (): number => (performance.now() - begun) / 1000;
  const cases: { readonly theme: string; readonly played: readonly Played[] }[] = [];
  const problems: FoundProblem[] = [];
  let done = 0;
  let more = 0;
  const limit = Math.ceil(wanted / caseSteps) * CASES_MAX + THEMES.length;
  for (let i = 0; i < limit && problems.length < problemsMax; i++) {
    if (seconds() > (options.secondsMax ?? Number.POSITIVE_INFINITY)) break;
    if (done >= wanted) {
      const isAll =
        options.isLong !== true || missingSteps(cases.flatMap(({ played }) => played)).length === 0;
      if (isAll || ++more > ROUNDS_MORE * THEMES.length) break;
    }
    const theme = options.theme ?? THEMES[i % THEMES.length]?.name;
    const given = generateCase({
      seed: seed * 100_000 + i,
      steps: caseSteps,
      theme,
      ...(options.without === undefined ? {} : { without: options.without }),
    });
    const found = await playOrTell(given);
    cases.push({ theme: given.theme, played: found.played });
    done += found.played.filter(({ result }) => result !== 'nothing').length;
    say(
      `${done}/${wanted} ${Math.round(seconds())} s: case ${given.seed} (${given.theme}), ${wordsOf(found.problems)}`,
    );
    if (found.problems.length === 0) continue;
    const small = isMinimised
      ? await minimise(given, found.problems)
      : { case: given, problems: found.problems };
    const reproduction = describeCase(small.case, small.problems);
    say(reproduction);
    problems.push({ seed: given.seed, theme: given.theme, problems: small.problems, reproduction });
  }
  const minutes = Math.round(seconds() / 6) / 10;
  return summarise(cases, { seed, wanted, minutes, problems, isLong: options.isLong ?? false });
}

/** An error of the product that it has no code for is a problem, too. */
async function playOrTell(
  given: Case,
): Promise<{ readonly played: readonly Played[]; readonly problems: readonly Problem[] }> {
  try {
    return await play(given);
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { played: [], problems: [{ kind: 'thrown', text }] };
  }
}

function wordsOf(problems: readonly Problem[]): string {
  return problems.length === 0 ? 'fine' : problems.map(({ kind, text }) => `${kind}: ${text}`).join(' | ');
}

async function playAgain(
  request: Omit<CaseRequest, 'steps'>,
  { isWhole }: { readonly isWhole: boolean },
): Promise<boolean> {
  const given = generateCase({ ...request, steps: CASE_STEPS });
  const { problems } = await playOrTell(given);
  const small = problems.length > 0 && !isWhole ? await minimise(given, problems) : { case: given, problems };
  console.log(describeCase(small.case, small.problems));
  return problems.length === 0;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      steps: { type: 'string', default: '2000' },
      seed: { type: 'string', default: '1' },
      theme: { type: 'string' },
      without: { type: 'string', default: '' },
      case: { type: 'string' },
      whole: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      problems: { type: 'string', default: String(PROBLEMS_MAX) },
    },
  });
  const without = FEATURES.filter((feature) => values.without.split(',').includes(feature));
  if (values.case !== undefined)
    process.exit(
      (await playAgain(
        { seed: Number(values.case), theme: values.theme, without },
        { isWhole: values.whole },
      ))
        ? 0
        : 1,
    );
  const isEverything = values.theme === undefined && without.length === 0;
  const summary = await campaign({
    seed: Number(values.seed),
    steps: Number(values.steps),
    theme: values.theme,
    without,
    isLong: isEverything,
    isMinimised: !values.quick,
    problemsMax: Number(values.problems),
    say: (line) => console.error(line),
  });
  if (isEverything)
    writeFileSync(
      join(import.meta.dirname, '../../bench/results/rows-campaign.json'),
      `${JSON.stringify({ commit: commitOfHere(), ...summary }, null, 2)}\n`,
    );
  console.log(summaryText(summary));
  process.exit(isFine(summary) ? 0 : 1);
}
