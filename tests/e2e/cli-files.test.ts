import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Ended, envelope, runPlinth, type TemporaryProject, temporaryProject } from './run-plinth.ts';
import { SMALL_PROJECT } from './small-project.ts';

let empty: TemporaryProject;
beforeEach(() => {
  empty = temporaryProject({});
});
afterEach(() => empty.remove());
const run = (...args: string[]): Promise<Ended> => runPlinth(args, { cwd: empty.folder });

/** A list in the data of an answer; empty when there is none, so that a test fails on its content. */
const list = <Item>(ended: Ended, name: string): readonly Item[] =>
  (envelope(ended).data?.[name] ?? []) as Item[];

describe('init', () => {
  test('makes a shop that loads and lints without errors, and says what to do next', async () => {
    const made = await run('init');
    expect(made.code).toBe(0);
    expect(made.stdout).toContain('Created  shop/');
    expect(made.stdout).toContain('cd shop');
    expect(existsSync(join(empty.folder, 'shop/data/orders.csv'))).toBe(true);
    expect(readFileSync(join(empty.folder, 'shop/.gitignore'), 'utf8')).toContain('.plinth/');
    const info = await run('info', '--project', 'shop', '--json');
    expect([info.code, envelope(info).diagnostics.filter(({ severity }) => severity === 'error')]).toEqual([
      0,
      [],
    ]);
    expect((await run('lint', '--project', 'shop')).code).toBe(0);
  });
  test('makes an empty project whose model can be rendered', async () => {
    expect((await run('init', 'fresh', '--empty')).code).toBe(0);
    expect((await run('render', 'marts.first_model', '--project', 'fresh')).stdout).toContain(
      "'hello' AS greeting",
    );
  });
  test('never touches a folder in use without --force', async () => {
    empty.write('shop/notes.txt', 'mine');
    const refused = await run('init', '--json');
    expect([refused.code, envelope(refused).error?.['code']]).toEqual([2, 'cli.folder-not-empty']);
    expect(readdirSync(join(empty.folder, 'shop'))).toEqual(['notes.txt']);
    expect((await run('init', '--force', '--empty')).code).toBe(0);
    expect(readFileSync(join(empty.folder, 'shop/notes.txt'), 'utf8')).toBe('mine');
  });
  test('looks at the scale before it writes anything', async () => {
    const ended = await run('init', '--scale', '0', '--json');
    expect([ended.code, envelope(ended).error?.['code']]).toEqual([2, 'cli.bad-value']);
    expect(readdirSync(empty.folder)).toEqual([]);
  });
});

describe('sample', () => {
  test('writes data into a project and nowhere else', async () => {
    const nowhere = await run('sample', '--json');
    expect([nowhere.code, envelope(nowhere).error?.['code']]).toEqual([2, 'project.nothing-found']);
    empty.write('config.yaml', '');
    const ended = await run('sample', '--json');
    expect(ended.code).toBe(0);
    const files = envelope(ended).data?.['files'] as { path: string; rows: number; bytes: number }[];
    const orders = files.find(({ path }) => path === 'data/orders.csv');
    const text = readFileSync(join(empty.folder, 'data/orders.csv'), 'utf8');
    expect([orders?.bytes, orders?.rows]).toEqual([text.length, text.trimEnd().split('\n').length - 1]);
  });
  test('replaces its own files at another scale, and none of the user without --force', async () => {
    empty.write('config.yaml', '');
    const orders = (): string => readFileSync(join(empty.folder, 'data/orders.csv'), 'utf8');
    expect((await run('sample')).code).toBe(0);
    const first = orders();
    expect((await run('sample', '--scale', '2')).code).toBe(0);
    expect(orders().length).toBeGreaterThan(first.length);
    empty.write('seeds/stores.csv', 'store_id,store_name\n1,Mine\n');
    empty.write('data/orders.csv', `${first}1,mine\n`);
    const refused = await run('sample', '--json');
    expect([refused.code, envelope(refused).error?.['code']]).toEqual([2, 'cli.sample-overwrites']);
    expect(envelope(refused).error?.['message']).toContain('seeds/stores.csv, data/orders.csv');
    expect(orders()).toBe(`${first}1,mine\n`);
    expect(readFileSync(join(empty.folder, 'seeds/stores.csv'), 'utf8')).toContain('Mine');
    expect((await run('sample', '--force')).code).toBe(0);
    expect(orders()).toBe(first);
  });
  test('files of the same names in another project stay, also with init --force', async () => {
    empty.write('config.yaml', '');
    empty.write('data/orders.csv', 'mine\n');
    for (const command of [['sample'], ['init', '.', '--force']]) {
      const refused = await run(...command, '--json');
      expect([refused.code, envelope(refused).error?.['code']]).toEqual([2, 'cli.sample-overwrites']);
    }
    expect(readdirSync(empty.folder).sort()).toEqual(['config.yaml', 'data']);
    expect(readdirSync(join(empty.folder, 'data'))).toEqual(['orders.csv']);
  });
  test('that cannot write ends with exit code 1', async () => {
    empty.write('config.yaml', '');
    empty.write('data', 'a file where a folder should be');
    const ended = await run('sample', '--json');
    expect([ended.code, envelope(ended).error?.['code']]).toEqual([1, 'cli.cannot-write']);
  });
});

