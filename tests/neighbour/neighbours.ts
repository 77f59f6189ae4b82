/** A server with a hostile caller, a victim, and builds beside them: for a while, and then what came of it. */
import { Agent } from 'node:http';
import { newToken, servedProject } from '../e2e/served-project.ts';
import { allowedFunctions } from '../function-campaign/functions.ts';
import { askHttp } from './ask-http.ts';
import { type AttackerReport, attack } from './attacker.ts';
import { Attacks, operationsOf } from './attacks.ts';
import { type BuildReport, build, builtRows, wantedRows } from './builds.ts';
import { NEIGHBOUR_FILES } from './neighbour-project.ts';
import { askAsVictim, percentile, type VictimReport } from './victim.ts';
import { ORDERS } from './victim-questions.ts';
import { type MemoryReport, watchMemory } from './watch-memory.ts';

export const CONNECTIONS = 4;
/** One at a time: when the server suspends one, the next goes on. */
const HOSTILE = Array.from({ length: 8 }, (_, at) => `hostile${at}`);
/** Of issue 14. */
export const BARS = { withoutEngineMs: 100, questionMs: 3_000, serverMb: 600, keeperMb: 3_072 };

export interface NeighbourReport {
  readonly seconds: number;
  readonly seed: number;
  readonly victim: Omit<VictimReport, 'times'> & { readonly p95Ms: Readonly<Record<string, number>> };
  readonly attacker: AttackerReport;
  readonly memory: MemoryReport;
  readonly builds: BuildReport & { readonly rows: unknown; readonly wanted: unknown };
  /** Functions, productions and operations that there are. */
  readonly all: Readonly<Record<string, number>>;
}

export async function neighbours({
  seconds,
  seed,
}: {
  readonly seconds: number;
  readonly seed: number;
}): Promise<NeighbourReport> {
  const tokens = new Map<string, string>();
  const served = await servedProject(NEIGHBOUR_FILES, async (project) => {
    for (const who of ['victim', ...HOSTILE]) {
      await project.json('user', 'create', who, '--role', 'viewer');
      tokens.set(who, await newToken(project, '--user', who));
    }
  });
  try {
    const base = new URL(served.products[0]?.base_url ?? '').pathname;
    const server = { url: served.url, base };
    const hostile = HOSTILE.map((who) => tokens.get(who) ?? '');
    const attacks = new Attacks(await arsenal(server, hostile[0] ?? ''), seed);
    const until = performance.now() + seconds * 1000;
    const isOver = (): boolean => performance.now() >= until;
    const [victim, attacker, memory, builds] = await Promise.all([
      askAsVictim(server, tokens.get('victim') ?? '', isOver),
      attack(server, { attacks, tokens: hostile, connections: CONNECTIONS }, isOver),
      watchMemory(served.folder, isOver),
      build(served, isOver),
    ]);
    const { times, ...told } = victim;
    const p95Ms = Object.fromEntries(
      Object.entries(times).map(([kind, each]) => [kind, Math.round(percentile(each, 0.95) * 10) / 10]),
    );
    const rows = await builtRows(served);
    return {
      seconds,
      seed,
      victim: { ...told, p95Ms },
      attacker,
      memory,
      builds: { ...builds, rows, wanted: wantedRows(builds.runs, ORDERS) },
      all: attacks.all,
    };
  } finally {
    // Told twice it does not wait for statements that run for an hour.
    served.signal('SIGTERM');
    await served.stop();
  }
}

async function arsenal(server: { readonly url: string; readonly base: string }, token: string) {
  const agent = new Agent();
  const ask = async (path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const asked = {
      agent,
      token,
      path,
      msMax: 60_000,
      body: body === undefined ? undefined : JSON.stringify(body),
    };
    const { status, text } = await askHttp(server.url, asked);
    if (status >= 300 || status === 0) throw new Error(`${path}: ${status} ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  };
  const sql = "SELECT *, repeat('x', 100) AS filler FROM marts.orders ORDER BY order_id";
  const large = await ask(`${server.base}/query/statement`, { sql, wait: 0 });
  await ask(`${server.base}/query/statement/${large['id']}?wait=50`);
  return {
    base: server.base,
    functions: await allowedFunctions(),
    operations: [
      ...operationsOf((await ask(`${server.base}/openapi.json`)) as never),
      ...operationsOf((await ask('/platform-api/openapi.json')) as never),
    ],
    large: String(large['id']),
  };
}

/** What does not hold; empty when all does. `isLong`: figures that take time to mean something count, too. */
export function problemsOf(
  { victim, attacker, memory, builds, all }: NeighbourReport,
  { isLong }: { readonly isLong: boolean },
): readonly string[] {
  const problems = [
    ...victim.wrong.map((each) => `the victim: ${each}`),
    ...attacker.bugs.map((each) => `a bug: ${each}`),
    ...builds.failed.map((each) => `a build: ${each}`),
  ];
  if (JSON.stringify(builds.rows) !== JSON.stringify(builds.wanted))
    problems.push(
      `rows that were built: ${JSON.stringify(builds.rows)}, wanted ${JSON.stringify(builds.wanted)}`,
    );
  if (memory.serverPeakMb > BARS.serverMb)
    problems.push(`server: ${memory.serverPeakMb} MB, at most ${BARS.serverMb}`);
  if (!isLong) return problems;
  if (memory.keeperPeakMb > BARS.keeperMb)
    problems.push(`keeper: ${memory.keeperPeakMb} MB, at most ${BARS.keeperMb}`);
  const { cached = 0, fresh = 0, 'without engine': without = 0 } = victim.p95Ms;
  if (without > BARS.withoutEngineMs)
    problems.push(`without engine: p95 ${without} ms, at most ${BARS.withoutEngineMs}`);
  for (const [kind, ms] of Object.entries({ cached, fresh }))
    if (ms > BARS.questionMs) problems.push(`${kind} questions: p95 ${ms} ms, at most ${BARS.questionMs}`);
  for (const [kind, count] of Object.entries(all))
    if ((attacker.tried[kind] ?? 0) < count)
      problems.push(`tried ${attacker.tried[kind] ?? 0} of ${count}: ${kind}`);
  return problems;
}
