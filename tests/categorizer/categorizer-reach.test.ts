/** How far a change of a table goes: which readers it reaches, which of their columns, and through which kinds of tables. */
import { describe, expect, it } from 'vitest';
import { compareQueries } from '../../src/compiler/plan/categorize/compare-queries.ts';
import type { QueryChange, UpstreamEffect } from '../../src/compiler/plan/categorize/query-change.ts';
import { reach } from '../../src/compiler/plan/categorize/reach.ts';
import type { ModelKind } from '../../src/domain/model-kind.ts';
import { cpuMs } from '../support/cpu-time.ts';
import { compared, type Tables } from './compared-model.ts';

const BEFORE = ['id', 'a', 'b', 'k'];
const TABLES: Tables = { 's.p': BEFORE, 's.u': ['k', 'y', 'c'] };

function effect(change: Partial<QueryChange> & Pick<QueryChange, 'kind'>): UpstreamEffect {
  return {
    table: 's.p',
    change: { added: [], removed: [], changed: [], reason: 'test', ...change },
    columnsBefore: BEFORE,
  };
}

const ADDED = effect({ kind: 'additive', added: ['c'] });
const MOVED = effect({ kind: 'additive' });
const CHANGED = effect({ kind: 'columns', changed: ['a'] });
const REMOVED = effect({ kind: 'columns', removed: ['b'] });
const ROWS = effect({ kind: 'rows' });

function columnsAfter({ change }: UpstreamEffect): readonly string[] {
  if (change === MOVED.change) return ['k', 'b', 'a', 'id'];
  return [...BEFORE.filter((name) => !change.removed.includes(name)), ...change.added];
}

interface Case {
  readonly what: string;
  readonly child: string;
  readonly by: UpstreamEffect;
  /** A kind, or the columns that changed or went. */
  readonly expected: QueryChange['kind'] | readonly string[];
  readonly reason?: RegExp;
}

