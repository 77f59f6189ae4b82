import { expect, it } from 'vitest';
import { DUCKDB_PIVOT_STATEMENTS, DUCKDB_QUERIES } from '../../../tests/support/sql/parsed-queries.ts';
import { parseQuery } from './parse/parse-query.ts';
import { queryNodes } from './query-nodes.ts';
import type { Query } from './tree.ts';
import { type SqlNode, walk } from './walk.ts';

function parsed(sql: string): Query {
  const result = parseQuery(sql);
  if (!result.ok) throw new Error(`${result.error.message}: ${sql}`);
  return result.value;
}

const ALL = [
  ...DUCKDB_QUERIES,
  ...DUCKDB_PIVOT_STATEMENTS,
  'SELECT (SELECT b FROM u ORDER BY b + 1) AS x, a FROM t WHERE a IN (SELECT 1) UNION SELECT c, d FROM v ORDER BY x',
];

it('finds the nodes of each kind in the order of a walk', () => {
  for (const sql of ALL) {
    const query = parsed(sql);
    const walked: SqlNode[] = [];
    walk(query, (node) => walked.push(node));
    const nodes = queryNodes(query);
    for (const [kind, expected] of Map.groupBy(walked, (node) => node.kind))
      expect(nodes.of(kind)).toEqual(expected);
  }
});

it('knows which nodes are of a SELECT and not of a query inside it', () => {
  for (const sql of ALL) {
    const nodes = queryNodes(parsed(sql));
    for (const select of nodes.of('select')) {
      const expected: SqlNode[] = [];
      walk(select, (node) => node.kind !== 'query' && expected.push(node) > 0);
      expect(nodes.own(select)).toEqual(expected);
    }
  }
});
