import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DUCKDB_PIVOT_STATEMENTS, DUCKDB_QUERIES } from '../../../tests/support/sql/parsed-queries.ts';
import { anyQuery } from '../../../tests/support/sql/random-parsed-query.ts';
import { eachChild, type SqlNode } from './each-child.ts';
import { mapChildren, type ReplaceChild } from './map-children.ts';
import { parseQuery } from './parse/parse-query.ts';
import type { Query } from './tree.ts';
import { children, rewrite, walk, walkQuery } from './walk.ts';

function parsed(sql: string): Query {
  const result = parseQuery(sql);
  if (!result.ok) throw new Error(`${result.error.message}: ${sql}`);
  return result.value;
}

/** Every object with a `kind` of a node, found without knowing the tree. */
function nodesByBruteForce(value: unknown, found: object[] = []): object[] {
  if (Array.isArray(value)) for (const item of value) nodesByBruteForce(item, found);
  else if (typeof value === 'object' && value !== null) {
    if ('kind' in value && 'span' in value) found.push(value);
    for (const item of Object.values(value)) nodesByBruteForce(item, found);
  }
  return found;
}

const ALL = [...DUCKDB_QUERIES, ...DUCKDB_PIVOT_STATEMENTS];

describe('walk', () => {
  it.each(ALL)('reaches every node of %s', (sql) => {
    const query = parsed(sql);
    const reached: SqlNode[] = [];
    walk(query, (node) => reached.push(node));
    const expected = nodesByBruteForce(query);
    expect(new Set(reached)).toEqual(new Set(expected));
    expect(reached).toHaveLength(expected.length);
  });

  it('goes in the order of the text, parents first', () => {
    const names: string[] = [];
    walk(parsed('SELECT a, f(b, c) FROM t JOIN u ON d WHERE e AND g ORDER BY h'), (node) => {
      if (node.kind === 'column') names.push(node.name.name);
      if (node.kind === 'table') names.push(String(node.parts[0]?.name));
    });
    expect(names).toEqual(['a', 'b', 'c', 't', 'u', 'd', 'e', 'g', 'h']);
  });

  it('leaves out what is under a node when told', () => {
    let columns = 0;
    walkQuery(parsed('SELECT a, (SELECT b) FROM (SELECT c)'), {
      expression: (node) => {
        if (node.kind === 'column') columns++;
        return node.kind !== 'subquery';
      },
      table: () => false,
    });
    expect(columns).toBe(1);
  });
});

describe('looking at children and replacing them', () => {
  it('agree on which they are and in what order', () => {
    const check = (sql: string): void => {
      walk(parsed(sql), (node) => {
        const replaced: SqlNode[] = [];
        const keep: ReplaceChild = (child) => {
          replaced.push(child);
          return child;
        };
        expect(mapChildren(node, keep)).toBe(node);
        const looked: SqlNode[] = [];
        eachChild(node, (child) => looked.push(child));
        expect(replaced).toEqual(looked);
        expect(children(node)).toEqual(looked);
      });
    };
    for (const sql of ALL) check(sql);
    fc.assert(fc.property(anyQuery, check), { numRuns: 100 });
  });
});

describe('rewrite', () => {
  const renamed = (node: SqlNode): SqlNode =>
    node.kind === 'column' && node.name.name === 'a' ? { ...node, name: { ...node.name, name: 'z' } } : node;

  it('returns the same tree when nothing changes', () => {
    for (const sql of ALL) {
      const query = parsed(sql);
      expect(rewrite(query, (node) => node)).toBe(query);
    }
  });

  it('changes every occurrence and shares the rest', () => {
    const query = parsed('SELECT a, b FROM (SELECT a FROM t) WHERE c IN (SELECT d FROM u)');
    const result = rewrite(query, renamed);
    const names: string[] = [];
    walk(result, (node) => {
      if (node.kind === 'column') names.push(node.name.name);
    });
    expect(names).toEqual(['z', 'b', 'z', 'c', 'd']);
    if (query.body.kind !== 'select' || result.body.kind !== 'select') throw new Error('not a select');
    expect(result.body.where).toBe(query.body.where);
    expect(result.body.projections[1]).toBe(query.body.projections[1]);
    expect(result.body.from[0]).not.toBe(query.body.from[0]);
  });

  it('shows a parent its children as already changed', () => {
    const seen: string[] = [];
    rewrite(parsed('SELECT f(a)'), (node) => {
      if (node.kind === 'call' && node.arguments[0]?.value.kind === 'column')
        seen.push(node.arguments[0].value.name.name);
      return renamed(node);
    });
    expect(seen).toEqual(['z']);
  });
});
