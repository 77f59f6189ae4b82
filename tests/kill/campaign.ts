import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { whatIsThere } from './compare.ts';
import { countCalls, type KillResult, killOnce, SPOTS } from './kill-once.ts';
import { beginAt, expectSuccess, makeBases, SCENARIOS } from './scenarios.ts';

// Kills at seeded places: the first calls in order are spread over every scenario and spot, the rest by chance.
//   node tests/kill/campaign.ts --kills 500 --seed 1

export interface CampaignSummary {
  readonly kills: number;
  readonly killed: number;
  /** Killed between the first write and the last commit. */
  readonly writing: number;
  readonly byKind: Readonly<Record<string, number>>;
  readonly slowestReaderPerSecond: number;
  readonly problems: readonly KillResult[];
}

/** Runs that many kills and says what came of them; folders of failed ones are left for inspection. */
export async function campaign(
  kills: number,
  seed: number,
  say: (line: string) => void = () => {},
): Promise<CampaignSummary> {
  const home = mkdtempSync(join(tmpdir(), 'plinth-kill-'));
  mkdirSync(home, { recursive: true });
  await makeBases(home);
  const random = randomFrom(seed);
  const expected = new Map<string, string>();
  const counts = new Map<string, number>();
  const results: KillResult[] = [];
  for (let i = 0; i < kills; i++) {
    const scenario = SCENARIOS[i % SCENARIOS.length]!;
    const spot = SPOTS[Math.floor(i / SCENARIOS.length) % SPOTS.length]!;
    if (!expected.has(scenario.name)) {
      const folder = join(home, 'reference');
      beginAt(home, scenario, folder);
      await expectSuccess(folder, scenario.work);
      expected.set(scenario.name, await whatIsThere(folder, scenario.isRestating === true));
    }
    const kind = `${scenario.name}, ${spot.target}, ${spot.calls}`;
    if (!counts.has(kind)) counts.set(kind, await countCalls(home, scenario, spot));
    const at = 1 + Math.floor(random() * counts.get(kind)!);
    const result = await killOnce(
      home,
      { scenario, spot, at, name: `kill-${i}` },
      expected.get(scenario.name)!,
    );
    results.push(result);
    say(`${i + 1}/${kills} ${kind} at ${at} of ${counts.get(kind)}: ${describe(result)}`);
  }
  const problems = results.filter((result) => result.problems.length > 0);
  if (problems.length === 0) rmSync(home, { recursive: true, force: true });
  return {
    kills,
    killed: results.filter(({ wasKilled }) => wasKilled).length,
    writing: results.filter(({ wasWriting }) => wasWriting).length,
    byKind: Object.fromEntries(
      [...Map.groupBy(results, ({ scenario, spot }) => `${scenario}, ${spot.target}`)].map(([kind, list]) => [
        kind,
        list.length,
      ]),
    ),
    slowestReaderPerSecond: Math.min(...results.map(({ pollsPerSecond }) => pollsPerSecond)),
    problems,
  };
}

function describe({ wasKilled, wasWriting, pollsPerSecond, problems }: KillResult): string {
  const what = wasKilled ? (wasWriting ? 'killed while writing' : 'killed') : 'not killed';
  return `${what}, reader ${pollsPerSecond}/s${problems.length === 0 ? '' : `, PROBLEMS: ${problems.join(' | ')}`}`;
}

/** Numbers in [0, 1) that are the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { kills: { type: 'string', default: '500' }, seed: { type: 'string', default: '1' } },
  });
  const summary = await campaign(Number(values.kills), Number(values.seed), (line) => console.log(line));
  console.log(JSON.stringify(summary, null, 2));
  process.exitCode = summary.problems.length === 0 ? 0 : 1;
}
