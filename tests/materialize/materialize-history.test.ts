/** SCD type 2 against an oracle that keeps history in a plain list, and the cases people ask about by name. */
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { days, openWarehouse, type Warehouse } from '../support/materialize-warehouse.ts';

interface Row {
  readonly k: number | null;
  readonly v: string | null;
  readonly w: string | null;
  /** Hours since 1970-01-01; null where the source does not say. */
  readonly u: number | null;
}

interface Version extends Row {
  readonly from: number;
  to: number | null;
}

interface Options {
  readonly isByTime: boolean;
  /** updated_at_as_valid_from, or execution_time_as_valid_from. */
  readonly startsAtChange: boolean;
  readonly invalidates: boolean;
  readonly watched: '*' | 'v';
  /** By column: the model names a column with the time of the change. */
  readonly hasUpdatedAt: boolean;
  /** An audit holds rows back whose v is `bad`. */
  readonly holdsBack?: true;
}

/** What history should be after one more look at the source, hour `now`; undefined when the look is refused. */
function oracle(
  before: readonly Version[],
  all: readonly Row[],
  now: number,
  isFirst: boolean,
  o: Options,
): readonly Version[] | undefined {
  const source = all.filter(({ v }) => o.holdsBack !== true || v !== 'bad');
  if (source.some(({ k }) => k === null) || new Set(source.map(({ k }) => k)).size < source.length)
    return undefined;
  const versions = isFirst ? [] : before.map((version) => ({ ...version }));
  const changeOf = (row: Row): number => (o.isByTime || o.hasUpdatedAt ? (row.u ?? now) : now);
  const isChanged = (open: Version, row: Row): boolean =>
    o.isByTime
      ? row.u === null
        ? row.v !== open.v || row.w !== open.w
        : open.u === null || row.u > open.u
      : row.v !== open.v || (o.watched === '*' && (row.w !== open.w || row.u !== open.u));
  const opened: Version[] = [];
  for (const row of source) {
    const own = versions.filter(({ k }) => k === row.k);
    const open = own.find(({ to }) => to === null);
    if (open === undefined) {
      const ended = own.map(({ to }) => to as number);
      const first = o.isByTime
        ? o.startsAtChange
          ? changeOf(row)
          : 0
        : isFirst
          ? o.startsAtChange
            ? now
            : 0
          : changeOf(row);
      opened.push({ ...row, from: ended.length === 0 ? first : Math.max(...ended, changeOf(row)), to: null });
    } else if (isChanged(open, row)) {
      open.to = Math.max(changeOf(row), open.from);
      opened.push({ ...row, from: open.to, to: null });
    }
  }
  if (o.invalidates)
    // A row that is held back is not gone.
    for (const version of versions)
      if (version.to === null && !all.some(({ k }) => k === version.k))
        version.to = Math.max(now, version.from);
  return [...versions, ...opened];
}

const hour = (at: number): string => new Date(at * 3_600_000).toISOString().slice(0, 19).replace('T', ' ');
const hourOf = (text: unknown): number | null =>
  text === null ? null : Date.parse(`${String(text).replace(' ', 'T')}Z`) / 3_600_000;
const textSql = (text: string | null): string => (text === null ? 'NULL' : `'${text}'`);
const timeSql = (at: number | null): string => (at === null ? 'NULL' : `TIMESTAMP '${hour(at)}'`);
const keyOf = (version: Version): string =>
  JSON.stringify([version.k, version.from, version.to, version.v, version.w, version.u]);
const ordered = (versions: readonly Version[]): readonly string[] => versions.map(keyOf).sort();

const KINDS: readonly Options[] = [
  { isByTime: true, startsAtChange: false, invalidates: true, watched: '*', hasUpdatedAt: true },
  { isByTime: true, startsAtChange: true, invalidates: false, watched: '*', hasUpdatedAt: true },
  { isByTime: true, startsAtChange: true, invalidates: true, watched: '*', hasUpdatedAt: true },
  { isByTime: false, startsAtChange: false, invalidates: true, watched: '*', hasUpdatedAt: false },
  { isByTime: false, startsAtChange: true, invalidates: false, watched: 'v', hasUpdatedAt: false },
  { isByTime: false, startsAtChange: true, invalidates: true, watched: 'v', hasUpdatedAt: true },
];

