/*
 * Plants every known defect and says which mechanism missed which; ends with 1 when one was not found. Results go to
 * bench/results/defects.json, where defects that were not chosen keep theirs.
 *
 *   node tests/defects/campaign.ts                              all, two at a time
 *   node tests/defects/campaign.ts --topic access --from 10 --to 20
 *   node tests/defects/campaign.ts --name 'forward-only' --lanes 1
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Defect } from './defect.ts';
import { DEFECTS_BY_TOPIC, KNOWN_DEFECTS } from './known-defects.ts';
import { plant } from './planted-copy.ts';

interface Result {
  readonly name: string;
  readonly commit: string;
  readonly date: string;
  readonly isFound: boolean;
  /** The test that failed first, and its words; of a defect that was not found, the file that was asked. */
  readonly by: string;
  readonly words?: string;
  readonly seconds: number;
}

const { values } = parseArgs({
  options: {
    topic: { type: 'string' },
    name: { type: 'string', default: '' },
    from: { type: 'string', default: '1' },
    to: { type: 'string', default: '1000' },
    lanes: { type: 'string', default: '2' },
    out: { type: 'string', default: join(import.meta.dirname, '../../bench/results/defects.json') },
  },
});
const { topic, name: part, out } = values;
const chosen = (topic === undefined ? KNOWN_DEFECTS : (DEFECTS_BY_TOPIC[topic] ?? []))
  .filter(({ name, mechanism }) => name.includes(part) || mechanism.file.includes(part))
  .slice(Number(values.from) - 1, Number(values.to));
const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();

async function tried(defect: Defect): Promise<Result> {
  const begun = performance.now();
  const { name, mechanism } = defect;
  const verdict = await plant(defect).catch((error: unknown) => ({
    isFound: false,
    failed: { test: mechanism.file, words: `${error}`.slice(0, 2_000) },
  }));
  const { isFound, failed = { test: mechanism.file, words: undefined } } = verdict;
  return {
    name,
    commit,
    date: new Date().toISOString().slice(0, 10),
    isFound,
    by: failed.test,
    ...(failed.words === undefined ? {} : { words: failed.words }),
    seconds: Math.round((performance.now() - begun) / 1000),
  };
}

const known = new Map<string, Result>(
  existsSync(out)
    ? (JSON.parse(readFileSync(out, 'utf8')) as { readonly defects: readonly Result[] }).defects.map(
        (result) => [result.name, result],
      )
    : [],
);
const waiting = [...chosen];
let missed = 0;
const lane = async (): Promise<void> => {
  for (let defect = waiting.shift(); defect !== undefined; defect = waiting.shift()) {
    const result = await tried(defect);
    if (!result.isFound) missed++;
    console.log(
      `${result.isFound ? 'found ' : 'MISSED'} ${result.name} by ${result.by} (${result.seconds} s): ${result.words ?? ''}`,
    );
    known.set(result.name, result);
    const defects = KNOWN_DEFECTS.flatMap(({ name }) => known.get(name) ?? []);
    const found = defects.filter(({ isFound }) => isFound).length;
    writeFileSync(
      out,
      `${JSON.stringify({ command: 'node tests/defects/campaign.ts', known: KNOWN_DEFECTS.length, found, missed: defects.length - found, defects }, undefined, 2)}\n`,
    );
  }
};
await Promise.all(Array.from({ length: Number(values.lanes) }, lane));
console.log(`${chosen.length - missed} found, ${missed} missed`);
process.exitCode = missed === 0 && chosen.length > 0 ? 0 : 1;
