import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cpuMs } from '../../../tests/support/cpu-time.ts';
import type { UserFunction, UserResult } from '../../domain/user-code.ts';
import { expandMacros } from './expand-macros.ts';
import type { Expansion, ExpansionContext } from './expansion.ts';

const base: ExpansionContext = {
  file: 'models/a.sql',
  dialect: 'duckdb',
  variables: { region: 'eu', limit: 10, list: ['a', 'b'] },
  sqlVariables: {},
  times: { start: Date.UTC(2024, 0, 1), end: Date.UTC(2024, 0, 2), execution: Date.UTC(2024, 0, 3) },
  thisModel: '"db"."model"',
  runtimeStage: 'evaluating',
  gateway: 'local',
  environment: 'dev',
  columnsOf: () => undefined,
  userFunctions: new Map(),
  pythonMacros: new Set(['legacy']),
  jinjaMacros: [],
  answers: new Map(),
};

function expand(text: string, context: Partial<ExpansionContext> = {}, start = 0): Expansion {
  return expandMacros([{ text, start, isJinja: false }], { ...base, ...context });
}

const textOf = (text: string, context: Partial<ExpansionContext> = {}): string | undefined =>
  expand(text, context).statements[0]?.text;

/** Code and marked text of each diagnostic: the place is shown by the text it points at. */
function problems(
  text: string,
  context: Partial<ExpansionContext> = {},
): readonly (readonly [string, string])[] {
  return expand(text, context).diagnostics.map(
    ({ code, at }) => [code, text.slice(at?.start, at?.end)] as const,
  );
}

describe('text without macros', () => {
  test('is the same string, and every offset leads to itself', () => {
    const text = "SELECT 'me' -- note\nFROM t";
    const { statements } = expand(text, {}, 100);
    expect(statements[0]?.text).toBe(text);
    expect(statements[0]?.map.original(7, 11)).toEqual({ start: 107, end: 111 });
  });

  test('signs that are no macros stay: abs operator, containment, strings, comments', () => {
    const text = `SELECT @(-1), a @> b, a <@ b, 'x@y', "a@b" -- @nothing(\n/* @either */ FROM t`;
    expect(expand(text).diagnostics).toEqual([]);
    expect(textOf(text)).toBe(text);
  });

  test('a text that cannot be cut into tokens is copied for the parser to complain', () => {
    expect(textOf("SELECT @limit, 'open")).toBe("SELECT 10, 'open");
  });

  test('any text without the sign comes back as it was', () => {
    fc.assert(
      fc.property(
        fc
          .string()
          .filter((text) => !text.includes('@') && /[a-z]/i.test(text) && !/^\s*(--|\/\*|;)/.test(text)),
        (text) => {
          expect(textOf(text)).toBe(text);
        },
      ),
    );
  });
});

describe('places', () => {
  const original = (text: string, part: string, context: Partial<ExpansionContext> = {}): string => {
    const statement = expand(text, context).statements[0];
    const start = statement?.text.indexOf(part) ?? -1;
    expect(start).toBeGreaterThanOrEqual(0);
    const range = statement?.map.original(start, start + part.length);
    return text.slice(range?.start, range?.end);
  };

  test('text after a macro still leads to its own place', () => {
    expect(original('SELECT @region, b FROM t', 'b FROM')).toBe('b FROM');
  });

  test('a value leads to the variable that made it', () => {
    expect(original('SELECT x_@{region}_y, b', 'x_eu_y')).toBe('x_@{region}_y');
    expect(original('SELECT @limit + 1', '10')).toBe('@limit');
  });

  test('an argument that was copied leads to the argument', () => {
    expect(original('SELECT @SAFE_DIV(price, quantity)', 'quantity')).toBe('quantity');
    expect(original('SELECT @IF(TRUE, a.col, b.col)', 'a.col')).toBe('a.col');
    expect(original('SELECT @EACH([price, tax], x -> SUM(x))', 'tax')).toBe('tax');
  });

  test('text that the macro wrote leads to the whole call', () => {
    expect(original('SELECT @SAFE_DIV(a, b)', ' / NULLIF(')).toBe('@SAFE_DIV(a, b)');
  });

  test('text of a definition leads to its use', () => {
    const statements = ['@DEF(x, a + b)', 'SELECT @x FROM t'].map((text, i) => ({
      text,
      start: i * 100,
      isJinja: false,
    }));
    const expanded = expandMacros(statements, base).statements[1];
    expect(expanded?.text).toBe('SELECT a + b FROM t');
    expect(expanded?.map.original(7, 12)).toEqual({ start: 107, end: 109 });
    expect(expanded?.map.original(13, 17)).toEqual({ start: 110, end: 114 });
  });

  test('whatever is expanded, places stay inside the statement and grow with the text', () => {
    const part = fc.constantFrom(
      'a',
      ', ',
      '@region',
      'x_@{limit}',
      ' @EACH([p, q], v -> v + @v)',
      ' @IF(TRUE, z, y)',
      ' -- c\n',
      "'s'",
      '@SAFE_ADD(a, b)',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), fc.nat(), fc.nat(), (parts, a, b) => {
        const text = `SELECT ${parts.join('')} FROM t`;
        const statement = expand(text, {}, 50).statements[0];
        const size = statement?.text.length ?? 0;
        const [from, to] = [
          Math.min(a % (size + 1), b % (size + 1)),
          Math.max(a % (size + 1), b % (size + 1)),
        ];
        const range = statement?.map.original(from, to);
        expect(range?.start).toBeGreaterThanOrEqual(50);
        expect(range?.end).toBeLessThanOrEqual(50 + text.length);
        expect(range?.end).toBeGreaterThanOrEqual(range?.start ?? 0);
      }),
    );
  });
});