const VARIANTS: readonly Options[] = KINDS.flatMap((kind) => [kind, { ...kind, holdsBack: true as const }]);

function kindOf(o: Options): string {
  const common = `unique_key k, invalidate_hard_deletes ${o.invalidates}`;
  return o.isByTime
    ? `SCD_TYPE_2_BY_TIME (${common}, updated_at_name u, updated_at_as_valid_from ${o.startsAtChange})`
    : `SCD_TYPE_2_BY_COLUMN (${common}, columns ${o.watched === '*' ? '*' : '[v]'}, execution_time_as_valid_from ${o.startsAtChange}${o.hasUpdatedAt ? ', updated_at_name u' : ''})`;
}

const name = (i: number): string => `s.h${i}`;

describe('histories equal those of the oracle', () => {
  let w: Warehouse;
  beforeAll(async () => {
    w = await openWarehouse({
      ...Object.fromEntries(
        VARIANTS.map((options, i) => [
          `models/h${i}.sql`,
          `MODEL (name ${name(i)}, kind ${kindOf(options)}${options.holdsBack ? ', audits (good)' : ''});\nSELECT k, v, w, u FROM x.src`,
        ]),
      ),
      'audits/good.sql':
        "AUDIT (name good, on_failure quarantine);\nSELECT * FROM @this_model WHERE v = 'bad';",
      'external_models.yaml':
        '- name: x.src\n  columns:\n    k: INT\n    v: TEXT\n    w: TEXT\n    u: TIMESTAMP\n',
    });
    await w.execute('CREATE SCHEMA x');
    await w.execute('CREATE TABLE x.src (k INT, v TEXT, w TEXT, u TIMESTAMP)');
  });
  afterAll(() => w.close());

  const row: fc.Arbitrary<Row> = fc.record({
    k: fc.integer({ min: 1, max: 4 }),
    v: fc.constantFrom(null, 'a', 'b', 'bad'),
    w: fc.constantFrom(null, 'x', 'y'),
    u: fc.option(fc.integer({ min: 1, max: 40 }), { freq: 3 }),
  });
  const look: fc.Arbitrary<{ rows: readonly Row[]; now: number }> = fc.record({
    rows: fc.oneof(
      { weight: 8, arbitrary: fc.uniqueArray(row, { selector: ({ k }) => k, maxLength: 4 }) },
      // Twice the same key, or none: refused, unless all but one of them are held back.
      { weight: 1, arbitrary: fc.array(row, { maxLength: 4 }) },
      {
        weight: 1,
        arbitrary: fc.array(
          row.map((one) => ({ ...one, k: null })),
          { maxLength: 1 },
        ),
      },
    ),
    // Mostly later than before, sometimes not: somebody fixed the execution time.
    now: fc.integer({ min: 1, max: 60 }),
  });

  test.each(
    VARIANTS.map((o, i) => [`${kindOf(o)}${o.holdsBack ? ' that holds rows back' : ''}`, i] as const),
  )('%s', async (_, i) => {
    const options = VARIANTS[i] as Options;
    await fc.assert(
      fc.asyncProperty(fc.array(look, { minLength: 1, maxLength: 5 }), async (looks) => {
        let expected: readonly Version[] = [];
        let isFirst = true;
        for (const { rows, now } of looks) {
          await w.execute('DELETE FROM x.src');
          const values = rows.map(
            ({ k, v, w: x, u }) => `(${k}, ${textSql(v)}, ${textSql(x)}, ${timeSql(u)})`,
          );
          if (values.length > 0) await w.execute(`INSERT INTO x.src VALUES ${values.join(', ')}`);
          const next = oracle(expected, rows, now, isFirst, options);
          const written = w.write(name(i), { isFirst, executionTime: now * 3_600_000 });
          if (next === undefined) {
            await expect(written).rejects.toMatchObject({
              code: expect.stringMatching(/^audit\.(duplicate|null)-key$/),
            });
            if (isFirst) continue;
          } else {
            await written;
            expected = next;
            isFirst = false;
          }
          const found = (
            await w.rows(`SELECT k, v, w, u, valid_from, valid_to FROM ${w.table(name(i))}`)
          ).map(
            ([k, v, x, u, from, to]): Version => ({
              k: Number(k),
              v: v as string | null,
              w: x as string | null,
              u: hourOf(u),
              from: hourOf(from) as number,
              to: hourOf(to),
            }),
          );
          expect(ordered(found)).toEqual(ordered(expected));
          assertWellFormed(found);
        }
        w.takeSent();
      }),
      { numRuns: 15 },
    );
  });
});

