import { execFileSync, spawn } from 'node:child_process';
import { realpathSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { duckdbEngine } from '../../src/adapters/engines/duckdb/duckdb-connection.ts';
import type { Engine } from '../../src/domain/engine.ts';
import { Failure } from '../../src/domain/failure.ts';
import { keepersOf } from '../support/keepers-of.ts';
import { marked } from '../support/marked-source.ts';
import { codeOf, inFolder } from './code-of.ts';
import { acting, type DiagnosticCase } from './diagnostic-case.ts';

interface Opening {
  readonly folder: string;
  /** Opens the file `w.duckdb` of the folder; closed when the case is over. */
  open(settings?: Readonly<Record<string, string | number>>): Promise<Engine>;
}

/** The code that something done with a warehouse ends with. */
const withEngine = (code: string, work: (opening: Opening) => Promise<unknown>): DiagnosticCase =>
  acting(code, () =>
    inFolder(async (folder) => {
      const opened: Engine[] = [];
      const open = async (settings?: Readonly<Record<string, string | number>>): Promise<Engine> => {
        const connection = settings === undefined ? {} : { connector_config: settings };
        const engine = await duckdbEngine({
          database: 'w.duckdb',
          folder,
          connection,
          idleMs: 50,
          who: 'a case',
        });
        opened.push(engine);
        return engine;
      };
      try {
        return await codeOf(work({ folder, open }));
      } finally {
        for (const engine of opened) await engine.close();
      }
    }),
  );

function keeperOf(folder: string): number {
  const [pid] = keepersOf(join(folder, 'w.duckdb'));
  if (pid === undefined) throw new Error(`nobody keeps ${folder}`);
  return pid;
}

const execute = (engine: Engine, sql: string): Promise<void> =>
  engine.write([], (session) => session.execute(sql));

const ENDLESS = 'SELECT count(*) FROM range(100000000000) WHERE range % 7 = 3';

/** What a warehouse can refuse. */
/** What a query from outside is refused with, at the marked place. */
const inspecting = (code: string, source: string): DiagnosticCase =>
  acting(code, () =>
    inFolder(async (folder) => {
      const engine = await duckdbEngine({ database: ':memory:', folder });
      const { text, ranges } = marked(source);
      const failed: unknown = await engine.inspect(text).catch((error: unknown) => error);
      await engine.close();
      if (!(failed instanceof Failure)) return String(failed);
      const { at } = failed.diagnostic;
      const isThere = at?.start === ranges[0]?.start && at?.end === ranges[0]?.end;
      return isThere ? failed.code : `${failed.code} at ${at?.start}-${at?.end}`;
    }),
  );

export const engineCases: readonly DiagnosticCase[] = [
  inspecting('query.cannot-parse', '«SELEC» 1'),
  inspecting('query.several-statements', 'SELECT 1; SELECT 2'),
  inspecting('query.pivot-needs-in', '«PIVOT» t ON a USING sum(b)'),
  inspecting('query.not-allowed', 'SHOW TABLES'),
  inspecting('query.function-not-allowed', "SELECT * FROM «read_text»('/etc/passwd')"),
  inspecting('query.function-bounded', 'SELECT «json_structure»(x) FROM t'),
  inspecting('query.too-complex', `SELECT 1${' UNION ALL SELECT 1'.repeat(2_000)}`),
  inspecting('query.unclear-name', "FROM «e»'orders'"),
  withEngine('query.too-costly', async ({ open }) => {
    process.env['PLINTH_TEST_UNBOUNDED'] = '1';
    try {
      await (await open()).inspect(`${'/**/'.repeat(20_000)}SELECT 1`);
    } finally {
      delete process.env['PLINTH_TEST_UNBOUNDED'];
    }
  }),
  withEngine('engine.timed-out', async ({ open }) => {
    for await (const lines of (await (await open()).read(ENDLESS, { timeoutMs: 100 })).lines)
      lines.toString();
  }),
  withEngine('engine.cannot-open', async ({ folder, open }) => {
    writeFileSync(join(folder, 'w.duckdb'), 'not a database, only a text that is long enough '.repeat(100));
    await open();
  }),
  withEngine('engine.warehouse-gone', async ({ folder }) => {
    await duckdbEngine({ database: 'w.duckdb', folder, mayMake: async () => false });
  }),
  withEngine('engine.locked', async ({ folder, open }) => {
    const duckdb = JSON.stringify(createRequire(import.meta.url).resolve('@duckdb/node-api'));
    const script = `require(${duckdb}).DuckDBInstance.create('w.duckdb').then((kept) => { globalThis.kept = kept; console.log('held'); setInterval(() => {}, 1000); })`;
    const holder = spawn(process.execPath, ['-e', script], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await new Promise((resolve) => holder.stdout.once('data', resolve));
      await open();
    } finally {
      holder.kill('SIGKILL');
    }
  }),
  withEngine('engine.held-elsewhere', async ({ folder, open }) => {
    await open();
    const [keeper = 0] = keepersOf(join(realpathSync(folder), 'w.duckdb'));
    process.kill(keeper, 'SIGSTOP');
    try {
      await open();
    } finally {
      process.kill(keeper, 'SIGCONT');
    }
  }),
  withEngine('engine.keeper-differs', async ({ open }) => {
    await open({ threads: 1 });
    await open();
  }),
  withEngine('engine.lost', async ({ folder, open }) => {
    const engine = await open();
    const writing = engine.write([], (session) => session.query(ENDLESS));
    setTimeout(() => process.kill(keeperOf(folder), 'SIGKILL'), 200);
    await writing;
  }),
  withEngine('engine.broken', async ({ open }) => {
    await (await open()).query('SELECT reservoir_quantile(i, 0.5, 2000000000) FROM range(10) AS t(i)');
  }),
  withEngine('engine.cancelled', async ({ open }) => {
    await (await open()).query(ENDLESS, { signal: AbortSignal.timeout(200) });
  }),
  withEngine('engine.fenced', async ({ open }) => {
    const engine = await open();
    const table = { model: 's.m', version: 'v1' };
    await engine.raiseFences([{ table, token: 2 }]);
    await engine.write([{ table, token: 1 }], (session) => session.execute('SELECT 1'));
  }),
  withEngine('engine.conflict', async ({ open }) => {
    const engine = await open();
    await execute(engine, 'CREATE TABLE t AS SELECT 1 AS id');
    await engine.write([], async (session) => {
      await session.execute('UPDATE t SET id = 2');
      await execute(engine, 'UPDATE t SET id = 3');
    });
  }),
  withEngine('engine.type-mismatch', async ({ open }) => (await open()).query("SELECT CAST('x' AS INTEGER)")),
  withEngine('engine.file-closed', async ({ open }) =>
    (await open()).query("SELECT * FROM read_csv('/etc/passwd')"),
  ),
  withEngine('engine.answer-too-large', async ({ open }) =>
    (await open()).query('SELECT * FROM range(10)', { rowsMax: 9 }),
  ),
  withEngine('engine.row-too-large', async ({ open }) => {
    const { lines } = await (await open()).read("SELECT repeat('x', 20000000) AS text");
    for await (const _ of lines);
  }),
  withEngine('engine.out-of-memory', async ({ open }) => {
    const engine = await open({ memory_limit: '200MB', threads: 1 });
    await engine.query('SELECT max(u) FROM (SELECT unnest(range(1000000000)) AS u)');
  }),
  withEngine('engine.disk-full', async ({ folder, open }) => {
    const engine = await open();
    await execute(engine, 'CREATE TABLE t AS SELECT 1 AS id');
    const pid = keeperOf(folder);
    // A file that may not grow stands for a disk without room.
    execFileSync('prlimit', ['--pid', String(pid), '--fsize=400000:400000']);
    try {
      await execute(engine, 'INSERT INTO t SELECT hash(range) % 1000000 FROM range(3000000)');
    } finally {
      process.kill(pid, 'SIGKILL');
    }
  }),
  withEngine('engine.statement-failed', async ({ open }) =>
    (await open()).query('SELECT nothing FROM nowhere'),
  ),
];
