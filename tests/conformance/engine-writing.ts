/** The writing half of the engine's suite: every method of the session, and what a transaction promises. */
import { expect } from 'vitest';
import type { Engine } from '../../src/domain/engine.ts';
import type { Relation } from '../../src/domain/relation.ts';
import { quoteName } from '../../src/foundation/sql/quote.ts';
import {
  codeOf,
  type EngineCase,
  failureOf,
  gate,
  idsOf,
  ledgerRow,
  makeOrders,
  numbers,
  ORDERS,
  ORDERS_TABLE,
} from './engine-kit.ts';

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export function describeWriting(engineCase: EngineCase): void {
  describeStatements(engineCase);
  describeTransactions(engineCase);
  describeKilling(engineCase);
}

function describeStatements(engineCase: EngineCase): void {
  engineCase(
    'a table is replaced by a query, with other columns too, and the rows are counted',
    async ({ engine, sql }) => {
      await makeOrders(engine, numbers(7));
      const rows = await engine.write([], (session) =>
        session.replaceTable(ORDERS_TABLE, "SELECT 5 AS id, 'x' AS more -- with a comment at its end", {
          comment: "It's new",
        }),
      );
      expect(rows).toBe(1);
      expect((await engine.query(`SELECT * FROM ${sql(ORDERS_TABLE)}`)).rows).toEqual([[5, 'x']]);
    },
  );

  engineCase('creating a table leaves one that exists as it is', async ({ engine, sql }) => {
    await makeOrders(engine);
    await engine.write([], async (session) => {
      await session.createTable(ORDERS_TABLE, [{ name: 'other', type: 'INTEGER' }]);
      await session.createTable(
        { ...ORDERS_TABLE, name: 'fresh' },
        [
          { name: 'id', type: 'INTEGER', comment: 'The key' },
          { name: 'at', type: 'TIMESTAMP' },
        ],
        { comment: 'Fresh' },
      );
    });
    expect(await idsOf(engine, sql(ORDERS_TABLE))).toEqual([1]);
    const columns = await engine.columnsOf([{ ...ORDERS_TABLE, name: 'fresh' }]);
    expect(columns.get('plinth__shop.fresh')?.map(({ name }) => name)).toEqual(['id', 'at']);
  });

  engineCase(
    'rows are inserted by column name and removed by condition, and counted',
    async ({ engine, sql }) => {
      await makeOrders(engine);
      const counts = await engine.write([], (session) =>
        Promise.all([
          session.insert(
            ORDERS_TABLE,
            ['name', 'id'],
            "SELECT 2 AS id, 'b' AS name UNION ALL SELECT 3, 'c';",
          ),
          session.remove(ORDERS_TABLE, "name = 'a' -- the first"),
          session.remove(ORDERS_TABLE, 'id = 99'),
        ]),
      );
      expect(counts).toEqual([2, 1, 0]);
      expect((await engine.query(`SELECT id, name FROM ${sql(ORDERS_TABLE)} ORDER BY id`)).rows).toEqual([
        [2, 'b'],
        [3, 'c'],
      ]);
      expect(await engine.write([], (session) => session.remove(ORDERS_TABLE))).toBe(2);
    },
  );

  engineCase(
    'a merge updates what is there and inserts the rest, a missing key included',
    async ({ engine, sql }) => {
      await makeOrders(
        engine,
        "SELECT 1 AS id, 'a' AS name UNION ALL SELECT 2, 'b' UNION ALL SELECT NULL, 'n'",
      );
      const source = "SELECT 2 AS id, 'B' AS name UNION ALL SELECT 3, 'C' UNION ALL SELECT NULL, 'N'";
      const merge = { columns: ['id', 'name'], key: ['id'], source };
      expect(await engine.write([], (session) => session.merge(ORDERS_TABLE, merge))).toBe(3);
      await engine.write([], (session) => session.merge(ORDERS_TABLE, merge));
      expect(await namesOf(engine, sql(ORDERS_TABLE))).toEqual(['B', 'C', 'N', 'a']);
    },
  );

  engineCase('a merge can have a computed key, clauses of its own and a filter', async ({ engine, sql }) => {
    await makeOrders(engine, "SELECT 1 AS id, 'a' AS name UNION ALL SELECT 2, 'b' UNION ALL SELECT 3, 'c'");
    const columns = ['id', 'name'];
    const table = sql(ORDERS_TABLE);
    await engine.write([], (session) =>
      session.merge(ORDERS_TABLE, { columns, key: ['lower(name)'], source: "SELECT 10 AS id, 'A' AS name" }),
    );
    expect(await idsOf(engine, table)).toEqual([2, 3, 10]);
    await engine.write([], (session) =>
      session.merge(ORDERS_TABLE, {
        columns,
        key: ['id'],
        source: "SELECT 2 AS id, 'z' AS name UNION ALL SELECT 3, 'gone'",
        whenMatched:
          "WHEN MATCHED AND source.name = 'gone' THEN DELETE WHEN MATCHED THEN UPDATE SET target.name = source.name || target.name",
      }),
    );
    expect(await namesOf(engine, table)).toEqual(['A', 'zb']);
    await engine.write([], (session) =>
      session.merge(ORDERS_TABLE, {
        columns,
        key: ['id'],
        source: "SELECT 2 AS id, 'new' AS name",
        filter: "target.name = 'zb' AND source.id > 1",
      }),
    );
    expect(await namesOf(engine, table)).toEqual(['A', 'new']);
  });

  engineCase('many views change at once', async ({ engine }) => {
    await makeOrders(engine);
    const views = (value: number) =>
      Array.from({ length: 200 }, (_, index) => ({
        view: { schema: ORDERS_TABLE.schema, name: `v${index}` },
        query: `SELECT ${value} AS id`,
        comment: 'A view',
        columnComments: { id: "The view's number" },
      }));
    await engine.write([], (session) => session.replaceViews(views(1)));
    const read = `SELECT count(*) FROM (${views(0)
      .map(({ view }) => `SELECT id FROM ${view.schema}.${view.name}`)
      .join(' UNION ')}) AS all_views`;
    let isDone = false;
    const seen = (async () => {
      const values = new Set<unknown>();
      while (!isDone) values.add(Number((await engine.query(read)).rows[0]?.[0]));
      return [...values];
    })();
    await engine.write([], (session) => session.replaceViews(views(2)));
    isDone = true;
    expect(await seen).toEqual([1]);
  });

  engineCase('columns are added, widened and dropped', async ({ engine, sql }) => {
    await makeOrders(engine);
    await engine.write([], (session) =>
      session.alterTable(ORDERS_TABLE, [
        { kind: 'add', column: { name: 'Extra', type: 'DECIMAL(10, 2)', comment: 'More' } },
        { kind: 'widen', column: 'id', type: 'BIGINT' },
        { kind: 'drop', column: 'name' },
      ]),
    );
    const { columns, rows } = await engine.query(`SELECT * FROM ${sql(ORDERS_TABLE)}`);
    expect(columns.map(({ name }) => name)).toEqual(['id', 'Extra']);
    expect(rows).toEqual([[1, null]]);
  });

  engineCase('dropping what is not there is no error', async ({ engine }) => {
    await makeOrders(engine);
    const drop = () =>
      engine.write([], (session) =>
        session.drop([
          { relation: ORDERS_TABLE, object: 'table' },
          { relation: { schema: ORDERS_TABLE.schema, name: 'no_view' }, object: 'view' },
        ]),
      );
    await drop();
    await drop();
    expect(await engine.relations([])).toEqual([]);
  });

  engineCase('an empty schema is dropped, one that holds anything is not', async ({ engine }) => {
    await makeOrders(engine);
    const { schema } = ORDERS_TABLE;
    const drop = () => engine.write([], (session) => session.dropSchemas([{ schema }]));
    await expect(drop()).rejects.toMatchObject({ code: expect.stringMatching(/^engine\./) });
    expect(await engine.relations([])).toHaveLength(1);
    await engine.write([], (session) => session.drop([{ relation: ORDERS_TABLE, object: 'table' }]));
    await drop();
    await drop();
    await makeOrders(engine);
    expect(await engine.relations([])).toHaveLength(1);
  });

  engineCase('names may have any characters', async ({ engine, sql }) => {
    const schema = 'plinth__We "ird".schema';
    const names = ['select', 'we"ird na.me', 'ünïcode 😀', 'semi;colon--', "quo'te", '1st', ' '];
    await engine.write([], (session) => session.createSchemas([{ schema }]));
    await engine.write([], async (session) => {
      for (const name of names) {
        await session.createTable({ schema, name }, [{ name, type: 'INTEGER', comment: name }], {
          comment: name,
        });
        const relation: Relation = { schema, name };
        await session.insert(relation, [name], `SELECT 7 AS ${quoteName(name, engine.dialect)}`);
      }
    });
    const columns = await engine.columnsOf(names.map((name) => ({ schema, name })));
    expect(
      [...columns.values()]
        .flat()
        .map(({ name }) => name)
        .sort(),
    ).toEqual([...names].sort());
    for (const name of names)
      expect((await engine.query(`SELECT * FROM ${sql({ schema, name })}`)).rows).toEqual([[7]]);
  });

  engineCase("a user's statement must not touch the transaction", async ({ engine, sql }) => {
    await makeOrders(engine);
    for (const statement of ['COMMIT', 'ROLLBACK', `DELETE FROM ${sql(ORDERS_TABLE)}; COMMIT`]) {
      const written = engine.write([], async (session) => {
        await session.execute(statement);
      });
      expect(await codeOf(written)).toBe('engine.statement-failed');
    }
    expect(await idsOf(engine, sql(ORDERS_TABLE))).toEqual([1]);
  });

  engineCase('what a statement leaves behind is not there for the next transaction', async ({ engine }) => {
    for (let round = 0; round < 3; round++)
      await engine.write([], async (session) => {
        await session.execute('CREATE TEMPORARY TABLE scratch AS SELECT 1 AS id');
        expect((await session.query('SELECT id FROM scratch')).rows).toEqual([[1]]);
      });
    expect(await codeOf(engine.query('SELECT id FROM scratch'))).toBe('engine.statement-failed');
  });
}