describe('lists', () => {
  test('an item that disappears takes one comma with it', () => {
    expect(textOf('SELECT a, @IF(FALSE, b), c')).toBe('SELECT a , c');
    expect(textOf('SELECT @IF(FALSE, a), b')).toBe('SELECT  b');
    expect(textOf('SELECT a, @IF(FALSE, b) FROM t')).toBe('SELECT a  FROM t');
    expect(textOf('SELECT a, -- why\n @IF(FALSE, b), -- or\n c')).toBe('SELECT a -- why\n , -- or\n c');
  });

  test('a result never joins the text before it', () => {
    expect(textOf('SELECT 1-@n, CASE WHEN a THEN@n END', { variables: { n: -5 } })).toBe(
      'SELECT 1- -5, CASE WHEN a THEN-5 END',
    );
  });

  test('a text in the place of a table is a name, in the FROM of a function it is a text', () => {
    expect(textOf('SELECT * FROM a, @region.t')).toBe('SELECT * FROM a, "eu".t');
    expect(textOf('SELECT EXTRACT(year FROM @start_ds)')).toBe("SELECT EXTRACT(year FROM '2024-01-01')");
  });

  test('a blank before a parenthesis keeps a variable a variable', () => {
    expect(textOf('INSERT INTO @this_model (a) VALUES (1)')).toBe('INSERT INTO "db"."model" (a) VALUES (1)');
  });
});

describe('what is wrong', () => {
  test.each([
    ['SELECT @regoin', [['macro.unknown-variable', '@regoin']]],
    [
      'SELECT a_@{nope}_b, @{also}',
      [
        ['macro.unknown-variable', '@{nope}'],
        ['macro.unknown-variable', '@{also}'],
      ],
    ],
    ['SELECT @ECH([a], x -> x)', [['macro.unknown', '@ECH([a], x -> x)']]],
    ['SELECT @legacy(a, b)', [['macro.python-not-yet', '@legacy(a, b)']]],
    ['SELECT @IF(TRUE)', [['macro.arguments', '@IF(TRUE)']]],
    ['SELECT @EACH([a, b])', [['macro.arguments', '@EACH([a, b])']]],
    ['SELECT @PIVOT(a, [1], agregate := 1)', [['macro.unknown-argument', '@PIVOT(a, [1], agregate := 1)']]],
    ['SELECT @EACH([a], x -> x', [['macro.unclosed', '@EACH(']]],
    ['SELECT @IF(price > 1, a, b)', [['macro.not-constant', '@IF(price > 1, a, b)']]],
    [
      'SELECT @EACH([1, 2], x -> @IF(@x > y, 1, 2))',
      [
        ['macro.not-constant', '@IF(@x > y, 1, 2)'],
        ['macro.not-constant', '@IF(@x > y, 1, 2)'],
      ],
    ],
    ['SELECT @f(@SAFE_DIV(a))', [['macro.unknown', '@f(@SAFE_DIV(a))']]],
    ['@DEF(x)', [['macro.arguments', '@DEF(x)']]],
    [
      "SELECT @DATE_SPINE('day', '2024-02-30', '2024-03-01')",
      [['macro.arguments', "@DATE_SPINE('day', '2024-02-30', '2024-03-01')"]],
    ],
  ] as const)('%s', (text, expected) => {
    expect(problems(text)).toEqual(expected);
  });

  test('a misspelt name comes with the nearest one', () => {
    expect(expand('SELECT @regoin').diagnostics[0]?.hint).toBe('did you mean region?');
    expect(expand('SELECT @ECH([a], x -> x)').diagnostics[0]?.hint).toBe('did you mean each?');
    expect(expand('SELECT @EACH').diagnostics[0]?.hint).toBe('EACH is a macro: call it as @EACH(…)');
  });

  test('all mistakes of a statement are found at once', () => {
    expect(problems('SELECT @a1, @b1, @c1(1)').map(([code]) => code)).toEqual([
      'macro.unknown-variable',
      'macro.unknown-variable',
      'macro.unknown',
    ]);
  });
});

