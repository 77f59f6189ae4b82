import { describe, expect, test } from 'vitest';
import { dependsOnRuntime } from './depends-on-runtime.ts';

const of = (...texts: readonly string[]) =>
  dependsOnRuntime(texts.map((text) => ({ text, start: 0, isJinja: false })));
const jinja = (text: string) => dependsOnRuntime([{ text, start: 0, isJinja: true }]);

describe('what is executed may differ from what is seen at load', () => {
  test.each([
    "SELECT @IF(@start_ds < '2024-01-01', a, b) FROM t",
    "SELECT a FROM t @WHERE(@end_date > '2024-01-01') x > 1",
    'SELECT @EVAL(@execution_epoch > 5) AS late',
    "@IF(@runtime_stage = 'evaluating', CREATE INDEX i ON t (a))",
    'SELECT @my_macro(@start_ds, a) FROM t',
    'SELECT @my_macro(x -> x, [@{end_ts}]) FROM t',
  ])('%s', (text) => expect(of(text)).toBe(true));
  test('through a definition', () =>
    expect(of("@DEF(is_new, @start_ds > '2024-01-01')", 'SELECT @IF(@is_new, a, b) FROM t')).toBe(true));
  test.each(["{% if start_ds > '2024' %} a {% else %} b {% endif %}"])('%s', (text) =>
    expect(jinja(text)).toBe(true),
  );
});

describe('times that only stand in the text', () => {
  test.each([
    'SELECT a FROM t WHERE d BETWEEN @start_date AND @end_date',
    "SELECT @IF(@gateway = 'x', d >= @start_ds, TRUE) FROM t",
    "SELECT @STAR(t) FROM t WHERE d >= @start_ds AND x IN ('a')",
    'SELECT @EACH([a, b], c -> SUM(@c) FILTER (WHERE d >= @start_ds)) FROM t',
    'SELECT @my_macro(a) FROM t WHERE d >= @start_ds',
    "SELECT ')' || @IF(@VAR('x'), ')', a) FROM t WHERE d = @start_ds",
    "SELECT @IF(@VAR('x') = 'it''s @', a, b), @start_ds FROM t",
  ])('%s', (text) => expect(of(text)).toBe(false));
  test('in Jinja without decisions', () => expect(jinja("SELECT '{{ start_ds }}' AS d")).toBe(false));
});