function describeTransactions(engineCase: EngineCase): void {
  engineCase('everything or nothing: an error of the caller undoes all', async ({ engine, sql }) => {
    await makeOrders(engine);
    const own = new Error('the audit failed');
    const written = engine.write([], async (session) => {
      await session.replaceTable(ORDERS_TABLE, 'SELECT 99 AS id');
      await session.createSchemas([{ schema: 'plinth__new' }]);
      throw own;
    });
    expect(await failureOf(written)).toBe(own);
    expect(await idsOf(engine, sql(ORDERS_TABLE))).toEqual([1]);
  });

  engineCase('after a failure the rest is refused, though nobody looked at it', async ({ engine, sql }) => {
    await makeOrders(engine);
    for (const wrong of ["SELECT CAST('x' AS INTEGER) AS id, 'n' AS name", 'SELECT nothing FROM nowhere']) {
      const written = engine.write([], async (session) => {
        void session.remove(ORDERS_TABLE);
        void session.insert(ORDERS_TABLE, ['id', 'name'], wrong);
        void session.insert(ORDERS_TABLE, ['id', 'name'], "SELECT 2 AS id, 'b' AS name");
        void session.recordLedger([ledgerRow({ range: { start: 0, end: 1 } })]);
      });
      expect(await codeOf(written)).toMatch(/^engine\.(?:type-mismatch|statement-failed)$/);
      expect(await idsOf(engine, sql(ORDERS_TABLE))).toEqual([1]);
      expect(await engine.ledger()).toEqual([]);
    }
  });

  engineCase('statements are sent without waiting and done in order', async ({ engine, sql }) => {
    await makeOrders(engine);
    await engine.write([], async (session) => {
      const answers: Promise<unknown>[] = [];
      for (let id = 2; id <= 40; id++)
        answers.push(
          session.insert(ORDERS_TABLE, ['id'], `SELECT max(id) + 1 AS id FROM ${sql(ORDERS_TABLE)}`),
        );
      const seen = session.query(`SELECT max(id) FROM ${sql(ORDERS_TABLE)}`);
      await Promise.all(answers);
      expect(Number((await seen).rows[0]?.[0])).toBe(40);
    });
    expect((await idsOf(engine, sql(ORDERS_TABLE))).length).toBe(40);
  });

  engineCase('readers see the old rows until the commit, then the new', async ({ engine, open, sql }) => {
    await makeOrders(engine);
    const reader = await open();
    const written = gate();
    const go = gate();
    const writing = engine.write([], async (session) => {
      await session.remove(ORDERS_TABLE);
      await session.insert(ORDERS_TABLE, ['id'], 'SELECT 2 AS id');
      written.open();
      await go.opened;
    });
    await written.opened;
    expect(await idsOf(reader, sql(ORDERS_TABLE))).toEqual([1]);
    expect(await idsOf(engine, sql(ORDERS_TABLE))).toEqual([1]);
    go.open();
    await writing;
    expect(await idsOf(reader, sql(ORDERS_TABLE))).toEqual([2]);
  });

  engineCase(
    'of two writers of the same rows one wins, and the other may try again',
    async ({ engine, open, sql }) => {
      await makeOrders(engine);
      const other = await open();
      const first = gate();
      const second = gate();
      const update = (value: number) => `SELECT 1 AS id, '${value}' AS name`;
      const merge = (value: number) => ({ columns: ['id', 'name'], key: ['id'], source: update(value) });
      const winner = engine.write([], async (session) => {
        await session.merge(ORDERS_TABLE, merge(1));
        first.open();
        await second.opened;
      });
      await first.opened;
      const failed = failureOf(other.write([], (session) => session.merge(ORDERS_TABLE, merge(2))));
      const loser = await failed;
      second.open();
      await winner;
      expect([loser.code, loser.isRetryable]).toEqual(['engine.conflict', true]);
      expect(await namesOf(engine, sql(ORDERS_TABLE))).toEqual(['1']);
      await other.write([], (session) => session.merge(ORDERS_TABLE, merge(2)));
      expect(await namesOf(engine, sql(ORDERS_TABLE))).toEqual(['2']);
    },
  );

  engineCase(
    'of two replacements of one table one wins, and the other may try again',
    async ({ engine, open, sql }) => {
      await makeOrders(engine);
      const other = await open();
      const first = gate();
      const second = gate();
      const winner = engine.write([], async (session) => {
        await session.replaceTable(ORDERS_TABLE, 'SELECT 10 AS id');
        first.open();
        await second.opened;
      });
      await first.opened;
      const loser = await failureOf(
        other.write([], (session) => session.replaceTable(ORDERS_TABLE, 'SELECT 20 AS id')),
      );
      second.open();
      await winner;
      expect([loser.code, loser.isRetryable]).toEqual(['engine.conflict', true]);
      expect(await idsOf(engine, sql(ORDERS_TABLE))).toEqual([10]);
    },
  );

  engineCase('writers of different tables do not meet', async ({ engine, open }) => {
    await makeOrders(engine);
    const clients = [engine, await open(), await open()];
    const work = Array.from({ length: 24 }, async (_, index) => {
      const table = { model: `shop.t${index}`, version: 'v1' };
      await clients[index % clients.length]?.write([{ table, token: 1 }], async (session) => {
        await session.replaceTable(
          { schema: ORDERS_TABLE.schema, name: `t${index}` },
          `SELECT ${index} AS id`,
        );
        await session.recordLedger([ledgerRow({ table, range: { start: 0, end: 10 } })]);
      });
    });
    await Promise.all(work);
    expect((await engine.ledger()).length).toBe(24);
  });

  engineCase('a write can be cancelled, and nothing of it stays', async ({ engine, sql }) => {
    await makeOrders(engine, numbers(3_000));
    const controller = new AbortController();
    const table = sql(ORDERS_TABLE);
    const cross = `SELECT a.id + b.id + c.id + d.id AS id FROM ${table} AS a, ${table} AS b, ${table} AS c, ${table} AS d WHERE a.id * b.id + c.id * d.id = 17`;
    const written = engine.write(
      [],
      async (session) => {
        await session.remove(ORDERS_TABLE, 'id < 1000');
        setTimeout(() => controller.abort(), 100);
        await session.insert(ORDERS_TABLE, ['id'], cross);
      },
      { signal: controller.signal },
    );
    expect(await codeOf(written)).toBe('engine.cancelled');
    expect((await idsOf(engine, table)).length).toBe(3_000);
    const late = new AbortController();
    const afterAbort = engine.write(
      [],
      async (session) => {
        await session.remove(ORDERS_TABLE);
        late.abort();
      },
      { signal: late.signal },
    );
    expect(await codeOf(afterAbort)).toBe('engine.cancelled');
    expect((await idsOf(engine, table)).length).toBe(3_000);
  });
}

