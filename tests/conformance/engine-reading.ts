/** What every engine does with queries from outside: `inspect` before they run, `read` for answers of any length. */
import { expect } from 'vitest';
import type { Engine, Reading } from '../../src/domain/engine.ts';
import { withCells } from '../../src/domain/with-cells.ts';
import { codeOf, type EngineCase, failureOf, makeOrders, numbers, ORDERS_TABLE } from './engine-kit.ts';

/** All rows of a reading. */
async function rowsOf({ lines }: Reading): Promise<readonly (readonly unknown[])[]> {
  const pieces: Buffer[] = [];
  for await (const piece of lines) pieces.push(piece);
  const text = Buffer.concat(pieces).toString('utf8');
  return text === ''
    ? []
    : text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
}

async function readAll(engine: Engine, sql: string): Promise<readonly (readonly unknown[])[]> {
  return rowsOf(await engine.read(sql));
}

export function describeInspecting(engineCase: EngineCase): void {
  engineCase(
    'an inspected query says which tables it names and where, without its CTEs',
    async ({ engine }) => {
      const sql =
        'WITH recent AS (SELECT * FROM shop.orders) SELECT "ä".id, \'shop.orders\' FROM recent AS "ä" JOIN customers ON customers.id = "ä".id';
      const { tables } = await engine.inspect(sql);
      expect(
        tables.map(({ parts, start, end, hasAlias }) => [parts, sql.slice(start, end), hasAlias]),
      ).toEqual([
        [['shop', 'orders'], 'shop.orders', false],
        [['customers'], 'customers', false],
      ]);
    },
  );

  engineCase('only one query is let through, and nothing that is none', async ({ engine }) => {
    expect(await codeOf(engine.inspect('SELECT 1; SELECT 2'))).toBe('query.several-statements');
    expect(await codeOf(engine.inspect('DROP TABLE t'))).toBe('query.not-a-query');
    expect(await codeOf(engine.inspect(''))).toBe('query.not-a-query');
    expect(await codeOf(engine.inspect('SELEC 1'))).toBe('query.cannot-parse');
  });

  engineCase('a function that nobody has allowed is refused where it stands', async ({ engine }) => {
    const sql = "SELECT 'ä', my_own_function(1)";
    const failed = await failureOf(engine.inspect(sql));
    expect(failed.code).toBe('query.function-not-allowed');
    expect(sql.slice(failed.diagnostic.at?.start, failed.diagnostic.at?.end)).toBe('my_own_function');
  });

  engineCase('a query that may answer differently next time is said to', async ({ engine }) => {
    expect((await engine.inspect('SELECT count(*) FROM t')).isStable).toBe(true);
    expect((await engine.inspect('SELECT current_timestamp FROM t')).isStable).toBe(false);
  });
}

