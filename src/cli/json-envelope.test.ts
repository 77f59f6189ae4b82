import { describe, expect, test } from 'vitest';
import { diagnostic } from '../domain/diagnostics/catalog.ts';
import { jsonDiagnostic } from '../foundation/diagnostics/json-diagnostic.ts';
import { envelopePieces, writePieces } from './json-envelope.ts';

const sources = new Map([['a.sql', 'SELECT\n  amout\n']]);
const found = diagnostic('cli.bug', { detail: 'x' }, { at: { file: 'a.sql', start: 9, end: 14 } });

describe('the envelope of --json', () => {
  test('has lines and columns from 1, the end behind the last character', () =>
    expect(jsonDiagnostic(found, sources)).toEqual({
      code: 'cli.bug',
      severity: 'error',
      message: 'Plinth ran into a bug of its own: x.',
      file: 'a.sql',
      line: 2,
      column: 3,
      end_line: 2,
      end_column: 8,
      hint: 'run it again with --verbose to see where, and report it with that text',
    }));
  test('has null for a place in a text nobody has', () =>
    expect(jsonDiagnostic(found, new Map())).toMatchObject({ file: 'a.sql', line: null, column: null }));
  test('of a failure has the error and no data', () => {
    const text = [
      ...envelopePieces({ command: 'render', isOk: false, error: found, diagnostics: [], sources }),
    ].join('');
    const read = JSON.parse(text);
    expect(Object.keys(read)).toEqual(['schema', 'ok', 'error', 'diagnostics']);
    expect(read.error).toMatchObject({ code: 'cli.bug', file: 'a.sql', line: 2, column: 3 });
  });
  test('is one line of JSON, however its data comes', () => {
    const data = ['{"a":', '[1', ',2]}'];
    const text = [
      ...envelopePieces({
        command: 'info',
        isOk: false,
        data,
        diagnostics: [found, found],
        sources,
      }),
    ].join('');
    expect(text.indexOf('\n')).toBe(text.length - 1);
    expect(JSON.parse(text)).toMatchObject({
      schema: 'plinth.info/1',
      ok: false,
      data: { a: [1, 2] },
      diagnostics: [{ end_line: 2 }, { end_column: 8 }],
    });
  });
  test('is written in large pieces', () => {
    const written: string[] = [];
    writePieces(
      (function* () {
        for (let i = 0; i < 10_000; i++) yield 'twenty characters...';
      })(),
      (text) => written.push(text),
    );
    expect(written.length).toBeLessThan(5);
    expect(written.join('')).toHaveLength(200_000);
  });
});
