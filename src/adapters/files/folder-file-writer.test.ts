import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Failure } from '../../domain/failure.ts';
import { folderFileWriter } from './folder-file-writer.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plinth-writer-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const read = (path: string): string => readFileSync(join(folder, path), 'utf8');

function codeOf(action: () => unknown): string | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error.code;
    throw error;
  }
}

describe('a folder that is written into', () => {
  test('is made with its first file', () => {
    const writer = folderFileWriter(join(folder, 'new/one'));
    expect(writer.entries()).toBeUndefined();
    expect(writer.create('models/a.sql', 'x')).toBe(true);
    expect(writer.entries()).toEqual(['models']);
    expect(read('new/one/models/a.sql')).toBe('x');
  });
  test('never has a file overwritten by create', () => {
    writeFileSync(join(folder, 'a'), 'mine');
    expect(folderFileWriter(folder).create('a', 'yours')).toBe(false);
    expect(read('a')).toBe('mine');
    expect(readdirSync(folder)).toEqual(['a']);
  });
  test('has a file replaced with its permissions kept and nothing left over', () => {
    writeFileSync(join(folder, 'a'), 'old');
    chmodSync(join(folder, 'a'), 0o640);
    folderFileWriter(folder).replace('a', 'new');
    expect(read('a')).toBe('new');
    expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o640);
    expect(readdirSync(folder)).toEqual(['a']);
  });
  test('shows a file written in pieces only when it is finished', () => {
    const writer = folderFileWriter(folder);
    const pieces = writer.open('data/x.csv');
    pieces.write('a,b\n');
    pieces.write('1,ü\n');
    expect(readdirSync(join(folder, 'data'))).not.toContain('x.csv');
    pieces.finish();
    expect(read('data/x.csv')).toBe('a,b\n1,ü\n');
  });
  test('has no trace of a file that was given up', () => {
    const pieces = folderFileWriter(folder).open('x.csv');
    pieces.write('a');
    pieces.discard();
    expect(readdirSync(folder)).toEqual([]);
  });
  test('is not left, by path or by link', () => {
    const writer = folderFileWriter(join(folder, 'inner'));
    mkdirSync(join(folder, 'inner'));
    symlinkSync(folder, join(folder, 'inner/out'));
    expect(codeOf(() => writer.create('../outside', 'x'))).toBe('cli.cannot-write');
    expect(codeOf(() => writer.create('out/outside', 'x'))).toBe('cli.cannot-write');
    expect(readdirSync(folder)).toEqual(['inner']);
  });
  test.runIf(existsSync('/proc/self'))('is a coded failure where no folder can be made', () =>
    expect(codeOf(() => folderFileWriter('/proc/x').create('a/b', 'x'))).toBe('cli.cannot-write'),
  );
  test('is a coded failure when a file is in the way', () => {
    writeFileSync(join(folder, 'data'), '');
    const writer = folderFileWriter(folder);
    expect(codeOf(() => writer.open('data/x.csv'))).toBe('cli.cannot-write');
    expect(codeOf(() => folderFileWriter(join(folder, 'data')).create('a', ''))).toBe('cli.cannot-write');
  });
});