describe('format', () => {
  const ugly = "MODEL (name a.b, kind full);\nselect 1 as x, 'y' as y -- why\nfrom c.d\n";
  beforeEach(() => {
    for (const [path, text] of Object.entries(SMALL_PROJECT)) empty.write(path, text);
    empty.write('models/ugly.sql', ugly);
  });
  test('--check names the files, changes none, and ends with 1', async () => {
    const ended = await run('format', '--check', 'models/ugly.sql');
    expect([ended.code, ended.stdout]).toEqual([1, 'models/ugly.sql\n']);
    expect(readFileSync(join(empty.folder, 'models/ugly.sql'), 'utf8')).toBe(ugly);
  });
  test('--diff shows what would change', async () => {
    const { stdout } = await run('format', '--diff', 'models/ugly.sql');
    expect(stdout).toContain('--- models/ugly.sql');
    expect(stdout).toContain("-select 1 as x, 'y' as y -- why");
    expect(readFileSync(join(empty.folder, 'models/ugly.sql'), 'utf8')).toBe(ugly);
  });
  test('is done when it was done once', async () => {
    expect((await run('format')).code).toBe(0);
    const after = readFileSync(join(empty.folder, 'models/ugly.sql'), 'utf8');
    expect(after).not.toBe(ugly);
    const again = await run('format', '--check');
    expect([again.code, again.stdout]).toEqual([0, '']);
  });
  test('changes no model of the project', async () => {
    const hashes = async (): Promise<unknown> =>
      list<{ query_hash: string; lineage_digest: string }>(await run('info', '--json'), 'models').map(
        ({ query_hash, lineage_digest }) => [query_hash, lineage_digest],
      );
    const before = await hashes();
    await run('format');
    expect(await hashes()).toEqual(before);
  });
  test('leaves what it cannot read and says so, while the rest is done', async () => {
    const worse = "MODEL (name a.c, kind full);\nselect 'never closed\n";
    empty.write('models/worse.sql', worse);
    const ended = await run('format', '--json');
    expect(envelope(ended).diagnostics).toEqual([
      expect.objectContaining({
        code: 'cli.not-formatted',
        severity: 'warning',
        file: 'models/worse.sql',
        line: 2,
        column: 8,
      }),
    ]);
    expect(envelope(ended).data?.['changed']).toContain('models/ugly.sql');
    expect(readFileSync(join(empty.folder, 'models/worse.sql'), 'utf8')).toBe(worse);
  });
  test('keeps Windows line ends', async () => {
    empty.write('models/windows.sql', ugly.replaceAll('\n', '\r\n'));
    await run('format', 'models/windows.sql');
    expect(readFileSync(join(empty.folder, 'models/windows.sql'), 'utf8')).toMatch(/^(?:[^\r\n]*\r\n)+$/);
  });
  test('takes paths of the caller and of the project', async () => {
    const check = (cwd: string, path: string): Promise<Ended> =>
      runPlinth(['format', '--check', '-p', empty.folder, path], { cwd });
    for (const [cwd, path] of [
      [join(empty.folder, '..'), join(basename(empty.folder), 'models/ugly.sql')],
      [join(empty.folder, 'models'), 'ugly.sql'],
      [tmpdir(), 'models/ugly.sql'],
    ] as const)
      expect((await check(cwd, path)).stdout).toBe('models/ugly.sql\n');
  });
  test('knows only files of the project', async () => {
    const ended = await run('format', 'models/ugli.sql', '--json');
    expect([ended.code, envelope(ended).error?.['hint']]).toEqual([2, 'did you mean models/ugly.sql?']);
  });
});

