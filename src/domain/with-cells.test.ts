import { expect, test } from 'vitest';
import { withCells } from './with-cells.ts';

const cells = (type: string, ...values: readonly unknown[]): readonly unknown[] =>
  withCells({ columns: [{ name: 'x', type }], rows: values.map((value) => [value]) }).rows.flat();

test('times without a zone get a T and milliseconds, finer ones keep their digits', () =>
  expect(
    cells('TIMESTAMP', '2024-03-01 00:00:00', '2024-03-01 01:02:03.5', '2024-03-01 00:00:00.123456'),
  ).toEqual(['2024-03-01T00:00:00.000', '2024-03-01T01:02:03.500', '2024-03-01T00:00:00.123456']));

test('instants end in Z, whatever offset the engine wrote them with', () =>
  expect(cells('TIMESTAMP WITH TIME ZONE', '2024-02-29 22:00:00+00', '2024-03-01 00:00:00.25+02')).toEqual([
    '2024-02-29T22:00:00.000Z',
    '2024-02-29T22:00:00.250Z',
  ]));

test('dates, decimals, texts, NULL and infinity stay', () => {
  expect(cells('DATE', '2024-03-01', null)).toEqual(['2024-03-01', null]);
  expect(cells('DECIMAL(10,2)', '1.50')).toEqual(['1.50']);
  expect(cells('VARCHAR', '2024-03-01 00:00:00')).toEqual(['2024-03-01 00:00:00']);
  expect(cells('TIMESTAMP', 'infinity', null)).toEqual(['infinity', null]);
});
