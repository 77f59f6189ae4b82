import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { seededNumbers } from '../support/seeded-bits.ts';
import {
  type Calibration,
  calibrate,
  type KillResult,
  killOnce,
  SERVER_SPOTS,
  SPOTS,
  type Spot,
} from './kill-once.ts';
import { type StateKind, serverOf } from './kill-state.ts';
import { makeBases, SCENARIOS, type Scenario } from './scenarios.ts';
import { answersPerSecond, type CampaignSummary, summarise, summaryTable } from './summary.ts';

// Kills at seeded places, spread over every scenario and victim; `--steps` kills the command once at every change of the
// journal of every scenario. Progress goes to stderr; stdout gets a table and, last, one line of JSON, also after SIGINT or
// SIGTERM. `--nice=-10` puts its processes before others on a machine that is not quiet.
//   node tests/kill/campaign.ts --kills 500 --seed 1 [--state postgres] [--scenario run] [--lanes 2] [--nice=-10]
//   node tests/kill/campaign.ts --steps [--state postgres]

/** Kills that should have happened and did not are made up for, as long as there are not this many times as many. */
const ATTEMPTS_MAX = 3;
/** Harness or product is broken beyond use. */
const PROBLEMS_MAX = 20;

export interface CampaignOptions {
  readonly seed: number;
  /** How many; absent: one at every journal step. */
  readonly kills?: number;
  readonly scenario?: string | undefined;
  /** Where the state lies; in SQLite when absent. */
  readonly state?: StateKind;
  /** Kills side by side. More than one makes readers slower. */
  readonly lanes?: number;
  readonly say?: (line: string) => void;
  /** Ends the campaign: what is under way then counts for nothing. */
  readonly stop?: AbortSignal;
}

interface Order {
  readonly scenario: Scenario;
  readonly spot: Spot;
  /** Chosen from the calibration. */
  at(calibration: Calibration): number;
}

/** Runs the kills and says what came of them; folders of failed ones are left for inspection. */
export async function campaign(options: CampaignOptions): Promise<CampaignSummary> {
  const { say = () => {}, lanes = 1, stop, state = 'sqlite' } = options;
  const begun = performance.now();
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'plinth-kill-')));
  const server = await serverOf(state);
  await makeBases(home, server);
  const scenarios = SCENARIOS.filter(
    ({ name }) => options.scenario === undefined || name === options.scenario,
  );
  if (scenarios.length === 0) throw new Error(`there is no scenario ${options.scenario}`);
  const calibrations = new Map<string, Promise<Calibration>>();
  const calibrationOf = (scenario: Scenario): Promise<Calibration> => {
    const known = calibrations.get(scenario.name) ?? calibrate(home, scenario);
    calibrations.set(scenario.name, known);
    return known;
  };
  const steps = options.kills === undefined ? await everyStep(scenarios, calibrationOf) : undefined;
  const wanted = steps?.length ?? options.kills ?? 0;
  const orders =
    steps?.values() ??
    seededOrders(scenarios, wanted, {
      random: seededNumbers(options.seed),
      spots: state === 'sqlite' ? SPOTS : SERVER_SPOTS,
    });
  const results: KillResult[] = [];
  let given = 0;
  let underWay = 0;
  let stopped: string | undefined;
  const killsDone = (): number => results.filter(({ wasKilled }) => wasKilled).length;
  const mayGoOn = (): boolean => {
    if (stop?.aborted) stopped ??= String(stop.reason);
    else if (results.filter(({ problems }) => problems.length > 0).length >= PROBLEMS_MAX)
      stopped ??= `${PROBLEMS_MAX} problems`;
    return stopped === undefined && (steps !== undefined || killsDone() + underWay < wanted);
  };

  async function carryOut({ scenario, spot, at }: Order, name: string): Promise<void> {
    const calibration = await calibrationOf(scenario);
    let number = at(calibration);
    // Threads share work differently each time, so a number may not be reached: then half of it is.
    for (let i = 0; i < 3 && stop?.aborted !== true; i++) {
      const result = await killOnce(home, { scenario, spot, at: number, name: `${name}-${i}` }, calibration);
      // What is signalled from a terminal gets to every process that is at work.
      if (stop?.aborted) return;
      results.push(result);
      say(
        `${killsDone()}/${wanted} ${scenario.name}, ${result.victim}, ${spot.calls} ${number}: ${describe(result)}`,
      );
      if (result.wasKilled) return;
      number = Math.ceil(number / 2);
    }
  }

  async function lane(): Promise<void> {
    while (mayGoOn()) {
      const { value: order, done } = orders.next();
      if (done || order === undefined) return;
      const name = `kill-${given++}`;
      underWay++;
      try {
        await carryOut(order, name);
      } catch (error) {
        if (stop?.aborted) return;
        results.push(brokenOff(order, join(home, name), error));
        say(`${order.scenario.name}, ${order.spot.target}: BROKEN OFF: ${error}`);
      } finally {
        underWay--;
      }
    }
  }

  // What is under way when it is stopped is not waited for: it may have been stopped, too.
  const whenStopped = new Promise<void>((resolve) => stop?.addEventListener('abort', () => resolve()));
  await Promise.race([Promise.all(Array.from({ length: lanes }, lane)), whenStopped]);
  mayGoOn();
  const counted: Record<string, string> = {};
  for (const [name, calibration] of stop?.aborted ? [] : calibrations) {
    const { steps: found, stepsMissed } = await calibration;
    counted[name] = `${found.length + stepsMissed} (${stepsMissed} without a call of their own)`;
  }
  const minutes = Math.round((performance.now() - begun) / 6000) / 10;
  const summary = summarise(results, { state, seed: options.seed, wanted, steps: counted, minutes, stopped });
  await server?.stop();
  if (summary.problems.length === 0 && stop?.aborted !== true) rmSync(home, { recursive: true, force: true });
  return summary;
}

