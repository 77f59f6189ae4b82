import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import { createLibraryClient, LIBRARY_TEXT_MAX, limitedClient, timeLimitMs } from './library-client.ts';
import type { LibraryRequest } from './library-protocol.ts';

const ENDLESS = 'CREATE TABLE c (pk BIGINT GENERATED ALWAYS AS IDENTITY (START WITH 10';
const ask = (text: string): LibraryRequest => ({ kind: 'transpile', text, from: 'duckdb', to: 'duckdb' });

const client = createLibraryClient();
afterAll(() => client.close());

describe('the thread of the SQL library', () => {
  it('ends a question that never returns, and answers the next', async () => {
    const [hung, next] = await Promise.all([client.ask(ask(ENDLESS), 300), client.ask(ask('SELECT 1'))]);
    expect(hung).toEqual({
      ok: false,
      error: {
        kind: 'timeout',
        message: 'the SQL library did not answer within 0.3 s',
        span: { start: 0, end: ENDLESS.length },
      },
    });
    expect(next).toEqual({ ok: true, value: ['SELECT 1'] });
  });

  it('gives the same question five seconds without being told, and more for long texts', () => {
    expect(timeLimitMs('')).toBe(5_000);
    expect(timeLimitMs('x'.repeat(1_000_000))).toBe(25_000);
  });

  it('survives nesting deeper than its stack and answers rightly afterwards', async () => {
    const deep = await client.ask(ask(`SELECT ${'('.repeat(20_000)}1${')'.repeat(20_000)}`));
    expect(!deep.ok && deep.error.kind).toBe('too-deep');
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => client.ask(ask(`SELECT ${i}`))));
    expect(answers).toEqual(answers.map((_, i) => ({ ok: true, value: [`SELECT ${i}`] })));
  });

  it('reads 200 nested subqueries', async () => {
    const nested = await client.ask(ask(`${'SELECT * FROM ('.repeat(200)}SELECT 1${')'.repeat(200)}`));
    expect(nested.ok).toBe(true);
  });

  it('refuses a text of 10 MB before the library sees it', async () => {
    const result = await client.ask(ask('x'.repeat(10_000_000)));
    expect(!result.ok && result.error.kind).toBe('too-long');
    expect(!result.ok && result.error.message).toContain(String(LIBRARY_TEXT_MAX));
  });

  it('answers 300 questions asked at once, each its own', async () => {
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, i) => client.ask(ask(`SELECT ${i} AS n`))),
    );
    expect(answers).toEqual(answers.map((_, i) => ({ ok: true, value: [`SELECT ${i} AS n`] })));
  });

  it('answers what was under way when it is closed', async () => {
    const own = createLibraryClient();
    const question = own.ask(ask('SELECT 1'));
    await own.close();
    const result = await question;
    expect(!result.ok && result.error.message).toBe('the SQL library was closed');
    expect(await own.ask(ask('SELECT 2'))).toEqual({ ok: true, value: ['SELECT 2'] });
    await own.close();
  });
});

describe('a client that gives up', () => {
  it('asks no more after three questions that never returned, and refuses without waiting', async () => {
    let asked = 0;
    const limited = limitedClient({
      ...client,
      ask: (request, limitMs) => {
        asked++;
        return client.ask(request, limitMs);
      },
    });
    for (let i = 0; i < 3; i++) {
      expect(limited.isSpent()).toBe(false);
      const hung = await limited.ask(ask(ENDLESS), 200);
      expect(!hung.ok && hung.error.kind).toBe('timeout');
    }
    expect(limited.isSpent()).toBe(true);
    const refused = await limited.ask(ask('SELECT 1'));
    expect(!refused.ok && refused.error.kind).toBe('unsupported');
    expect(!refused.ok && refused.error.message).toContain('did not answer 3 times');
    expect(asked).toBe(3);
    expect(await client.ask(ask('SELECT 1'))).toEqual({ ok: true, value: ['SELECT 1'] });
  });
  it('does not count refusals', async () => {
    const limited = limitedClient(client, 1);
    expect((await limited.ask(ask('SELECT (('))).ok).toBe(false);
    expect(await limited.ask(ask('SELECT 1'))).toEqual({ ok: true, value: ['SELECT 1'] });
  });
});

const transpileFile = fileURLToPath(new URL('./transpile.ts', import.meta.url));
const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** Runs a module in a process of its own; rejects when it does not end by itself. */
function run(
  file: string,
): Promise<{ readonly code: number | null; readonly out: string; readonly ms: number }> {
  return new Promise((resolve, reject) => {
    const began = Date.now();
    const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
    let out = '';
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`the process is kept alive; it had printed ${out}`));
    }, 60_000);
    child.stdout.on('data', (data) => {
      out += data;
    });
    child.on('exit', (code) => {
      clearTimeout(timer);
      resolve({ code, out: out.trim(), ms: Date.now() - began });
    });
  });
}

const PROGRAM = (path: string): string => `
  import { transpile } from ${JSON.stringify(path)};
  const result = await transpile('SELECT decode(a, 1, 2) FROM t', 'snowflake', 'duckdb');
  console.log(result.ok);
`;

describe('a process that used the library', () => {
  const folder = mkdtempSync(
    join(
      mkdirSync(join(root, 'node_modules/.cache'), { recursive: true }) ?? join(root, 'node_modules/.cache'),
      'plinth-library-',
    ),
  );
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('ends by itself when run from source', async () => {
    const file = join(folder, 'from-source.mjs');
    writeFileSync(file, PROGRAM(transpileFile));
    expect(await run(file)).toMatchObject({ code: 0, out: 'true' });
  });

  it('ends by itself when run from a bundle whose worker is an entry of its own', async () => {
    writeFileSync(join(folder, 'main.ts'), PROGRAM(transpileFile));
    await build({
      entryPoints: {
        'bundled/main': join(folder, 'main.ts'),
        'foundation/sql/library/library-worker': fileURLToPath(
          new URL('./library-worker.ts', import.meta.url),
        ),
      },
      outdir: join(folder, 'dist'),
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node22',
      packages: 'external',
      chunkNames: 'chunks/[name]-[hash]',
      logLevel: 'silent',
    });
    expect(await run(join(folder, 'dist/bundled/main.js'))).toMatchObject({ code: 0, out: 'true' });
  });

  it('does not start a thread for what our own route translates', async () => {
    const file = join(folder, 'own-route.mjs');
    writeFileSync(
      file,
      `import { transpile } from ${JSON.stringify(transpileFile)};
      const result = await transpile('SELECT 1', 'duckdb', 'postgres');
      console.log(result.ok, process.getActiveResourcesInfo().includes('MessagePort'), process.memoryUsage().rss < 300e6);`,
    );
    expect(await run(file)).toMatchObject({ code: 0, out: 'true false true' });
  });
});
