import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TemporaryProject } from '../support/temporary-project.ts';
import { codesOf, loadHostile, loadInProcess } from './hostile-project.ts';

const PIPE = 'it is not a regular file';
const pipe = (folder: string, path: string): void => {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  execFileSync('mkfifo', [join(folder, path)]);
};

let outside: string;
beforeAll(() => {
  outside = mkdtempSync(join(tmpdir(), 'plinth-outside-'));
  writeFileSync(join(outside, 'secret.csv'), 'secret\n1\n');
  writeFileSync(join(outside, 'secret.sql'), 'MODEL (name stolen.a);\nSELECT 1 AS secret');
  writeFileSync(join(outside, 'steal.ts'), "export function steal() { return '1'; }\n");
});
afterAll(() => rmSync(outside, { recursive: true }));

// A pipe blocks whoever opens it, the whole thread: only another process can tell.
describe('pipes', () => {
  test('do not hold up the load, wherever they lie', async () => {
    const report = await loadInProcess(
      { 'models/seed.sql': "MODEL (name bad.seed, kind SEED (path '$root/seeds/p.csv'));" },
      { seconds: 60 },
      ({ folder }) => {
        for (const path of [
          'models/p.sql', 'seeds/p.csv', 'macros/p.ts', 'macros/p.sql', 'linter/p.ts', 'audits/p.sql', 'dq/p.yml', 'tests/test_p.yaml', 'external_models/p.yaml', 'usage.yaml', 'README.md', 'external_models.yaml',
        ]) // biome-ignore format: a table
          pipe(folder, path);
        symlinkSync('p.sql', join(folder, 'models/linked.sql'));
      },
    );
    expect(codesOf(report, 'models/seed.sql')).toEqual(['seed.missing-file']);
    for (const path of ['models/p.sql', 'models/linked.sql', 'macros/p.ts', 'usage.yaml'])
      expect(report.diagnostics).toContainEqual(
        expect.objectContaining({
          code: 'file.unreadable',
          file: path,
          message: expect.stringContaining(PIPE),
        }),
      );
  });
});

describe('things that are no files', () => {
  test('a socket', async () => {
    const server = createServer();
    const report = await loadHostile({}, ({ folder }) => void server.listen(join(folder, 'models/s.sql')));
    server.close();
    expect(codesOf(report, 'models/s.sql')).toEqual(['file.unreadable']);
  });
  test('a folder with the name of a file, and the other way round', async () => {
    const report = await loadHostile(
      { 'models/a.sql/b.sql': 'MODEL (name bad.b);\nSELECT 1 AS x', macros: 'a file' },
      ({ folder }) => mkdirSync(join(folder, 'usage.yaml')),
    );
    expect(report.models).toContain('bad.b: x INTEGER');
    expect(report.diagnostics.map(({ code, file }) => `${code} ${file}`)).toEqual([
      'file.unreadable macros',
      'file.unreadable usage.yaml',
    ]);
  });
  test.each(['macros/d.ts/x.txt', 'linter/d.ts/x.txt'])(
    'a folder with the name of code: %s',
    async (path) => {
      expect((await loadHostile({ [path]: '' })).diagnostics).toEqual([]);
    },
  );
});

describe('ways out of the project', () => {
  const seed = (path: string): Readonly<Record<string, string>> => ({
    'models/s.sql': `MODEL (name bad.s, kind SEED (path '${path}'));`,
  });
  test.each(['../../../../../../etc/passwd', '/etc/passwd', '$root/../x.csv', 'C:\\x.csv', '..\\..\\x.csv'])(
    'a seed at %s',
    async (path) => {
      const { diagnostics } = await loadHostile(seed(path));
      expect(diagnostics.map(({ code, file }) => `${code} ${file}`)).toEqual([
        'seed.escapes-project models/s.sql',
      ]);
    },
  );
  test.each([
    ['a seed', 'seeds/s.csv', 'secret.csv'],
    ['a model', 'models/stolen.sql', 'secret.sql'],
    ['a folder', 'models/all', '.'],
    ['a device', 'models/zero.sql', '/dev/zero'],
    ['user code', 'macros/steal.ts', 'steal.ts'],
    ['the folder of user code', 'macros', '.'],
  ])('%s that is a link', async (_, path, target) => {
    const report = await loadHostile(
      { ...seed('$root/seeds/s.csv'), 'models/m.sql': 'MODEL (name bad.m);\nSELECT @steal() AS x' },
      ({ folder }) => {
        mkdirSync(join(folder, path, '..'), { recursive: true });
        symlinkSync(target.startsWith('/') ? target : join(outside, target), join(folder, path));
      },
    );
    expect(codesOf(report, path)).toEqual(['file.escapes-project']);
    expect(codesOf(report, 'models/m.sql')).toEqual(['macro.unknown']);
    expect(codesOf(report, 'models/s.sql')).toHaveLength(1);
    expect(report.models.some((model) => /secret|stolen/.test(model))).toBe(false);
  });
  test('links that go in a circle', async () => {
    const report = await loadHostile({ 'macros/a.ts': 'export function a() {}' }, ({ folder }) => {
      for (const path of ['models', 'macros']) {
        symlinkSync('.', join(folder, path, 'again'));
        symlinkSync('loop.ts', join(folder, path, 'loop.ts'));
        symlinkSync('nowhere.ts', join(folder, path, 'dangling.ts'));
      }
    });
    expect(report.modelCount).toBe(2);
    expect(report.diagnostics.map(({ code, file }) => `${code} ${file}`)).toEqual(
      ['macros/dangling.ts', 'macros/loop.ts', 'models/dangling.ts', 'models/loop.ts'].map(
        (path) => `file.unreadable ${path}`,
      ),
    );
  });
});