const CASES: readonly Case[] = [
  { what: 'an added column and a reader of named columns', child: 'SELECT id, a + b AS n FROM s.p WHERE k > 1', by: ADDED, expected: 'same', reason: /reads nothing that changed in s\.p/ },
  { what: 'an added column and a star', child: 'SELECT * FROM s.p WHERE k > 1', by: ADDED, expected: 'additive', reason: /adds c/ },
  { what: 'an added column and a star in a CTE that is not read on', child: 'WITH q AS (SELECT * FROM s.p) SELECT id, a FROM q', by: ADDED, expected: 'same' },
  { what: 'an added column and a star that leaves it out', child: 'SELECT * EXCLUDE (c) FROM (SELECT *, 1 AS c FROM (SELECT id, a FROM s.p))', by: ADDED, expected: 'same' },
  { what: 'an added column and a star under DISTINCT', child: 'SELECT DISTINCT * FROM s.p', by: ADDED, expected: 'rows', reason: /DISTINCT/ },
  { what: 'an added column and a star under DISTINCT inside', child: 'SELECT count(*) AS n FROM (SELECT DISTINCT * FROM s.p)', by: ADDED, expected: 'rows' },
  { what: 'an added column and a star under UNION', child: 'SELECT * FROM s.p UNION SELECT 1, 2, 3, 4', by: ADDED, expected: 'rows' },
  { what: 'an added column and GROUP BY ALL over a star', child: 'SELECT *, count(*) AS n FROM s.p GROUP BY ALL', by: ADDED, expected: 'rows', reason: /grouping/ },
  { what: 'an added column that NATURAL JOIN meets', child: 'SELECT id, y FROM s.p NATURAL JOIN s.u', by: ADDED, expected: 'rows' },
  { what: 'an added column that NATURAL JOIN does not meet', child: 'SELECT id, y FROM s.p NATURAL JOIN (SELECT k, y FROM s.u)', by: ADDED, expected: 'same' },
  { what: 'an added column that makes another ambiguous', child: 'SELECT id, c FROM s.p JOIN s.u ON p.k = u.k', by: ADDED, expected: 'rows', reason: /c is in more than one table/ },
  { what: 'an added column that captures a name of the query around', child: 'SELECT y, (SELECT max(id) FROM s.p WHERE id > c) AS m FROM s.u', by: ADDED, expected: ['m'] },
  { what: 'an added column that hides an alias in WHERE', child: 'SELECT id, a - b AS c FROM s.p WHERE c > 0', by: ADDED, expected: 'rows', reason: /filter/ },
  { what: 'an added column and PIVOT', child: 'SELECT * FROM s.p PIVOT (count(*) FOR k IN (1, 2))', by: ADDED, expected: 'rows', reason: /PIVOT/ },
  { what: 'an added column and COLUMNS(*)', child: 'SELECT max(COLUMNS(*)) FROM s.p', by: ADDED, expected: 'rows' },
  { what: 'an added column and the whole row', child: 'SELECT id, p AS whole FROM s.p', by: ADDED, expected: ['whole'] },
  { what: 'an added column and a positional GROUP BY behind a star', child: 'SELECT p.*, u.y FROM s.p JOIN s.u ON p.k = u.k GROUP BY 1, 2, 3, 4, 5', by: ADDED, expected: 'rows' },
  { what: 'moved columns and named ones', child: 'SELECT id, a FROM s.p', by: MOVED, expected: 'same' },
  { what: 'moved columns and a star', child: 'SELECT * FROM s.p', by: MOVED, expected: 'additive', reason: /order/ },
  { what: 'moved columns and a star under UNION ALL', child: 'SELECT * FROM s.p UNION ALL SELECT 1, 2, 3, 4', by: MOVED, expected: ['a', 'b', 'id', 'k'] },
  { what: 'moved columns that an alias list names', child: 'SELECT w FROM s.p AS q(w, x, y, z)', by: MOVED, expected: ['w'] },
  { what: 'a changed column that is not read', child: 'SELECT id, b FROM s.p', by: CHANGED, expected: 'same' },
  { what: 'a changed column in one projection', child: 'SELECT id, a * 2 AS double, b FROM s.p', by: CHANGED, expected: ['double'], reason: /double is made of s\.p\.a/ },
  { what: 'a changed column in an aggregate', child: 'SELECT k, sum(a) AS total, count(*) AS n FROM s.p GROUP BY k', by: CHANGED, expected: ['total'] },
  { what: 'a changed column through CTEs', child: 'WITH q AS (SELECT k, a + 1 AS n FROM s.p), r AS (SELECT k, n * 2 AS m FROM q) SELECT k, m FROM r', by: CHANGED, expected: ['m'] },
  { what: 'a changed column in a filter', child: 'SELECT id FROM s.p WHERE a > 1', by: CHANGED, expected: 'rows', reason: /filter.*s\.p\.a, which changed/ },
  { what: 'a changed column in a join', child: 'SELECT id, y FROM s.p LEFT JOIN s.u ON p.a = u.k', by: CHANGED, expected: 'rows', reason: /JOIN.*s\.p\.a/ },
  { what: 'a changed column as key', child: 'SELECT a, count(*) AS n FROM s.p GROUP BY a', by: CHANGED, expected: 'rows', reason: /grouping/ },
  { what: 'a changed column under DISTINCT', child: 'SELECT DISTINCT id, a FROM s.p', by: CHANGED, expected: 'rows', reason: /DISTINCT/ },
  { what: 'a changed column in the order of a limit', child: 'SELECT id FROM s.p ORDER BY a, id LIMIT 5', by: CHANGED, expected: 'rows', reason: /LIMIT/ },
  { what: 'a changed column in an order without limit', child: 'SELECT id FROM s.p ORDER BY a', by: CHANGED, expected: 'same' },
  { what: 'a changed column in a window', child: 'SELECT id, rank() OVER (ORDER BY a) AS place FROM s.p', by: CHANGED, expected: ['place'] },
  { what: 'a changed column in QUALIFY', child: 'SELECT id FROM s.p QUALIFY rank() OVER (ORDER BY a) = 1', by: CHANGED, expected: 'rows' },
  { what: 'a changed column in EXISTS', child: 'SELECT y FROM s.u WHERE EXISTS (SELECT 1 FROM s.p WHERE p.k = u.k AND a = 1)', by: CHANGED, expected: 'rows' },
  { what: 'a changed column in the list of EXISTS, which nobody looks at', child: 'SELECT y FROM s.u WHERE EXISTS (SELECT a FROM s.p WHERE p.k = u.k)', by: CHANGED, expected: 'same' },
  { what: 'a changed column in a scalar subquery', child: 'SELECT y, (SELECT max(a) FROM s.p WHERE p.k = u.k) AS m FROM s.u', by: CHANGED, expected: ['m'] },
  { what: 'a changed column beside a choice that is made anew', child: 'SELECT id, a FROM s.p LIMIT 5', by: CHANGED, expected: ['a', 'id'] },
  { what: 'an added column beside a choice that stays made', child: 'SELECT id, random() AS r FROM s.p LIMIT 5', by: ADDED, expected: 'same' },
  { what: 'a removed column that is not read', child: 'SELECT id FROM s.p', by: REMOVED, expected: 'same' },
  { what: 'a removed column and a star', child: 'SELECT * FROM s.p', by: REMOVED, expected: ['b'], reason: /removes b/ },
  { what: 'a removed column that is read', child: 'SELECT id, b FROM s.p', by: REMOVED, expected: 'rows' },
  { what: 'changed rows', child: 'SELECT id FROM s.p', by: ROWS, expected: 'rows', reason: /rows of s\.p changed/ },
  { what: 'changed rows of a table that only one column looks into', child: 'SELECT y, (SELECT count(*) FROM s.p) AS n FROM s.u', by: ROWS, expected: ['n'] },
  { what: 'changed rows of a table that is not read', child: 'SELECT y FROM s.u', by: ROWS, expected: 'same' },
  { what: 'a function of the user', child: 'SELECT id, shiny(b) AS n FROM s.p', by: ADDED, expected: 'rows', reason: /shiny/ },
]; // biome-ignore format: a table

