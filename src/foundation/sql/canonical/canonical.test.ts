import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CORPUS, DATA } from '../../../../tests/support/sql/rewritten-queries.ts';
import { hash128 } from '../../hash128.ts';
import type { Dialect } from '../dialect.ts';
import { parseQuery } from '../parse/parse-query.ts';
import { tokenize } from '../tokenize.ts';
import { canonicalHash, canonicalText } from './canonical.ts';
import { canonicalTokens } from './canonical-tokens.ts';

function canonical(text: string, dialect: Dialect = 'duckdb'): string {
  const parsed = parseQuery(text, dialect);
  if (!parsed.ok) throw new Error(`${parsed.error.message}: ${text}`);
  return canonicalText(parsed.value, dialect);
}

/** Pairs that mean the same, in each dialect named. */
const SAME: readonly (readonly [Dialect, string, string])[] = [
  ['duckdb', 'select a from t', 'SELECT\n\tA\nFROM T;'],
  ['duckdb', 'select a from t', 'select /* x */ a -- y\nfrom t'],
  ['duckdb', 'select a != 1 from t', 'select a <> 1 from t'],
  ['duckdb', 'select a == 1 from t', 'select a = 1 from t'],
  ['duckdb', 'select cast(a as int) from t', 'select a::integer from t'],
  ['duckdb', "select date '2024-01-01'", "select cast('2024-01-01' as date)"],
  ['duckdb', 'select ((a)) + ((1)) from t', 'select a + 1 from t'],
  ['duckdb', 'select (a + 1) * 2 from t', 'select ((a + 1)) * (2) from t'],
  ['duckdb', 'select a b from t u', 'select a as b from t as u'],
  ['duckdb', 'select * from t join u on t.a = u.a', 'select * from t inner join u on (t.a = u.a)'],
  ['duckdb', 'select * from t left join u using (a)', 'select * from t left outer join u using (a)'],
  ['duckdb', 'select a from t order by a', 'select a from t order by a asc'],
  ['duckdb', 'select "a" from "t"', 'select a from t'],
  ['duckdb', 'select "A" from "T"', 'select a from t'],
  ['duckdb', 'from t', 'select * from t'],
  ['duckdb', 'from t select a', 'select a from t'],
  ['duckdb', '(select a from t)', 'select a from t'],
  ['duckdb', '(select 1) union all (select 2)', 'select 1 union all select 2'],
  ['duckdb', 'select 1 where a and (b and c)', 'select 1 where (a and b) and c'],
  ['duckdb', 'select a isnull from t', 'select a is null from t'],
  ['duckdb', 'select 1_000', 'select 1000'],
  ['duckdb', 'select 1E3', 'select 1e3'],
  ['duckdb', 'select a, from t', 'select a from t'],
  ['duckdb', 'select extract(YEAR from a) from t', 'select extract(year from a) from t'],
  ['duckdb', 'select case when a then 1 end from t', 'select case when a then 1 else null end from t'],
  ['duckdb', 'select sum(a) over (order by b rows unbounded preceding) from t', 'select sum(a) over (order by b rows between unbounded preceding and current row) from t'],
  ['postgres', 'select "a" from t', 'select A from T'],
  ['snowflake', 'select "A" from t', 'select a from T'],
  ['mysql', 'select `a` from t', 'select A from t'],
  ['bigquery', 'select `a` from t', 'select A from t'],
  ['spark', 'select `a` from T', 'select A from t'],
  ['tsql', 'select [a] from t', 'select A from T'],
]; // biome-ignore format: a table

