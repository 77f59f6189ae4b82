/*
 * What every engine must do. An adapter calls `describeEngine` with a way to open a fresh warehouse; what it cannot do is listed in
 * `gaps` with a reason, and a gap that turns out to work is a failure, too.
 *
 * The texts of SQL here are plain enough for every dialect; what is special about one engine is tested beside its adapter.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Engine, WriteSession } from '../../src/domain/engine.ts';
import { relationSql } from '../../src/domain/relation.ts';
import { expectWithin } from '../support/promised-times.ts';
import {
  codeOf,
  type EngineCase,
  type EngineWarehouse,
  failureOf,
  idsOf,
  makeOrders,
  numbers,
  ORDERS_TABLE,
} from './engine-kit.ts';
import { describeLedger } from './engine-ledger.ts';
import { describeInspecting, describeReadingLong } from './engine-reading.ts';
import { describeWriting } from './engine-writing.ts';

/** Why a test cannot pass: not written yet on our side, or never, because the engine cannot. */
export interface EngineGap {
  readonly kind: 'notImplemented' | 'notYet' | 'never';
  readonly reason: string;
}

export interface EngineOptions {
  /** By the test's name. */
  readonly gaps?: Readonly<Record<string, EngineGap>>;
}

/** The whole suite, for one engine. */
export function describeEngine(
  name: string,
  fresh: () => Promise<EngineWarehouse>,
  { gaps = {} }: EngineOptions = {},
): void {
  describe(name, () => {
    let warehouse: EngineWarehouse;
    let opened: Engine[] = [];
    const open = async (): Promise<Engine> => {
      const engine = await warehouse.open();
      opened.push(engine);
      return engine;
    };
    beforeEach(async () => {
      warehouse = await fresh();
    });
    afterEach(async () => {
      for (const engine of opened) await engine.close();
      opened = [];
      await warehouse.close();
    });

    const seen = new Set<string>();
    const engineCase: EngineCase = (title, body) => {
      seen.add(title);
      const run = async (): Promise<void> => {
        const engine = await open();
        await body({
          warehouse,
          engine,
          open,
          sql: (relation) => relationSql(relation, engine.dialect),
        });
      };
      const gap = gaps[title];
      if (gap === undefined) test(title, run, 30_000);
      else test.fails(`${title} (${gap.kind}: ${gap.reason})`, run, 30_000);
    };

    describeReading(engineCase);
    describeInspecting(engineCase);
    describeReadingLong(engineCase);
    describeWriting(engineCase);
    describeLedger(engineCase);
    test('every gap names a test', () => {
      expect(Object.keys(gaps).filter((title) => !seen.has(title))).toEqual([]);
    });
  });
}

