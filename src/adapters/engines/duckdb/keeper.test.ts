import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { keepersOf as keepersOfFile } from '../../../../tests/support/keepers-of.ts';
import type { Engine } from '../../../domain/engine.ts';
import { Failure } from '../../../domain/failure.ts';
import type { DuckdbOptions } from './duckdb-config.ts';
import { duckdbEngine } from './duckdb-connection.ts';
import { socketPath } from './keeper-start.ts';

const folders: string[] = [];
const engines: Engine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function project(): string {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-keeper-'));
  folders.push(folder);
  return folder;
}

async function open(folder: string, options: Partial<DuckdbOptions> = {}): Promise<Engine> {
  const engine = await duckdbEngine({
    database: 'w.duckdb',
    folder,
    idleMs: 50,
    who: 'the test',
    ...options,
  });
  engines.push(engine);
  return engine;
}

async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  return promise.then(
    () => {
      throw new Error('it succeeded');
    },
    (error: Failure) => error,
  );
}

const keepersOf = (folder: string, database = join(folder, 'w.duckdb')): readonly number[] =>
  keepersOfFile(database);

async function until(condition: () => boolean, ms = 5_000): Promise<boolean> {
  const deadline = Date.now() + ms;
  while (!condition() && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10));
  return condition();
}

