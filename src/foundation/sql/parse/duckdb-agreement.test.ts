import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  BROKEN_QUERIES,
  DUCKDB_PIVOT_STATEMENTS,
  DUCKDB_QUERIES,
} from '../../../../tests/support/sql/parsed-queries.ts';
import { anyQuery } from '../../../../tests/support/sql/random-parsed-query.ts';
import { tokenize } from '../tokenize.ts';
import { parseQuery } from './parse-query.ts';

/** DuckDB's own parser: undefined when it accepts the text, else its complaint. */
let complaintOf: (sql: string) => Promise<string | undefined>;

beforeAll(async () => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  complaintOf = async (sql) => {
    const quoted = `'${sql.replaceAll("'", "''")}'`;
    const rows = (await connection.runAndReadAll(`SELECT json_serialize_sql(${quoted})`)).getRows();
    const answer = JSON.parse(String(rows[0]?.[0])) as { error: boolean; error_message?: string };
    return answer.error ? (answer.error_message ?? 'error') : undefined;
  };
});

function ours(sql: string): string | undefined {
  const result = parseQuery(sql);
  return result.ok ? undefined : result.error.message;
}

describe('what DuckDB accepts, we accept', () => {
  it.each(DUCKDB_QUERIES)('%s', async (sql) => {
    expect(await complaintOf(sql)).toBeUndefined();
    expect(ours(sql)).toBeUndefined();
  });

  it.each(DUCKDB_PIVOT_STATEMENTS)('%s', async (sql) => {
    expect([undefined, 'Only SELECT statements can be serialized to json!']).toContain(
      await complaintOf(sql),
    );
    expect(ours(sql)).toBeUndefined();
  });
});

describe('what DuckDB refuses, we refuse', () => {
  it.each(BROKEN_QUERIES)('%s', async (sql) => {
    expect(await complaintOf(sql)).toBeDefined();
    expect(ours(sql)).toBeDefined();
  });
});

describe('queries made up at random', () => {
  it('are accepted by both', async () => {
    await fc.assert(
      fc.asyncProperty(anyQuery, async (sql) => {
        expect(ours(sql)).toBeUndefined();
        expect(await complaintOf(sql)).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });

  it('are refused by both after a closing parenthesis is lost', async () => {
    const withParenthesis = anyQuery.filter((sql) => sql.includes(')'));
    await fc.assert(
      fc.asyncProperty(withParenthesis, fc.nat(), async (sql, n) => {
        const closing = tokenize(sql).tokens.filter((token) => token.text === ')');
        const lost = closing[n % closing.length];
        if (lost === undefined) return;
        const broken = `${sql.slice(0, lost.start)} ${sql.slice(lost.end)}`;
        expect(ours(broken)).toBeDefined();
        expect(await complaintOf(broken)).toBeDefined();
      }),
      { numRuns: 150 },
    );
  });
});
