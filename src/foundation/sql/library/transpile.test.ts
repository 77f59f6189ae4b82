import { readFileSync, writeFileSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, describe, expect, it } from 'vitest';
import { libraryLineage } from '../../../../tests/support/sql/library-lineage.ts';
import { DATA } from '../../../../tests/support/sql/rewritten-queries.ts';
import { TRANSPILE_CASES } from '../../../../tests/support/sql/transpile-cases.ts';
import { canonicalText } from '../canonical/canonical.ts';
import { QUESTION_DIALECTS } from '../dialect.ts';
import { parseQuery } from '../parse/parse-query.ts';
import { createLibraryClient } from './library-client.ts';
import { patched } from './library-patches.ts';
import { readWithLibrary } from './read-with-library.ts';
import { transpile, transpileByLibrary, transpileOwn } from './transpile.ts';

const GOLDENS = new URL('./transpile-goldens.json', import.meta.url);
const client = createLibraryClient();
afterAll(() => client.close());

describe('our own translation', () => {
  it('says what the goldens say (PLINTH_UPDATE_GOLDENS=1 rewrites them)', () => {
    const actual = Object.fromEntries(
      TRANSPILE_CASES.map((text) => [
        text,
        Object.fromEntries(
          QUESTION_DIALECTS.map((to) => {
            const result = transpileOwn(text, 'duckdb', to);
            return [to, result.ok ? result.value : `error: ${result.error.message}`];
          }),
        ),
      ]),
    );
    if (process.env['PLINTH_UPDATE_GOLDENS'] === '1')
      writeFileSync(GOLDENS, `${JSON.stringify(actual, undefined, 2)}\n`);
    expect(actual).toEqual(JSON.parse(readFileSync(GOLDENS, 'utf8')));
  });

  it('runs on DuckDB with the same answer when it comes back from DuckDB', async () => {
    const connection = await (await DuckDBInstance.create(':memory:')).connect();
    await connection.run(DATA);
    const run = async (text: string): Promise<string> =>
      JSON.stringify((await connection.runAndReadAll(text)).getRowsJson());
    for (const text of TRANSPILE_CASES) {
      const result = transpileOwn(text, 'duckdb', 'duckdb');
      expect.soft(result.ok && (await run(result.value)), text).toBe(await run(text));
    }
    connection.closeSync();
  });

  it('gives text our own reader of that dialect understands', () => {
    for (const text of TRANSPILE_CASES) {
      for (const to of QUESTION_DIALECTS) {
        const result = transpileOwn(text, 'duckdb', to);
        if (result.ok) expect.soft(parseQuery(result.value, to).ok, `${to}: ${result.value}`).toBe(true);
      }
    }
  });

  it('refuses what the target cannot say, at its place', () => {
    const text = 'SELECT a, median(b) FROM t';
    const result = transpileOwn(text, 'duckdb', 'mysql');
    expect(result).toEqual({
      ok: false,
      error: {
        kind: 'unsupported',
        message: 'the function median cannot be said in mysql',
        span: { start: text.indexOf('median'), end: text.indexOf(' FROM') },
      },
    });
  });
});

describe('translation with the library behind', () => {
  it('takes our own route first', async () => {
    const text = "SELECT date_trunc('month', ts) AS m FROM t";
    expect(await transpile(text, 'duckdb', 'mysql', client)).toEqual(transpileOwn(text, 'duckdb', 'mysql'));
  });

  it('asks the library for what our tables do not know', async () => {
    const text = 'SELECT decode(a, 1, 2, 3) FROM t';
    expect(transpileOwn(text, 'snowflake', 'duckdb').ok).toBe(false);
    const result = await transpile(text, 'snowflake', 'duckdb', client);
    expect(result.ok && result.value).toMatch(/^SELECT CASE WHEN/);
  });

  it('reads dialects only the library knows', async () => {
    const result = await transpile('SELECT NVL(a, 0) FROM t WHERE ROWNUM < 5', 'oracle', 'postgres', client);
    expect(result.ok && result.value).toContain('COALESCE(a, 0)');
  });

  it('refuses a function the library passes through although the target lacks it', async () => {
    const result = await transpile('SELECT median(a) FROM t', 'duckdb', 'mysql', client);
    expect(!result.ok && result.error.message).toBe('the function median cannot be said in mysql');
  });

  it('refuses what the library is known to get silently wrong', async () => {
    const result = await transpile(
      "SELECT date_trunc('month', ts), median(a) FROM t",
      'duckdb',
      'mysql',
      client,
    );
    expect(!result.ok && result.error.message).toContain('DATE()');
  });

  it('names an unknown dialect', async () => {
    const result = await transpile('SELECT 1', 'duckdb', 'klingon', client);
    expect(!result.ok && result.error.message).toBe('klingon is not a known SQL dialect');
  });

  it('repairs what an engine would refuse, calls inside calls too', () => {
    expect(patched("SELECT LISTAGG(a, ',') WITHIN GROUP (ORDER BY b) FROM t", 'postgres')).toBe(
      "SELECT STRING_AGG(a, ',' ORDER BY b) FROM t",
    );
    expect(patched("SELECT LISTAGG(LISTAGG(a, ';'), ',') FROM t", 'postgres')).toBe(
      "SELECT STRING_AGG(STRING_AGG(a, ';'), ',') FROM t",
    );
    expect(patched('SELEC', 'postgres')).toBe('SELEC');
  });
});

describe('reading with the library', () => {
  it('gives our tree with spans into its own text', async () => {
    const result = await readWithLibrary('SELECT NVL(a, 0) x FROM t', 'oracle', client);
    if (!result.ok) throw new Error(result.error.message);
    const { query, text } = result.value;
    expect(canonicalText(query, 'duckdb')).toBe(canonicalText(query, 'duckdb'));
    expect(text.slice(query.span.start, query.span.end)).toBe(text);
    expect(text).toContain('COALESCE(a, 0)');
  });

  it('keeps the user’s position of an error', async () => {
    const text = "SELECT '😀' AS b, a,, b FROM t";
    const result = await readWithLibrary(text, 'oracle', client);
    expect(!result.ok && text.slice(result.error.span.start, result.error.span.end)).toBe(',');
    expect(!result.ok && result.error.span.start).toBe(text.indexOf(',,') + 1);
  });
});

describe('the library as an oracle', () => {
  it('agrees that our translations parse', async () => {
    // TIMESTAMP_NTZ '…' is Spark 3.4, which the library does not read.
    for (const text of TRANSPILE_CASES.filter((it) => !it.includes("TIMESTAMP '"))) {
      for (const to of QUESTION_DIALECTS) {
        const own = transpileOwn(text, 'duckdb', to);
        if (!own.ok || (to === 'duckdb' && text.includes('//'))) continue;
        const read = await transpileByLibrary(own.value, to, to, client);
        expect.soft(read.ok ? '' : read.error.message, `${to}: ${own.value}`).toBe('');
      }
    }
  });

  it('tells the lineage of a column', async () => {
    const tables = [{ name: 't', columns: [{ name: 'a', type: 'INT' }, { name: 'b', type: 'INT' }] }]; // biome-ignore format: short
    const result = await libraryLineage(
      { text: 'SELECT a + b AS c FROM t', dialect: 'duckdb', column: 'c', tables },
      client,
    );
    expect(result).toEqual({ ok: true, value: ['t.a', 't.b'] });
  });
});