/** Another process that uses the engine; resolves when it has said a line. */
async function otherProcess(
  folder: string,
  body: string,
  around: readonly string[] = [],
): Promise<{ readonly pid: number; kill(): void }> {
  const source = `
    import { duckdbEngine } from ${JSON.stringify(join(import.meta.dirname, 'duckdb-connection.ts'))};
    import { DuckDBInstance } from '@duckdb/node-api';
    const folder = ${JSON.stringify(folder)};
    const open = () => duckdbEngine({ database: 'w.duckdb', folder, idleMs: 50, who: 'another process' });
    void DuckDBInstance;
    ${body}`;
  const words = [
    process.execPath,
    '--disable-warning=ExperimentalWarning',
    '--input-type=module',
    '-e',
    source,
  ];
  const [command = '', ...args] = [...around, ...words];
  const child = spawn(command, args, {
    cwd: join(import.meta.dirname, '../../../..'),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await new Promise((resolve, reject) => {
    child.stdout.once('data', resolve);
    child.once('exit', (code) => reject(new Error(`the other process ended with ${code}`)));
  });
  return { pid: child.pid as number, kill: () => child.kill('SIGKILL') };
}

describe('starting and ending', () => {
  test('of eight that start at once all share one keeper', async () => {
    const folder = project();
    const all = await Promise.all(Array.from({ length: 8 }, () => open(folder)));
    await all[0]?.write([], (session) => session.execute('CREATE TABLE t (id INTEGER)'));
    await Promise.all(
      all.map((engine, index) =>
        engine.write([], (session) => session.execute(`INSERT INTO t VALUES (${index})`)),
      ),
    );
    expect((await all[3]?.query('SELECT count(*), count(DISTINCT id) FROM t'))?.rows).toEqual([[8, 8]]);
    expect(await until(() => keepersOf(folder).length === 1)).toBe(true);
  });

  test('processes that start at once share one keeper', async () => {
    const folder = project();
    const say =
      "const engine = await open(); await engine.query('SELECT 1'); console.log('ready'); process.stdin.resume();";
    const others = await Promise.all(Array.from({ length: 4 }, () => otherProcess(folder, say)));
    await open(folder);
    expect(await until(() => keepersOf(folder).length === 1)).toBe(true);
    for (const other of others) other.kill();
  });

  test('a keeper ends after its last client and leaves nothing but the file', async () => {
    const folder = project();
    const engine = await open(folder);
    const socket = socketPath(join(folder, 'w.duckdb'));
    await engine.write([], (session) => session.execute('CREATE TABLE t AS SELECT 1 AS id'));
    expect(existsSync(socket)).toBe(true);
    await engine.close();
    expect(await until(() => keepersOf(folder).length === 0)).toBe(true);
    expect([socket, `${socket}.log`, `${socket}.starting`].filter((path) => existsSync(path))).toEqual([]);
    expect(readdirSync(folder)).toEqual(['w.duckdb']);
    expect((await (await open(folder)).query('SELECT id FROM t')).rows).toEqual([[1]]);
  });

  test('a client that comes while the keeper ends gets the next one', async () => {
    const folder = project();
    for (let round = 0; round < 4; round++) {
      const engine = await open(folder, { idleMs: 0 });
      await engine.close();
      await new Promise((resolve) => setTimeout(resolve, round * 4));
    }
    const last = await open(folder, { idleMs: 0 });
    expect((await last.query('SELECT 1')).rows).toEqual([[1]]);
    await last.close();
    expect(await until(() => keepersOf(folder).length === 0)).toBe(true);
  });

  test('the socket of a keeper that was killed is replaced', async () => {
    const folder = project();
    const first = await open(folder);
    await first.write([], (session) => session.execute('CREATE TABLE t AS SELECT 1 AS id'));
    for (const pid of keepersOf(folder)) process.kill(pid, 'SIGKILL');
    expect(await until(() => keepersOf(folder).length === 0)).toBe(true);
    expect(existsSync(socketPath(join(folder, 'w.duckdb')))).toBe(true);
    const answers = await Promise.all(
      [first, await open(folder)].map((engine) => engine.query('SELECT id FROM t')),
    );
    expect(answers.map(({ rows }) => rows)).toEqual([[[1]], [[1]]]);
    expect(await until(() => keepersOf(folder).length === 1)).toBe(true);
  });

  test('a database in memory belongs to its engine and ends with it', async () => {
    const folder = project();
    const one = await open(folder, { database: ':memory:' });
    const two = await open(folder, { database: ':memory:' });
    await one.write([], (session) => session.execute('CREATE TABLE t AS SELECT 1 AS id'));
    expect((await one.query('SELECT id FROM t')).rows).toEqual([[1]]);
    expect((await failureOf(two.query('SELECT id FROM t'))).code).toBe('engine.statement-failed');
    await one.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('two ways to a file lead to one keeper', async () => {
    const folder = project();
    mkdirSync(join(folder, 'sub'));
    const one = await open(folder);
    await one.write([], (session) => session.execute('CREATE TABLE t AS SELECT 1 AS id'));
    const two = await open(folder, { database: join(folder, 'sub', '..', 'w.duckdb') });
    expect((await two.query('SELECT id FROM t')).rows).toEqual([[1]]);
  });
});

describe('who may have the file', () => {
  test('a file that was deleted is begun anew, and not while somebody still uses the old one', async () => {
    const folder = project();
    const old = await open(folder, { idleMs: 5_000 });
    await old.write([], (session) => session.execute('CREATE TABLE t AS SELECT 1 AS id'));
    rmSync(join(folder, 'w.duckdb'));
    rmSync(join(folder, 'w.duckdb.wal'), { force: true });
    const busy = await failureOf(open(folder));
    expect([busy.code, busy.message]).toEqual(['engine.keeper-differs', expect.stringContaining('deleted')]);
    await old.close();
    const fresh = await open(folder);
    expect((await failureOf(fresh.query('SELECT id FROM t'))).code).toBe('engine.statement-failed');
  });

  test('the keeper of a file that was deleted leaves the log of the next one alone', async () => {
    const folder = project();
    const [file, log] = [join(folder, 'w.duckdb'), join(folder, 'w.duckdb.wal')];
    const old = await open(folder, { idleMs: 500 });
    await old.write([], (session) => session.execute('CREATE TABLE t AS SELECT 1 AS id'));
    await old.close();
    rmSync(file);
    rmSync(log, { force: true });
    writeFileSync(log, 'what the next keeper has committed');
    expect(await until(() => keepersOf(folder).length === 0)).toBe(true);
    expect(existsSync(log)).toBe(true);
  });

  test('a keeper that was started under another XDG_RUNTIME_DIR is found by its lock', async () => {
    const folder = project();
    const other = await otherProcess(
      folder,
      `process.env.XDG_RUNTIME_DIR = folder; const engine = await open(); await engine.query('SELECT 1'); console.log('ready'); process.stdin.resume();`,
    );
    expect(existsSync(join(folder, 'plinth'))).toBe(true);
    expect((await (await open(folder)).query('SELECT 1')).rows).toEqual([[1]]);
    expect(await until(() => keepersOf(folder).length === 1)).toBe(true);
    other.kill();
  });

  test('a socket that was removed, with its folder, is made again', async () => {
    const folder = project();
    const runtime = mkdtempSync(join(tmpdir(), 'plinth-runtime-'));
    folders.push(runtime);
    const other = await otherProcess(
      folder,
      `process.env.XDG_RUNTIME_DIR = ${JSON.stringify(runtime)}; const engine = await open(); await engine.query('SELECT 1'); console.log('ready'); process.stdin.resume();`,
    );
    const [keeper] = keepersOf(folder);
    rmSync(join(runtime, 'plinth'), { recursive: true });
    expect((await (await open(folder)).query('SELECT 1')).rows).toEqual([[1]]);
    expect(keepersOf(folder)).toEqual([keeper]);
    other.kill();
  });

  test.runIf(process.getuid?.() === 0)(
    'a keeper with a temporary folder of its own is named at once, with how to reach it',
    async () => {
      const folder = mkdtempSync(join(process.cwd(), '.keeper-'));
      folders.push(folder);
      const own = dirname(socketPath(join(folder, 'w.duckdb')));
      const other = await otherProcess(
        folder,
        `const engine = await open(); await engine.query('SELECT 1'); console.log('ready'); process.stdin.resume();`,
        // Not the whole of /tmp: this repository may lie there.
        ['unshare', '--mount', 'sh', '-c', `mount -t tmpfs -o mode=700 none '${own}' && exec "$0" "$@"`],
      );
      const failed = await failureOf(open(folder));
      expect(failed.code).toBe('engine.held-elsewhere');
      expect(failed.message).toContain(`process ${keepersOf(folder)[0]} of user 0 on `);
      other.kill();
    },
  );

  test('a runtime folder with a long name is not used for sockets', () => {
    const folder = project();
    const long = join(folder, 'x'.repeat(120));
    mkdirSync(long, { mode: 0o700 });
    const before = process.env['XDG_RUNTIME_DIR'];
    process.env['XDG_RUNTIME_DIR'] = long;
    try {
      expect(socketPath(join(folder, 'w.duckdb')).length).toBeLessThan(80);
    } finally {
      if (before === undefined) delete process.env['XDG_RUNTIME_DIR'];
      else process.env['XDG_RUNTIME_DIR'] = before;
    }
  });

  test('an idle keeper with other options makes room, a busy one is named with its clients', async () => {
    const folder = project();
    const first = await open(folder, { idleMs: 5_000, connection: { connector_config: { threads: 1 } } });
    const busy = await failureOf(open(folder));
    expect(busy.code).toBe('engine.keeper-differs');
    expect(busy.message).toContain(`process ${keepersOf(folder)[0]}`);
    expect(busy.message).toContain(`the test (process ${process.pid})`);
    expect(busy.message).toContain('connection options');
    await first.close();
    const second = await open(folder);
    expect((await second.query("SELECT current_setting('threads') > 0")).rows).toEqual([[true]]);
    expect(await until(() => keepersOf(folder).length === 1)).toBe(true);
  });

  test('another program that holds the file is named', async () => {
    const folder = project();
    const other = await otherProcess(
      folder,
      `globalThis.kept = await DuckDBInstance.create(folder + '/w.duckdb'); console.log('ready'); process.stdin.resume();`,
    );
    const failed = await failureOf(open(folder));
    other.kill();
    expect(failed.code).toBe('engine.locked');
    expect(failed.message).toContain(String(other.pid));
    expect(await until(() => keepersOf(folder).length === 0)).toBe(true);
  });

  test('a file that is no database, and options that DuckDB refuses, say so', async () => {
    const folder = project();
    writeFileSync(
      join(folder, 'w.duckdb'),
      'this is not a database, but a text that is long enough to be one',
    );
    const failed = await failureOf(open(folder));
    expect([failed.code, failed.message]).toEqual([
      'engine.cannot-open',
      expect.stringContaining('not a valid DuckDB'),
    ]);
    const options = { database: ':memory:', connection: { connector_config: { no_such_option: 1 } } };
    const refused = await failureOf(open(folder, options));
    expect([refused.code, refused.message]).toEqual([
      'engine.cannot-open',
      expect.stringContaining('no_such_option'),
    ]);
    // The folder of the database is a file.
    const under = await failureOf(open(folder, { database: 'w.duckdb/x.duckdb' }));
    expect(under.code).toBe('engine.cannot-open');
  });

  test('what a client was doing when it was killed is rolled back', async () => {
    const folder = project();
    const engine = await open(folder);
    await engine.write([], (session) => session.execute('CREATE TABLE t AS SELECT 1 AS id'));
    const other = await otherProcess(
      folder,
      `const engine = await open();
       await engine.write([], async (session) => {
         await session.execute('UPDATE t SET id = 2');
         console.log('ready');
         await session.query('SELECT count(*) FROM range(100000000000) WHERE range % 7 = 3');
       });`,
    );
    await new Promise((resolve) => setTimeout(resolve, 100));
    const conflict = await failureOf(engine.write([], (session) => session.execute('UPDATE t SET id = 3')));
    expect([conflict.code, conflict.isRetryable]).toEqual(['engine.conflict', true]);
    other.kill();
    let code: string | undefined = 'engine.conflict';
    for (let round = 0; round < 50 && code === 'engine.conflict'; round++) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      code = await engine
        .write([], (session) => session.execute('UPDATE t SET id = 3'))
        .then(
          () => undefined,
          (error: Failure) => error.code,
        );
    }
    expect(code).toBeUndefined();
    expect((await engine.query('SELECT id FROM t')).rows).toEqual([[3]]);
  });
});

describe('limits', () => {
  test('a keeper that does not obey an interrupt is killed', async () => {
    const folder = project();
    const engine = await open(folder, { cancelMs: 200 });
    const bystander = await open(folder);
    const [pid] = keepersOf(folder);
    const controller = new AbortController();
    const long = 'SELECT count(*) FROM range(100000000000) WHERE range % 7 = 3';
    const cancelled = failureOf(engine.query(long, { signal: controller.signal }));
    const lost = failureOf(bystander.write([], (session) => session.query(long)));
    const reading = bystander.query('SELECT count(*) FROM range(1000000)');
    await new Promise((resolve) => setTimeout(resolve, 100));
    process.kill(pid as number, 'SIGSTOP');
    controller.abort();
    expect((await cancelled).code).toBe('engine.cancelled');
    const innocent = await lost;
    expect([innocent.code, innocent.isRetryable]).toEqual(['engine.lost', true]);
    expect((await reading).rows).toEqual([[1_000_000]]);
    const answers = await Promise.all([engine.query('SELECT 1'), bystander.query('SELECT 1')]);
    expect(answers.map(({ rows }) => rows)).toEqual([[[1]], [[1]]]);
  });

  test('a statement that takes too much memory is stopped, and the keeper goes on', async () => {
    const folder = project();
    const engine = await open(folder, {
      connection: { connector_config: { memory_limit: '200MB', threads: 1 } },
    });
    const greedy = await failureOf(
      engine.query('SELECT max(u) FROM (SELECT unnest(range(1000000000)) AS u)'),
    );
    expect(greedy.code).toBe('engine.out-of-memory');
    expect((await engine.query('SELECT 1')).rows).toEqual([[1]]);
  });

  test('a write that lacks memory stops queries, which are to be asked again, and succeeds when it is repeated', async () => {
    const engine = await open(project(), {
      connection: { connector_config: { memory_limit: '300MB', threads: 1, temp_directory: '' } },
    });
    await engine.write([], (session) => session.execute('CREATE TABLE t AS SELECT 1 AS id'));
    const greedy = failureOf(
      (async () => {
        const held = '(SELECT list(range) AS l FROM range(8000000)) AS a';
        const { lines } = await engine.read(
          `SELECT count(*) FROM ${held}, range(100000000000) AS b WHERE b.range % 7 = len(a.l)`,
        );
        for await (const _ of lines);
      })(),
    );
    const fill = () =>
      engine.write([], (session) =>
        session.execute('CREATE TABLE filled AS SELECT list(range) AS l FROM range(8000000)'),
      );
    const taken = "SELECT memory_usage_bytes > 60000000 FROM duckdb_memory() WHERE tag = 'HASH_TABLE'";
    for (let looks = 0; looks < 1000 && (await engine.query(taken)).rows[0]?.[0] !== true; looks++) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const lacked = await failureOf(fill());
    expect([lacked.code, lacked.isRetryable]).toEqual(['engine.out-of-memory', true]);
    const running = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), 30_000));
    const stopped = await Promise.race([greedy, running]);
    expect([stopped?.code, stopped?.isRetryable]).toEqual(['engine.out-of-memory', true]);
    await fill();
    expect((await engine.query('SELECT len(l) FROM filled')).rows).toEqual([[8_000_000]]);
  });

  test('what DuckDB does not count is watched: a statement is stopped when the process grows too large', async () => {
    const folder = project();
    const engine = await open(folder, { residentMax: 400 * 1024 ** 2 });
    const sorting =
      'SELECT count(*) FROM (SELECT range AS a, hash(range) AS b FROM range(60000000) ORDER BY b, a LIMIT 50000000)';
    const stopped = await failureOf(engine.write([], (session) => session.query(sorting)));
    expect([stopped.code, stopped.isRetryable]).toEqual(['engine.out-of-memory', false]);
    expect(stopped.message).toContain('has grown to');
    // As long as the memory is not given back the next one is stopped, too; it is never answered with nothing.
    let next: unknown;
    for (let attempt = 0; attempt < 200; attempt++) {
      next = await engine.query('SELECT 1').catch((error: unknown) => error);
      if (!(next instanceof Failure) || next.code !== 'engine.out-of-memory') break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(next).toMatchObject({ rows: [[1]] });
  });

  test('a full disk is said, and what was there is still there', async () => {
    const folder = project();
    const engine = await open(folder);
    await engine.write([], (session) => session.execute('CREATE TABLE t AS SELECT 1 AS id'));
    const [pid] = keepersOf(folder);
    execFileSync('prlimit', ['--pid', String(pid), '--fsize=400000:400000']);
    const full = await failureOf(
      engine.write([], (session) =>
        session.execute('INSERT INTO t SELECT hash(range) % 1000000 FROM range(3000000)'),
      ),
    );
    expect(full.code).toBe('engine.disk-full');
    // The limit belonged to that keeper; killing it stands for freeing the space.
    for (const own of keepersOf(folder)) process.kill(own, 'SIGKILL');
    await until(() => keepersOf(folder).length === 0);
    expect((await engine.query('SELECT id FROM t')).rows).toEqual([[1]]);
  });

  test('a conflict that shows at the commit only can be tried again', async () => {
    const folder = project();
    const engine = await open(folder);
    await engine.write([], (session) => session.execute('CREATE TABLE t AS SELECT 1 AS id'));
    const late = await failureOf(
      engine.write([], async (session) => {
        await session.execute('INSERT INTO t VALUES (2)');
        await engine.write([], (other) => other.execute('ALTER TABLE t ADD COLUMN more INTEGER'));
      }),
    );
    expect([late.code, late.isRetryable]).toEqual(['engine.conflict', true]);
    expect((await engine.query('SELECT id FROM t')).rows).toEqual([[1]]);
  });
});

describe('settings', () => {
  test('files of the project are read by relative paths, others are not', async () => {
    const folder = project();
    for (const path of ['data', 'seeds', 'raw', '.plinth']) {
      mkdirSync(join(folder, path), { recursive: true });
      writeFileSync(join(folder, path, 'rows.csv'), 'id\n1\n');
    }
    const engine = await open(folder);
    const read = (path: string): Promise<unknown> => engine.query(`SELECT id FROM read_csv('${path}')`);
    for (const path of ['data/rows.csv', 'raw/rows.csv', 'seeds/*.csv', join(folder, 'data', 'rows.csv')])
      expect(await read(path)).toMatchObject({ rows: [[1]] });
    for (const path of ['.plinth/rows.csv', 'data/../.plinth/rows.csv', '/etc/passwd'])
      expect((await failureOf(read(path))).code).toBe('engine.file-closed');
    const copy = engine.write([], (session) =>
      session.execute("COPY (SELECT 1) TO '/tmp/plinth-not-allowed.csv'"),
    );
    expect((await failureOf(copy)).code).toBe('engine.file-closed');
    await engine.close();
    await until(() => keepersOf(folder).length === 0);
    const wider = await open(folder, { connection: { allowed_paths: ['.plinth'] } });
    expect((await wider.query("SELECT id FROM read_csv('.plinth/rows.csv')")).rows).toEqual([[1]]);
  });

  test('temporary files leave half of the free disk to others, unless the connection says otherwise', async () => {
    const folder = project();
    const size = async (settings: Readonly<Record<string, string>>): Promise<string> => {
      const engine = await open(folder, { connection: { connector_config: settings } });
      const { rows } = await engine.query("SELECT current_setting('max_temp_directory_size')");
      await engine.close();
      return String(rows[0]?.[0]);
    };
    const { bavail, bsize } = statfsSync(folder);
    const [, number, unit] = /^([\d.]+) (GiB|TiB)$/.exec(await size({})) ?? [];
    const gigabytes = Number(number) * (unit === 'TiB' ? 1024 : 1);
    expect(gigabytes / ((bavail * bsize) / 1024 ** 3)).toBeCloseTo(0.5, 1);
    expect(await size({ max_temp_directory_size: '1GiB' })).toBe('1.0 GiB');
    expect(await size({ temp_directory: '' })).toBe('0 bytes');
  });

  test('settings, extensions and catalogs are locked for statements', async () => {
    const engine = await open(project());
    for (const statement of [
      "SET memory_limit = '1GB'",
      'LOAD httpfs',
      "ATTACH ':memory:' AS more",
      'SET lock_configuration = false',
      'SET external_threads = 2',
      'PRAGMA external_threads = 2',
      'RESET "external_threads"',
    ])
      expect((await failureOf(engine.write([], (session) => session.execute(statement)))).code).toBe(
        'engine.statement-failed',
      );
  });

  test('a file may be called like a schema in it', async () => {
    const folder = project();
    const engine = await open(folder, { database: 'shop.duckdb' });
    await engine.write([], (session) => session.createSchemas([{ schema: 'shop' }]));
    await engine.write([], (session) =>
      session.replaceViews([{ view: { schema: 'shop', name: 'v' }, query: 'SELECT 1 AS id' }]),
    );
    expect((await engine.query('SELECT id FROM shop.v')).rows).toEqual([[1]]);
  });

  test('further catalogs have a ledger of their own', async () => {
    const folder = project();
    const connection = { catalogs: { main_file: 'w.duckdb', archive: 'archive.duckdb' } };
    const engine = await open(folder, { connection });
    const table = { model: 'archive.s.m', version: 'v1' };
    const relation = { catalog: 'archive', schema: 'plinth__s', name: 'm__v1' };
    await engine.write([], (session) => session.createSchemas([{ catalog: 'archive', schema: 'plinth__s' }]));
    await engine.write([{ table, token: 3 }], async (session) => {
      await session.replaceTable(relation, 'SELECT 1 AS id');
      await session.recordLedger([
        { table, range: { start: 0, end: 10 }, runId: 'r', token: 3, dataVersion: '9' },
      ]);
    });
    expect(await engine.ledger()).toEqual([
      { table, filled: [{ start: 0, end: 10 }], filledSince: [], dataVersion: '1:9' },
    ]);
    expect(await engine.relations([])).toEqual([{ relation, object: 'table' }]);
    expect([...(await engine.columnsOf([relation])).keys()]).toEqual(['archive.plinth__s.m__v1']);
    for (const pid of keepersOf(folder)) process.kill(pid, 'SIGKILL');
    const older = engine.write([{ table, token: 2 }], async () => undefined);
    expect((await failureOf(older)).code).toMatch(/engine\.(?:fenced|lost)/);
  });

  test('comments are kept with tables, views and columns', async () => {
    const engine = await open(project());
    await engine.write([], async (session) => {
      await session.createTable(
        { schema: 'main', name: 't' },
        [{ name: 'id', type: 'INTEGER', comment: "the key's" }],
        {
          comment: 'A table',
        },
      );
      await session.replaceViews([
        {
          view: { schema: 'main', name: 'v' },
          query: 'SELECT 1 AS id',
          comment: 'A view',
          columnComments: { id: 'Its id' },
        },
      ]);
    });
    const { rows } = await engine.query(
      "SELECT comment FROM duckdb_tables() WHERE table_name = 't' UNION ALL SELECT comment FROM duckdb_views() WHERE view_name = 'v' UNION ALL SELECT comment FROM duckdb_columns() WHERE table_name IN ('t', 'v') ORDER BY 1",
    );
    expect(rows.flat()).toEqual(['A table', 'A view', 'Its id', "the key's"]);
  });
});

test('a reader that has enough of an answer which is already complete does not end the keeper', async () => {
  const folder = project();
  const engine = await open(folder, { cancelMs: 20 });
  const before = keepersOf(folder);
  const { lines } = await engine.read('SELECT range FROM range(10)');
  for await (const piece of lines) {
    expect(piece.length).toBeGreaterThan(0);
    // Another answer on the same socket: that of the reader has come to its end.
    await engine.query('SELECT 1');
    break;
  }
  // Far longer than an interrupt may take.
  const until = performance.now() + 300;
  while (performance.now() < until) await engine.query('SELECT 1');
  expect(keepersOf(folder)).toEqual(before);
});
