/*
 * Over one semantic model, semantic SQL is plain SQL with members in place of columns: random SELECTs must have the answers that
 * DuckDB gives to the same text with every member replaced by what it means.
 */
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { TABLES, YAML } from './shop.ts';
import { type SqlWorld, sqlWorld } from './sql-world.ts';

/** One thing said twice: over the semantic model, and over its table. */
interface Pair {
  readonly semantic: string;
  readonly plain: string;
}
const pair = (semantic: string, plain = semantic): Pair => ({ semantic, plain });
const both = (parts: readonly Pair[], write: (parts: readonly string[]) => string): Pair => ({
  semantic: write(parts.map(({ semantic }) => semantic)),
  plain: write(parts.map(({ plain }) => plain)),
});

const SIZE = "CASE WHEN amount > 60 THEN 'big' ELSE 'small' END";
const EARLY = "(order_date < DATE '2024-02-01')";
const texts = fc.constantFrom(pair('status'), pair('orders.status', 'status'), pair('size', SIZE));
const numbers = fc.constantFrom(pair('id'), pair('amount'), pair('length(status)'));
const dates = fc.constantFrom(pair('order_date'), pair("DATE '2024-01-20'"));
const conditions: fc.Arbitrary<Pair> = fc.letrec<{ condition: Pair }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc
      .tuple(
        texts,
        fc.constantFrom(
          "= 'done'",
          "<> 'open'",
          "IN ('done', 'Open')",
          "NOT IN ('big')",
          "ILIKE 'o%'",
          'IS NULL',
        ),
      )
      .map(([value, test]) => both([value], ([text]) => `${text} ${test}`)),
    fc
      .tuple(numbers, fc.constantFrom('>', '<=', '=', '<>'), fc.integer({ min: 0, max: 60 }))
      .map(([value, operator, number]) => both([value], ([text]) => `${text} ${operator} ${number}`)),
    fc
      .tuple(
        dates,
        fc.constantFrom('>', '>=', '<', '<=', '='),
        fc.constantFrom('2024-01-05', '2024-02-01', '2023-12-31'),
      )
      .map(([value, operator, day]) => both([value], ([text]) => `${text} ${operator} '${day}'`)),
    fc.constant(pair('early', EARLY)),
    tie('condition').map((inner) => both([inner], ([text]) => `NOT (${text})`)),
    tie('condition').map((inner) => both([inner], ([text]) => `(${text}) IS NOT TRUE`)),
    fc
      .tuple(tie('condition'), fc.constantFrom('AND', 'OR'), tie('condition'))
      .map(([left, operator, right]) => both([left, right], ([a, b]) => `(${a} ${operator} ${b})`)),
  ),
})).condition;
const keys: fc.Arbitrary<Pair> = fc.oneof(
  texts,
  texts.map((value) => both([value], ([text]) => `upper(${text})`)),
  fc.constantFrom(
    // Buckets of a DATE are DATEs, as in every other form of question.
    pair("date_trunc('month', order_date)", "CAST(date_trunc('month', order_date) AS DATE)"),
    pair('order_date.quarter', "CAST(date_trunc('quarter', order_date) AS DATE)"),
    pair('EXTRACT(year FROM order_date)'),
    pair('id % 2'),
  ),
  fc
    .tuple(conditions, texts)
    .map((parts) => both(parts, ([test, text]) => `CASE WHEN ${test} THEN ${text} ELSE '-' END`)),
);
const values: fc.Arbitrary<Pair> = fc.oneof(
  fc.constantFrom(
    pair('MEASURE(revenue)', 'sum(amount)'),
    pair('revenue', 'sum(amount)'),
    pair('SUM(orders.revenue)', 'sum(amount)'),
    pair('done', "count(*) FILTER (WHERE status = 'done')"),
    pair('buyers', 'count(DISTINCT customer_id)'),
    pair('COUNT(*)', 'count(*)'),
    pair('COUNT(DISTINCT size)', `count(DISTINCT ${SIZE})`),
    pair('MAX(order_date)', 'max(order_date)'),
    pair('SUM(revenue) + COUNT(*)', 'sum(amount) + count(*)'),
  ),
  conditions.map((condition) => both([condition], ([text]) => `COUNT(*) FILTER (WHERE ${text})`)),
  fc
    .tuple(conditions, numbers)
    .map((parts) => both(parts, ([test, value]) => `SUM(CASE WHEN ${test} THEN ${value} END)`)),
);
const havings = fc.constantFrom(
  pair('COUNT(*) > 1', 'count(*) > 1'),
  pair('revenue IS NOT NULL', 'sum(amount) IS NOT NULL'),
  pair("revenue > 20 OR MIN(status) = 'open'", "sum(amount) > 20 OR min(status) = 'open'"),
);

