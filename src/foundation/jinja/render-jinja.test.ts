import { expect, test } from 'vitest';
import type { JinjaRequest, JinjaResult } from './jinja-protocol.ts';
import { prepareJinja, renderJinja } from './render-jinja.ts';

function render(text: string, more: Partial<JinjaRequest> = {}): JinjaResult {
  return renderJinja({ text, globals: {}, lookups: {}, macros: [], ...more });
}

test('the thread can be started ahead, any number of times', async () => {
  await prepareJinja();
  await prepareJinja();
  expect(render('{{ 1 + 1 }}')).toEqual({ ok: true, text: '2', looked: [] });
});

test('loops, conditions and blanks work as in Jinja', () => {
  const text =
    "SELECT {% for c in cols %}{{ c }}{{ ', ' if not loop.last }}{% endfor %}\n{%- if flag %} FROM t{% endif %}\n";
  expect(render(text, { globals: { cols: ['a', 'b'], flag: true } })).toMatchObject({
    text: 'SELECT a, b FROM t\n',
  });
});

test('nothing is escaped, since the text is SQL', () => {
  expect(render('{{ x }}', { globals: { x: 'a < \'b\' & "c"' } })).toMatchObject({ text: 'a < \'b\' & "c"' });
});

test('look-ups give values and defaults, and what was looked up is told', () => {
  const result = render("{{ var('X') }} {{ var('no', 5) }} {{ var('nor', default='d') }}", {
    lookups: { var: { x: 1 } },
  });
  expect(result).toEqual({ ok: true, text: '1 5 d', looked: ['var:x', 'var:no', 'var:nor'] });
});

test('macros of all files are known, see each other and the globals', () => {
  const macros = [
    { file: 'macros/a.sql', text: '{% macro cents(c) %}{{ c }} * {{ factor }}{% endmacro %}' },
    {
      file: 'macros/b.sql',
      text: '\n{%- macro both(a, b) -%}{{ cents(a) }} + {{ cents(b) }}{%- endmacro %}',
    },
  ];
  expect(render("{{ both('x', 'y') }}", { macros, globals: { factor: 100 } })).toMatchObject({
    text: 'x * 100 + y * 100',
  });
});

test('an undefined name is an error at its place; asking whether it is defined is not', () => {
  expect(render('SELECT\n  {{ nope }}')).toEqual({
    ok: false,
    error: { kind: 'template', message: 'nope is not defined', line: 2, column: 6, columnEnd: 10 },
    looked: [],
  });
  expect(render("{% if nope is defined %}a{% endif %}{{ nope | default('b') }}")).toMatchObject({
    text: 'b',
  });
});

test('imports of macros do not move the places of the first line', () => {
  const macros = [{ file: 'macros/a.sql', text: '{% macro cents(c) %}{{ c }}{% endmacro %}' }];
  expect(render('a {{ nope }}', { macros })).toMatchObject({ error: { line: 1, column: 6, columnEnd: 10 } });
});

test('errors in a macro name its file and line', () => {
  const macros = [{ file: 'macros/a.sql', text: '\n{% macro cents(c) %}{{ zz }}{% endmacro %}' }];
  expect(render("{{ cents('x') }}", { macros })).toMatchObject({
    ok: false,
    error: { message: 'zz is not defined', file: 'macros/a.sql', line: 2 },
  });
  const broken = [{ file: 'macros/a.sql', text: '\n\n{% macro cents(c %}{% endmacro %}' }];
  expect(render('x', { macros: broken })).toMatchObject({
    ok: false,
    error: { kind: 'template', file: 'macros/a.sql', line: 3 },
  });
});

test('syntax errors have a place', () => {
  expect(render('a\n  {% if %}')).toMatchObject({
    ok: false,
    error: { kind: 'template', line: 2, column: 9 },
  });
});

test('endless work ends with an error, and the next text is rendered', () => {
  const loops = '{% for i in range(100000) %}{% for j in range(100000) %}x{% endfor %}{% endfor %}';
  expect(render(loops)).toMatchObject({ ok: false, error: { kind: 'limit' } });
  expect(render('{% macro f(n) %}{{ f(n + 1) }}{% endmacro %}{{ f(0) }}')).toMatchObject({
    ok: false,
    error: { kind: 'limit' },
  });
  expect(render('{% for i in range(1000000000) %}{% endfor %}')).toMatchObject({
    ok: false,
    error: { kind: 'limit' },
  });
  expect(render('{{ 1 + 1 }}')).toMatchObject({ text: '2' });
});

test('a text that doubles until the memory is full is stopped, and the next text is rendered', () => {
  const doubling =
    "{% set ns = namespace(x='aaaaaaaaaa') %}{% for i in range(40) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}{{ ns.x | length }}";
  expect(render(doubling)).toMatchObject({ ok: false, error: { kind: 'crash' } });
  expect(render('{{ 1 + 1 }}')).toMatchObject({ text: '2' });
});