export function describeReadingLong(engineCase: EngineCase): void {
  engineCase('the lines of an answer have the cells of a small one', async ({ engine }) => {
    const sql = `SELECT CAST(9223372036854775807 AS BIGINT) AS b, CAST('1.50' AS DECIMAL(10, 2)) AS m, CAST('2024-02-29' AS DATE) AS d, CAST('2024-02-29 23:59:59.5' AS TIMESTAMP) AS t, TRUE AS f, CAST(0.5 AS DOUBLE PRECISION) AS r, 'ä"€😀' AS s, CAST(NULL AS INTEGER) AS n`;
    const reading = await engine.read(sql);
    const small = withCells(await engine.query(sql));
    expect(reading.columns).toEqual(small.columns);
    expect(await rowsOf(reading)).toEqual(small.rows);
  });

  engineCase('an empty answer has columns and no lines', async ({ engine }) => {
    const reading = await engine.read('SELECT 1 AS one WHERE 1 = 0');
    expect(reading.columns.map(({ name }) => name)).toEqual(['one']);
    expect(await rowsOf(reading)).toEqual([]);
  });

  engineCase('long answers come whole, in order and in whole lines', async ({ engine }) => {
    const { lines } = await engine.read(
      `SELECT id, 'a text of row ' AS t FROM (${numbers(10_000)}) AS n ORDER BY id`,
    );
    const ids: number[] = [];
    for await (const piece of lines)
      for (const line of piece.toString('utf8').trimEnd().split('\n')) ids.push(Number(JSON.parse(line)[0]));
    expect(ids).toEqual(Array.from({ length: 10_000 }, (_, id) => id));
  });

  engineCase(
    'what is read is one state of the data, whatever is written meanwhile',
    async ({ engine, open, sql }) => {
      await makeOrders(engine, `SELECT id, 'a' AS name FROM (${numbers(10_000)}) AS n`);
      const { lines } = await engine.read(`SELECT * FROM ${sql(ORDERS_TABLE)}, (${numbers(20)}) AS m`);
      const other = await open();
      let rows = 0;
      for await (const piece of lines) {
        if (rows === 0)
          await other.write([], (session) => session.remove(ORDERS_TABLE).then(() => undefined));
        rows += piece.toString('utf8').split('\n').length - 1;
      }
      expect(rows).toBe(200_000);
      expect(await readAll(engine, `SELECT count(*) FROM ${sql(ORDERS_TABLE)}`)).toEqual([[0]]);
    },
  );

  engineCase('reading does not write', async ({ engine, sql }) => {
    await makeOrders(engine);
    expect(await codeOf(engine.read(`DELETE FROM ${sql(ORDERS_TABLE)}`))).toMatch(/^(?:engine|query)\./);
    expect(await readAll(engine, `SELECT id FROM ${sql(ORDERS_TABLE)}`)).toEqual([[1]]);
  });

  engineCase('a query that cannot be planned fails before there are lines', async ({ engine }) => {
    expect(await codeOf(engine.read('SELECT no_such_column FROM no_such_table'))).toBe(
      'engine.statement-failed',
    );
  });

  engineCase('a failure in the middle ends the lines', async ({ engine }) => {
    const reading = engine.read(
      `SELECT CAST(CASE WHEN id = 9999 THEN 'x' ELSE '1' END AS INTEGER) AS v FROM (${numbers(10_000)}) AS n`,
    );
    expect(await codeOf(reading.then(rowsOf))).toBe('engine.type-mismatch');
    expect(await readAll(engine, 'SELECT 1')).toEqual([[1]]);
  });

  engineCase('a reader that stops early leaves nothing running', async ({ engine }) => {
    const endless = `SELECT a.id FROM (${numbers(10_000)}) AS a, (${numbers(10_000)}) AS b, (${numbers(10_000)}) AS c`;
    for (let round = 0; round < 3; round++) {
      for await (const piece of (await engine.read(endless)).lines) {
        expect(piece.length).toBeGreaterThan(0);
        break;
      }
    }
    expect(await readAll(engine, 'SELECT 1')).toEqual([[1]]);
  });

  engineCase('a signal ends a reading, before its lines and between them', async ({ engine }) => {
    const endless = `SELECT count(*) FROM (${numbers(10_000)}) AS a, (${numbers(10_000)}) AS b, (${numbers(10_000)}) AS c`;
    const before = AbortSignal.abort();
    expect(await codeOf(engine.read('SELECT 1', { signal: before }))).toBe('engine.cancelled');
    const soon = new AbortController();
    const waiting = engine.read(endless, { signal: soon.signal }).then(rowsOf);
    setTimeout(() => soon.abort(), 100);
    expect(await codeOf(waiting)).toBe('engine.cancelled');
    const between = new AbortController();
    const { lines } = await engine.read(endless.replace('count(*)', 'a.id'), { signal: between.signal });
    const seen = (async () => {
      for await (const piece of lines) if (piece.length > 0) between.abort();
    })();
    expect(await codeOf(seen)).toBe('engine.cancelled');
  });

  engineCase('a reading ends when its time is over', async ({ engine }) => {
    const endless = `SELECT count(*) FROM (${numbers(10_000)}) AS a, (${numbers(10_000)}) AS b, (${numbers(10_000)}) AS c`;
    expect(await codeOf(engine.read(endless, { timeoutMs: 100 }).then(rowsOf))).toBe('engine.timed-out');
    expect(await rowsOf(await engine.read('SELECT 1', { timeoutMs: 60_000 }))).toEqual([[1]]);
  });

  engineCase('a slow reader does not hold up the others, and gets everything', async ({ engine }) => {
    const { lines } = await engine.read(
      `SELECT a.id, 'a text that fills the buffers between here and there' AS t FROM (${numbers(10_000)}) AS a, (${numbers(20)}) AS b`,
    );
    let rows = 0;
    for await (const piece of lines) {
      expect(await readAll(engine, 'SELECT 1')).toEqual([[1]]);
      rows += piece.toString('utf8').split('\n').length - 1;
    }
    expect(rows).toBe(200_000);
  });

  engineCase('many readings run side by side', async ({ engine }) => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        readAll(engine, `SELECT sum(id) + ${index} FROM (${numbers(1_000)}) AS n`),
      ),
    );
    expect(answers.map(([row]) => Number(row?.[0]))).toEqual(
      Array.from({ length: 12 }, (_, index) => 499_500 + index),
    );
  });

  engineCase(
    'a killed engine is a failure in the middle of a reading, and the next one works',
    async ({ warehouse, engine }) => {
      if (warehouse.killEngine === undefined) return;
      const { lines } = await engine.read(
        `SELECT a.id FROM (${numbers(10_000)}) AS a, (${numbers(10_000)}) AS b`,
      );
      const reading = (async () => {
        let pieces = 0;
        for await (const piece of lines)
          if (piece.length > 0 && ++pieces === 3) await warehouse.killEngine?.();
      })();
      const failed = await failureOf(reading);
      expect([failed.code, failed.isRetryable]).toEqual(['engine.lost', true]);
      expect(await readAll(engine, 'SELECT 1')).toEqual([[1]]);
    },
  );
}
