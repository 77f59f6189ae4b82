import { describe, expect, test } from 'vitest';
import type { FileWriter } from '../../domain/file-writer.ts';
import { applyFixes } from './apply-fixes.ts';

function writerInto(files: Map<string, string>): FileWriter {
  const never = (): never => {
    throw new Error('only whole files are replaced');
  };
  return {
    folder: '',
    entries: never,
    contents: never,
    create: never,
    open: never,
    replace: (path, text) => void files.set(path, text),
  };
}

describe('fixes', () => {
  test('are put into their files from the left, those that overlap an earlier one wait', () => {
    const files = new Map<string, string>();
    const sources = new Map([['a.sql', 'select a from b']]);
    const result = applyFixes(writerInto(files), sources, [
      { file: 'a.sql', start: 9, end: 13, text: 'FROM' },
      { file: 'a.sql', start: 0, end: 6, text: 'SELECT' },
      { file: 'a.sql', start: 4, end: 8, text: 'x' },
      { file: 'gone.sql', start: 0, end: 1, text: 'x' },
    ]);
    expect(files).toEqual(new Map([['a.sql', 'SELECT a FROM b']]));
    expect(result).toEqual({ files: ['a.sql'], applied: 2, left: 2 });
  });
});