const outcome = (change: QueryChange): unknown =>
  change.kind === 'columns' ? [...change.changed, ...change.removed].sort() : change.kind;

describe('a change of a table reaches', () => {
  it.each(CASES)('$what', ({ child, by, expected, reason }) => {
    const change = reach(by, compared(child, { ...TABLES, 's.p': columnsAfter(by) }));
    expect({ got: outcome(change), reason: change.reason }).toEqual({
      got: expected,
      reason: reason === undefined ? change.reason : expect.stringMatching(reason),
    });
  });

  it('a reader of two changed tables by what both do', () => {
    const child = compared('SELECT p.id, p.a, u.y FROM s.p JOIN s.u ON p.k = u.k', TABLES);
    const other: UpstreamEffect = {
      table: 's.u',
      change: { ...CHANGED.change, changed: ['y'] },
      columnsBefore: TABLES['s.u'] as readonly string[],
    };
    expect(outcome(reach([CHANGED, other], child))).toEqual(['a', 'y']);
  });

  it('a table of unknown columns by name', () => {
    const child = (query: string) => compared(query, {});
    const unknown: UpstreamEffect = { table: 's.p', change: CHANGED.change };
    expect(outcome(reach(unknown, child('SELECT id, a FROM s.p')))).toEqual(['a']);
    expect(outcome(reach(unknown, child('SELECT * FROM s.p')))).toBe('rows');
  });

  it('the whole of what changed together: the query and the table it reads', () => {
    const before = compared('SELECT id, a FROM s.p', TABLES);
    const after = compared('SELECT id, a, c FROM s.p', { ...TABLES, 's.p': [...BEFORE, 'c'] });
    const both = effect({ kind: 'columns', changed: ['a'], added: ['c'] });
    expect(compareQueries(before, after)).toMatchObject({ kind: 'additive', added: ['c'] });
    expect(compareQueries(before, after, [both])).toMatchObject({
      kind: 'columns',
      added: ['c'],
      changed: ['a'],
    });
  });
});

const HISTORY = { uniqueKey: ['id'], validFromName: 'f', validToName: 't', timeDataType: 'TIMESTAMP', invalidateHardDeletes: false, lookback: 0, forwardOnly: false, disableRestatement: false, onDestructiveChange: 'error', onAdditiveChange: 'allow' } as const; // biome-ignore format: one history
const KINDS: readonly { readonly kind: ModelKind; readonly deciding: string }[] = [
  { kind: { kind: 'incremental-by-time-range', timeColumn: { column: 'b' }, strictTime: 'warn', partitionByTimeColumn: true, lookback: 0, forwardOnly: false, disableRestatement: false, onDestructiveChange: 'error', onAdditiveChange: 'allow' }, deciding: 'b' },
  { kind: { kind: 'incremental-by-unique-key', uniqueKey: ['coalesce(b, 0)'], lookback: 0, forwardOnly: false, disableRestatement: false, onDestructiveChange: 'error', onAdditiveChange: 'allow' }, deciding: 'b' },
  { kind: { kind: 'scd-type-2-by-time', updatedAtName: 'b', updatedAtAsValidFrom: false, ...HISTORY }, deciding: 'b' },
  { kind: { kind: 'scd-type-2-by-column', columns: ['b'], executionTimeAsValidFrom: false, ...HISTORY }, deciding: 'b' },
]; // biome-ignore format: a table

describe('a table that decides by a column which rows it keeps', () => {
  it.each(KINDS)('$kind.kind has other rows when it changes, and only then', ({ kind, deciding }) => {
    const model = (query: string) => compared(query, TABLES, { kind });
    const before = 'SELECT id, a AS n, b FROM s.p';
    expect(compareQueries(model(before), model(before.replace('a AS n', 'a + 1 AS n')))).toMatchObject({
      kind: 'columns',
      changed: ['n'],
    });
    expect(compareQueries(model(before), model(before.replace(', b FROM', ', -b AS b FROM')))).toMatchObject({
      kind: 'rows',
      reason: expect.stringContaining(deciding),
    });
  });

  it('a history of every column has other rows when one is added', () => {
    const kind: ModelKind = {
      kind: 'scd-type-2-by-column',
      columns: '*',
      executionTimeAsValidFrom: false,
      ...HISTORY,
    };
    const change = compareQueries(
      compared('SELECT id FROM s.p', TABLES, { kind }),
      compared('SELECT id, a FROM s.p', TABLES, { kind }),
    );
    expect(change).toMatchObject({ kind: 'rows', added: ['a'] });
  });
});

