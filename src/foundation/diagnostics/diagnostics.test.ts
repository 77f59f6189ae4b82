import { describe, expect, test } from 'vitest';
import { diagnosticMaker } from './catalog.ts';
import { type Diagnostic, hasErrors, sortDiagnostics } from './diagnostic.ts';
import { didYouMean, nearest } from './nearest.ts';
import { linePosition, renderDiagnostic } from './render-diagnostic.ts';

const make = diagnosticMaker({
  'a.wrong': { severity: 'error', message: '{name} is wrong.', hint: 'write {other}', explain: 'x' },
  'a.odd': { severity: 'warning', message: 'Odd.', explain: 'x' },
});

describe('diagnosticMaker', () => {
  test('fills in parameters in message and hint', () => {
    expect(make('a.wrong', { name: 'x', other: 'y' })).toEqual({
      code: 'a.wrong',
      severity: 'error',
      message: 'x is wrong.',
      hint: 'write y',
    });
  });
  test('a hint that fits better takes the place of the catalog’s', () =>
    expect(make('a.wrong', { name: 'x', other: 'y' }, { hint: 'z' }).hint).toBe('z'));
  test('a value cannot flood the terminal', () =>
    expect(make('a.wrong', { name: 'x'.repeat(10_000), other: '' }).message.length).toBeLessThan(400));
  test('only errors stop work', () => {
    expect(hasErrors([make('a.odd', {})])).toBe(false);
    expect(hasErrors([make('a.odd', {}), make('a.wrong', { name: '', other: '' })])).toBe(true);
  });
});

describe('renderDiagnostic', () => {
  const text = 'kind: metric\r\nmeasure:\trevenue.totl\nowner: mara';
  const start = text.indexOf('revenue.totl');
  const at = { file: 'models/metrics/revenue.yml', start, end: start + 12 };
  test('shows message, place, the line with a caret under the place, and the hint', () => {
    expect(
      renderDiagnostic(make('a.wrong', { name: 'revenue.totl', other: 'revenue.total' }, { at }), text),
    ).toBe(
      [
        'error a.wrong: revenue.totl is wrong.',
        '  --> models/metrics/revenue.yml:2:10',
        '    2 | measure:\trevenue.totl',
        '                \t^^^^^^^^^^^^',
        '  hint: write revenue.total',
      ].join('\n'),
    );
  });
  test('names the file when its text is not at hand', () =>
    expect(renderDiagnostic(make('a.odd', {}, { at }), undefined)).toBe(
      'warning a.odd: Odd.\n  --> models/metrics/revenue.yml',
    ));
  test('a very long line is shown around the place', () => {
    const long = `${'a'.repeat(5_000)}HERE${'b'.repeat(5_000)}`;
    const rendered = renderDiagnostic(
      make('a.odd', {}, { at: { file: 'f', start: 5_000, end: 5_004 } }),
      long,
    );
    expect(rendered).toContain('HERE');
    expect(rendered.length).toBeLessThan(700);
  });
  test('control characters of a file do not reach the terminal', () => {
    const rendered = renderDiagnostic(
      make('a.odd', {}, { at: { file: 'f', start: 0, end: 1 } }),
      'a\u001b[31mred\u0007',
    );
    expect(rendered).not.toContain('\u001b');
    expect(rendered).not.toContain('\u0007');
  });
  test('a range beyond the text still renders', () =>
    expect(renderDiagnostic(make('a.odd', {}, { at: { file: 'f', start: 99, end: 120 } }), 'ab')).toContain(
      'f:1:',
    ));
});

test('lines count Windows line ends once', () => {
  expect(linePosition('a\r\nb\r\nc', 6)).toEqual({ line: 3, column: 1 });
  expect(linePosition('', 0)).toEqual({ line: 1, column: 1 });
});

describe('nearest', () => {
  test.each([
    ['totl', ['total', 'count'], 'total'],
    ['CRON_TZ', ['cron', 'cron_tz'], 'cron_tz'],
    ['kidn', ['kind', 'king'], 'kind'],
    ['xyz', ['total', 'count'], undefined],
    ['', ['a'], undefined],
  ])('%j among %j is %j', (word, candidates, found) => expect(nearest(word, candidates)).toBe(found));
  test('says nothing rather than something silly', () =>
    expect(didYouMean('customers', ['a', 'zzz'])).toBeUndefined());
  test('gives up on a word no person would write', () =>
    expect(nearest('x'.repeat(65), ['x'.repeat(66)])).toBeUndefined());
});

test('diagnostics are told by file, then position, then code, whatever their severity', () => {
  const made = (code: string, file?: string, start = 0): Diagnostic => ({
    code,
    severity: code.startsWith('e') ? 'error' : 'note',
    message: '',
    ...(file === undefined ? {} : { at: { file, start, end: start + 1 } }),
  });
  const sorted = [
    made('z.nowhere'),
    made('n.b', 'a.sql', 2),
    made('e.a', 'a.sql', 10),
    made('n.b', 'a.sql', 10),
    made('e.a', 'b.sql'),
  ];
  expect(sortDiagnostics(sorted.toReversed())).toEqual(sorted);
});