describe('limits', () => {
  const timed = (text: string): { readonly codes: readonly string[]; readonly ms: number } => {
    const begin = cpuMs();
    const codes = expand(text).diagnostics.map(({ code }) => code);
    return { codes, ms: cpuMs() - begin };
  };

  test('loops in loops end with an error instead of filling the memory', () => {
    const items = Array.from({ length: 50 }, (_, i) => i).join(', ');
    let body = '@a + 1';
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) body = `@EACH([${items}], ${name} -> ${body})`;
    const { codes, ms } = timed(`SELECT ${body}`);
    expect(codes).toEqual(['macro.too-large']);
    expect(ms).toBeLessThan(5_000);
  });

  test('a definition that doubles itself ends with an error', () => {
    const definitions = Array.from({ length: 40 }, (_, i) => ({
      text: i === 0 ? '@DEF(x0, aaaaaaaaaa)' : `@DEF(x${i}, @x${i - 1} + @x${i - 1})`,
      start: i * 100,
      isJinja: false,
    }));
    const begin = cpuMs();
    const { diagnostics } = expandMacros(
      [...definitions, { text: 'SELECT @x39', start: 9_000, isJinja: false }],
      base,
    );
    expect(diagnostics[0]?.code).toBe('macro.too-large');
    expect(cpuMs() - begin).toBeLessThan(5_000);
  });

  test('a macro that calls itself ends with an error', () => {
    const statements = ['@DEF(f, x -> @f(@x))', 'SELECT @f(1)'].map((text, i) => ({
      text,
      start: i * 100,
      isJinja: false,
    }));
    expect(expandMacros(statements, base).diagnostics.map(({ code }) => code)).toEqual(['macro.too-deep']);
  });

  test('a thousand nested calls end with an error, not with a crash', () => {
    expect(timed(`SELECT ${'@IF(TRUE, '.repeat(1_000)}1${')'.repeat(1_000)}`).codes).toEqual([
      'macro.too-deep',
    ]);
  });

  test('a long sum is either evaluated or refused', () => {
    const { codes, ms } = timed(`SELECT @EVAL(${Array.from({ length: 20_000 }, () => '1').join(' + ')})`);
    expect(codes.length).toBeLessThanOrEqual(1);
    expect(ms).toBeLessThan(5_000);
  });

  test('hostile texts end quickly and never throw', () => {
    const piece = fc.constantFrom(
      '@',
      '@@',
      '@{',
      '}',
      '(',
      ')',
      '[',
      ']',
      ',',
      '->',
      ':=',
      'x',
      '@EACH(',
      '@IF(',
      '@DEF(',
      '@WHERE(',
      '@JOIN(',
      '@SQL(',
      "'",
      '"',
      '@x',
      '@{x}',
      '1',
      'SELECT ',
      'FROM ',
      "@'",
      '--',
      '\n',
      '@STAR(',
      '@UNION(',
      '@PIVOT(',
      '@EVAL(',
      ';',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (parts) => {
        const begin = cpuMs();
        expand(parts.join(''));
        expect(cpuMs() - begin).toBeLessThan(1_000);
      }),
      { numRuns: 500 },
    );
  });
});

describe('what was looked at', () => {
  test('variables, found or not, functions, tables and context', () => {
    const { usedVariables, usedFunctions, usedTables, usedContext } = expand(
      "SELECT @region, @nope, @VAR('maybe', 1), @my(1), @STAR(s.t), @start_ds, @'@gateway' WHERE @IF(@runtime_stage = 'x', TRUE, FALSE)",
    );
    expect([...usedVariables].sort()).toEqual(['maybe', 'nope', 'region']);
    expect([...usedFunctions].sort()).toEqual(['if', 'my', 'nope', 'star', 'var']);
    expect(usedTables).toEqual(['s.t']);
    expect([...usedContext].sort()).toEqual(['gateway', 'runtime-stage', 'times']);
  });
});

