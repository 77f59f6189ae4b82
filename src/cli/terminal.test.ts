import { describe, expect, test } from 'vitest';
import { createTerminal, type TerminalSettings } from './terminal.ts';

const written: string[] = [];
const stream = (isTTY: boolean, columns?: number) => ({
  isTTY,
  ...(columns === undefined ? {} : { columns }),
  write: (text: string) => written.push(text),
});

function terminal(
  changed: Partial<TerminalSettings> & { readonly isTTY?: boolean; readonly columns?: number },
) {
  const { isTTY = true, columns = 100, ...settings } = changed;
  return createTerminal({
    stdout: stream(isTTY, columns),
    stderr: stream(isTTY),
    isInputTerminal: isTTY,
    variables: { LANG: 'C.UTF-8' },
    color: 'auto',
    isJson: false,
    isQuiet: false,
    isVerbose: false,
    platform: 'linux',
    ...settings,
  });
}
const hasColor = (...given: Parameters<typeof terminal>): boolean =>
  terminal(...given).style('red', 'x') !== 'x';

describe('the mode of rendering', () => {
  test('is rich on a terminal and plain elsewhere', () => {
    expect(terminal({}).mode).toBe('rich');
    expect(terminal({ isTTY: false }).mode).toBe('plain');
    expect(terminal({ variables: { TERM: 'dumb' } }).mode).toBe('plain');
    expect(terminal({ variables: { CI: 'true' } }).mode).toBe('plain');
  });
  test('is json when asked for, terminal or not', () => expect(terminal({ isJson: true }).mode).toBe('json'));
});

describe('colours', () => {
  test.each<[string, Parameters<typeof terminal>[0], boolean]>([
    ['are there on a terminal', {}, true],
    ['are not there in a pipe', { isTTY: false }, false],
    ['obey NO_COLOR', { variables: { NO_COLOR: '1' } }, false],
    ['ignore an empty NO_COLOR', { variables: { NO_COLOR: '' } }, true],
    ['obey FORCE_COLOR in a pipe', { isTTY: false, variables: { FORCE_COLOR: '1' } }, true],
    ['take NO_COLOR before FORCE_COLOR', { variables: { NO_COLOR: '1', FORCE_COLOR: '1' } }, false],
    ['take the flag before NO_COLOR', { color: 'always', variables: { NO_COLOR: '1' } }, true],
    ['take the flag before the terminal', { color: 'never' }, false],
    ['are not there on a dumb terminal', { variables: { TERM: 'dumb' } }, false],
    ['are never in JSON', { color: 'always', isJson: true }, false],
  ])('%s', (_, settings, expected) => expect(hasColor(settings)).toBe(expected));
});

describe('the rest', () => {
  test('a width of 0, as some pseudo-terminals say, is 80', () => {
    expect(terminal({ columns: 0 }).width).toBe(80);
    expect(terminal({ columns: 132 }).width).toBe(132);
  });
  test('a locale that is not UTF-8 gets plain characters', () => {
    expect(terminal({ variables: { LANG: 'C' } }).hasUnicode).toBe(false);
    expect(terminal({ variables: { LC_ALL: 'en_US.utf8' } }).hasUnicode).toBe(true);
  });
  test('quiet silences notes and progress, not errors', () => {
    written.length = 0;
    const quiet = terminal({ isQuiet: true });
    quiet.note('note');
    quiet.draw('draw');
    quiet.error('error');
    expect(written).toEqual(['error\n']);
  });
});
