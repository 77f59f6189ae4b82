import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Failure } from '../../domain/failure.ts';
import { openFolder } from '../workspace.ts';
import { init } from './init.ts';
import { SAMPLE_PATHS } from './sample/generate-sample.ts';
import { sample, sampleScale } from './sample.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plinth-init-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function codeOf(action: () => unknown): Promise<string | undefined> {
  try {
    await action();
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error.code;
    throw error;
  }
}

describe('init', () => {
  test('copies the example with its .gitignore and without what was built in it', () => {
    const { created, kept } = init(openFolder(folder), { example: 'shop', isForced: false });
    expect(kept).toEqual([]);
    expect(created).toEqual(expect.arrayContaining(['.gitignore', 'config.yaml', 'models/marts/orders.sql']));
    expect(created.filter((path) => /^(?:gitignore|data|\.plinth)/.test(path))).toEqual([]);
  });
  test('refuses a folder in use, and with force leaves what is there', async () => {
    writeFileSync(join(folder, 'config.yaml'), 'name: mine\n');
    const request = { example: undefined, isForced: false };
    expect(await codeOf(() => init(openFolder(folder), request))).toBe('cli.folder-not-empty');
    expect(readdirSync(folder)).toEqual(['config.yaml']);
    expect(init(openFolder(folder), { ...request, isForced: true })).toMatchObject({ kept: ['config.yaml'] });
  });
  test('says when the package has no such example', async () =>
    expect(await codeOf(() => init(openFolder(folder), { example: 'no-such', isForced: false }))).toBe(
      'cli.no-example',
    ));
});

describe('sample', () => {
  test.each(['0', '1001', '1.5', '-1', 'ten', ''])('does not take %j as a scale', async (text) =>
    expect(await codeOf(() => sampleScale(text))).toBe('cli.bad-value'),
  );
  test('writes data and seeds, the same bytes every time', async () => {
    const options = { scale: sampleScale('1'), isForced: false, onProgress: () => {} };
    const first = await sample(openFolder(folder), options);
    expect(first.map(({ path }) => path)).toContain('data/orders.csv');
    const others = readdirSync(join(folder, 'data')).filter((name) => !name.endsWith('.csv'));
    expect(others).toEqual(['.plinth-sample']);
    expect(await sample(openFolder(folder), options)).toEqual(first);
  });
  test('overwrites nothing that no sample wrote, unless it is forced', async () => {
    const options = { scale: 1, onProgress: () => {} };
    const orders = join(folder, 'data/orders.csv');
    await sample(openFolder(folder), { ...options, isForced: false });
    const made = readFileSync(orders, 'utf8');
    writeFileSync(orders, `${made}mine\n`);
    const again = (isForced: boolean) => sample(openFolder(folder), { ...options, isForced });
    expect(await codeOf(() => again(false))).toBe('cli.sample-overwrites');
    expect(readFileSync(orders, 'utf8')).toBe(`${made}mine\n`);
    writeFileSync(orders, made);
    writeFileSync(join(folder, 'data/.plinth-sample'), 'not a marker');
    expect(await codeOf(() => again(false))).toBe('cli.sample-overwrites');
    await again(true);
    expect(readFileSync(orders, 'utf8')).toBe(made);
    expect(await again(false)).toHaveLength(8);
  });
  test('needs no marker for files that are the same at every scale', async () => {
    await sample(openFolder(folder), { scale: 1, isForced: false, onProgress: () => {} });
    rmSync(join(folder, 'data'), { recursive: true });
    expect(
      await sample(openFolder(folder), { scale: 2, isForced: false, onProgress: () => {} }),
    ).toHaveLength(8);
  });
  test('says every path it writes', async () => {
    const files = await sample(openFolder(folder), { scale: 1, isForced: false, onProgress: () => {} });
    expect(files.map(({ path }) => path)).toEqual(SAMPLE_PATHS);
  });
});
