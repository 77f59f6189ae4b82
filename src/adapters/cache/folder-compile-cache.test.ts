import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { folderCompileCache } from './folder-compile-cache.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plinth-cache-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const entries = new Map([
  ['models/a.sql', '{"columns":["é\\n"]}'],
  ['models/b.sql', '[]'],
]);
const file = (): string => join(folder, 'models.facts');

describe('folderCompileCache', () => {
  test('gives back what was put in, and only one file is left', async () => {
    const cache = folderCompileCache(folder, 'build');
    await cache.replaceAll('models', entries);
    expect(await cache.readAll('models')).toEqual(entries);
    expect(readdirSync(folder)).toEqual(['models.facts']);
  });
  test('an empty or absent room is empty', async () =>
    expect((await folderCompileCache(join(folder, 'none'), 'build').readAll('models')).size).toBe(0));
  test('facts of another build are foreign', async () => {
    await folderCompileCache(folder, 'old').replaceAll('models', entries);
    expect((await folderCompileCache(folder, 'new').readAll('models')).size).toBe(0);
  });
  test('one changed, missing or added byte anywhere makes the room empty', async () => {
    const cache = folderCompileCache(folder, 'build');
    await cache.replaceAll('models', entries);
    const bytes = readFileSync(file());
    for (let i = 0; i < bytes.length; i++) {
      const broken = Buffer.from(bytes);
      broken[i] = (broken[i] as number) ^ 1;
      writeFileSync(file(), broken);
      expect((await cache.readAll('models')).size, `byte ${i}`).toBe(0);
    }
    for (const size of [0, 1, bytes.length - 1]) {
      writeFileSync(file(), bytes);
      truncateSync(file(), size);
      expect((await cache.readAll('models')).size, `${size} bytes`).toBe(0);
    }
    writeFileSync(file(), Buffer.concat([bytes, Buffer.from('x')]));
    expect((await cache.readAll('models')).size).toBe(0);
  });
  test('a folder that cannot be written costs nothing but speed', async () => {
    writeFileSync(join(folder, 'in-the-way'), '');
    const cache = folderCompileCache(join(folder, 'in-the-way', 'cache'), 'build');
    await cache.replaceAll('models', entries);
    expect((await cache.readAll('models')).size).toBe(0);
  });
});
