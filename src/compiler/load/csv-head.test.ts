import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CsvSettings } from '../../domain/model-kind.ts';
import { readCsvHead, sniffType } from './csv-head.ts';

const settings: CsvSettings = {
  delimiter: ',',
  quotechar: '"',
  doublequote: true,
  skipinitialspace: false,
  encoding: 'utf-8',
  naValues: [],
  keepDefaultNa: true,
};
const rows = (text: string, changed: Partial<CsvSettings> = {}) =>
  readCsvHead(text, { ...settings, ...changed }, 100).rows;

describe('rows', () => {
  test.each([
    [
      'a,b\n1,2\n',
      {},
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,b\r\n1,2',
      {},
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['a\n\n1\n', {}, [['a'], ['1']]],
    ['"a,\n""b""",c\n', {}, [['a,\n"b"', 'c']]],
    ['a;b\n', { delimiter: ';' }, [['a', 'b']]],
    ["'a,b',c\n", { quotechar: "'" }, [['a,b', 'c']]],
    ['a, b\n', { skipinitialspace: true }, [['a', 'b']]],
    ['a\\,b,c\n', { escapechar: '\\' }, [['a,b', 'c']]],
    [
      'a,b|1,2|',
      { lineterminator: '|' },
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['a,\n', {}, [['a', '']]],
    ['""\n', {}, [['']]],
  ])('%j', (text, changed, expected) => {
    expect(rows(text, changed)).toEqual(expected);
  });

  test('what was written with quotes is read back', () => {
    const field = fc.string({ unit: fc.constantFrom('a', 'b', ',', '"', '\n', '\r', ' ', '1', 'é') });
    const row = fc.array(field, { minLength: 2, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 5 }), (table) => {
        const text = table.map((r) => r.map((f) => `"${f.replaceAll('"', '""')}"`).join(',')).join('\n');
        expect(rows(`${text}\n`)).toEqual(table);
      }),
    );
  });
});

describe('types', () => {
  const missing = new Set(['', 'NA']);
  test.each([
    [['1', '-20', '+3', ''], 'BIGINT'],
    [['1', '2.5', '1e3', '.5'], 'DOUBLE'],
    [['9223372036854775808'], 'DOUBLE'],
    [['007'], 'VARCHAR'],
    [['.', '1'], 'VARCHAR'],
    [['True', 'false'], 'BOOLEAN'],
    [['2024-01-31', 'NA'], 'DATE'],
    [['2024-13-31'], 'VARCHAR'],
    [['2024-01-31', '2024-01-31T10:00'], 'TIMESTAMP'],
    [['', 'NA'], 'VARCHAR'],
    [['x', '1'], 'VARCHAR'],
  ])('%j is %s', (values, expected) => {
    expect(sniffType(values, missing)).toBe(expected);
  });
});
