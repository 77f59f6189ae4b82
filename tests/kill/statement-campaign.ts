import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { seededBits } from '../support/seeded-bits.ts';
import { whyNoTracing } from './processes.ts';
import {
  ENDED_MS,
  openStatementKills,
  type StatementKill,
  type StatementKillResult,
} from './statement-kills.ts';

// Kills of server and keeper while statements are under way, at seeded moments and system calls; ends with 1 when something was
// lost, half, or later than ten seconds. Progress goes to stderr, the summary to stdout and to --out, also after SIGTERM.
//   node tests/kill/statement-campaign.ts --kills 200 --seed 1 [--state postgres] --out bench/results/kill-statements.json

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    out: { type: 'string' },
    state: { type: 'string', default: 'sqlite' },
  },
});
const { state } = values;
if (state !== 'sqlite' && state !== 'postgres')
  throw new Error(`--state is sqlite or postgres, not ${state}`);
const wanted = Number(values.kills);
const noTracing = await whyNoTracing();
if (noTracing !== undefined) process.stderr.write(`moments only: ${noTracing}\n`);
const bits = seededBits(Number(values.seed));
const begun = performance.now();
const kills = await openStatementKills(state);
const results: StatementKillResult[] = [];
let startsKilled = 0;
let isStopped = false;
process.once('SIGTERM', () => {
  isStopped = true;
});
while (results.length < wanted && !isStopped) {
  const kill: StatementKill = {
    victim: results.length % 2 === 0 ? 'server' : 'keeper',
    at: noTracing === undefined && results.length % 4 >= 2 ? 'call' : 'moment',
    seed: bits(),
  };
  const result = await kills.kill(kill);
  // One that hit nothing acknowledged shows nothing.
  if (result.acknowledged === 0 && result.problems.length === 0) startsKilled++;
  else results.push(result);
  const { victim, seed } = kill;
  process.stderr.write(
    `${results.length} ${victim} at ${result.where} (seed ${seed}): ${result.acknowledged} acknowledged, ${result.unfinished} under way, ended after ${Math.round(result.endedMs)} ms (listening after ${Math.round(result.listeningMs)}) ${result.problems.join('; ')}\n`,
  );
}
const problems = results.flatMap(({ problems: own }) => own);
const late = results.filter(({ endedMs }) => endedMs > ENDED_MS);
await kills.close(problems.length > 0);

const times = results.map(({ endedMs }) => endedMs).sort((a, b) => a - b);
const sum = (of: (result: StatementKillResult) => number): number =>
  results.reduce((total, result) => total + of(result), 0);
const added = (
  of: (result: StatementKillResult) => Readonly<Record<string, number>>,
): Record<string, number> => {
  const total: Record<string, number> = {};
  for (const result of results)
    for (const [key, count] of Object.entries(of(result))) total[key] = (total[key] ?? 0) + count;
  return total;
};
const underWay = results.filter(({ unfinished }) => unfinished > 0).length;
const summary = {
  command: `node tests/kill/statement-campaign.ts --kills ${wanted} --seed ${values.seed} --state ${state}`,
  commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
  minutes: Math.round((performance.now() - begun) / 6_000) / 10,
  loadAtEnd: loadavg().map((load) => Math.round(load * 10) / 10),
  wanted,
  kills: results.length,
  byKind: added(({ kill, where }) => ({
    [`${kill.victim}, ${where.includes('did not come') ? 'moment' : kill.at}`]: 1,
  })),
  killedBeforeListening: startsKilled,
  killsWithStatementsUnderWay: underWay,
  shareWithStatementsUnderWay: Math.round((underWay / results.length) * 1_000) / 1_000,
  acknowledged: sum(({ acknowledged }) => acknowledged),
  underWayAtKill: sum(({ unfinished }) => unfinished),
  byStatus: added(({ byStatus }) => byStatus),
  byStrategy: added(({ byStrategy }) => byStrategy),
  endedMs: {
    bar: ENDED_MS,
    median: Math.round(times[Math.floor(times.length / 2)] ?? 0),
    p95: Math.round(times[Math.floor(times.length * 0.95)] ?? 0),
    slowest: Math.round(times.at(-1) ?? 0),
  },
  late: late.length,
  halfFiles: sum(({ halfFiles }) => halfFiles),
  problems,
};
process.stdout.write(`${JSON.stringify(summary, null, 2)}\n`);
if (values.out !== undefined) writeFileSync(values.out, `${JSON.stringify(summary, null, 2)}\n`);
process.exit(problems.length > 0 || late.length > 0 || results.length < wanted ? 1 : 0);
