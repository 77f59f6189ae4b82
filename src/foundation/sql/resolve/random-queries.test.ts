import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Oracle, openOracle } from '../../../../tests/support/sql/duckdb-oracle.ts';
import { QueryMaker } from '../../../../tests/support/sql/random-resolved-query.ts';
import { parseQuery } from '../parse/parse-query.ts';
import { resolveQuery } from './resolve-query.ts';

/** Always the same queries, so that a change is what breaks the test; PLINTH_CAMPAIGN=20 tries twenty times as many new ones. */
const SIZE = Number(process.env.PLINTH_CAMPAIGN ?? 1);
const SEED = process.env.PLINTH_CAMPAIGN === undefined ? { seed: 42 } : {};

let oracle: Oracle;
beforeAll(async () => {
  oracle = await openOracle();
});
afterAll(() => oracle.close());

function resolve(sql: string) {
  const parsed = parseQuery(sql, 'duckdb');
  if (!parsed.ok) throw new Error(`${parsed.error.message} in ${sql}`);
  return resolveQuery(parsed.value, oracle.schemaOf);
}

const NAME_ERRORS =
  /^Binder Error: (Referenced column|Ambiguous reference to column|Referenced table|(Table|Values list) "[^"]*" does not have a column named)/;

describe('random queries', () => {
  it('have the columns, names and types that DuckDB describes', async () => {
    let accepted = 0;
    let made = 0;
    await fc.assert(
      fc.asyncProperty(fc.gen(), async (g) => {
        const { sql } = new QueryMaker(g, false).query(2);
        made++;
        const answer = await oracle.describe(sql);
        if ('error' in answer) return;
        accepted++;
        const facts = resolve(sql);
        expect(
          facts.problems.filter((problem) => problem.isCertain),
          sql,
        ).toEqual([]);
        expect(
          facts.columns.map((column) => [column.name, column.type]),
          sql,
        ).toEqual(answer.columns);
      }),
      { numRuns: 400 * SIZE, ...SEED },
    );
    expect(accepted / made).toBeGreaterThan(0.8);
  });

  it('with a name that nothing has are certain to be wrong exactly when DuckDB says so', async () => {
    let wrong = 0;
    await fc.assert(
      fc.asyncProperty(fc.gen(), async (g) => {
        const maker = new QueryMaker(g, true);
        const { sql } = maker.query(2);
        const answer = await oracle.describe(sql);
        const { problems } = resolve(sql);
        const places = problems.map(({ kind, name, span }) => `${kind} ${name} ${span.start}`);
        expect(new Set(places).size, sql).toBe(places.length);
        const isCertain = problems.some((problem) => problem.isCertain);
        if ('error' in answer) {
          if (NAME_ERRORS.test(answer.error)) {
            wrong++;
            expect(isCertain, `${answer.error}\n${sql}`).toBe(true);
          }
        } else expect(isCertain, sql).toBe(false);
      }),
      { numRuns: 300 * SIZE, ...SEED },
    );
    expect(wrong).toBeGreaterThan(20);
  });
});