function describeKilling(engineCase: EngineCase): void {
  engineCase(
    'when the engine is killed, what was committed stays and the rest is gone',
    async ({ engine, warehouse, sql }) => {
      if (warehouse.killEngine === undefined) return;
      await makeOrders(engine);
      const fence = { table: ORDERS, token: 5 };
      await engine.write([fence], async (session) => {
        await session.insert(ORDERS_TABLE, ['id'], 'SELECT 2 AS id');
        await session.recordLedger([ledgerRow({ range: { start: 0, end: 10 }, token: 5 })]);
      });
      const written = gate();
      const open = engine.write([fence], async (session) => {
        await session.insert(ORDERS_TABLE, ['id'], 'SELECT 3 AS id');
        await session.recordLedger([ledgerRow({ range: { start: 10, end: 20 }, token: 5 })]);
        written.open();
        await session.query(
          `SELECT count(*) FROM ${sql(ORDERS_TABLE)} AS a CROSS JOIN (${numbers(9_999)}) AS b CROSS JOIN (${numbers(9_999)}) AS c CROSS JOIN (${numbers(9_999)}) AS d WHERE b.id * c.id + d.id = 3`,
        );
      });
      const lost = failureOf(open);
      await written.opened;
      await wait(50);
      await warehouse.killEngine();
      const failed = await lost;
      expect([failed.code, failed.isRetryable]).toEqual(['engine.lost', true]);
      expect(await idsOf(engine, sql(ORDERS_TABLE))).toEqual([1, 2]);
      expect((await engine.ledger()).map(({ filled }) => filled)).toEqual([[{ start: 0, end: 10 }]]);
      // The new engine knows the tokens of the ledger.
      const older = engine.write([{ table: ORDERS, token: 4 }], async () => undefined);
      expect(await codeOf(older)).toBe('engine.fenced');
    },
  );
}

async function namesOf(engine: Engine, table: string): Promise<readonly unknown[]> {
  return (await engine.query(`SELECT name FROM ${table} ORDER BY name`)).rows.map(([name]) => name);
}
