import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { folderFileSource } from './folder-file-source.ts';

let outside: string;
let folder: string;

beforeEach(() => {
  outside = mkdtempSync(join(tmpdir(), 'plinth-files-'));
  folder = join(outside, 'project');
  mkdirSync(join(folder, 'models/staging'), { recursive: true });
});
afterEach(() => rmSync(outside, { recursive: true }));

const put = (path: string, content: string | Buffer = 'SELECT 1'): void =>
  writeFileSync(join(folder, path), content);

describe('list', () => {
  test('finds the files of a project, sorted, and leaves everything else alone', async () => {
    mkdirSync(join(folder, 'data'));
    mkdirSync(join(folder, '.git'));
    mkdirSync(join(folder, 'models/node_modules'));
    for (const path of [
      'config.yaml',
      'notes.txt',
      'data/big.csv',
      '.git/config',
      'models/b.sql',
      'models/staging/a.sql',
      'models/node_modules/x.sql',
      'models/.hidden.sql',
    ])
      put(path);
    const { files, problems } = await folderFileSource(folder).list();
    expect(files.map(({ path }) => path)).toEqual(['config.yaml', 'models/b.sql', 'models/staging/a.sql']);
    expect(problems).toEqual([]);
  });
  test('a link that leaves the project is reported and not followed', async () => {
    writeFileSync(join(outside, 'secret.sql'), 'SELECT 2');
    symlinkSync(join(outside, 'secret.sql'), join(folder, 'models/stolen.sql'));
    symlinkSync(outside, join(folder, 'models/all'));
    const { files, problems } = await folderFileSource(folder).list();
    expect(files).toEqual([]);
    expect(problems.map(({ path, kind }) => `${kind} ${path}`)).toEqual([
      'escapes-project models/all',
      'escapes-project models/stolen.sql',
    ]);
  });
  test('links that go in a circle inside the project end', async () => {
    put('models/a.sql');
    symlinkSync(join(folder, 'models'), join(folder, 'models/again'));
    symlinkSync('loop', join(folder, 'models/loop'));
    const { files, problems } = await folderFileSource(folder).list();
    expect(files.map(({ path }) => path)).toEqual(['models/a.sql']);
    expect(problems.map(({ kind }) => kind)).toEqual(['unreadable']);
  });
});

describe('read', () => {
  test('takes a byte-order mark away and keeps Windows line ends', async () => {
    put('models/a.sql', '\ufeffSELECT 1\r\n');
    expect((await folderFileSource(folder).read(['models/a.sql'])).files.get('models/a.sql')).toBe(
      'SELECT 1\r\n',
    );
  });
  test('says which byte is not UTF-8, and reads the other files', async () => {
    put(
      'models/a.sql',
      Buffer.concat([Buffer.from('SELECT é '), Buffer.from([0xff, 0xfe]), Buffer.from('x')]),
    );
    put('models/b.sql');
    const { files, problems } = await folderFileSource(folder).read(['models/a.sql', 'models/b.sql']);
    expect([...files.keys()]).toEqual(['models/b.sql']);
    expect(problems).toEqual([
      { path: 'models/a.sql', kind: 'not-utf8', detail: 'byte 11 begins no character' },
    ]);
  });
  test('refuses a 10 MB file without reading it', async () => {
    put('models/a.sql', Buffer.alloc(10 * 1024 * 1024, 'x'));
    expect((await folderFileSource(folder).read(['models/a.sql'])).problems[0]?.kind).toBe('too-large');
  });
  test('a path that leaves the project is refused, however it is written', async () => {
    writeFileSync(join(outside, 'secret.sql'), 'SELECT 2');
    for (const path of ['../secret.sql', 'models/../../secret.sql'])
      expect((await folderFileSource(folder).read([path])).problems[0]?.kind).toBe('escapes-project');
  });
  test('a file that is not there is a problem, not an exception', async () => {
    expect((await folderFileSource(folder).read(['models/none.sql'])).problems[0]).toMatchObject({
      kind: 'unreadable',
      detail: 'it does not exist',
    });
  });
});

test('a digest gives hash and head of a seed', async () => {
  mkdirSync(join(folder, 'seeds'));
  put('seeds/a.csv', 'id,name\n1,x\n');
  expect(await folderFileSource(folder).digest('seeds/a.csv', 7)).toEqual({
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    head: 'id,name',
  });
  expect(await folderFileSource(folder).digest('../x.csv', 7)).toMatchObject({ kind: 'unreadable' });
});