describe('functions of users', () => {
  const cents: UserFunction = { name: 'cents', file: 'macros/money.ts', hash: 'h1' };
  const functions = { userFunctions: new Map([['cents', cents]]) };

  function answered(text: string, answer: (given: readonly unknown[]) => UserResult): Expansion {
    const answers = new Map<string, UserResult>();
    for (let round = 0; round < 10; round++) {
      const expansion = expand(text, { ...functions, answers });
      if (expansion.needs.length === 0) return expansion;
      for (const { key, call } of expansion.needs) answers.set(key, answer(call.arguments));
    }
    throw new Error('never answered');
  }

  test('are asked for with their arguments as SQL texts and lists', () => {
    const { needs } = expand("SELECT @cents(o.price, 'x', [a, (b, c)], 1, sep := '-')", functions);
    expect(needs.map(({ call }) => [call.function, call.arguments])).toEqual([
      ['cents', ['o.price', "'x'", ['a', ['b', 'c']], '1', { sep: "'-'" }]],
    ]);
  });

  test('give a text, several, or nothing', () => {
    expect(
      answered('SELECT @cents(a) AS x', ([a]) => ({ ok: true, value: `${a} * 100` })).statements[0]?.text,
    ).toBe('SELECT a * 100 AS x');
    expect(
      answered('SELECT 1, @cents(a)', () => ({ ok: true, value: ['x', 2, true, null] })).statements[0]?.text,
    ).toBe('SELECT 1, x, 2, TRUE');
    expect(answered('SELECT 1, @cents(a)', () => ({ ok: true, value: null })).statements[0]?.text).toBe(
      'SELECT 1 ',
    );
  });

  test('may be nested and give macros, which are expanded in turn', () => {
    expect(
      answered('SELECT @cents(@cents(a))', ([a]) => ({ ok: true, value: `(${a} + @limit)` })).statements[0]
        ?.text,
    ).toBe('SELECT ((a + 10) + 10)');
  });

  test('are not asked while an argument waits for another answer', () => {
    const { needs } = expand('SELECT @cents(@cents(a))', functions);
    expect(needs.map(({ call }) => call.arguments)).toEqual([['a']]);
  });

  test('a comment at the end of their text swallows nothing', () => {
    expect(
      answered('SELECT @cents(a), b', () => ({ ok: true, value: 'a -- note' })).statements[0]?.text,
    ).toBe('SELECT a -- note\n, b');
  });

  test('fail at the call, with the place in their own file', () => {
    const expansion = answered('SELECT @cents(a), b', () => ({
      ok: false,
      problem: { kind: 'threw', file: 'macros/money.ts', message: 'boom', line: 3, column: 7 },
    }));
    expect(expansion.diagnostics).toMatchObject([
      {
        code: 'macro.user-code-failed',
        message: 'The macro @cents failed: boom (macros/money.ts:3:7).',
        at: { start: 7, end: 16 },
      },
    ]);
    expect(answered('SELECT @cents(a)', () => ({ ok: true, value: { a: 1 } })).diagnostics[0]?.code).toBe(
      'macro.bad-result',
    );
  });

  test('are told the columns they ask for', () => {
    const asked: unknown[] = [];
    const answers = new Map<string, UserResult>();
    const context = { ...functions, columnsOf: () => [{ name: 'x', type: 'INT' }] };
    for (let round = 0; round < 3; round++) {
      for (const { key, call } of expand('SELECT @cents(a)', { ...context, answers }).needs) {
        asked.push(call.context.columns);
        answers.set(
          key,
          round === 0 ? { ok: true, value: { needsColumnsOf: 's.t' } } : { ok: true, value: 'done' },
        );
      }
    }
    expect(asked).toEqual([{}, { 's.t': [{ name: 'x', type: 'INT' }] }]);
    const { statements, usedTables, usedVariables } = expand('SELECT @cents(a)', { ...context, answers });
    expect(statements[0]?.text).toBe('SELECT done');
    expect(usedTables).toEqual(['s.t']);
    expect(usedVariables).toContain('region');
  });

  test('a changed hash, variable or argument is another call', () => {
    const key = (text: string, context: Partial<ExpansionContext> = {}): string | undefined =>
      expand(text, { ...functions, ...context }).needs[0]?.key;
    const changed = { userFunctions: new Map([['cents', { ...cents, hash: 'h2' }]]) };
    const keys = [
      key('SELECT @cents(a)'),
      key('SELECT @cents(b)'),
      key('SELECT @cents(a)', changed),
      key('SELECT @cents(a)', { variables: {} }),
    ];
    expect(new Set(keys).size).toBe(4);
    expect(key('SELECT @CENTS( a )')).toBe(keys[0]);
  });
});

describe('statements', () => {
  test('definitions are seen by later statements and leave no text', () => {
    const texts = ['@DEF(a, 1)', '@DEF(f, x -> x + @a)', 'SELECT @f(2)', '/* only */ @DEF(z, 1)'];
    const { statements } = expandMacros(
      texts.map((text) => ({ text, start: 0, isJinja: false })),
      base,
    );
    expect(statements.map(({ text }) => text)).toEqual(['', '', 'SELECT 2 + 1', '']);
  });

  test('a switch over a statement keeps its commas', () => {
    const text = "@IF(@runtime_stage = 'evaluating', INSERT INTO log VALUES (1, 2), (3, 4))";
    expect(textOf(text)).toBe('INSERT INTO log VALUES (1, 2), (3, 4)');
    expect(textOf(text, { runtimeStage: 'loading' })).toBe('');
  });
});