describe('lint', () => {
  beforeEach(() => {
    empty.write('config.yaml', 'linter: {enabled: true, rules: [no-select-star]}\n');
    empty.write('models/b.sql', 'MODEL (name a.b, kind FULL);\nSELECT 1 AS x, 2 AS y\n');
    empty.write('models/c.sql', 'MODEL (name a.c, kind FULL);\nSELECT * FROM a.b\n');
  });
  test('ends with 2 when a rule is broken, and shows where', async () => {
    const ended = await run('lint', '--json');
    expect(ended.code).toBe(2);
    expect(envelope(ended).error).toBeUndefined();
    expect(envelope(ended).diagnostics[0]).toMatchObject({
      code: 'lint.no-select-star',
      file: 'models/c.sql',
      line: 2,
      column: 8,
    });
    expect((await run('lint')).stderr).toMatch(/^\d+ of \d+ rules: 1 error, \d+ warnings?; /m);
  });
  test('--fix mends what can be mended, and then all is well', async () => {
    const ended = await run('lint', '--fix', '--json');
    expect([ended.code, envelope(ended).data?.['fixed']]).toEqual([0, { count: 1, files: ['models/c.sql'] }]);
    expect(readFileSync(join(empty.folder, 'models/c.sql'), 'utf8')).not.toContain('*');
    expect((await run('lint')).code).toBe(0);
  });
});

describe('lint --format', () => {
  beforeEach(() => {
    empty.write('config.yaml', 'linter: {enabled: true, warn_rules: [no-select-star]}\n');
    empty.write('models/b.sql', 'MODEL (name a.b, kind FULL);\nSELECT 1 AS x, 2 AS y\n');
    empty.write('models/c.sql', 'MODEL (name a.c, kind FULL);\nSELECT * FROM a.b WHERE x = NULL\n');
  });
  test.each(['json', 'github', 'sarif'])('%s stands alone on stdout; warnings end with 0', async (format) => {
    const ended = await run('lint', '--format', format);
    expect(ended.code).toBe(0);
    expect(ended.stdout).toContain('lint.no-select-star');
    expect(ended.stderr).not.toContain('lint.no-select-star');
    if (format !== 'github') expect(() => JSON.parse(ended.stdout)).not.toThrow();
  });
  test('errors end with 2, whatever the format', async () => {
    empty.write('config.yaml', 'linter: {enabled: true, rules: [no-select-star]}\n');
    const ended = await run('lint', '--format', 'github');
    expect([ended.code, ended.stdout.split('\n')[0]]).toEqual([
      2,
      '::error file=models/c.sql,line=2,endLine=2,col=8,endColumn=9,title=lint.no-select-star::a.c returns a star, so its columns change with what it reads.%0Alist the columns; plinth lint --fix does it where they are known',
    ]);
  });
  test('--fix fixes all there is, and a second time nothing', async () => {
    expect(envelope(await run('lint', '--fix', '--json')).data?.['fixed']).toEqual({
      count: 2,
      files: ['models/c.sql'],
    });
    const text = readFileSync(join(empty.folder, 'models/c.sql'), 'utf8');
    expect(text).toContain('WHERE x IS NULL');
    expect(envelope(await run('lint', '--fix', '--json')).data?.['fixed']).toEqual({ count: 0, files: [] });
    expect(readFileSync(join(empty.folder, 'models/c.sql'), 'utf8')).toBe(text);
  });
});