function describeReading(engineCase: EngineCase): void {
  engineCase('an answer has the columns in order, with names as written', async ({ engine }) => {
    const answer = await engine.query(`SELECT 1 AS one, 'x' AS "Two Words", NULL AS nothing`);
    expect(answer.columns.map(({ name }) => name)).toEqual(['one', 'Two Words', 'nothing']);
    expect(answer.rows).toEqual([[1, 'x', null]]);
  });

  engineCase('values come back exact, as JSON can carry them', async ({ engine }) => {
    const { rows } = await engine.query(
      `SELECT CAST(9223372036854775807 AS BIGINT), CAST(-9007199254740991 AS BIGINT), CAST('12345678901234567890.12' AS DECIMAL(22, 2)), CAST('2024-02-29' AS DATE), CAST('2024-02-29 23:59:59.123' AS TIMESTAMP), TRUE, CAST(0.5 AS DOUBLE PRECISION), 'ä€😀'`,
    );
    expect(rows).toEqual([
      [
        '9223372036854775807',
        -9_007_199_254_740_991,
        '12345678901234567890.12',
        '2024-02-29',
        '2024-02-29 23:59:59.123',
        true,
        0.5,
        'ä€😀',
      ],
    ]);
    expect(JSON.parse(JSON.stringify(rows))).toEqual(rows);
  });

  engineCase('types survive the way into a table and back', async ({ engine, sql }) => {
    await makeOrders(
      engine,
      `SELECT CAST(1 AS INTEGER) AS i, CAST(2 AS BIGINT) AS b, CAST('1.50' AS DECIMAL(10, 2)) AS m, CAST('2024-01-31' AS DATE) AS d, CAST('2024-01-31 10:11:12' AS TIMESTAMP) AS t, FALSE AS f, 'x' AS s`,
    );
    const before = await engine.query(`SELECT * FROM ${sql(ORDERS_TABLE)}`);
    expect(before.rows).toEqual([[1, 2, '1.50', '2024-01-31', '2024-01-31 10:11:12', false, 'x']]);
    expect((await engine.columnsOf([ORDERS_TABLE])).get('plinth__shop.orders__v1')).toEqual(before.columns);
  });

  engineCase('time is UTC, whatever the machine thinks', async ({ engine }) => {
    const { rows } = await engine.query(
      "SELECT CAST(CAST('2024-07-01 12:00:00+02:00' AS TIMESTAMP WITH TIME ZONE) AS TIMESTAMP)",
    );
    expect(rows).toEqual([['2024-07-01 10:00:00']]);
  });

  engineCase('a long answer arrives whole, and one beyond rowsMax is refused', async ({ engine, sql }) => {
    const digits =
      '(SELECT 0 AS n UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4)';
    const factors = 'abcdef'
      .split('')
      .map((letter) => `${digits} AS ${letter}`)
      .join(' CROSS JOIN ');
    await makeOrders(
      engine,
      `SELECT a.n + 5 * b.n + 25 * c.n + 125 * d.n + 625 * e.n + 3125 * f.n AS id FROM ${factors}`,
    );
    const ids = await idsOf(engine, sql(ORDERS_TABLE));
    expect(ids.length).toBe(15_625);
    expect(ids.every((id, index) => id === index)).toBe(true);
    const all = `SELECT * FROM ${sql(ORDERS_TABLE)}`;
    expect(await codeOf(engine.query(all, { rowsMax: 15_624 }))).toBe('engine.answer-too-large');
    expect((await engine.query(all, { rowsMax: 15_625 })).rows.length).toBe(15_625);
  });

  engineCase('a query only reads', async ({ engine, sql }) => {
    await makeOrders(engine);
    expect(await codeOf(engine.query(`DELETE FROM ${sql(ORDERS_TABLE)}`))).toBe('engine.statement-failed');
    expect(await codeOf(engine.query(`EXPLAIN ANALYZE DELETE FROM ${sql(ORDERS_TABLE)}`))).toBe(
      'engine.statement-failed',
    );
    expect(await codeOf(engine.query(`DROP TABLE ${sql(ORDERS_TABLE)}`))).toBe('engine.statement-failed');
    expect(await idsOf(engine, sql(ORDERS_TABLE))).toEqual([1]);
  });

  engineCase(
    'prepare names the columns of a query and speaks up against it, without running it',
    async ({ engine }) => {
      expect(await engine.prepare("SELECT 1 AS a, 'x' AS b, [1.5] AS c WHERE FALSE")).toEqual(
        (await engine.query("SELECT 1 AS a, 'x' AS b, [1.5] AS c WHERE FALSE")).columns,
      );
      expect(await codeOf(engine.prepare('SELECT nothing FROM nowhere'))).toBe('engine.statement-failed');
    },
  );

  engineCase('errors have the code of what is wrong, and say it', async ({ engine }) => {
    const unknown = await failureOf(engine.query('SELECT a FROM nowhere'));
    expect([unknown.code, unknown.isRetryable]).toEqual(['engine.statement-failed', false]);
    expect(unknown.message).toContain('nowhere');
    expect(await codeOf(engine.query('SELEC 1'))).toBe('engine.statement-failed');
    expect(await codeOf(engine.query("SELECT CAST('x' AS INTEGER)"))).toBe('engine.type-mismatch');
    expect(await codeOf(engine.query("SELECT CAST('2024-13-01' AS DATE)"))).toBe('engine.type-mismatch');
  });

  engineCase('a query can be cancelled, and the engine goes on', async ({ engine, sql }) => {
    await makeOrders(engine, numbers(3_000));
    const controller = new AbortController();
    const table = sql(ORDERS_TABLE);
    const long = engine.query(
      `SELECT count(*) FROM ${table} AS a, ${table} AS b, ${table} AS c, ${table} AS d WHERE a.id * b.id + c.id * d.id = 17`,
      { signal: controller.signal },
    );
    setTimeout(() => controller.abort(), 100);
    const from = performance.now();
    expect(await codeOf(long)).toBe('engine.cancelled');
    expectWithin(performance.now() - from, 4_000);
    expect((await engine.query('SELECT 1 AS a')).rows).toEqual([[1]]);
    expect(await codeOf(engine.query('SELECT 1', { signal: controller.signal }))).toBe('engine.cancelled');
  });

  engineCase('many queries at once each get their own answer', async ({ engine }) => {
    const asked = Array.from({ length: 60 }, (_, index) => index);
    const answers = await Promise.all(asked.map((index) => engine.query(`SELECT ${index} AS a`)));
    expect(answers.map(({ rows }) => Number(rows[0]?.[0]))).toEqual(asked);
  });

  engineCase('columns are found for tables and views, and not for what is missing', async ({ engine }) => {
    await makeOrders(engine);
    const view = { schema: ORDERS_TABLE.schema, name: 'a_view' };
    await engine.write([], (session) =>
      session.replaceViews([{ view, query: "SELECT 1 AS first, 'x' AS second" }]),
    );
    const missing = { schema: 'nowhere', name: 'nothing' };
    const found = await engine.columnsOf([ORDERS_TABLE, view, missing]);
    expect([...found.keys()].sort()).toEqual(['plinth__shop.a_view', 'plinth__shop.orders__v1']);
    expect(found.get('plinth__shop.a_view')?.map(({ name }) => name)).toEqual(['first', 'second']);
    expect(await engine.columnsOf([])).toEqual(new Map());
  });

  engineCase('occupants are whatever stands under a name, found in any case', async ({ engine }) => {
    await makeOrders(engine);
    await engine.write([], async (session: WriteSession) => {
      await session.createSchemas([{ schema: 'shop' }]);
      await session.replaceViews([{ view: { schema: 'shop', name: 'Seen' }, query: 'SELECT 1 AS a' }]);
      await session.createTable({ schema: 'shop', name: 'kept' }, [{ name: 'a', type: 'INTEGER' }]);
    });
    const names = ['seen', 'KEPT', 'free'].map((name) => ({ schema: 'shop', name }));
    expect(await engine.occupants([ORDERS_TABLE, ...names])).toEqual(
      new Map<string, unknown>([
        ['plinth__shop.orders__v1', { object: 'table' }],
        ['shop.seen', { object: 'view', definition: expect.stringContaining('SELECT 1') }],
        ['shop.KEPT', { object: 'table' }],
      ]),
    );
    expect(await engine.occupants([])).toEqual(new Map());
  });

  engineCase('what another program made of views and tables is told', async ({ engine }) => {
    await makeOrders(engine);
    const view = { schema: 'shop', name: 'Seen "so"' };
    const inner = { schema: 'plinth__shop', name: 'inner__v1' };
    await engine.write([], async (session: WriteSession) => {
      await session.createSchemas([{ schema: 'shop' }]);
      await session.replaceViews([{ view: inner, query: 'SELECT * FROM plinth__shop.orders__v1' }]);
      await session.replaceViews([{ view, query: 'SELECT id FROM plinth__shop.inner__v1' }]);
    });
    const made = { view, from: inner, query: 'SELECT "id" FROM "plinth__shop"."inner__v1"' };
    expect(await engine.viewDifferences([made])).toEqual([]);
    expect(await engine.viewDifferences([{ ...made, query: `${made.query} LIMIT 1` }])).toEqual([
      { view, kind: 'other-query' },
    ]);
    expect([...(await engine.readersOf([ORDERS_TABLE, { schema: 'plinth__shop', name: 'orders' }]))]).toEqual(
      [['plinth__shop.orders__v1', view]],
    );
    expect(await engine.viewDifferences([])).toEqual([]);
  });

  engineCase('relations are ours everywhere, and views of the schemas named', async ({ engine }) => {
    await makeOrders(engine);
    await engine.write([], async (session: WriteSession) => {
      await session.createSchemas([{ schema: 'shop' }, { schema: 'other' }]);
      const query = 'SELECT 1 AS a';
      await session.replaceViews([
        { view: { schema: 'shop', name: 'orders' }, query },
        { view: { schema: 'other', name: 'orders' }, query },
      ]);
      await session.createTable({ schema: 'shop', name: 'not_ours' }, [{ name: 'a', type: 'INTEGER' }]);
    });
    expect(await engine.relations(['shop'])).toEqual([
      { relation: ORDERS_TABLE, object: 'table' },
      { relation: { schema: 'shop', name: 'orders' }, object: 'view' },
    ]);
  });
}
