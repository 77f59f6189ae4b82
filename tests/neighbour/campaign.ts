/*
 * A hostile neighbour beside a victim, a plan and a run:
 *
 *   node tests/neighbour/campaign.ts --minutes 10 --seed 1      ends with 1 when a bar does not hold; bench/results/neighbour.json
 */
import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { commitOfHere } from '../../bench/measure.ts';
import { neighbours, problemsOf } from './neighbours.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    out: { type: 'string', default: join(import.meta.dirname, '../../bench/results/neighbour.json') },
  },
});
const commit = commitOfHere();
const before = loadavg()[0];
const seconds = Number(values.minutes) * 60;
const report = await neighbours({ seconds, seed: Number(values.seed) });
const problems = problemsOf(report, { isLong: seconds >= 600 });
const told = { at: new Date().toISOString(), commit, loadBefore: before, problems, ...report };
writeFileSync(values.out, `${JSON.stringify(told, null, 2)}\n`);
console.log(JSON.stringify(told, null, 2));
console.log(problems.length === 0 ? 'all bars hold' : `${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);
