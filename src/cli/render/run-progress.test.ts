import { describe, expect, test } from 'vitest';
import type { ModelResult, RunEvent } from '../../domain/run.ts';
import { createTerminal, type Terminal } from '../terminal.ts';
import { runProgress } from './run-progress.ts';

function terminalWith(options: {
  readonly isTTY: boolean;
  readonly isJson?: boolean;
  readonly isQuiet?: boolean;
}): {
  readonly terminal: Terminal;
  readonly out: string[];
  readonly err: string[];
} {
  const [out, err]: [string[], string[]] = [[], []];
  const stream = (into: string[]) => ({
    isTTY: options.isTTY,
    columns: 100,
    write: (text: string) => into.push(text),
  });
  const terminal = createTerminal({
    stdout: stream(out),
    stderr: stream(err),
    isInputTerminal: false,
    variables: { NO_COLOR: '1' },
    color: 'never',
    isJson: options.isJson ?? false,
    isQuiet: options.isQuiet ?? false,
    isVerbose: false,
    platform: 'linux',
  });
  return { terminal, out, err };
}

const result = (name: string, more: Partial<ModelResult> = {}): ModelResult => ({
  name,
  status: 'built',
  intervals: [{ start: 0, end: 86_400_000 }],
  rows: 2,
  ms: 10,
  audits: [],
  ...more,
});
const EVENTS: readonly RunEvent[] = [
  { event: 'model.started', model: 'a.b', batches: 3 },
  { event: 'model.progress', model: 'a.b', batch: 1, batches: 3, rows: 1 },
  { event: 'model.built', result: result('a.b') },
  {
    event: 'model.built',
    result: result('a.b', { audits: [{ name: 'odd', status: 'warned', failedRows: 1 }] }),
  },
  { event: 'model.skipped', result: result('a.c', { status: 'skipped', because: 'a.d', rows: 0 }) },
];

function drawn(options: Parameters<typeof terminalWith>[0]): { readonly out: string; readonly err: string } {
  const { terminal, out, err } = terminalWith(options);
  const progress = runProgress(terminal);
  for (const event of EVENTS) progress.show(event);
  progress.end();
  return { out: out.join(''), err: err.join('') };
}

describe('the progress of a run', () => {
  test('is one line for each finished model in a log, and a model is told once', () =>
    expect(drawn({ isTTY: false })).toEqual({
      out: '',
      err: '    Built  a.b  2 rows  1970-01-01  10 ms\n           warned audit odd: 1 row\n  Skipped  a.c  needs a.d\n',
    }));
  test('is events as JSON lines on stdout with --json', () => {
    const { out, err } = drawn({ isTTY: false, isJson: true });
    expect(err).toBe('');
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toHaveLength(EVENTS.length);
    expect(lines[2]).toMatchObject({
      v: 1,
      event: 'model.built',
      model: 'a.b',
      rows: 2,
      intervals: [['1970-01-01T00:00:00Z', '1970-01-02T00:00:00Z']],
    });
  });
  test('leaves only permanent lines on a terminal', () => {
    const { err } = drawn({ isTTY: true });
    // What is redrawn is taken back before the next line.
    const screen: string[] = [];
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what moves the cursor
    for (const [, up, text] of err.matchAll(/\u001b\[(\d+)A\u001b\[J|([^\u001b\n]*)\n/g)) {
      if (up !== undefined) screen.splice(screen.length - Number(up));
      else screen.push(text as string);
    }
    expect(screen).toEqual([
      '    Built  a.b  2 rows  1970-01-01  10 ms',
      '           warned audit odd: 1 row',
      '  Skipped  a.c  needs a.d',
    ]);
  });
  test('is nothing when quiet', () =>
    expect(drawn({ isTTY: true, isQuiet: true })).toEqual({ out: '', err: '' }));
});
