import { expect, test } from 'vitest';
import { expandMacros } from './expand-macros.ts';
import type { Expansion, ExpansionContext } from './expansion.ts';

const context: ExpansionContext = {
  file: 'models/a.sql',
  dialect: 'duckdb',
  variables: { region: 'eu', columns: ['a', 'b'] },
  sqlVariables: { tier: "'gold'" },
  times: { start: Date.UTC(2024, 0, 1), end: Date.UTC(2024, 0, 2), execution: Date.UTC(2024, 0, 3) },
  thisModel: '"db"."model"',
  runtimeStage: 'evaluating',
  gateway: 'local',
  environment: 'dev',
  columnsOf: () => undefined,
  userFunctions: new Map(),
  pythonMacros: new Set(),
  jinjaMacros: [{ file: 'macros/money.sql', text: '{% macro cents(c) %}{{ c }} * 100{% endmacro %}' }],
  answers: new Map(),
};

const expand = (text: string, start = 0): Expansion =>
  expandMacros([{ text, start, isJinja: true }], context);

test('a block sees variables, blueprint, times, context and macros; then macros of SQL apply', () => {
  const text =
    "SELECT {{ cents('price') }}, '{{ var('region') }}', {{ blueprint_var('tier') }}, '{{ tier }}', '{{ start_ds }}', {{ this_model }}, '{{ gateway() }}', @region";
  const { statements, diagnostics } = expand(text);
  expect(diagnostics).toEqual([]);
  expect(statements[0]?.text).toBe(
    `SELECT price * 100, 'eu', 'gold', 'gold', '2024-01-01', "db"."model", 'local', 'eu'`,
  );
});

test('text between tags leads back to itself, what a tag made to the block', () => {
  const text = "SELECT {{ var('region') }}_x, total FROM orders";
  const statement = expand(text, 200).statements[0];
  const at = statement?.text.indexOf('total') ?? -1;
  expect(statement?.map.original(at, at + 5)).toEqual({
    start: 200 + text.indexOf('total'),
    end: 200 + text.indexOf('total') + 5,
  });
  expect(statement?.map.original(7, 9)).toEqual({ start: 200, end: 200 + text.length });
});

test('an error points at its line and columns in the file', () => {
  const text = 'SELECT\n  {{ nope }},\n  b';
  const { diagnostics, statements } = expand(text, 1_000);
  const at = text.indexOf('nope');
  expect(diagnostics).toMatchObject([
    {
      code: 'macro.jinja',
      message: 'The Jinja text cannot be rendered: nope is not defined.',
      at: { file: 'models/a.sql', start: 1_000 + at, end: 1_000 + at + 4 },
    },
  ]);
  expect(statements[0]?.text).toBe('');
});

test('names in tags count as looked at', () => {
  const { usedVariables, usedContext } = expand(
    "{{ var('missing', 1) }} {{ region }} {{ start_ds }} {{ gateway() }}",
  );
  expect(usedVariables).toEqual(expect.arrayContaining(['missing', 'region']));
  expect([...usedContext].sort()).toEqual(['gateway', 'times']);
});
