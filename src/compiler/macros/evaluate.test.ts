import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseExpression } from '../../foundation/sql/parse/parse-query.ts';
import { type Constant, NotConstant } from './constant.ts';
import { evaluate } from './evaluate.ts';

function evaluated(text: string): Constant {
  const parsed = parseExpression(text);
  if (!parsed.ok) throw new Error(parsed.error.message);
  return evaluate(parsed.value, text, 'duckdb');
}

test.each([
  ['1 + 2 * 3', 7n],
  ['(1 + 2) * 3', 9n],
  ['7 / 2', 3.5],
  ['7 // 2', 3n],
  ['-7 // 2', -4n],
  ['-7 % 3', 2n],
  ['1 / 0', null],
  ['2 ** 10', 1024n],
  ["'a' || 'b'", 'ab'],
  ["'a' = 'a'", true],
  ["'1' = 1", false],
  ['1 = 1.0', true],
  ['NULL = 1', null],
  ['NULL AND FALSE', false],
  ['NULL OR TRUE', true],
  ['NULL AND TRUE', null],
  ['NOT NULL', null],
  ['NULL IS NULL', true],
  ['1 IS NOT NULL', true],
  ['TRUE IS TRUE', true],
  ['2 BETWEEN 1 AND 3', true],
  ['2 NOT BETWEEN 1 AND 3', false],
  ["'a' IN ('a', 'b')", true],
  ["'c' NOT IN ('a', NULL)", null],
  ["'abc' LIKE 'a%c'", true],
  ["'abc' LIKE '_b'", false],
  ["'ABC' ILIKE 'a%'", true],
  ['CASE WHEN 1 > 2 THEN 1 ELSE 2 END', 2n],
  ["CASE 'x' WHEN 'y' THEN 1 END", null],
  ["CAST('12' AS INT) + 1", 13n],
  ["TRY_CAST('x' AS INT)", null],
  ["CAST('true' AS BOOLEAN)", true],
  ["'5'::INT", 5n],
  ["lower('AB') || upper('c')", 'abC'],
  ["length('abc')", 3n],
  ['len([1, 2])', 2n],
  ["list_contains(['a', 'b'], 'b')", true],
  ["substring('hello', 2, 3)", 'ell'],
  ["replace('a.b', '.', '_')", 'a_b'],
  ["split('a,b', ',')", ['a', 'b']],
  ["split_part('a,b', ',', 2)", 'b'],
  ["trim('  a ')", 'a'],
  ['coalesce(NULL, 2)', 2n],
  ['greatest(1, 3, 2)', 3n],
  ["['a', 'b'][2]", 'b'],
  ["DATE '2024-01-01' < DATE '2024-02-01'", true],
] as const)('%s', (text, expected) => {
  expect(evaluated(text)).toEqual(expected);
});

test.each([
  ['price > 1', 'price, which is not a constant cannot be compared with 1'],
  ['my_function(1)', 'the function my_function is not known here'],
  ["CAST('x' AS INT)", "'x' cannot be cast to INT"],
  ['EXISTS (SELECT 1)', 'EXISTS (SELECT 1) is not a constant'],
  ["repeat('abc', 1000000000)", 'a text of more than 1000000 characters'],
  ['constructor(1)', 'the function constructor is not known here'],
])('%s has no value now', (text, reason) => {
  try {
    evaluated(text);
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(NotConstant);
    expect((error as NotConstant).reason).toBe(reason);
  }
});

test('whole numbers are exact, however large', () => {
  const whole = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
  fc.assert(
    fc.property(whole, whole, (a, b) => {
      expect(evaluated(`(${a}) + (${b})`)).toBe(a + b);
      expect(evaluated(`(${a}) * (${b})`)).toBe(a * b);
      expect(evaluated(`(${a}) < (${b})`)).toBe(a < b);
      if (b !== 0n) expect(evaluated(`((${a}) // (${b})) * (${b}) + (${a}) % (${b})`)).toBe(a);
    }),
  );
});

test('texts compare and match as they are', () => {
  const text = fc.string({ maxLength: 12 }).filter((value) => !value.includes("'"));
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(evaluated(`'${a}' = '${b}'`)).toBe(a === b);
      expect(evaluated(`'${a}${b}' LIKE '${a.replace(/[%_]/g, '_')}%'`)).toBe(true);
    }),
  );
});
