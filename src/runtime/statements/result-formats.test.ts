import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arrowStreamOfRows } from '../../../tests/support/arrow-stream-of-rows.ts';
import { type StatementColumn, statementColumn } from '../../domain/statement.ts';
import { arrowOf, csvOf, ndjsonOf, pageRowsOf } from './result-formats.ts';
import { resultLinesOf } from './result-lines.ts';

async function* pieces(...chunks: readonly string[]): AsyncGenerator<Buffer> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}
async function textOf(chunks: AsyncIterable<Buffer>): Promise<string> {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all).toString('utf8');
}
const columnsOf = (...types: readonly string[]): readonly StatementColumn[] =>
  types.map((type, at) => statementColumn({ name: `c${at}`, type }));
const wantedOf = (columns: readonly StatementColumn[], positions = columns.map((_, at) => at)) => ({
  columns,
  positions,
});

/** Rows of cells as engines spell them. */
const cell = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('', '"', ',', '\n', '\r\n', '\\', '\\"', '[', ']{', '\u2028', '\0'),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.string(), { maxLength: 3 }),
  fc.record({ a: fc.string(), 'b"]': fc.integer() }),
);
const table = fc
  .integer({ min: 1, max: 4 })
  .chain((width) =>
    fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 12 }),
  );
const linesText = (rows: readonly (readonly unknown[])[]): string =>
  rows.map((row) => `${JSON.stringify(row)}\n`).join('');

/** A reader of RFC 4180 that tells nothing from an empty text. */
function readCsv(text: string): (string | null)[][] {
  const rows: (string | null)[][] = [];
  let row: (string | null)[] = [];
  let at = 0;
  while (at < text.length) {
    let value: string | null;
    if (text[at] === '"') {
      const match = /"((?:[^"]|"")*)"/y;
      match.lastIndex = at;
      const [whole = '', inner = ''] = match.exec(text) ?? [];
      value = inner.replaceAll('""', '"');
      at += whole.length;
    } else {
      const match = /[^,\r\n"]*/y;
      match.lastIndex = at;
      const [whole = ''] = match.exec(text) ?? [];
      value = whole === '' ? null : whole;
      at += whole.length;
    }
    row.push(value);
    if (text[at] === ',') {
      at++;
      if (text.startsWith('\r\n', at)) row.push(null);
    }
    if (text.startsWith('\r\n', at)) {
      rows.push(row);
      row = [];
      at += 2;
    }
  }
  return rows;
}

describe('csv', () => {
  test('has a header, keeps numbers as they are written, and tells NULL from an empty text', async () => {
    const columns = [
      statementColumn({ name: 'a,b', type: 'DECIMAL(38,2)' }),
      statementColumn({ name: 'c', type: 'VARCHAR' }),
    ];
    const text = await textOf(
      csvOf(
        pieces('["12345678901234567890.10",null]\n[1.50,""]\n', '[2,"x\\ny \\"q\\""]\n'),
        wantedOf(columns),
      ),
    );
    expect(text).toBe('"a,b",c\r\n12345678901234567890.10,\r\n1.50,""\r\n2,"x\ny ""q"""\r\n');
  });

  test('what is read back is what was written', async () => {
    await fc.assert(
      fc.asyncProperty(table, async (rows) => {
        const columns = columnsOf(...(rows[0] as unknown[]).map(() => 'VARCHAR'));
        const [, ...read] = readCsv(await textOf(csvOf(pieces(linesText(rows)), wantedOf(columns))));
        const told = (value: unknown): string | null =>
          value === null ? null : typeof value === 'string' ? value : JSON.stringify(value);
        expect(read).toEqual(rows.map((row) => row.map(told)));
      }),
    );
  });
});

test('ndjson has an object a line, with names that differ, and values as they stand', async () => {
  const columns = ['id', 'ID', 'x'].map((name) => statementColumn({ name, type: 'INTEGER' }));
  expect(await textOf(ndjsonOf(pieces('[1,2.50,{"a":[1,"]"]}]\n'), wantedOf(columns)))).toBe(
    '{"id":1,"ID_2":2.50,"x":{"a":[1,"]"]}}\n',
  );
  await fc.assert(
    fc.asyncProperty(table, async (rows) => {
      const wide = columnsOf(...(rows[0] as unknown[]).map(() => 'VARCHAR'));
      const text = await textOf(ndjsonOf(pieces(linesText(rows)), wantedOf(wide)));
      const read = text
        .trimEnd()
        .split('\n')
        .map((line) => Object.values(JSON.parse(line) as object));
      expect(JSON.stringify(read)).toBe(JSON.stringify(rows));
    }),
  );
});

describe('arrow', () => {
  const stream = async (
    columns: readonly StatementColumn[],
    rows: readonly (readonly unknown[])[],
  ): Promise<Buffer> => {
    const all: Buffer[] = [];
    for await (const chunk of arrowOf(async () => pieces(linesText(rows)), wantedOf(columns)))
      all.push(chunk);
    return Buffer.concat(all);
  };
  test('a small stream is the one that is made in memory', async () => {
    const types = ['INTEGER', 'VARCHAR', 'DECIMAL(10,2)', 'TIMESTAMP', 'DATE'];
    const rows = [
      [1, 'a', '1.25', '2024-03-01T00:00:00.000', '2024-01-01'],
      [null, null, null, null, null],
    ];
    const columns = columnsOf(...types);
    const whole = arrowStreamOfRows(
      columns.map(({ name, engineType }) => ({ name, type: engineType })),
      rows,
    );
    expect(await stream(columns, rows)).toEqual(Buffer.from(whole));
  });
  test('a value that does not fit makes its column text, also when it comes last', async () => {
    const columns = columnsOf('DATE');
    const rows = [...Array.from({ length: 20_000 }, () => ['2024-01-01']), ['infinity']];
    const bytes = await stream(columns, rows);
    expect(bytes.includes('infinity')).toBe(true);
    expect(bytes.includes('2024-01-01')).toBe(true);
  });
});

