import { describe, expect, test } from 'vitest';
import { createTerminal } from '../terminal.ts';
import { counted, grouped, pad, renderTable, wrap } from './table.ts';

const terminal = (isTTY: boolean, columns = 40) =>
  createTerminal({
    stdout: { isTTY, columns, write: () => true },
    stderr: { isTTY, write: () => true },
    isInputTerminal: isTTY,
    variables: { NO_COLOR: '1', LANG: 'C.UTF-8' },
    color: 'auto',
    isJson: false,
    isQuiet: false,
    isVerbose: false,
    platform: 'linux',
  });
const columns = [
  { title: 'name' },
  { title: 'rows', align: 'right' },
  { title: 'reads', isElastic: true },
] as const;
const rows = [
  ['marts.orders', '7', 'staging.orders, staging.payments, raw.stores'],
  ['a', '12345', ''],
];

describe('a table', () => {
  test('fits the terminal by cutting what may be cut', () =>
    expect(renderTable(terminal(true), columns, rows)).toBe(
      ['name           rows  reads', 'marts.orders      7  staging.orders, st…', 'a             12345'].join(
        '\n',
      ),
    ));
  test('is tab-separated and whole in a pipe', () =>
    expect(renderTable(terminal(false), columns, rows)).toBe(
      'name\trows\treads\nmarts.orders\t7\tstaging.orders, staging.payments, raw.stores\na\t12345\t',
    ));
  test('has no line end or tab of its own inside a cell', () =>
    expect(renderTable(terminal(false), [{ title: 'x' }], [['a\tb\nc']])).toBe('x\na b c'));
});

describe('words and numbers', () => {
  test('counts take their plural', () =>
    expect([counted(1, 'model'), counted(1200, 'model')]).toEqual(['1 model', '1,200 models']));
  test('digits are grouped', () =>
    expect([0, 999, 1000, 1234567].map(grouped)).toEqual(['0', '999', '1,000', '1,234,567']));
  test('styles do not count as width', () =>
    expect(pad('\u001b[31mab\u001b[39m', 4)).toBe('\u001b[31mab\u001b[39m  '));
  test('lines break at blanks, and a long word has its own', () =>
    expect(wrap('one two averylongword x', 8)).toEqual(['one two', 'averylongword', 'x']));
});
