/** A kept answer is given only while the ledger says that the rows are still those it was made of. */
import { realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OpenedWorld } from '../src/operations/open-world.ts';
import type { Product } from '../src/operations/platform.ts';
import { dueWork, run } from '../src/operations/run.ts';
import { submitStatement } from '../src/operations/statements.ts';
import { withFaults } from './execution-faults.ts';
import { keeperOf } from './kill/processes.ts';
import { ADMIN, ended, type ServedProduct, servedProduct } from './served-product.ts';

const DAY = 86_400_000;
const TIME = Date.UTC(2025, 5, 15);
const COUNT = 'SELECT count(*)::INTEGER AS n FROM s.m';
const FILES = {
  'config.yaml': 'name: cached\n',
  'seeds/rows.csv': 'a\n1\n',
  'models/m.sql':
    "MODEL (name s.m, kind FULL, start '2025-06-01');\nSELECT a::INTEGER AS a FROM READ_CSV('seeds/rows.csv', header = true)",
  'models/v.sql': 'MODEL (name s.v, kind VIEW);\nSELECT a FROM s.m',
};

let served: ServedProduct;
beforeEach(async () => {
  served = await servedProduct(FILES);
});
afterEach(() => served.close());

interface Answered {
  readonly rows: string;
  readonly strategy: string;
}

async function ask(product: Product, sql = COUNT, cache = true): Promise<Answered> {
  const answer = await submitStatement(product, ADMIN, {
    question: { kind: 'sql', sql },
    cache,
    waitMs: 20_000,
  });
  if (!answer.ok || answer.page === undefined) throw new Error(JSON.stringify(answer));
  return { rows: answer.page.rows, strategy: answer.statement.strategy };
}

let filled = 1;
/** Fills once more, with one row more. */
async function fill(world: OpenedWorld = served.product.world): Promise<void> {
  filled++;
  const rows = Array.from({ length: filled }, (_, i) => `${i}\n`).join('');
  writeFileSync(join(served.project.folder, 'seeds/rows.csv'), `a\n${rows}`);
  const due = await dueWork(served.product.world, {
    environment: 'prod',
    executionTime: TIME + filled * DAY,
  });
  expect((await ended(run(world, due, { who: 'a test' }))).status).toBe('succeeded');
}
beforeEach(() => {
  filled = 1;
});

describe('an answer that was kept', () => {
  test('is given again while nothing was written, through a view too', async () => {
    expect(await ask(served.product)).toEqual({ rows: '[[1]]', strategy: 'execute' });
    expect(await ask(served.product)).toEqual({ rows: '[[1]]', strategy: 'from_cache' });
    const view = 'SELECT count(*)::INTEGER AS n FROM s.v';
    await ask(served.product, view);
    expect((await ask(served.product, view)).strategy).toBe('from_cache');
  });

  test('is not given when whoever wrote was killed between the commit and state', async () => {
    await ask(served.product);
    let isDead = false;
    const dying = withFaults(served.product.world, {
      before(_, method) {
        isDead ||= method === 'finishBackfill';
        if (isDead) throw new Error('killed');
      },
    });
    await expect(fill(dying as OpenedWorld)).rejects.toThrow('killed');
    expect(await ask(served.product)).toEqual({ rows: '[[2]]', strategy: 'execute' });
    expect(await ask(served.product)).toEqual({ rows: '[[2]]', strategy: 'from_cache' });
    expect(await ask(served.product, 'SELECT sum(a)::INTEGER AS n FROM s.v')).toMatchObject({
      rows: '[[1]]',
    });
  });

  test('is not given by another server either, nor by an engine that was started anew', async () => {
    const other = await served.again();
    await ask(served.product);
    expect((await ask(other)).strategy).toBe('from_cache');
    await fill();
    expect(await ask(other)).toEqual({ rows: '[[2]]', strategy: 'execute' });
    process.kill(keeperOf(realpathSync(served.project.folder)), 'SIGKILL');
    expect(await ask(served.product)).toEqual({ rows: '[[2]]', strategy: 'from_cache' });
    expect(await ask(other)).toEqual({ rows: '[[2]]', strategy: 'from_cache' });
  });

  test('of work that began before a write and read after it belongs to what it read', async () => {
    const { engine } = served.product.world;
    const read = engine.read;
    let wait: Promise<void> | undefined;
    (engine as { read: typeof read }).read = async (sql, options) => {
      await wait;
      return read(sql, options);
    };
    let go = (): void => undefined;
    wait = new Promise((resolve) => {
      go = resolve;
    });
    const early = ask(served.product);
    await fill();
    const late = ask(served.product);
    go();
    // Both read what the write left; and what the first one read is kept as that.
    expect((await early).rows).toBe('[[2]]');
    expect((await late).rows).toBe('[[2]]');
    expect(await ask(served.product)).toEqual({ rows: '[[2]]', strategy: 'from_cache' });
  });
});

test('answers and totals of a question that is asked while tables are written are always those of one state', async () => {
  let isOver = false;
  const writing = (async () => {
    for (let i = 0; i < 3; i++) await fill();
  })().finally(() => {
    isOver = true;
  });
  const seen: number[] = [];
  for (let i = 0; i < 10_000 && !isOver; i++) {
    const cached = await ask(served.product, 'SELECT count(*)::INTEGER AS n, max(a)::INTEGER AS m FROM s.m');
    const [n, m] = (JSON.parse(cached.rows) as readonly (readonly [number, number])[])[0] ?? [0, 0];
    expect(n === 1 ? 1 : n - 1).toBe(m);
    expect(n).toBeGreaterThanOrEqual(seen.at(-1) ?? 0);
    seen.push(n);
  }
  await writing;
  expect(await ask(served.product)).toMatchObject({ rows: '[[4]]' });
});
