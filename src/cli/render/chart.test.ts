import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { QueryColumn } from '../../domain/semantic-query.ts';
import { type Chart, chartOf } from './chart.ts';

const REGION: QueryColumn = { name: 'orders.region', kind: 'dimension', type: 'VARCHAR' };
const MONTH: QueryColumn = { name: 'orders.day.month', kind: 'time', type: 'DATE', granularity: 'month' };
const REVENUE: QueryColumn = {
  name: 'orders.revenue',
  kind: 'measure',
  type: 'DECIMAL(38,2)',
  format: 'currency',
};
const COUNT: QueryColumn = { name: 'orders.count', kind: 'measure', type: 'BIGINT' };

function draw(
  columns: readonly QueryColumn[],
  rows: readonly (readonly unknown[])[],
  { width = 40, hasUnicode = false } = {},
): Chart {
  return chartOf({ answer: { columns, rows }, columns, width, hasUnicode });
}

const textOf = (chart: Chart): string => (chart.ok ? chart.text : `none: ${chart.why}`);

test('a dimension and a measure are bars in the order of the answer', () =>
  expect(
    textOf(
      draw(
        [REGION, REVENUE],
        [
          ['EU', '1000.00'],
          ['US', '500.00'],
          [null, '0.00'],
        ],
      ),
    ),
  ).toBe(
    [
      'EU      ######################  1,000.00',
      'US      ###########               500.00',
      '(none)                              0.00',
    ].join('\n'),
  ));

test('negative values go to the left of zero', () => {
  const rows = [
    ['a', '10'],
    ['b', '-10'],
    ['c', null],
  ];
  expect(textOf(draw([REGION, COUNT], rows, { width: 28 }))).toBe(
    ['a            ##########   10', 'b  ----------            -10', 'c'].join('\n'),
  );
});

test('several measures of a row stand below each other', () => {
  const text = textOf(draw([REGION, REVENUE, COUNT], [['EU', '10.00', '5']], { width: 60 }));
  expect(text.split('\n')).toHaveLength(2);
  expect(text).toMatch(/^EU {2}orders\.revenue {2}#+ +10\.00\n {4}orders\.count {4}#+ +5$/);
});

test('a time bucket and a measure are a line with both ends of its axes', () => {
  const rows = [
    ['2025-01-01', '10'],
    ['2025-02-01', '20'],
    ['2025-03-01', '15'],
  ];
  const lines = textOf(draw([MONTH, COUNT], rows)).split('\n');
  expect(lines[0]).toMatch(/^20 \| +\*$/);
  expect(lines[9]).toMatch(/^10 \|\*$/);
  expect(lines.at(-2)).toMatch(/^ {3}\+-+$/);
  expect(lines.at(-1)).toBe('    2025-01-01 2025-03-01');
});

test('several series are small lines on one scale, with a gap where there is nothing', () => {
  const rows = [
    ['EU', '2025-01-01', '0'],
    ['EU', '2025-02-01', '100'],
    ['US', '2025-02-01', '50'],
    ['EU', '2025-03-01', null],
  ];
  expect(textOf(draw([REGION, MONTH, COUNT], rows, { hasUnicode: true }))).toBe(
    ['EU  ▁█   0 to 100', 'US   ▅   50 to 50', '    2025-01-01 to 2025-03-01'].join('\n'),
  );
});

test.each([
  ['no rows', [REGION, COUNT], [], 'it has no rows'],
  ['no measure', [REGION], [['EU']], 'it has no measure that is a number'],
  [
    'a measure that is text',
    [REGION, { ...COUNT, type: 'VARCHAR' }],
    [['EU', 'x']],
    'it has no measure that is a number',
  ],
  ['one number', [COUNT], [['5']], 'it is a single row; add a dimension or --time'],
  ['one bucket', [MONTH, COUNT], [['2025-01-01', '5']], 'it has fewer than two time buckets'],
  [
    'two times',
    [MONTH, MONTH, COUNT],
    [['2025-01-01', '2025-01-01', '5']],
    'it has more than one time bucket',
  ],
  [
    'too many bars',
    [REGION, COUNT],
    Array.from({ length: 61 }, (_, i) => [`r${i}`, '1']),
    'it would have 61 bars, of which 60 fit; use --limit',
  ],
] as const)('%s: says why there is no picture', (_, columns, rows, why) =>
  expect(draw(columns, rows)).toEqual({ ok: false, why }),
);

test('whatever the numbers, a picture keeps to its width and no line is lost', () => {
  const number = fc.oneof(
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constant(null),
  );
  fc.assert(
    fc.property(
      fc.array(number, { minLength: 2, maxLength: 40 }),
      fc.integer({ min: 60, max: 200 }),
      fc.boolean(),
      (values, width, hasUnicode) => {
        const bars = draw(
          [REGION, COUNT],
          values.map((value, i) => [`r${i}`, value]),
          { width, hasUnicode },
        );
        const lines = textOf(bars).split('\n');
        expect(lines).toHaveLength(values.length);
        for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
        const days = values.map((value, i) => [`2025-01-${String(i + 1).padStart(2, '0')}`, value]);
        const drawn = textOf(draw([MONTH, COUNT], days, { width, hasUnicode }));
        for (const line of drawn.split('\n')) expect(line.length).toBeLessThanOrEqual(width);
      },
    ),
    { numRuns: 100 },
  );
});