/** More than are wanted, because not all become kills. */
function* seededOrders(
  scenarios: readonly Scenario[],
  kills: number,
  { random, spots }: { readonly random: () => number; readonly spots: readonly Spot[] },
): Generator<Order, undefined> {
  for (let i = 0; i < kills * ATTEMPTS_MAX + 10; i++) {
    const part = random();
    const spot = spots[(Math.floor(i / scenarios.length) + (i % scenarios.length)) % spots.length] as Spot;
    yield {
      scenario: scenarios[i % scenarios.length] as Scenario,
      spot,
      at(calibration) {
        const numbers = calibration.numbers(spot);
        // The keeper's threads share the work differently each time: high numbers are often not reached.
        const reached = spot.target === 'keeper' ? Math.ceil(numbers.length * 0.6) : numbers.length;
        return numbers[Math.floor(part * reached)] ?? 1;
      },
    };
  }
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

/** A kill that could not be carried out is a problem, and no reason to end a campaign of hours. */
function brokenOff({ scenario, spot }: Order, folder: string, error: unknown): KillResult {
  const problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const nothing = { asked: 0, answered: 0, readerMs: 0, deafMs: 0, ms: 0, compared: { all: 0, kept: 0 } };
  return {
    ...{ scenario: scenario.name, victim: spot.target, spot, at: 0, wasKilled: false, wasWriting: false },
    ...{ ...nothing, problems: [`broken off: ${problem}`], folder },
  };
}

function describe(result: KillResult): string {
  const { wasKilled, wasWriting, asked, answered, deafMs, ms, problems, folder } = result;
  const what = wasKilled ? (wasWriting ? 'killed while writing' : 'killed') : 'not killed';
  const deaf = deafMs === 0 ? '' : ` (deaf for ${(deafMs / 1000).toFixed(1)} s)`;
  const reader = `reader ${answersPerSecond(result)}/s, ${answered} of ${asked} answered${deaf}`;
  return `${what}, ${(ms / 1000).toFixed(1)} s, ${reader}${problems.length === 0 ? '' : `, PROBLEMS in ${folder}: ${problems.join(' | ')}`}`;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      kills: { type: 'string', default: '500' },
      steps: { type: 'boolean', default: false },
      seed: { type: 'string', default: '1' },
      lanes: { type: 'string', default: '1' },
      nice: { type: 'string', default: '0' },
      scenario: { type: 'string' },
      state: { type: 'string', default: 'sqlite' },
    },
  });
  const { state } = values;
  if (state !== 'sqlite' && state !== 'postgres')
    throw new Error(`--state is sqlite or postgres, not ${state}`);
  if (values.nice !== '0') setPriority(Number(values.nice));
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort(signal));
  const summary = await campaign({
    seed: Number(values.seed),
    ...(values.steps ? {} : { kills: Number(values.kills) }),
    lanes: Number(values.lanes),
    scenario: values.scenario,
    state,
    say: (line) => console.error(line),
    stop: stop.signal,
  });
  console.log(`${summaryTable(summary)}\n${JSON.stringify(summary)}`);
  const isComplete = summary.problems.length === 0 && (values.steps || summary.kills >= summary.wanted);
  // Kills that were under way when it was stopped may still be waited for by nobody.
  process.exit(isComplete ? 0 : 1);
}
