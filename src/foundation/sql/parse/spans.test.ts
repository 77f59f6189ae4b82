import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DUCKDB_PIVOT_STATEMENTS, DUCKDB_QUERIES } from '../../../../tests/support/sql/parsed-queries.ts';
import { anyQuery } from '../../../../tests/support/sql/random-parsed-query.ts';
import type { Expression, Query } from '../tree.ts';
import { walk } from '../walk.ts';
import { parseExpression, parseQuery } from './parse-query.ts';

function parsed(sql: string): Query {
  const result = parseQuery(sql);
  if (!result.ok) throw new Error(`${result.error.message}: ${sql}`);
  return result.value;
}

/** The tree with every span moved, so that trees of a text and of a slice of it can be compared. */
function moved(value: unknown, by: number): unknown {
  if (Array.isArray(value)) return value.map((item) => moved(item, by));
  if (typeof value !== 'object' || value === null) return value;
  const object = value as Record<string, unknown>;
  if (typeof object.start === 'number' && typeof object.end === 'number')
    return { start: object.start + by, end: object.end + by };
  return Object.fromEntries(Object.entries(object).map(([key, item]) => [key, moved(item, by)]));
}

/** Parts that mean something else alone: what calls alone understand, and what was not written at all. */
function standsAlone(node: Expression, sql: string): boolean {
  if (node.span.end === node.span.start) return false;
  if (node.kind === 'lambda') return false;
  if (
    node.kind === 'literal' &&
    node.type === 'string' &&
    /^\w+$/.test(sql.slice(node.span.start, node.span.end))
  )
    return false;
  if (node.kind === 'call' && /^(?:any|all|some)$/i.test(node.name.name)) return false;
  return !(node.kind === 'subquery' && (node.quantifier !== undefined || sql[node.span.start] !== '('));
}

function checkSpans(sql: string): void {
  walk(parsed(sql), (node) => {
    const { start, end } = node.span;
    expect(start).toBeGreaterThanOrEqual(0);
    expect(end).toBeLessThanOrEqual(sql.length);
    const slice = sql.slice(start, end);
    if (node.kind === 'query') {
      expect(moved(parsed(slice), start)).toEqual(node);
      return;
    }
    if (node.kind === 'table') {
      const last = node.parts.at(-1);
      expect(sql.slice(node.nameSpan.start, node.nameSpan.end)).toContain(last?.name);
      return;
    }
    const isExpression = ![
      'select',
      'set-operation',
      'values',
      'pivot-statement',
      'nested',
      'table-function',
      'derived',
      'join',
      'aliased',
      'pivot',
      'unpivot',
    ].includes(node.kind);
    if (!isExpression || !standsAlone(node as Expression, sql)) return;
    const alone = parseExpression(slice);
    expect(alone.ok ? moved(alone.value, start) : `${alone.error.message}: ${slice}`).toEqual(node);
  });
}

describe('a node’s span is exactly its own text', () => {
  it.each([...DUCKDB_QUERIES, ...DUCKDB_PIVOT_STATEMENTS])('%s', (sql) => {
    checkSpans(sql);
  });

  it('in random queries', () => {
    fc.assert(fc.property(anyQuery, checkSpans), { numRuns: 200 });
  });

  it('with comments, line ends and other scripts around it', () => {
    const sql = "\r\n-- é\r\nSELECT 'ß' /* x */ AS ü, /* y */ ( a ) + ( b -- c\n ) FROM “t”";
    const query = parsed(sql);
    const select = query.body;
    if (select.kind !== 'select') throw new Error('not a select');
    expect(select.projections.map((p) => sql.slice(p.span.start, p.span.end))).toEqual([
      "'ß' /* x */ AS ü",
      '( a ) + ( b -- c\n )',
    ]);
    checkSpans(sql);
  });
});