describe('types', () => {
  it('a cast to the type a column already has changes nothing', () => {
    const types = { 's.p.a': 'INTEGER', 's.p.b': 'BIGINT' };
    const model = (query: string) => compared(query, TABLES, { types });
    expect(
      compareQueries(
        model('SELECT a, b FROM s.p'),
        model('SELECT a::INT AS a, CAST(b AS BIGINT) AS b FROM s.p'),
      ).kind,
    ).toBe('same');
    expect(
      compareQueries(model('SELECT a + b AS n FROM s.p'), model('SELECT (a + b)::BIGINT AS n FROM s.p')).kind,
    ).toBe('same');
    expect(compareQueries(model('SELECT a FROM s.p'), model('SELECT a::BIGINT AS a FROM s.p'))).toMatchObject(
      { kind: 'columns', changed: ['a'] },
    );
  });

  it('the same expression of another type is a changed column', () => {
    const model = (type: string) =>
      compared('SELECT id, a FROM s.p', TABLES, { columns: [{ name: 'a', type }] });
    expect(compareQueries(model('INTEGER'), model('BIGINT'))).toMatchObject({
      kind: 'columns',
      changed: ['a'],
      reason: 'a is BIGINT and was INTEGER',
    });
  });
});

describe('other dialects', () => {
  const model = (query: string) => compared(query, TABLES, { dialect: 'postgres' });
  it.each([
    ['an added column', 'SELECT id FROM s.p', 'SELECT id, a FROM s.p', 'additive'],
    [
      'a function that may make rows there',
      'SELECT id FROM s.p',
      'SELECT id, generate_series(1, a) AS n FROM s.p',
      'rows',
    ],
    ['a name whose case matters', 'SELECT "Id" AS id FROM s.q', 'SELECT id FROM s.q', 'rows'],
    [
      'a longer VARCHAR',
      'SELECT a::VARCHAR(3) AS a FROM s.p',
      'SELECT a::VARCHAR(5) AS a FROM s.p',
      'columns',
    ],
  ] as const)('%s', (_, before, after, expected) => {
    expect(compareQueries(model(before), model(after)).kind).toBe(expected);
  });
});

describe('long queries', () => {
  const compare = (before: string, after: string): QueryChange =>
    compareQueries(compared(before, TABLES), compared(after, TABLES));
  const many = (count: number, text: (at: number) => string, between: string): string =>
    Array.from({ length: count }, (_, at) => text(at)).join(between);

  it.each([
    ['20,000 conditions', `SELECT id FROM s.p WHERE ${many(20_000, (at) => `a <> ${at}`, ' AND ')}`],
    ['5,000 additions', `SELECT id, ${many(5_000, (at) => `${at}`, ' + ')} AS n FROM s.p`],
    ['1,000 branches', many(1_000, (at) => `SELECT id, ${at} AS n FROM s.p`, ' UNION ALL ')],
    [
      '500 common tables',
      `WITH c0 AS (SELECT id FROM s.p), ${many(500, (at) => `c${at + 1} AS (SELECT id FROM c${at})`, ', ')} SELECT id FROM c500`,
    ],
    [
      '200 joins',
      `SELECT t0.id FROM ${many(200, (at) => (at === 0 ? 's.p AS t0' : `LEFT JOIN s.p AS t${at} ON t${at}.k = t0.k`), ' ')}`,
    ],
    [
      'tables that double at each step',
      `WITH c0 AS (SELECT id FROM s.p), ${many(25, (at) => `c${at + 1} AS (SELECT l.id FROM c${at} l JOIN c${at} r ON l.id = r.id)`, ', ')} SELECT id FROM c25`,
    ],
  ])('%s are compared, and soon', (_, query) => {
    const start = cpuMs();
    expect(compare(query, query.replace('FROM s.p', 'from s.p')).kind).toBe('same');
    expect(compare(query, query.replace('FROM s.p', 'FROM s.u')).kind).toBe('rows');
    expect(cpuMs() - start).toBeLessThan(20_000);
  });

  it('an expression too deep to follow is no proof', () => {
    const query = `SELECT id, ${'abs('.repeat(900)}a${')'.repeat(900)} AS n FROM s.p`;
    expect(compare(query, `${query} WHERE a > 1`).kind).toBe('rows');
  });
});