/** Pairs that can differ in data. */
const DIFFERENT: readonly (readonly [Dialect, string, string])[] = [
  ['duckdb', 'select a, b from t', 'select b, a from t'],
  ['duckdb', 'select a from t', 'select distinct a from t'],
  ['duckdb', "select 'a'", "select 'A'"],
  ['duckdb', "select 'a  b'", "select 'a b'"],
  ['duckdb', 'select 1.0', 'select 1.00'],
  ['duckdb', 'select a from t union all select a from u', 'select a from t union select a from u'],
  ['duckdb', 'select a from t union select a from u union all select a from v', 'select a from t union (select a from u union all select a from v)'],
  ['duckdb', 'select a - (b - c) from t', 'select a - b - c from t'],
  ['duckdb', 'select a + (b + c) from t', 'select a + b + c from t'],
  ['duckdb', 'select a from t order by a', 'select a from t order by a desc'],
  ['duckdb', 'select a from t order by a', 'select a from t order by a nulls first'],
  ['duckdb', 'select a from t limit 1', 'select a from t limit 2'],
  ['duckdb', 'select a from t limit 1', 'select a from t limit 1 offset 1'],
  ['duckdb', 'select a::int from t', 'select try_cast(a as int) from t'],
  ['duckdb', 'select count(a) from t', 'select count(distinct a) from t'],
  ['duckdb', 'select count(*) from t', 'select count(a) from t'],
  ['duckdb', 'select * from t join u using (a)', 'select * from t left join u using (a)'],
  ['duckdb', 'select * from t join u using (a)', 'select * from t natural join u'],
  ['duckdb', 'select * from t, u', 'select * from t'],
  ['duckdb', 'select * from t', 'select * exclude (a) from t'],
  ['duckdb', 'select a from t where b and c or d', 'select a from t where b and (c or d)'],
  ['duckdb', 'select a from t where not a = 1', 'select a from t where (not a) = 1'],
  ['duckdb', 'select a from t where a in (1, 2)', 'select a from t where a not in (1, 2)'],
  ['duckdb', 'select a from t where a between 1 and 2', 'select a from t where a between 2 and 1'],
  ['duckdb', 'select sum(a) over (order by b) from t', 'select sum(a) over (partition by b) from t'],
  ['duckdb', 'select sum(a) over (order by b) from t', 'select sum(a) over (order by b rows unbounded preceding) from t'],
  ['duckdb', "select {'a': 1}", "select {'A': 1}"],
  ['duckdb', 'select a from t group by a', 'select a from t'],
  ['duckdb', 'select a from t group by rollup (a)', 'select a from t group by cube (a)'],
  ['duckdb', 'select a from s.t', 'select a from t'],
  ['duckdb', 'select a as "x, y" from t', 'select a as x, y from t'],
  ['duckdb', 'select "a""b" from t', 'select "ab" from t'],
  ['duckdb', 'with x as (select 1 a) select a from x', 'with x as (select 2 a) select a from x'],
  ['duckdb', 'select a[1] from t', 'select a[1:] from t'],
  ['duckdb', 'select max(a) filter (where b) from t', 'select max(a) from t'],
  ['duckdb', "select interval '1' day", "select interval '1' month"],
  ['duckdb', 'select * exclude (t.a) from t', 'select * exclude (a) from t'],
  ['duckdb', 'select [x for x, i in l]', 'select [x for x in l]'],
  ['postgres', 'select a from t order by a fetch first 1 rows only', 'select a from t order by a fetch first 1 rows with ties'],
  ['postgres', 'select * from f() as t(a int)', 'select * from f() as t(a text)'],
  ['postgres', 'select "A" from t', 'select a from t'],
  ['snowflake', 'select "a" from t', 'select a from t'],
  ['mysql', 'select a from t', 'select a from T'],
  ['clickhouse', 'select a from t', 'select A from t'],
]; // biome-ignore format: a table