describe('seeds', () => {
  const load = (content: string | Buffer, prepare?: (project: TemporaryProject) => void) =>
    loadHostile(
      { 'models/s.sql': "MODEL (name bad.s, kind SEED (path '$root/seeds/s.csv'));", 'seeds/s.csv': content },
      prepare,
    );
  test.each([
    ['nothing', '', 'seed.empty'],
    ['a quote that never closes', '"a,b\n1,2\n', 'seed.unclosed-header'],
    [
      '100,000 columns',
      `${Array.from({ length: 100_000 }, (_, i) => `c${i}`).join(',')}\n`,
      'seed.long-header',
    ],
    ['one line of a megabyte', 'x'.repeat(1_000_000), 'seed.long-header'],
    ['the same name 20,000 times', `${'a,'.repeat(20_000)}a\n`, 'seed.duplicate-header'],
    ['zeros', Buffer.alloc(5_000), 'seed.not-utf8'],
    ['UTF-16', Buffer.from('\ufeffa,b\n1,2\n', 'utf16le'), 'seed.not-utf8'],
    [
      'bytes of a picture',
      Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0xff, 0xd8]),
      'seed.not-utf8',
    ],
  ])('%s: one error at the path', async (_, content, code) => {
    const report = await load(content);
    expect(new Set(codesOf(report))).toEqual(new Set([code]));
    expect(report.diagnostics.length).toBeLessThanOrEqual(10);
    expect(report.diagnostics[0]).toMatchObject({ file: 'models/s.sql', start: 35 });
  });
  test('a wide and long file takes no longer than any other', async () => {
    const header = Array.from({ length: 5_000 }, (_, i) => `c${i}`).join(',');
    const { models } = await load(`${header}\n${'1\n'.repeat(100_000)}`);
    expect(models.find((model) => model.startsWith('bad.s'))).toMatch(/^bad\.s: c0 BIGINT, c1 VARCHAR/);
  });
  test('a file without a last line end, and characters cut by the end of what is looked at', async () => {
    expect((await load('a,b')).models).toContain('bad.s: a VARCHAR, b VARCHAR');
    expect((await load(`a\n${'é'.repeat(300_000)}`)).models).toContain('bad.s: a VARCHAR');
    expect((await load(`a,b\n${'1,é\n'.repeat(100_000)}`)).models).toContain('bad.s: a BIGINT, b VARCHAR');
  });
  test('200 MB are hashed without being held in memory', async () => {
    const report = await loadInProcess(
      {
        'models/s.sql': "MODEL (name bad.s, kind SEED (path '$root/seeds/s.csv'));",
        'seeds/s.csv': `a,b\n${'1,2\n'.repeat(70_000)}`,
      },
      { heapMb: 128 },
      ({ folder }) => truncateSync(join(folder, 'seeds/s.csv'), 200_000_000),
    );
    expect(report.models).toContain('bad.s: a BIGINT, b BIGINT');
    expect(report.peakMb).toBeLessThan(400);
  });
});

test('3,000 files, one of them bad', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 3_000 }, (_, i) => [
      `models/d${i % 30}/m${i}.sql`,
      `MODEL (name d.m${i}, kind FULL);\nSELECT ${i} AS x`,
    ]),
  );
  const report = await loadHostile({ ...files, 'models/bad.sql': 'MODEL (' });
  expect(report.modelCount).toBe(3_002);
  expect(codesOf(report, 'models/bad.sql')).toContain('model.unclosed-block');
});
