/** A kept answer is given only while the ledger says that the rows are still those it was made of. */
import { realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { submitStatement } from '../../src/operations/ask/submit-statement.ts';
import { apply } from '../../src/operations/change/apply.ts';
import { dueWork } from '../../src/operations/change/due-work.ts';
import { run } from '../../src/operations/change/run.ts';
import type { OpenedWorld } from '../../src/operations/open-world.ts';
import type { Product } from '../../src/operations/platform.ts';
import { keeperOf } from '../kill/processes.ts';
import { withFaults } from '../support/execution-faults.ts';
import {
  ADMIN,
  draftProduct,
  ended,
  planProduct,
  type ServedProduct,
  servedProduct,
} from '../support/served-product.ts';

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

async function ask(product: Product, sql = COUNT, cache = true, environment?: string): Promise<Answered> {
  const answer = await submitStatement(product, ADMIN, {
    question: { kind: 'sql', sql },
    ...(environment === undefined ? {} : { environment }),
    cache,
    waitMs: 20_000,
  });
  if (!answer.ok || answer.page === undefined) throw new Error(JSON.stringify(answer));
  return { rows: answer.page.rows, strategy: answer.statement.strategy };
}

/** Applies what the folder has now; nothing more happens once this method of the state or the warehouse would be called. */
async function promoteAndDie(product: Product, fatal: string): Promise<void> {
  const { plan, diagnostics } = await draftProduct(product);
  if (plan === undefined) throw new Error(JSON.stringify(diagnostics));
  let isDead = false;
  const dying = withFaults(product.world, {
    before(_, method) {
      isDead ||= method === fatal;
      if (isDead) throw new Error('killed');
    },
  });
  await expect(ended(apply(dying, plan, { who: 'a test' }))).rejects.toThrow('killed');
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

  test('is worked out again when its rows went for want of room before they were read', async () => {
    const { product, project } = served;
    const large = "SELECT repeat('x', 1000) AS x, i FROM range(2000) AS t(i)";
    const { rows } = await ask(product, large);
    const removed = () => rmSync(join(project.folder, '.plinth/results'), { recursive: true });
    removed();
    expect(await ask(product, large)).toEqual({ rows, strategy: 'execute' });
    const answer = await submitStatement(product, ADMIN, {
      question: { kind: 'sql', sql: large },
      ...{ waitMs: 20_000, pageRows: 0, withRows: true },
    });
    if (!answer.ok || answer.rows === undefined) throw new Error(JSON.stringify(answer));
    expect(answer.statement.strategy).toBe('from_cache');
    removed();
    const frame = { texts: ['[', ']'], cells: [{ at: 0, as: 'raw' }], between: ',' } as const;
    let bytes = 0;
    for await (const piece of await answer.rows.framed(frame)) bytes += piece.length;
    expect(bytes).toBe(2000 * 1005 - 1);
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

  test('is not given when whoever promoted was killed between the commit and state', async () => {
    const sum = 'SELECT sum(a)::INTEGER AS n FROM s.v';
    await ask(served.product, sum);
    served.project.write({ 'models/v.sql': 'MODEL (name s.v, kind VIEW);\nSELECT a + 100 AS a FROM s.m' });
    await promoteAndDie(served.product, 'finishPromotion');
    expect(await ask(served.product, sum)).toEqual({ rows: '[[101]]', strategy: 'execute' });
    expect(await ask(served.product, sum)).toEqual({ rows: '[[101]]', strategy: 'from_cache' });
    process.kill(keeperOf(realpathSync(served.project.folder)), 'SIGKILL');
    expect(await ask(served.product, sum)).toEqual({ rows: '[[101]]', strategy: 'from_cache' });
  });

  test('is not given when another environment took a column from the table that both show', async () => {
    const model = (columns: string): Record<string, string> => ({
      'models/t.sql': `MODEL (name s.t, kind INCREMENTAL_BY_TIME_RANGE (time_column day, forward_only true, on_destructive_change allow), start '2025-06-01');\nSELECT day${columns} FROM (SELECT @end_date::DATE AS day, 7 AS b)`,
    });
    served.project.write(model(', b'));
    await planProduct(served.product);
    await planProduct(served.product, 'dev');
    const sum = 'SELECT max(b)::INTEGER AS n FROM s.t';
    await ask(served.product, sum, true, 'dev');
    expect(await ask(served.product, sum, true, 'dev')).toEqual({ rows: '[[7]]', strategy: 'from_cache' });
    served.project.write(model(''));
    await planProduct(served.product);
    await expect(ask(served.product, sum, true, 'dev')).rejects.toThrow(/column ..?"b..?" not found/);
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

test('a kept answer is not given when a promotion was killed after the views of one catalog of two', async () => {
  const views = (added: number): Record<string, string> => ({
    'models/a.sql': `MODEL (name a.s.v, kind VIEW);\nSELECT ${added} AS n`,
    'models/w.sql': `MODEL (name s.v, kind VIEW);\nSELECT ${added} AS n`,
  });
  const two = await servedProduct({
    'config.yaml':
      "name: cached\ngateways: {local: {connection: {type: duckdb, catalogs: {w: 'w.duckdb', a: 'a.duckdb'}}}}\n",
    ...views(1),
  });
  try {
    await ask(two.product, 'SELECT n FROM a.s.v');
    expect((await ask(two.product, 'SELECT n FROM a.s.v')).strategy).toBe('from_cache');
    two.project.write(views(2));
    await promoteAndDie(two.product, 'recordPromotion');
    expect(await ask(two.product, 'SELECT n FROM a.s.v')).toEqual({ rows: '[[2]]', strategy: 'execute' });
    expect(await ask(two.product, 'SELECT n FROM s.v')).toMatchObject({ rows: '[[1]]' });
  } finally {
    await two.close();
  }
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
