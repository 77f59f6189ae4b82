/*
 * kill -9 of whoever serves statements, or of the keeper below it, at a random moment: whatever was acknowledged ends,
 * and what succeeded has its whole result. PLINTH_CAMPAIGN=1 does it many times.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isTerminal } from '../../src/domain/statement.ts';
import { openPlatform } from '../../src/operations/platform.ts';
import {
  closeStatements,
  getStatement,
  openStatements,
  type ResultPage,
  statementResult,
} from '../../src/operations/statements.ts';
import { SEMANTIC_PROJECT } from '../e2e/semantic-project.ts';
import { seededBits } from '../seeded-bits.ts';
import { ADMIN, type ServedProduct, servedProduct } from '../served-product.ts';
import { isGone, keeperOf } from './processes.ts';

const ROUNDS = process.env['PLINTH_CAMPAIGN'] === '1' ? 200 : 4;
const SEED = Number(process.env['PLINTH_SEED'] ?? 11);
/** The promise is ten seconds; a machine that does other things may take longer for the work itself. */
const RECOVERED_MS = 10_000;
const SLACK = 6;

let served: ServedProduct;
beforeAll(async () => {
  served = await servedProduct(SEMANTIC_PROJECT);
}, 120_000);
afterAll(() => served.close());

interface Serving {
  readonly child: ChildProcess;
  /** Rows by id of everything that was acknowledged, and what a cancel answered. */
  readonly acknowledged: Map<string, number>;
  readonly cancelled: Map<string, string>;
  readonly ended: Promise<boolean>;
  complaint: string;
}

function serve(from: number): Serving {
  const program = join(import.meta.dirname, 'statement-server-child.ts');
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', program, served.project.folder, String(from)],
    { stdio: ['pipe', 'pipe', 'pipe'] },
  );
  const serving: Serving = {
    child,
    acknowledged: new Map(),
    cancelled: new Map(),
    complaint: '',
    ended: new Promise((resolve) => {
      let isWhole = false;
      createInterface({ input: child.stdout! }).on('line', (line) => {
        const told = JSON.parse(line) as { id?: string; rows?: number; cancelled?: string; ended?: number };
        if (told.ended !== undefined) isWhole = true;
        if (told.id !== undefined) serving.acknowledged.set(told.id, told.rows ?? 0);
        if (told.id !== undefined && told.cancelled !== undefined)
          serving.cancelled.set(told.id, told.cancelled);
      });
      child.stderr!.on('data', (chunk: Buffer) => {
        serving.complaint += chunk.toString();
      });
      child.on('close', () => resolve(isWhole));
    }),
  };
  return serving;
}

/** What a new process finds and finishes; how long that took. */
async function recovered({
  acknowledged,
  cancelled,
}: Serving): Promise<{ readonly tookMs: number; readonly left: number }> {
  const platform = await openPlatform({
    folders: [served.project.folder],
    variables: {},
    executionTime: Date.now(),
  });
  const product = platform.products[0]!;
  try {
    const begun = performance.now();
    let left = 0;
    for (const id of acknowledged.keys())
      if (!isTerminal((await getStatement(product, ADMIN, { id })).status)) left++;
    await openStatements(product);
    for (const id of acknowledged.keys())
      while (!isTerminal((await getStatement(product, ADMIN, { id, waitMs: 1_000 })).status)) {
        if (performance.now() - begun > RECOVERED_MS * SLACK) throw new Error(`${id} has not ended`);
      }
    const tookMs = performance.now() - begun;
    for (const [id, rows] of acknowledged) {
      const statement = await getStatement(product, ADMIN, { id });
      if (cancelled.has(id)) expect([id, statement.status]).toEqual([id, cancelled.get(id)]);
      if (statement.status === 'FAILED')
        expect([id, statement.error]).toEqual([
          id,
          expect.objectContaining({ code: 'statement.worker-lost' }),
        ]);
      if (statement.status !== 'SUCCESS') continue;
      const page = (await statementResult(product, ADMIN, {
        id,
        format: 'json',
        offset: rows - 1,
      })) as ResultPage;
      expect([id, page.rowCount, page.count]).toEqual([id, rows, 1]);
      const file = await statementResult(product, ADMIN, { id, format: 'ndjson' });
      let lines = 0;
      if (file.kind === 'stream')
        for await (const chunk of file.chunks) lines += chunk.toString().split('\n').length - 1;
      expect([id, lines]).toEqual([id, rows]);
    }
    const names = await product.workspace.results.names();
    expect(names.filter((name) => !/^s_\w+\.\d$/.test(name))).toEqual([]);
    const folder = join(served.project.folder, '.plinth', 'results');
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
    return { tookMs, left };
  } finally {
    await closeStatements(product);
    await platform.close();
  }
}

test(`whoever is killed, every acknowledged statement ends and every result is whole (${ROUNDS} kills, seed ${SEED})`, async () => {
  const bits = seededBits(SEED);
  let from = 0;
  let count = 0;
  let unfinished = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const isKeeper = round % 2 === 1;
    from += 1_000;
    const serving = serve(from);
    const enough = 3 + (bits() % 30);
    const [waitedMs, killedAfterMs] = [120_000, bits() % 400];
    for (
      let waited = 0;
      serving.acknowledged.size < enough && waited < waitedMs && serving.child.exitCode === null;
      waited += 5
    )
      await sleep(5);
    expect(serving.complaint).toBe('');
    await sleep(killedAfterMs);
    const victim = isKeeper ? keeperOf(served.project.folder) : serving.child.pid;
    expect(victim).toBeDefined();
    process.kill(victim!, 'SIGKILL');
    expect(await isGone(victim!)).toBe(true);
    if (isKeeper) {
      serving.child.stdin!.end('stop\n');
      expect([await serving.ended, serving.complaint]).toEqual([true, '']);
    } else expect(await serving.ended).toBe(false);
    const { tookMs, left } = await recovered(serving);
    unfinished += left;
    expect(tookMs).toBeLessThan(RECOVERED_MS * SLACK);
    count += serving.acknowledged.size;
  }
  expect(count).toBeGreaterThan(ROUNDS * 3);
  // Otherwise nothing was interrupted, and the test has shown nothing.
  expect(unfinished).toBeGreaterThan(0);
}, 3_600_000);