interface Question {
  readonly keys: readonly Pair[];
  readonly values: readonly Pair[];
  readonly where: Pair | undefined;
  readonly having: Pair | undefined;
  readonly grouping: 'numbers' | 'ALL' | 'expressions' | 'none';
  /** Values before keys. */
  readonly isTurned: boolean;
}

const questions: fc.Arbitrary<Question> = fc.record({
  keys: fc.array(keys, { maxLength: 3 }),
  values: fc.array(values, { minLength: 1, maxLength: 3 }),
  where: fc.option(conditions, { nil: undefined }),
  having: fc.option(havings, { nil: undefined }),
  grouping: fc.constantFrom('numbers' as const, 'ALL' as const, 'expressions' as const, 'none' as const),
  isTurned: fc.boolean(),
});

function written({ keys: by, values: shown, where, having, grouping, isTurned }: Question): Pair {
  const text = (side: keyof Pair): string => {
    const groups = by.map((key) => key[side]);
    const list = isTurned
      ? [...shown.map((each) => each[side]), ...groups]
      : [...groups, ...shown.map((each) => each[side])];
    const first = isTurned ? shown.length : 0;
    const positions = groups.map((_, i) => `${first + i + 1}`);
    const isImplied = side === 'semantic' && grouping === 'none';
    const items = grouping === 'expressions' ? groups : positions;
    return [
      `SELECT ${list.join(', ')} FROM ${side === 'semantic' ? 'orders' : 'm.orders'}`,
      ...(where === undefined ? [] : [`WHERE ${where[side]}`]),
      ...(groups.length === 0 || isImplied
        ? []
        : [`GROUP BY ${grouping === 'ALL' && side === 'semantic' ? 'ALL' : items.join(', ')}`]),
      ...(having === undefined ? [] : [`HAVING ${having[side]}`]),
    ].join('\n');
  };
  return pair(text('semantic'), text('plain'));
}

describe('random SELECTs', () => {
  let world: SqlWorld;
  beforeAll(async () => {
    world = await sqlWorld(TABLES, YAML);
  });
  const rowsOf = (rows: readonly (readonly unknown[])[]) => rows.map((row) => JSON.stringify(row)).sort();

  test('mean what they mean over the table', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(questions, async (question) => {
        const { semantic, plain } = written(question);
        expect(rowsOf(await world.rows(semantic)), `${semantic}\n\n${world.sql(semantic)}`).toEqual(
          rowsOf(await world.raw(plain)),
        );
      }),
      { numRuns: 300 },
    );
  });

  test('as a sub-query or a common table have the same rows', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(questions, async (question) => {
        const { semantic } = written(question);
        const expected = rowsOf(await world.rows(semantic));
        expect(rowsOf(await world.rows(`SELECT * FROM (${semantic}) AS x`))).toEqual(expected);
        expect(rowsOf(await world.rows(`WITH orders AS (${semantic}) SELECT * FROM orders`))).toEqual(
          expected,
        );
        expect(
          rowsOf(await world.rows(`${semantic}\nUNION ALL SELECT * FROM (${semantic}) AS x WHERE 1 = 0`)),
        ).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });
});
