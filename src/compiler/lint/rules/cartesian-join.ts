import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { conjunctsOf } from '../../../foundation/sql/conjuncts-of.ts';
import { type FromTable, fromTables, joinsOf } from '../../../foundation/sql/from-tables.ts';
import type { Expression, Join, Select, TableExpression } from '../../../foundation/sql/tree.ts';
import { hasOneRow } from '../has-one-row.ts';
import type { InspectedQuery } from '../inspected-query.ts';
import { queryRule } from '../query-rule.ts';
import { columnsUnder, nameOf, queryOf } from '../query-sources.ts';

export const cartesianJoin = queryRule({
  name: 'cartesian-join',
  byDefault: 'warning',
  why: 'Two tables without a condition between them give every row of the one with every row of the other.',
  examples: {
    bad: {
      'models/orders.sql':
        "MODEL (name marts.orders, kind FULL);\nSELECT o.order_id, c.country\nFROM raw.orders AS o, «raw.customers AS c»\nWHERE o.status = 'paid'\n",
    },
    good: {
      'models/orders.sql':
        'MODEL (name marts.orders, kind FULL);\nSELECT o.order_id, c.country\nFROM raw.orders AS o\nJOIN raw.customers AS c ON c.customer_id = o.customer_id\n',
    },
    unless: [
      {
        because: 'CROSS JOIN says that every pair is meant',
        files: {
          'models/a.sql':
            'MODEL (name marts.a, kind FULL);\nSELECT o.order_id, c.country FROM raw.orders AS o CROSS JOIN raw.customers AS c\n',
        },
      },
      {
        because: 'the condition stands in WHERE',
        files: {
          'models/a.sql':
            'MODEL (name marts.a, kind FULL);\nSELECT o.order_id, c.country FROM raw.orders o, raw.customers c WHERE o.customer_id = c.customer_id\n',
        },
      },
      {
        because: 'one of the two has a single row',
        files: {
          'models/a.sql':
            'MODEL (name marts.a, kind FULL);\nWITH latest AS (SELECT MAX(order_date) AS day FROM raw.orders)\nSELECT o.order_id, l.day FROM raw.orders AS o, latest AS l\n',
        },
      },
      {
        because: 'the rows of the second are made of the first',
        files: {
          'models/a.sql':
            'MODEL (name marts.a, kind FULL);\nSELECT o.order_id, u.n FROM raw.orders AS o, UNNEST([1, 2]) AS u(n)\n',
        },
      },
    ],
  },
  *inspect(query) {
    for (const select of query.nodes('select')) {
      if (select.from.length < 2 && select.from[0]?.kind !== 'join') continue;
      const apart = unconnected(select, query);
      if (apart !== undefined) yield { span: apart.span, words: [nameOf(apart) ?? 'this table'] };
    }
  },
  decide: ({ model, at, words }) =>
    diagnostic('lint.cartesian-join', { model: model.name, table: words[0] ?? '' }, { at }),
});

/** The first source that nothing connects with those before it; undefined too where a condition cannot be understood. */
function unconnected(select: Select, query: InspectedQuery): FromTable | undefined {
  if (isChain(select.from)) return undefined;
  const sources = fromTables(select.from);
  const names = sources.map(nameOf);
  const group = sources.map((_, i) => i);
  const connect = (members: readonly number[]): void => {
    const [first, ...others] = members;
    if (first === undefined) return;
    for (const other of others) {
      const [from, to] = [group[other], group[first]];
      group.forEach((each, i) => {
        if (each === from) group[i] = to as number;
      });
    }
  };
  const conditions: Expression[] = [...conjunctsOf(select.where)];
  for (const join of joinsOf(select.from)) {
    const both = [join.left, join.right].map((side) =>
      fromTables([side]).map((each) => sources.indexOf(each)),
    );
    const isConstant = join.on !== undefined && columnsUnder(join.on).length === 0;
    if (isMeant(join) || join.asof || isConstant) connect(both.flat());
    else conditions.push(...conjunctsOf(join.on));
  }
  for (const condition of conditions) {
    const members = membersOf(condition, names);
    if (members === undefined) return undefined;
    connect(members);
  }
  const others = sources.flatMap((source, i) => (isHarmless(source, names, query) ? [] : [i]));
  const apart = others.find((i) => group[i] !== group[others[0] as number]);
  return apart === undefined ? undefined : sources[apart];
}

/** The plain case, which most are: each join says itself what it pairs (CROSS, NATURAL, USING), or compares a column of its table with one of a table before it. */
function isChain([from, ...others]: readonly TableExpression[]): boolean {
  if (from === undefined || others.length > 0) return false;
  const joins = joinsOf([from]);
  const names = new Set<string | undefined>();
  for (const [i, join] of joins.entries()) {
    const { left, right, on } = join;
    if (right.kind === 'join' || (i === 0) === (left.kind === 'join')) return false;
    if (left.kind !== 'join') names.add(nameOf(left));
    const name = nameOf(right);
    if (name === undefined || names.has(name)) return false;
    const connects =
      isMeant(join) ||
      conjunctsOf(on).some((condition) => {
        if (condition.kind !== 'binary') return false;
        const both = [condition.left, condition.right].map(tableOfColumn);
        return both.includes(name) && both.some((each) => each !== undefined && names.has(each));
      });
    if (!connects) return false;
    names.add(name);
  }
  return true;
}

const isMeant = ({ type, natural, using }: Join): boolean =>
  type === 'cross' || type === 'positional' || natural || using !== undefined;

const tableOfColumn = (side: Expression): string | undefined =>
  side.kind === 'column' && side.qualifiers.length === 1 ? side.qualifiers[0]?.name.toLowerCase() : undefined;

/** Which sources a condition is about; undefined where a column does not say whose it is. */
function membersOf(
  condition: Expression,
  names: readonly (string | undefined)[],
): readonly number[] | undefined {
  const members: number[] = [];
  for (const { qualifiers } of columnsUnder(condition)) {
    if (qualifiers.length === 0) return undefined;
    for (const { name } of qualifiers) {
      const at = names.indexOf(name.toLowerCase());
      if (at >= 0) members.push(at);
    }
  }
  return members;
}

/** One row at most, or rows that are made of what stands before it. */
function isHarmless(
  source: FromTable,
  names: readonly (string | undefined)[],
  query: InspectedQuery,
): boolean {
  switch (source.kind) {
    case 'table-function':
    case 'pivot':
    case 'unpivot':
      return true;
    case 'values':
      return source.rows.length <= 1;
    case 'derived':
      if (source.lateral) return true;
      break;
    case 'table':
      // BigQuery: `FROM t, t.items`.
      if (source.parts.length > 1 && names.includes(source.parts[0]?.name.toLowerCase())) return true;
      break;
    case 'aliased':
      return false;
  }
  const made = queryOf(source, query);
  return made !== undefined && hasOneRow(made, query);
}
