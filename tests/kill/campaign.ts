import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { seededNumbers } from '../seeded-bits.ts';
import { type Calibration, calibrate, type KillResult, killOnce, SPOTS, type Spot } from './kill-once.ts';
import { makeBases, SCENARIOS, type Scenario } from './scenarios.ts';

// Kills at seeded places, spread over every scenario and target; `--steps` kills the command once at every change of the
// journal of every scenario.
//   node tests/kill/campaign.ts --kills 500 --seed 1 [--scenario run] [--lanes 2]
//   node tests/kill/campaign.ts --steps

export interface CampaignOptions {
  readonly seed: number;
  /** How many; absent: one at every journal step. */
  readonly kills?: number;
  readonly scenario?: string | undefined;
  /** Kills side by side. More than one makes readers slower. */
  readonly lanes?: number;
  readonly say?: (line: string) => void;
}

export interface CampaignSummary {
  readonly kills: number;
  /** Killed between the first intent and the last commit. */
  readonly whileWriting: number;
  /** Processes that came to their end before the call they should have died at. */
  readonly survived: number;
  readonly byKind: Readonly<Record<string, number>>;
  readonly pollsPerSecond: { readonly slowest: number; readonly median: number };
  readonly medianMs: number;
  /** Journal steps per scenario, and how many of them have no call that only they make. */
  readonly steps: Readonly<Record<string, string>>;
  readonly problems: readonly KillResult[];
}

interface Order {
  readonly scenario: Scenario;
  readonly spot: Spot;
  /** Chosen from the calibration. */
  at(calibration: Calibration): number;
}

/** Runs the kills and says what came of them; folders of failed ones are left for inspection. */
export async function campaign(options: CampaignOptions): Promise<CampaignSummary> {
  const { say = () => {}, lanes = 1 } = options;
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'plinth-kill-')));
  await makeBases(home);
  const scenarios = SCENARIOS.filter(
    ({ name }) => options.scenario === undefined || name === options.scenario,
  );
  const calibrations = new Map<string, Promise<Calibration>>();
  const calibrationOf = (scenario: Scenario): Promise<Calibration> => {
    const known = calibrations.get(scenario.name) ?? calibrate(home, scenario);
    calibrations.set(scenario.name, known);
    return known;
  };
  const orders =
    options.kills === undefined
      ? await everyStep(scenarios, calibrationOf)
      : seededOrders(scenarios, options.kills, seededNumbers(options.seed));
  const results: KillResult[] = [];
  const next = orders.entries();
  const lane = async (): Promise<void> => {
    for (const [index, { scenario, spot, at }] of next) {
      const calibration = await calibrationOf(scenario);
      let number = at(calibration);
      // Threads share work differently each time, so a number may not be reached: then half of it is.
      for (let i = 0; i < 3; i++) {
        const name = `kill-${index}-${i}`;
        const result = await killOnce(home, { scenario, spot, at: number, name }, calibration);
        results.push(result);
        say(
          `${index + 1}/${orders.length} ${scenario.name}, ${spot.target}, ${spot.calls} ${number}: ${describe(result)}`,
        );
        if (result.wasKilled) break;
        number = Math.ceil(number / 2);
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const steps: Record<string, string> = {};
  for (const [name, calibration] of calibrations) {
    const { steps: found, stepsMissed } = await calibration;
    steps[name] = `${found.length + stepsMissed} (${stepsMissed} without a call of their own)`;
  }
  const summary = summarise(results, steps);
  if (summary.problems.length === 0) rmSync(home, { recursive: true, force: true });
  return summary;
}

function seededOrders(scenarios: readonly Scenario[], kills: number, random: () => number): readonly Order[] {
  return Array.from({ length: kills }, (_, i) => {
    const part = random();
    const spot = SPOTS[Math.floor(i / scenarios.length + (i % scenarios.length)) % SPOTS.length] as Spot;
    return {
      scenario: scenarios[i % scenarios.length] as Scenario,
      spot,
      at(calibration) {
        const numbers = calibration.numbers(spot);
        // The keeper's threads share the work differently each time: high numbers are often not reached.
        const reached = spot.target === 'keeper' ? Math.ceil(numbers.length * 0.6) : numbers.length;
        return numbers[Math.floor(part * reached)] ?? 1;
      },
    };
  });
}

async function everyStep(
  scenarios: readonly Scenario[],
  calibrationOf: (scenario: Scenario) => Promise<Calibration>,
): Promise<readonly Order[]> {
  const orders: Order[] = [];
  for (const scenario of scenarios)
    for (const { calls, at } of (await calibrationOf(scenario)).steps)
      orders.push({ scenario, spot: { target: 'command', calls }, at: () => at });
  return orders;
}

function summarise(results: readonly KillResult[], steps: Readonly<Record<string, string>>): CampaignSummary {
  const killed = results.filter(({ wasKilled }) => wasKilled);
  const middle = (numbers: readonly number[]): number =>
    numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
  return {
    kills: killed.length,
    whileWriting: killed.filter(({ wasWriting }) => wasWriting).length,
    survived: results.length - killed.length,
    byKind: Object.fromEntries(
      [...Map.groupBy(killed, ({ scenario, spot }) => `${scenario}, ${spot.target}`)].map(([kind, list]) => [
        kind,
        list.length,
      ]),
    ),
    pollsPerSecond: {
      slowest: Math.min(...killed.map(({ pollsPerSecond }) => pollsPerSecond)),
      median: middle(killed.map(({ pollsPerSecond }) => pollsPerSecond)),
    },
    medianMs: middle(killed.map(({ ms }) => ms)),
    steps,
    problems: results.filter(({ problems }) => problems.length > 0),
  };
}

function describe({ wasKilled, wasWriting, pollsPerSecond, ms, problems, folder }: KillResult): string {
  const what = wasKilled ? (wasWriting ? 'killed while writing' : 'killed') : 'not killed';
  return `${what}, ${(ms / 1000).toFixed(1)} s, reader ${pollsPerSecond}/s${problems.length === 0 ? '' : `, PROBLEMS in ${folder}: ${problems.join(' | ')}`}`;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      kills: { type: 'string', default: '500' },
      steps: { type: 'boolean', default: false },
      seed: { type: 'string', default: '1' },
      lanes: { type: 'string', default: '1' },
      scenario: { type: 'string' },
    },
  });
  const summary = await campaign({
    seed: Number(values.seed),
    ...(values.steps ? {} : { kills: Number(values.kills) }),
    lanes: Number(values.lanes),
    scenario: values.scenario,
    say: (line) => console.log(line),
  });
  console.log(JSON.stringify(summary, null, 2));
  process.exitCode = summary.problems.length === 0 ? 0 : 1;
}