test('columns can be chosen and put in another order, cells as they stand', async () => {
  const lines = pieces('[1.0,"a,]",null]\n[2,"b",[3]]\n');
  expect(await textOf(pageRowsOf(lines, { positions: [2, 0], bytesMax: 1_000 }))).toBe(
    '[[null,1.0],[[3],2]]',
  );
});

async function pageText(
  lines: AsyncIterable<Buffer>,
  bytesMax: number,
): Promise<{ readonly rows: string; readonly count: number }> {
  const page = pageRowsOf(lines, { bytesMax });
  let rows = '';
  for (;;) {
    const { done, value } = await page.next();
    if (done === true) return { rows, count: value };
    rows += String(value);
  }
}

describe('pages', () => {
  test('are the text of a list', async () => {
    expect(await pageText(pieces('[1]\n[2]\n', '["x\\ny"]\n'), 1_000)).toEqual({
      rows: '[[1],[2],["x\\ny"]]',
      count: 3,
    });
    expect(await pageText(pieces(), 1_000)).toEqual({ rows: '[]', count: 0 });
  });
  test('have no more bytes than allowed, but at least one row', async () => {
    expect(await pageText(pieces('[1]\n[2]\n[3]\n'), 9)).toEqual({ rows: '[[1],[2]]', count: 2 });
    expect(await pageText(pieces('[1]\n', '[22222]\n'), 9)).toEqual({ rows: '[[1]]', count: 1 });
    expect(await pageText(pieces('["far too long"]\n[2]\n'), 3)).toEqual({
      rows: '[["far too long"]]',
      count: 1,
    });
  });
  test('of small results are slices of lines', async () => {
    const store = { read: () => Promise.reject(new Error('not asked')) } as never;
    await fc.assert(
      fc.asyncProperty(
        fc.nat(6),
        fc.nat(8),
        fc.option(fc.nat(8), { nil: undefined }),
        async (count, offset, limit) => {
          const lines = Array.from({ length: count }, (_, row) => `[${row}]\n`);
          const found = await resultLinesOf({ kind: 'inline', lines: Buffer.from(lines.join('')) }, store, {
            offset,
            limit,
          });
          expect(await textOf(found!)).toBe(
            lines.slice(offset, limit === undefined ? undefined : offset + limit).join(''),
          );
        },
      ),
    );
  });
});

test('arrow from bytes is arrow from values, for every type', async () => {
  const types: readonly (readonly [string, fc.Arbitrary<unknown>])[] = [
    ['BOOLEAN', fc.boolean()],
    ['TINYINT', fc.integer({ min: -128, max: 127 })],
    ['USMALLINT', fc.integer({ min: 0, max: 65_535 })],
    ['INTEGER', fc.integer()],
    ['UINTEGER', fc.integer({ min: 0, max: 4_294_967_295 })],
    ['BIGINT', fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String)],
    ['UBIGINT', fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String)],
    ['DOUBLE', fc.double({ noNaN: true, noDefaultInfinity: true })],
    ['FLOAT', fc.float({ noNaN: true, noDefaultInfinity: true })],
    [
      'DECIMAL(9,2)',
      fc
        .integer({ min: -999_999_999, max: 999_999_999 })
        .map(
          (n) =>
            `${n < 0 ? '-' : ''}${Math.floor(Math.abs(n) / 100)}.${String(Math.abs(n) % 100).padStart(2, '0')}`,
        ),
    ],
    ['DECIMAL(38,0)', fc.bigInt({ min: -(10n ** 38n) + 1n, max: 10n ** 38n - 1n }).map(String)],
    [
      'DATE',
      fc
        .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
        .map((day) => day.toISOString().slice(0, 10)),
    ],
    [
      'TIMESTAMP',
      fc
        .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
        .map((day) => `${day.toISOString().slice(0, -1)}456`),
    ],
    [
      'TIMESTAMP WITH TIME ZONE',
      fc
        .date({ min: new Date('1900-01-01'), max: new Date('2999-12-31'), noInvalidDate: true })
        .map((day) => day.toISOString()),
    ],
    [
      'TIME',
      fc
        .date({ noInvalidDate: true, min: new Date(0), max: new Date(86_399_999) })
        .map((day) => day.toISOString().slice(11, 23)),
    ],
    ['VARCHAR', fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('', '\\', '"', '\n'))],
    ['INTEGER[]', fc.array(fc.integer(), { maxLength: 3 })],
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(...types.map(([, value]) => fc.option(value))), { minLength: 1, maxLength: 20 }),
      async (rows) => {
        const columns = columnsOf(...types.map(([type]) => type));
        const all: Buffer[] = [];
        for await (const chunk of arrowOf(async () => pieces(linesText(rows)), wantedOf(columns)))
          all.push(chunk);
        const plain = columns.map(({ name, engineType }) => ({ name, type: engineType }));
        expect(Buffer.concat(all).equals(Buffer.from(arrowStreamOfRows(plain, rows)))).toBe(true);
      },
    ),
  );
});
