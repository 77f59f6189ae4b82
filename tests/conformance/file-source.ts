import { expect, test } from 'vitest';
import type { FileSource } from '../../src/domain/file-source.ts';

/** What every source of project files must do; `open` makes a source that holds exactly these files. */
export function fileSourceConformance(
  open: (files: Readonly<Record<string, string | Buffer>>) => FileSource,
): void {
  const files = {
    'config.yaml': 'name: x\n',
    'models/b.sql': 'SELECT 1',
    'models/a/c.sql': '\ufeffSELECT é\r\n',
    'seeds/s.csv': 'id\n1\n',
  };
  test('lists every file with its size, sorted by path', async () => {
    const listed = await open(files).list();
    expect(listed.problems).toEqual([]);
    expect(listed.files.map(({ path, size }) => `${path} ${size}`)).toEqual([
      'config.yaml 8',
      'models/a/c.sql 14',
      'models/b.sql 8',
      'seeds/s.csv 5',
    ]);
  });
  test('reads texts as UTF-8 without a byte-order mark', async () => {
    const read = await open(files).read(['models/b.sql', 'models/a/c.sql']);
    expect([...read.files]).toEqual([
      ['models/b.sql', 'SELECT 1'],
      ['models/a/c.sql', 'SELECT é\r\n'],
    ]);
  });
  test('what cannot be read is a problem of that file only', async () => {
    const read = await open({ ...files, 'models/bad.sql': Buffer.from([0x53, 0xff]) }).read([
      'models/bad.sql',
      'models/none.sql',
      'models/b.sql',
      '../outside.sql',
    ]);
    expect([...read.files.keys()]).toEqual(['models/b.sql']);
    expect(read.problems.map(({ path, kind }) => `${path} ${kind}`).slice(0, 2)).toEqual([
      'models/bad.sql not-utf8',
      'models/none.sql unreadable',
    ]);
    expect(read.problems[2]?.path).toBe('../outside.sql');
  });
  test('digests a file by its bytes, with its head', async () => {
    const first = await open(files).digest('seeds/s.csv', 2);
    const changed = await open({ ...files, 'seeds/s.csv': 'id\n2\n' }).digest('seeds/s.csv', 2);
    expect(first).toMatchObject({ head: 'id', hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(changed).not.toEqual(first);
    expect(await open(files).digest('seeds/none.csv', 2)).toMatchObject({ kind: 'unreadable' });
  });
}
