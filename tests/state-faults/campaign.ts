import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { writes } from '../../src/adapters/state/sql/operations.ts';
import { seededNumbers } from '../support/seeded-bits.ts';
import type { CutMoment } from './cutting-proxy.ts';
import { type Fault, type FaultBench, type FaultResult, openFaultBench } from './fault-bench.ts';
import { OPERATION_CASES, type WriteName } from './operation-cases.ts';

// Cuts the connection at messages of every change that a store knows, and crashes the server at some of them; ends with 1 when
// something was lost, made twice or shown to the caller, or when a cut did not happen. Progress goes to stderr, the summary to
// stdout and to --out.
//   node tests/state-faults/campaign.ts --crashes 60 --seed 1 --out bench/results/state-faults.json

const MOMENTS: readonly CutMoment[] = ['before', 'while', 'after'];

export interface CampaignOptions {
  readonly seed: number;
  /** How many connections are cut; absent: one at every message of every change, at every moment. */
  readonly cuts?: number;
  /** How many times the server crashes. */
  readonly crashes: number;
  readonly bench: FaultBench;
  readonly say?: (line: string) => void;
}

export interface CampaignSummary {
  readonly seed: number;
  readonly operations: number;
  readonly messages: number;
  readonly wanted: number;
  /** Those that happened, crashes among them. */
  readonly cuts: number;
  readonly crashes: number;
  /** Cuts of COMMIT. */
  readonly commits: number;
  readonly byMoment: Readonly<Record<string, number>>;
  readonly problems: readonly string[];
}

export const describeFault = ({ operation, message, moment, crashes }: Fault): string =>
  `${operation}, ${crashes ? 'crash' : 'cut'} ${moment} message ${message}`;

/** Changes that the store knows and no case calls. */
export const withoutCase = (known: readonly string[]): readonly string[] =>
  known.filter((name) => !Object.hasOwn(OPERATION_CASES, name));

export async function campaign(options: CampaignOptions): Promise<CampaignSummary> {
  const { seed, bench, say = () => {} } = options;
  const missing = withoutCase(Object.keys(writes));
  if (missing.length > 0) throw new Error(`no case calls ${missing.join(', ')}`);
  const messages = new Map<WriteName, number>();
  for (const name of Object.keys(writes) as WriteName[]) messages.set(name, await bench.messages(name));
  const random = seededNumbers(seed);
  const faults = [
    ...(options.cuts === undefined
      ? everyCut(messages)
      : drawn(messages, options.cuts, { random, crashes: false })),
    ...drawn(messages, options.crashes, { random, crashes: true }),
  ];
  const results: FaultResult[] = [];
  for (const fault of faults) {
    const result = await bench.inject(fault);
    results.push(result);
    say(`${results.length}/${faults.length} ${describeFault(fault)} ${result.problems.join('; ')}`);
  }
  return summarise(results, { seed, messages, wanted: faults.length });
}

function everyCut(messages: ReadonlyMap<WriteName, number>): readonly Fault[] {
  return [...messages].flatMap(([operation, count]) =>
    Array.from({ length: count }, (_, index) => index + 1).flatMap((message) =>
      MOMENTS.map((moment) => ({ operation, message, moment, crashes: false })),
    ),
  );
}

/** Of one change after another, each second time at COMMIT. */
function drawn(
  messages: ReadonlyMap<WriteName, number>,
  count: number,
  { random, crashes }: { readonly random: () => number; readonly crashes: boolean },
): readonly Fault[] {
  const operations = [...messages];
  const first = Math.floor(random() * operations.length);
  return Array.from({ length: count }, (_, index) => {
    const [operation, last] = operations[(first + index) % operations.length] as [WriteName, number];
    const message = random() < 0.5 ? last : 1 + Math.floor(random() * last);
    return { operation, message, moment: MOMENTS[Math.floor(random() * MOMENTS.length)] ?? 'after', crashes };
  });
}

/** A cut that did not happen is a problem: a campaign that cuts less than it says proves less. */
export function summarise(
  results: readonly FaultResult[],
  {
    seed,
    messages,
    wanted,
  }: {
    readonly seed: number;
    readonly messages: ReadonlyMap<WriteName, number>;
    readonly wanted: number;
  },
): CampaignSummary {
  const cut = results.filter(({ wasCut }) => wasCut);
  const count = (holds: (fault: Fault) => boolean): number => cut.filter(({ fault }) => holds(fault)).length;
  const spared = [...messages.keys()].filter((name) => count(({ operation }) => operation === name) === 0);
  const commits = count(({ operation, message }) => message === messages.get(operation));
  const isEnough = wanted >= messages.size;
  return {
    seed,
    operations: messages.size,
    messages: [...messages.values()].reduce((sum, each) => sum + each, 0),
    wanted,
    cuts: cut.length,
    crashes: count(({ crashes }) => crashes),
    commits,
    byMoment: Object.fromEntries(MOMENTS.map((each) => [each, count(({ moment }) => moment === each)])),
    problems: [
      ...results.flatMap(({ fault, problems }) => problems.map((each) => `${describeFault(fault)}: ${each}`)),
      ...(cut.length < wanted || cut.length === 0 ? [`${cut.length} of ${wanted} cuts happened`] : []),
      ...(isEnough ? spared.map((each) => `no cut in ${each}`) : []),
      ...(isEnough && commits === 0 ? ['no cut of a COMMIT'] : []),
    ],
  };
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      crashes: { type: 'string', default: '60' },
      seed: { type: 'string', default: '1' },
      out: { type: 'string' },
    },
  });
  const begun = performance.now();
  const bench = await openFaultBench();
  const { crashes, seed } = values;
  const summary = await campaign({
    seed: Number(seed),
    crashes: Number(crashes),
    bench,
    say: (line) => console.error(line),
  });
  await bench.close();
  const text = JSON.stringify(
    {
      command: `node tests/state-faults/campaign.ts --crashes ${crashes} --seed ${seed}`,
      commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
      minutes: Math.round((performance.now() - begun) / 6000) / 10,
      ...summary,
    },
    null,
    2,
  );
  console.log(text);
  if (values.out !== undefined) writeFileSync(values.out, `${text}\n`);
  process.exit(summary.problems.length > 0 ? 1 : 0);
}