/** One open version per key at most, periods that do not overlap. */
function assertWellFormed(versions: readonly Version[]): void {
  for (const own of Map.groupBy(versions, ({ k }) => k).values()) {
    expect(own.filter(({ to }) => to === null).length).toBeLessThanOrEqual(1);
    const inOrder = own.toSorted(
      (a, b) => a.from - b.from || (a.to ?? Number.POSITIVE_INFINITY) - (b.to ?? Number.POSITIVE_INFINITY),
    );
    for (const [i, version] of inOrder.entries()) {
      expect(version.to ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(version.from);
      const next = inOrder[i + 1];
      if (next !== undefined) expect(version.to).toBeLessThanOrEqual(next.from);
    }
  }
}

describe('by name', () => {
  let open: Warehouse | undefined;
  afterEach(() => open?.close());
  async function warehouse(kind: string, type = 'TIMESTAMP'): Promise<Warehouse> {
    open = await openWarehouse({
      'models/m.sql': `MODEL (name s.m, kind ${kind}, audits (not_null(columns := (k))));\nSELECT k, v, u FROM x.src`,
      'external_models.yaml': `- name: x.src\n  columns:\n    k: INT\n    v: TEXT\n    u: ${type}\n`,
    });
    await open.execute('CREATE SCHEMA x');
    await open.execute(`CREATE TABLE x.src (k INT, v TEXT, u ${type})`);
    return open;
  }
  const BY_COLUMN = 'SCD_TYPE_2_BY_COLUMN (unique_key k, columns [v])';
  const at = (text: string): { executionTime: number } => ({
    executionTime: Date.parse(`${text}T00:00:00Z`),
  });

  test.each([
    ["(1, 'a', NULL), (1, 'a', NULL)", 'audit.duplicate-key'],
    ["(1, 'a', NULL), (1, 'b', NULL)", 'audit.duplicate-key'],
    ["(NULL, 'a', NULL)", 'audit.null-key'],
  ])('%s is refused as %s, in the first build and later', async (rows, code) => {
    const w = await warehouse(BY_COLUMN);
    await w.execute("INSERT INTO x.src VALUES (9, 'z', NULL)");
    await w.write('s.m', at('2024-01-01'));
    await w.execute(`INSERT INTO x.src VALUES ${rows}`);
    for (const isFirst of [true, false])
      await expect(w.write('s.m', { isFirst, ...at('2024-01-02') })).rejects.toMatchObject({ code });
    expect(await w.rows(`SELECT k FROM ${w.table('s.m')}`)).toEqual([[9]]);
  });

  test('a row whose time was not known at first changes when it is known, or when another column differs', async () => {
    const w = await warehouse('SCD_TYPE_2_BY_TIME (unique_key k, updated_at_name u)');
    await w.execute(
      "INSERT INTO x.src VALUES (1, 'a', NULL), (2, 'a', NULL), (3, 'a', TIMESTAMP '2024-01-09')",
    );
    await w.write('s.m', at('2024-01-01'));
    await w.execute("UPDATE x.src SET v = 'b', u = TIMESTAMP '2024-01-02' WHERE k = 1");
    await w.execute("UPDATE x.src SET v = 'b' WHERE k = 2");
    await w.execute("UPDATE x.src SET v = 'late', u = TIMESTAMP '2024-01-08' WHERE k = 3");
    await w.write('s.m', at('2024-01-03'));
    await w.execute('UPDATE x.src SET u = NULL WHERE k = 1');
    await w.execute("UPDATE x.src SET v = 'c', u = NULL WHERE k = 3");
    await w.write('s.m', at('2024-01-10'));
    expect(
      await w.rows(
        `SELECT k, v, valid_from::DATE, valid_to::DATE FROM ${w.table('s.m')} ORDER BY k, valid_from`,
      ),
    ).toEqual([
      [1, 'a', '1970-01-01', '2024-01-02'],
      [1, 'b', '2024-01-02', null],
      [2, 'a', '1970-01-01', '2024-01-03'],
      [2, 'b', '2024-01-03', null],
      [3, 'a', '1970-01-01', '2024-01-10'],
      [3, 'c', '2024-01-10', null],
    ]);
  });

  test('names, types and zones of the periods', async () => {
    const w = await warehouse(
      'SCD_TYPE_2_BY_TIME (unique_key k, updated_at_name u, valid_from_name since, valid_to_name until, time_data_type TIMESTAMPTZ, updated_at_as_valid_from true)',
      'DATE',
    );
    await w.execute("INSERT INTO x.src VALUES (1, 'a', DATE '2024-01-01')");
    await w.write('s.m', at('2024-01-05'));
    await w.execute("UPDATE x.src SET v = 'b', u = DATE '2024-01-03'");
    await w.write('s.m', { range: days('2024-01-02', '2024-01-03'), ...at('2024-01-06') });
    expect(
      await w.rows(`SELECT v, since::VARCHAR, until::VARCHAR FROM ${w.table('s.m')} ORDER BY since`),
    ).toEqual([
      ['a', '2024-01-01 00:00:00+00', '2024-01-03 00:00:00+00'],
      ['b', '2024-01-03 00:00:00+00', null],
    ]);
    expect(
      (await w.rows(`DESCRIBE ${w.table('s.m')}`)).map(([column, type]) => [column, type]).slice(-2),
    ).toEqual([
      ['since', 'TIMESTAMP WITH TIME ZONE'],
      ['until', 'TIMESTAMP WITH TIME ZONE'],
    ]);
  });

  test('a column that the query no longer has stays in the versions that had it', async () => {
    const w = await warehouse(BY_COLUMN);
    await w.execute("INSERT INTO x.src VALUES (1, 'a', TIMESTAMP '2024-01-01')");
    await w.write('s.m', at('2024-01-01'));
    await w.change({ 'models/m.sql': `MODEL (name s.m, kind ${BY_COLUMN});\nSELECT k, v FROM x.src` });
    await w.execute("UPDATE x.src SET v = 'b'");
    await w.write('s.m', at('2024-01-02'));
    expect(await w.rows(`SELECT v, u IS NULL FROM ${w.table('s.m')} ORDER BY valid_from`)).toEqual([
      ['a', false],
      ['b', true],
    ]);
  });

  test('a restatement from the beginning makes the history anew; a look without changes writes nothing', async () => {
    const w = await warehouse(BY_COLUMN);
    await w.execute("INSERT INTO x.src VALUES (1, 'a', NULL)");
    await w.write('s.m', at('2024-01-01'));
    await w.execute("UPDATE x.src SET v = 'b'");
    expect(await w.write('s.m', at('2024-01-02'))).toMatchObject({ rows: 2 });
    expect(await w.write('s.m', at('2024-01-03'))).toMatchObject({ rows: 0, audits: [{ status: 'passed' }] });
    expect(await w.rows(`SELECT count(*) FROM ${w.table('s.m')}`)).toEqual([['2']]);
    await w.write('s.m', { isRestatement: true, ...at('2024-01-04') });
    expect(await w.rows(`SELECT v, valid_from::VARCHAR, valid_to FROM ${w.table('s.m')}`)).toEqual([
      ['b', '1970-01-01 00:00:00', null],
    ]);
  });
});