describe('schema', () => {
  test('writes every schema into a folder, each a JSON Schema', async () => {
    const ended = await run('schema', '--all', 'schemas', '--json');
    const files = envelope(ended).data?.['files'] as string[];
    expect(readdirSync(join(empty.folder, 'schemas')).sort()).toEqual([...files].sort());
    for (const file of files)
      expect(JSON.parse(readFileSync(join(empty.folder, 'schemas', file), 'utf8'))).toHaveProperty('$schema');
  });
  test('prints the schema of one kind, and knows its kinds', async () => {
    expect(JSON.parse((await run('schema', 'config')).stdout)).toEqual(
      envelope(await run('schema', 'config', '--json')).data,
    );
    expect(envelope(await run('schema', 'confg', '--json')).error).toMatchObject({
      code: 'cli.bad-value',
      hint: 'did you mean config?',
    });
  });
});

describe('doctor', () => {
  let broken: TemporaryProject;
  beforeAll(() => {
    broken = temporaryProject({ ...SMALL_PROJECT, 'models/x.sql': 'MODEL (knd FULL); SELECT 1 AS x' });
  });
  afterAll(() => broken.remove());
  const findings = (ended: Ended): ReadonlyMap<string, string> =>
    new Map(
      list<{ name: string; status: string }>(ended, 'findings').map(({ name, status }) => [name, status]),
    );

  test('outside a project finds a healthy program, exit code 0', async () => {
    const ended = await run('doctor', '--json');
    expect(ended.code).toBe(0);
    expect([...findings(ended).entries()]).toEqual(
      expect.arrayContaining([
        ['node', 'ok'],
        ['sql library', 'ok'],
        ['duckdb', 'ok'],
        ['project', 'warn'],
      ]),
    );
  });
  test('finds a broken project, says what to do, exit code 1', async () => {
    const ended = await runPlinth(['doctor'], { cwd: broken.folder });
    expect(ended.code).toBe(1);
    expect(ended.stdout).toMatch(/fail {2}project .*\d+ models?, 1 error\n\s+fix: plinth info shows them/);
  });
  test('finds a damaged cache', async () => {
    await runPlinth(['info'], { cwd: broken.folder });
    writeFileSync(join(broken.folder, '.plinth/cache/names.facts'), 'damaged');
    const ended = await runPlinth(['doctor', '--json'], { cwd: broken.folder });
    expect(findings(ended).get('cache')).toBe('warn');
    rmSync(join(broken.folder, '.plinth'), { recursive: true });
  });
});

describe('a bug of ours', () => {
  const planted = {
    NODE_OPTIONS: '--import=data:text/javascript,Date.now=()=>{throw%20new%20Error(42)}',
  };
  test('is one line and exit code 1, never a stack', async () => {
    const ended = await runPlinth(['info'], { variables: { ...planted, PLINTH_NOW: '' } });
    expect([ended.code, ended.stdout]).toEqual([1, '']);
    expect(ended.stderr).toBe(
      'error cli.bug: Plinth ran into a bug of its own: Error, 42.\n  hint: run it again with --verbose to see where, and report it with that text\n',
    );
  });
  test('shows where with --verbose, and is an object with --json', async () => {
    const ended = await runPlinth(['info', '--json', '--verbose'], { variables: planted });
    expect(ended.stderr).toMatch(/^Error: 42\n\s+at /);
    expect(envelope(ended).error).toMatchObject({ code: 'cli.bug' });
  });
});