describe('canonical text', () => {
  it.each(SAME)('%s: %s means the same as %s', (dialect, left, right) => {
    expect(canonical(left, dialect)).toBe(canonical(right, dialect));
  });

  it.each(DIFFERENT)('%s: %s can differ from %s', (dialect, left, right) => {
    expect(canonical(left, dialect)).not.toBe(canonical(right, dialect));
  });

  it('hashes to 26 characters', () => {
    const parsed = parseQuery('select 1', 'duckdb');
    expect(parsed.ok && canonicalHash(parsed.value, 'duckdb')).toBe(hash128(canonical('select 1')));
  });

  it('is the same for a corpus re-formatted at random', () => {
    fc.assert(
      fc.property(fc.constantFrom(...CORPUS), fc.infiniteStream(fc.nat(9)), (text, stream) => {
        expect(canonical(reformat(text, stream))).toBe(canonical(text));
      }),
      { numRuns: 400 },
    );
  });

  it('tells all queries of the corpus apart', () => {
    expect(new Set(CORPUS.map((text) => canonical(text))).size).toBe(CORPUS.length);
  });

  it('changes whenever a mutation changes the answer of DuckDB', async () => {
    const connection = await (await DuckDBInstance.create(':memory:')).connect();
    await connection.run(DATA);
    const answer = async (text: string): Promise<string | undefined> => {
      try {
        return JSON.stringify((await connection.runAndReadAll(text)).getRowsJson());
      } catch {
        return undefined;
      }
    };
    let compared = 0;
    for (const text of CORPUS) {
      const before = await answer(text);
      const canonicalBefore = canonical(text);
      for (const mutated of mutations(text)) {
        const parsed = parseQuery(mutated, 'duckdb');
        if (!parsed.ok || canonicalText(parsed.value, 'duckdb') !== canonicalBefore) continue;
        const after = await answer(mutated);
        // What DuckDB refuses has no answer to differ in.
        if (after === undefined) continue;
        expect.soft(after, `${mutated}\nhas the canonical text of\n${text}`).toBe(before);
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(CORPUS.length);
    connection.closeSync();
  });

  it('has every field of every node in it, but for those that mean nothing', () => {
    const meaningless = new Set(['span', 'nameSpan', 'quoted', 'form']);
    const missed = new Set<string>();
    let seen = 0;
    for (const text of [...CORPUS, ...FIELDS]) {
      const parsed = parseQuery(text, 'duckdb');
      if (!parsed.ok) throw new Error(`${parsed.error.message}: ${text}`);
      const before = canonicalText(parsed.value, 'duckdb');
      for (const { node, key } of fieldsOf(parsed.value)) {
        const value = node[key];
        if (meaningless.has(key) || (Array.isArray(value) && value.length === 0)) continue;
        node[key] =
          typeof value === 'boolean'
            ? !value
            : typeof value === 'string'
              ? `${value}?`
              : Array.isArray(value)
                ? []
                : undefined;
        seen++;
        try {
          if (canonicalText(parsed.value, 'duckdb') === before)
            missed.add(`${String(key === 'kind' ? value : (node.kind ?? ''))}.${key}`);
        } catch {
          // A node without a field it needs cannot be written: it was looked at.
        }
        node[key] = value;
      }
    }
    expect(seen).toBeGreaterThan(2000);
    // A frame that ends at the current row does so without a word; the unit of EXTRACT is one literal; a query is a query.
    expect([...missed].sort()).toEqual(['.end', 'literal.type', 'query.kind']);
  });

  it('walks chains of 20,000 operands without overflowing the stack', () => {
    const many = Array.from({ length: 20_000 }, (_, i) => `a${i}`);
    for (const text of [
      `select ${many.join(' + ')}`,
      `select 1 where ${many.join(' and ')}`,
      many.map((name) => `select ${name}`).join(' union all '),
      `select * from ${many.join(' cross join ')}`,
      `select a${'::int'.repeat(20_000)}`,
    ]) {
      expect(canonical(text).length).toBeGreaterThan(20_000);
    }
  });
});

describe('canonical tokens', () => {
  it('drops case, white space, comments and trailing semicolons', () => {
    expect(canonicalTokens('CREATE  INDEX i\nON t (A) ; -- x\n;', 'duckdb')).toBe(
      'create index i on t ( a )',
    );
  });

  it('keeps strings, quoted names and statements apart', () => {
    expect(canonicalTokens(`set x = 'Ab'; select "A b"`, 'duckdb')).toBe(`set x = 'Ab' ; select "a b"`);
    expect(canonicalTokens('a; b', 'duckdb')).not.toBe(canonicalTokens('a b', 'duckdb'));
    expect(canonicalTokens('@x', 'duckdb')).not.toBe(canonicalTokens('@ x', 'duckdb'));
  });

  it('keeps the rest of a text that cannot be cut', () => {
    expect(canonicalTokens("select 'abc", 'duckdb')).toBe("select 'abc");
  });
});

/** Fields the corpus does not have. */
const FIELDS: readonly string[] = [
  'select a from t order by all desc nulls last',
  'select a from t limit 10%',
  'select a from t tablesample 10%',
  'select a from (select 1 a) x tablesample 10% using sample 5',
  'select [x for x, i in l if i > 1], * exclude (t.a) rename (a as b) from t',
  'with a as materialized (select 1) select * from a positional join b natural join c',
  "select x.a.b, (f(x)).c, x collate nocase, cast(a as struct(x int, y decimal(3, 1)[3])), like_me like any ('a', 'b'), 'a' like 'b' escape 'c'",
  'select sum(x order by y) over (w rows 1 preceding exclude ties), f(a := 1), g(all b), s.f(1), x[1:2:3] from t window w as (order by z)',
  'select * from f(1) with ordinality as t(a, b), lateral g(2), (a join b using (c)) as j',
  'pivot t on a in (1, 2) using sum(b) as s group by c',
  'unpivot t on (a, b) as x, c into name n value v, w',
  'select * from t pivot (sum(a) as s for b in (1, 2) group by c) as p',
  "select interval 1 day, interval '2' hour, $1, x'ab', exists (select 1), a = any (select 2)",
];

/** Every field of every object in a tree. */
function* fieldsOf(node: unknown): Generator<{ node: Record<string, unknown>; key: string }> {
  if (typeof node !== 'object' || node === null) return;
  const record = node as Record<string, unknown>;
  for (const key of Object.keys(record)) {
    if (!Array.isArray(node)) yield { node: record, key };
    if (key !== 'span' && key !== 'nameSpan') yield* fieldsOf(record[key]);
  }
}

/** The same tokens with other blanks, comments and case. */
function reformat(text: string, stream: Iterable<number>): string {
  const random = stream[Symbol.iterator]();
  const next = (): number => random.next().value ?? 0;
  const { tokens } = tokenize(text, 'duckdb');
  const gaps = [' ', '\n', '\t ', ' /* c */ ', ' -- c\n', '\r\n'];
  let out = '';
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as (typeof tokens)[number];
    const after = tokens[i + 1];
    const isKey = after?.text === ':' || tokens[i - 1]?.text === '{';
    out +=
      token.kind === 'word' && !isKey
        ? [...token.text].map((c) => (next() < 5 ? c.toUpperCase() : c.toLowerCase())).join('')
        : token.text;
    const touches = after === undefined || after.start === token.end;
    out += touches ? '' : gaps[next() % gaps.length];
  }
  return out;
}

/** Texts that differ by one token: removed, doubled, replaced or swapped with the next. */
function* mutations(text: string): Generator<string> {
  const tokens = tokenize(text, 'duckdb').tokens.slice(0, -1);
  const join = (parts: readonly string[]): string => parts.join(' ');
  const words = tokens.map((token) => token.text);
  for (let i = 0; i < words.length; i++) {
    yield join(words.toSpliced(i, 1));
    yield join(words.toSpliced(i, 0, words[i] as string));
    if (i + 1 < words.length) yield join(words.toSpliced(i, 2, words[i + 1] as string, words[i] as string));
    for (const replacement of REPLACEMENTS[(words[i] as string).toLowerCase()] ?? [])
      yield join(words.toSpliced(i, 1, replacement));
  }
}

const REPLACEMENTS: Readonly<Record<string, readonly string[]>> = {
  '+': ['-', '*', '||'], '-': ['+'], '*': ['+', '/'], '/': ['//', '*'], '<': ['<=', '>', '<>'], '>': ['>=', '<'], '=': ['<>', '<', 'IS DISTINCT FROM'],
  and: ['or'], or: ['and'], asc: ['desc'], desc: ['asc'], left: ['right', 'full', 'semi', 'anti'], join: ['left join', 'semi join'], union: ['except', 'intersect'], select: ['select distinct', 'select all'],
  '1': ['2', '1.0', "'1'"], '2': ['3'], sum: ['max', 'count', 'avg'], a: ['b'], b: ['a'], is: ['is not'], in: ['not in'], like: ['ilike', 'not like'], rows: ['range'], first: ['last'], last: ['first'],
  ')': [') is null'], from: [', 1 from'], where: ['where not'], null: ['not null', 'true'], int: ['double', 'varchar', 'integer'], all: [''],
}; // biome-ignore format: a table
