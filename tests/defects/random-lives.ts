/*
 * Whether random lives find a defect that nothing was written for, and after how many steps. The life that finds it is
 * played without the defect, too, and must be fine then:
 * `node tests/defects/random-lives.ts [--seed 1] [--steps 600] [part of a name]`
 */
import { parseArgs } from 'node:util';
import type { Defect } from './defect.ts';
import { inPlantedCopy } from './planted-copy.ts';
import { ROWS_DEFECTS } from './rows-defects.ts';

interface Found {
  /** Steps until the first problem; of all lives where there is none. */
  readonly steps: number;
  /** Its number, and what was wrong with it. */
  readonly life?: string;
  readonly words?: string;
}

/** Plays lives of the defect's theme in a copy that has it, until the first problem. */
async function livesWith({ edits }: Defect, args: readonly string[]): Promise<Found> {
  return inPlantedCopy(edits, async (run) => {
    const campaign = ['tests/rows-campaign/campaign.ts', '--quick', '--problems', '1'];
    const { output } = await run('node', [...campaign, ...args]);
    const [, steps, life, words] =
      [...output.matchAll(/^(\d+)\/\d+ \d+ s: case (\d+) \(.*?\), (.*)$/gm)].at(-1) ?? [];
    if (words === undefined) throw new Error(`no life was played:\n${output}`);
    return { steps: Number(steps), ...(words === 'fine' ? {} : { life, words }) };
  });
}

/** Whether nothing is wrong with a life where no defect is planted. */
function isFineWithout(life: string, theme: string): Promise<boolean> {
  const args = ['tests/rows-campaign/campaign.ts', '--whole', '--case', life, '--theme', theme];
  return inPlantedCopy([], async (run) => (await run('node', args)).isFine);
}

const { values, positionals } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, steps: { type: 'string', default: '600' } },
  allowPositionals: true,
});
const [wanted = ''] = positionals;
const chosen = ROWS_DEFECTS.filter(({ name, theme }) => theme !== undefined && name.includes(wanted));
let missed = 0;
for (const defect of chosen) {
  const { theme = '' } = defect;
  const found = await livesWith(defect, ['--theme', theme, '--seed', values.seed, '--steps', values.steps]);
  const { life } = found;
  const isFound = life !== undefined && (await isFineWithout(life, theme));
  if (!isFound) missed++;
  const words =
    life === undefined ? '' : `, case ${life}${isFound ? '' : ', also without it'}: ${found.words}`;
  console.log(`${isFound ? 'found ' : 'MISSED'} ${defect.name}: ${found.steps} steps of ${theme}${words}`);
}
console.log(`${chosen.length - missed} found, ${missed} missed`);
process.exitCode = missed === 0 && chosen.length > 0 ? 0 : 1;
