import { describe, expect, test } from 'vitest';
import { Failure } from '../../domain/failure.ts';
import type { CsvSettings } from '../../domain/model-kind.ts';
import { csvRows } from './csv-rows.ts';

const read = (content: string | Uint8Array, csv: Partial<CsvSettings> = {}): readonly unknown[] =>
  csvRows({ path: 'rows.csv', content, csv }).map((row) =>
    Object.fromEntries(row.map(({ column, value }) => [column, value])),
  );

describe('every setting of CSV in a test', () => {
  test.each<readonly [string, string, Partial<CsvSettings>, unknown]>([
    [
      'nothing',
      'a,b\n1,x\n2,\n',
      {},
      [
        { a: '1', b: 'x' },
        { a: '2', b: null },
      ],
    ],
    ['delimiter', 'a;b\n1;x,y\n', { delimiter: ';' }, [{ a: '1', b: 'x,y' }]],
    ['delimiter as an escape', 'a\tb\n1\tx\n', { delimiter: '\\t' }, [{ a: '1', b: 'x' }]],
    ['quotechar', "a,b\n1,'x,y'\n", { quotechar: "'" }, [{ a: '1', b: 'x,y' }]],
    ['doublequote', 'a\n"x""y"\n', {}, [{ a: 'x"y' }]],
    ['no doublequote', 'a\n"x\\"y"\n', { doublequote: false, escapechar: '\\' }, [{ a: 'x"y' }]],
    ['skipinitialspace', 'a, b\n1, x\n', { skipinitialspace: true }, [{ a: '1', b: 'x' }]],
    ['no skipinitialspace', 'a,b\n1, x\n', {}, [{ a: '1', b: ' x' }]],
    ['lineterminator', 'a,b|1,x\ny|', { lineterminator: '|' }, [{ a: '1', b: 'x\ny' }]],
    ['na_values', 'a,b\n-,?\n', { naValues: ['-'] }, [{ a: null, b: '?' }]],
    ['na_values of a column', 'a,b\n-,-\n', { naValues: { a: ['-'] } }, [{ a: null, b: '-' }]],
    ['the usual texts for NULL', 'a,b\nNULL,n/a\n', {}, [{ a: null, b: null }]],
    ['keep_default_na: false', 'a,b\nNULL,\n', { keepDefaultNa: false }, [{ a: 'NULL', b: null }]],
    ['short rows', 'a,b\n1\n', {}, [{ a: '1', b: null }]],
  ])('%s', (_, text, csv, rows) => {
    expect(read(text, csv)).toEqual(rows);
  });

  test('the encoding is that of the file, not of text in the test', () => {
    const latin = Uint8Array.from([...'a\nM'].map((each) => each.charCodeAt(0)).concat(0xfc, 0x0a));
    expect(read(latin, { encoding: 'latin1' })).toEqual([{ a: 'Mü' }]);
    expect(read('a\nMü\n', { encoding: 'latin1' })).toEqual([{ a: 'Mü' }]);
    expect(() => read(latin)).toThrow(Failure);
  });

  test.each<readonly [string, string | Uint8Array, Partial<CsvSettings>, string]>([
    ['two characters', 'a\n', { quotechar: "''" }, 'csv_settings.quotechar is not one character'],
    ['an unknown encoding', Uint8Array.of(97), { encoding: 'klingon' }, 'klingon is not an encoding'],
    ['an open quote', 'a\n"x\n', {}, 'a quote is left open'],
    ['too many values', 'a\n1,2\n', {}, 'row 1 has 2 values for 1 columns'],
  ])('%s cannot be read', (_, content, csv, detail) => {
    expect(() => read(content, csv)).toThrow(detail);
  });
});
