/** The bookkeeping half of the engine's suite: ledger, fences, promotions, identity. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { type LedgerRow, WHOLE } from '../../src/domain/engine.ts';
import { environmentViews } from '../../src/domain/environment.ts';
import { type TableId, tableKey } from '../../src/domain/relation.ts';
import { normalizeRanges } from '../../src/foundation/time/ranges.ts';
import {
  codeOf,
  type EngineCase,
  gate,
  idsOf,
  ledgerRow,
  makeOrders,
  ORDERS,
  ORDERS_TABLE,
} from './engine-kit.ts';

const DAY = 86_400_000;
const OTHER: TableId = { model: 'shop.others', version: 'v2__dev' };

export function describeLedger(engineCase: EngineCase): void {
  describeRanges(engineCase);
  describeFences(engineCase);
  describeShared(engineCase);
}

function describeRanges(engineCase: EngineCase): void {
  engineCase('the ledger of a new warehouse is empty', async ({ engine }) => {
    expect(await engine.ledger()).toEqual([]);
    expect(await engine.ledger({ tables: [ORDERS] })).toEqual([]);
    expect(await engine.ledger({ tables: [] })).toEqual([]);
  });

  engineCase('touching and overlapping ranges become one, holes stay', async ({ engine }) => {
    const start = Date.UTC(2024, 1, 28);
    const range = (from: number, to: number) => ({ start: start + from, end: start + to });
    await engine.write([], async (session) => {
      await session.recordLedger([
        ledgerRow({ range: range(DAY, 2 * DAY) }),
        ledgerRow({ range: range(0, DAY) }),
        ledgerRow({ range: range(2 * DAY + 1, 3 * DAY) }),
        ledgerRow({ range: range(2 * DAY + 5, 2 * DAY + 7) }),
        ledgerRow({ table: OTHER, range: WHOLE }),
      ]);
    });
    const [orders, others] = await sorted(engine.ledger());
    expect(orders?.filled).toEqual([range(0, 2 * DAY), range(2 * DAY + 1, 3 * DAY)]);
    expect(orders?.filledSince).toEqual([]);
    expect(others).toMatchObject({ table: OTHER, filled: [WHOLE], filledSince: [] });
  });

  engineCase(
    'data versions are those of the ledger after every write, refusal, forgetting and reopening',
    async ({ engine, open, warehouse }) => {
      const check = async (asked = engine): Promise<readonly string[]> => {
        const told = await asked.dataVersions([OTHER, ORDERS]);
        const ledger = new Map(
          (await asked.ledger({ tables: [OTHER, ORDERS] })).map((one) => [
            tableKey(one.table),
            one.dataVersion,
          ]),
        );
        expect(told).toEqual([OTHER, ORDERS].map((table) => ledger.get(tableKey(table)) ?? ''));
        return told;
      };
      expect(await check()).toEqual(['', '']);
      expect(await engine.dataVersions([])).toEqual([]);
      const write = (...tables: readonly TableId[]): Promise<void> =>
        engine.write([], (session) =>
          session.recordLedger(tables.map((table) => ledgerRow({ table, range: WHOLE }))),
        );
      await write(ORDERS);
      const [, first] = await check();
      await write(ORDERS, OTHER, ORDERS);
      const [, second] = await check();
      expect(second).not.toBe(first);
      await engine
        .write([], async (session) => {
          await session.recordLedger([ledgerRow({ range: WHOLE })]);
          throw new Error('rolled back');
        })
        .catch(() => undefined);
      expect((await check())[1]).toBe(second);
      expect((await check(await open()))[1]).toBe(second);
      // Whoever executes statements next has only the ledger to go by.
      await warehouse.killEngine?.();
      expect((await check())[1]).toBe(second);
      await engine.write([], (session) => session.forgetTables([ORDERS]));
      expect((await check())[1]).toBe('');
      await write(ORDERS);
      expect((await check())[1]).toMatch(/^1:/);
    },
  );

  engineCase(
    'rows that are read come with the data versions of their own transaction, whoever writes meanwhile',
    async ({ engine, open, sql }) => {
      await makeOrders(engine);
      const writer = await open();
      // Every write adds a row and a ledger row, so the number of rows tells the version.
      const table = sql(ORDERS_TABLE);
      const rowsBefore = (await idsOf(engine, table)).length;
      let isOver = false;
      let written = 0;
      const writing = (async () => {
        for (; written < 60; written++)
          await writer.write([], async (session) => {
            await session.insert(ORDERS_TABLE, ['id'], `SELECT ${1000 + written} AS id`);
            await session.recordLedger([ledgerRow({ range: WHOLE })]);
          });
        isOver = true;
      })();
      const countsOf = new Map<string, number>();
      let asked = 0;
      while (!isOver) {
        const [told = ''] = await engine.dataVersions([ORDERS]);
        const { versions, lines } = await engine.read(`SELECT count(*)::INTEGER FROM ${table}`, {
          versionsOf: [ORDERS],
        });
        const pieces: Buffer[] = [];
        for await (const piece of lines) pieces.push(piece);
        const rows = Number(JSON.parse(Buffer.concat(pieces).toString())[0]) - rowsBefore;
        asked++;
        if (versions === undefined) continue;
        expect(rows).toBe(Number(versions[0]?.split(':')[0] || 0));
        expect(rows).toBeGreaterThanOrEqual(Number(told.split(':')[0] || 0));
        countsOf.set(String(versions[0]), rows);
      }
      await writing;
      expect(asked).toBeGreaterThan(5);
      expect(new Set(countsOf.values()).size).toBe(countsOf.size);
    },
  );

  engineCase(
    'the text of data versions is another after each write, and the same without one',
    async ({ engine }) => {
      const sql = await engine.dataVersionSql([OTHER, ORDERS]);
      const now = async (): Promise<unknown> => (await engine.query(`SELECT ${sql} AS version`)).rows[0]?.[0];
      await engine.write([], async (session) => {
        await session.recordLedger([ledgerRow({ range: WHOLE })]);
      });
      const first = await now();
      expect(String(first)).toContain(`${ORDERS.model}@${ORDERS.version}:1:`);
      expect(await now()).toBe(first);
      const seen = new Set([first]);
      for (const table of [OTHER, ORDERS]) {
        await engine.write([], async (session) => {
          await session.recordLedger([ledgerRow({ table, range: WHOLE })]);
          // Others see nothing of it before it is committed.
          expect(seen.has(await now())).toBe(true);
        });
        seen.add(await now());
      }
      expect(seen.size).toBe(3);
      await engine.write([], async (session) => {
        await session.recordLedger([
          ledgerRow({ table: { model: 'shop.third', version: 'v' }, range: WHOLE }),
        ]);
      });
      expect(seen.has(await now())).toBe(true);
    },
  );

  engineCase('ranges and data versions agree with plain arithmetic on random rows', async ({ engine }) => {
    const rowOf = fc.record({
      table: fc.constantFrom(ORDERS, OTHER, { model: 'cat"x.s.m', version: 'v' }),
      start: fc.integer({ min: -50, max: 200 }),
      length: fc.integer({ min: 1, max: 30 }),
      token: fc.integer({ min: 1, max: 6 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(rowOf, { minLength: 1, maxLength: 25 }), async (given) => {
        const rows: readonly LedgerRow[] = given
          .filter(({ table }) => table.model !== 'cat"x.s.m')
          .map(({ table, start, length, token }) =>
            ledgerRow({ table, token, range: { start: start * 1_000, end: (start + length) * 1_000 } }),
          );
        if (rows.length === 0) return;
        await engine.write([], async (session) => {
          await session.forgetTables([ORDERS, OTHER]);
          await session.recordLedger(rows);
        });
        const since = new Map([[tableKey(ORDERS), 3]]);
        for (const { table, filled, filledSince, dataVersion } of await engine.ledger({ since })) {
          const own = rows.filter((row) => tableKey(row.table) === tableKey(table));
          const newer = tableKey(table) === tableKey(ORDERS) ? own.filter(({ token }) => token > 3) : [];
          expect(filled).toEqual(normalizeRanges(own.map(({ range }) => range)));
          expect(filledSince).toEqual(normalizeRanges(newer.map(({ range }) => range)));
          const xor = own.reduce((sum, row) => sum ^ BigInt(row.dataVersion), 0n);
          expect(dataVersion).toBe(`${own.length}:${xor}`);
        }
      }),
      { numRuns: 15 },
    );
  });

  engineCase('only what is asked for and what is not known already is answered', async ({ engine }) => {
    const record = (table: TableId) =>
      engine.write([], (session) =>
        session.recordLedger([ledgerRow({ table, range: { start: 0, end: DAY } })]),
      );
    await record(ORDERS);
    await record(OTHER);
    const all = await sorted(engine.ledger());
    const known = new Map(all.map(({ table, dataVersion }) => [tableKey(table), dataVersion]));
    expect(await engine.ledger({ known })).toEqual([]);
    await record(OTHER);
    const [changed, ...rest] = await engine.ledger({ known });
    expect([changed?.table, rest]).toEqual([OTHER, []]);
    expect(changed?.filled).toEqual([{ start: 0, end: DAY }]);
    expect((await engine.ledger({ tables: [ORDERS] })).map(({ table }) => table)).toEqual([ORDERS]);
  });

  engineCase('what is rolled back or forgotten is not in the ledger', async ({ engine }) => {
    const range = { start: 0, end: DAY };
    const failing = engine.write([], async (session) => {
      await session.recordLedger([ledgerRow({ range })]);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await engine.ledger()).toEqual([]);
    await engine.write([], (session) =>
      session.recordLedger([ledgerRow({ range }), ledgerRow({ table: OTHER, range })]),
    );
    await engine.write([], (session) => session.forgetTables([ORDERS]));
    expect((await engine.ledger()).map(({ table }) => table)).toEqual([OTHER]);
  });

  engineCase('parallel writers of one table each leave their row', async ({ engine, open }) => {
    await makeOrders(engine);
    const clients = [engine, await open()];
    const work = Array.from({ length: 20 }, (_, index) =>
      clients[index % 2]?.write([{ table: ORDERS, token: 1 }], async (session) => {
        void session.insert(ORDERS_TABLE, ['id'], `SELECT ${index} AS id`);
        await session.recordLedger([ledgerRow({ range: { start: index * DAY, end: (index + 1) * DAY } })]);
      }),
    );
    await Promise.all(work);
    const [ledger] = await engine.ledger();
    expect(ledger?.filled).toEqual([{ start: 0, end: 20 * DAY }]);
    expect(ledger?.dataVersion.startsWith('20:')).toBe(true);
  });
}

function describeFences(engineCase: EngineCase): void {
  engineCase('an older token is refused at its begin', async ({ engine, open, sql }) => {
    await makeOrders(engine);
    const other = await open();
    await engine.raiseFences([{ table: ORDERS, token: 2 }]);
    const work = async () => {
      const written = other.write([{ table: ORDERS, token: 1 }], (session) => session.remove(ORDERS_TABLE));
      return codeOf(written);
    };
    expect(await work()).toBe('engine.fenced');
    expect(await idsOf(engine, sql(ORDERS_TABLE))).toEqual([1]);
    // Another version of the model is another table.
    await other.write([{ table: { ...ORDERS, version: 'v2' }, token: 1 }], async () => undefined);
    await other.write([{ table: ORDERS, token: 2 }], async () => undefined);
  });

  engineCase(
    'a holder that was paused cannot commit once its table has passed on',
    async ({ engine, open, sql }) => {
      await makeOrders(engine);
      const other = await open();
      const written = gate();
      const go = gate();
      const paused = codeOf(
        engine.write([{ table: ORDERS, token: 1 }], async (session) => {
          await session.insert(ORDERS_TABLE, ['id'], 'SELECT 2 AS id');
          await session.recordLedger([ledgerRow({ range: { start: 0, end: DAY } })]);
          written.open();
          await go.opened;
        }),
      );
      await written.opened;
      await other.write([{ table: ORDERS, token: 2 }], async (session) => {
        await session.insert(ORDERS_TABLE, ['id'], 'SELECT 3 AS id');
        await session.recordLedger([ledgerRow({ range: { start: 0, end: DAY }, token: 2 })]);
      });
      go.open();
      expect(await paused).toBe('engine.fenced');
      expect(await idsOf(engine, sql(ORDERS_TABLE))).toEqual([1, 3]);
      expect((await engine.ledger()).map(({ dataVersion }) => dataVersion.split(':')[0])).toEqual(['1']);
    },
  );

  engineCase('after raising, nobody older adds to what was read', async ({ engine, open }) => {
    await makeOrders(engine);
    const other = await open();
    for (let round = 1; round <= 15; round++) {
      const token = round * 2;
      const old = engine
        .write([{ table: ORDERS, token }], async (session) => {
          void session.insert(ORDERS_TABLE, ['id'], 'SELECT 2 AS id');
          await session.recordLedger([ledgerRow({ range: { start: round, end: round + 1 }, token })]);
        })
        .then(
          () => 'committed',
          (error: { readonly code?: string }) => error.code,
        );
      // Sooner or later within the other's transaction, so that some rounds meet its commit.
      await new Promise((resolve) => setTimeout(resolve, round / 2));
      await other.raiseFences([{ table: ORDERS, token: token + 1 }]);
      const before = await other.ledger({ tables: [ORDERS] });
      expect(['committed', 'engine.fenced']).toContain(await old);
      expect(await other.ledger({ tables: [ORDERS] })).toEqual(before);
    }
  });
}

function describeShared(engineCase: EngineCase): void {
  engineCase(
    'an environment remembers its last promotion, in the transaction of its views',
    async ({ engine, open }) => {
      expect(await engine.promotionOf('prod')).toBeUndefined();
      const other = await open();
      await engine.write([], (session) => session.recordPromotion('prod', 'p1'));
      await engine.write([], (session) => session.recordPromotion('dev', 'p2'));
      const failing = engine.write([], async (session) => {
        await session.recordPromotion('prod', 'p3');
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      expect([await other.promotionOf('prod'), await other.promotionOf('dev')]).toEqual(['p1', 'p2']);
      await other.write([], (session) => session.recordPromotion('prod', "it's p4"));
      expect(await engine.promotionOf('prod')).toBe("it's p4");
      expect(await engine.promotionOf('none')).toBeUndefined();
    },
  );

  engineCase(
    'every environment has its last promotion, with the record that was written beside it',
    async ({ engine, open }) => {
      expect(await engine.promotions()).toEqual([]);
      const long = JSON.stringify({ text: "it's ü".repeat(100_000) });
      await engine.write([], (session) => session.recordPromotion('prod', 'p1', long));
      await engine.write([], (session) => session.recordPromotion('dev', 'p2'));
      const other = await open();
      expect(await other.promotions()).toEqual([
        { environment: 'dev', promotionId: 'p2' },
        { environment: 'prod', promotionId: 'p1', record: long },
      ]);
      await other.write([], (session) => session.recordPromotion('prod', 'p3', 'short'));
      expect((await engine.promotions())[1]).toEqual({
        environment: 'prod',
        promotionId: 'p3',
        record: 'short',
      });
      await other.write([], (session) => session.recordPromotion('prod', 'p4'));
      expect((await engine.promotions())[1]).toEqual({ environment: 'prod', promotionId: 'p4' });
    },
  );

  engineCase(
    'the views of an environment have a data version, which is no entry of the ledger',
    async ({ engine, open }) => {
      const [prod, dev] = [environmentViews('prod'), environmentViews('dev')];
      const other = await open();
      expect(await engine.dataVersions([prod, dev])).toEqual(['', '']);
      await engine.write([], (session) => session.recordViews([prod, dev]));
      const first = await other.dataVersions([prod, dev]);
      const failing = engine.write([], async (session) => {
        await session.recordViews([prod]);
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      expect(await engine.dataVersions([prod, dev])).toEqual(first);
      await other.write([], (session) => session.recordViews([prod]));
      const second = await engine.dataVersions([prod, dev]);
      expect(second[0]).not.toBe(first[0]);
      expect(second[1]).toBe(first[1]);
      expect(await engine.ledger()).toEqual([]);
    },
  );

  engineCase('the first id proposed is kept, by many who propose at once', async ({ engine, open }) => {
    const clients = [engine, await open(), await open()];
    const ids = await Promise.all(
      Array.from({ length: 9 }, (_, index) => clients[index % 3]?.identity(`proposed-${index}`)),
    );
    expect(new Set(ids.map((answer) => answer?.id)).size).toBe(1);
    expect(ids.every((answer) => answer?.hasLedger === false)).toBe(true);
    await engine.write([], (session) => session.recordLedger([ledgerRow({ range: { start: 0, end: 1 } })]));
    expect(await engine.identity('late')).toEqual({ id: ids[0]?.id, hasLedger: true });
  });
}

async function sorted<Item extends { readonly table: TableId }>(
  items: Promise<readonly Item[]>,
): Promise<readonly Item[]> {
  return [...(await items)].sort((a, b) => (tableKey(a.table) < tableKey(b.table) ? -1 : 1));
}
