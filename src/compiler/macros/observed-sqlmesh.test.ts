import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { hasErrors } from '../../foundation/diagnostics/diagnostic.ts';
import { canonicalText } from '../../foundation/sql/canonical/canonical.ts';
import { parseQuery } from '../../foundation/sql/parse/parse-query.ts';
import { tokenize } from '../../foundation/sql/tokenize.ts';
import { expandMacros } from './expand-macros.ts';
import type { ExpansionContext } from './expansion.ts';

/** What SQLMesh 0.236.4 made of a text (null: an error), and what we make of it when that differs on purpose. */
interface Observed {
  readonly sql: string;
  readonly observed: string | null;
  readonly ours?: string | null;
  readonly reason?: string;
}

const cases = JSON.parse(
  readFileSync(new URL('observed-sqlmesh.json', import.meta.url), 'utf8'),
) as readonly Observed[];

const TABLES: Readonly<Record<string, ReturnType<ExpansionContext['columnsOf']>>> = {
  foo: [
    { name: 'a', type: 'INT' },
    { name: 'b', type: 'TEXT' },
    { name: 'c', type: 'TEXT' },
  ],
  bar: [
    { name: 'c', type: 'TEXT' },
    { name: 'a', type: 'INT' },
    { name: 'b', type: 'INT' },
  ],
};

const context: ExpansionContext = {
  file: 'model.sql',
  dialect: 'duckdb',
  variables: {
    s: 'abc',
    n: 3,
    l: ['a', 'b'],
    one: ['z'],
    e: [],
    t: true,
    nul: null,
    m: { k: 1, j: 'v' },
    f1: 1.5,
    neg: -5,
    d1: '2020-01-01',
  },
  sqlVariables: { b1: 'eu', b2: "'US'", b3: 'a + 1', b4: '[p, q]' },
  times: { start: Date.UTC(2023, 0, 2), end: Date.UTC(2023, 0, 4), execution: Date.UTC(2023, 0, 4, 5, 6, 7) },
  thisModel: 'db.t',
  runtimeStage: 'loading',
  gateway: 'local',
  environment: 'prod',
  columnsOf: (table) => TABLES[table],
  userFunctions: new Map(),
  pythonMacros: new Set(),
  jinjaMacros: [],
  answers: new Map(),
};

function expanded(sql: string): string | null {
  const statements = sql.split(/;\s*/).map((text) => ({ text, start: 0, isJinja: false }));
  const { statements: made, diagnostics } = expandMacros(statements, context);
  if (hasErrors(diagnostics)) return null;
  return made
    .map(({ text }) => text)
    .filter((text) => text !== '')
    .join('; ');
}

/** One spelling for texts that mean the same; words of one line when our parser does not read it. */
function canonical(text: string): string {
  const parsed = parseQuery(text);
  if (parsed.ok) return canonicalText(parsed.value, 'duckdb').toLowerCase();
  return tokenize(text)
    .tokens.map((token) => token.text.toLowerCase())
    .join(' ');
}

test('at least 150 texts were observed, and most of them agree', () => {
  expect(cases.length).toBeGreaterThan(300);
  expect(cases.filter(({ reason }) => reason !== undefined).length).toBeLessThan(20);
});

test.each(cases.filter(({ reason }) => reason === undefined))('as SQLMesh: $sql', ({ sql, observed }) => {
  const ours = expanded(sql);
  if (observed === null || ours === null) expect(ours).toBe(observed);
  else expect(canonical(ours)).toBe(canonical(observed));
});

test.each(cases.filter(({ reason }) => reason !== undefined))(
  'unlike SQLMesh ($reason): $sql',
  ({ sql, observed, ours }) => {
    expect(expanded(sql)).toBe(ours);
    expect(ours).not.toBe(observed);
  },
);
