/*
 * A logical query as a SQL tree.
 *
 *   one part        SELECT outputs FROM … WHERE … GROUP BY … HAVING … ORDER BY … LIMIT …
 *   several parts   WITH a AS (…), b AS (…) SELECT outputs over MAX(component)
 *                   FROM (a's columns UNION ALL b's, NULL for those of others) GROUP BY keys …
 *
 * Stitching by UNION ALL takes NULL as a value like any other, is linear, and every engine can do it.
 *
 *   windows, and conditions on measures    SELECT outputs FROM (one of the above: keys, components, windows) WHERE … ORDER BY … LIMIT …
 */
import type {
  Expression,
  OrderItem,
  Query,
  QueryBody,
  Select,
  TableExpression,
} from '../../foundation/sql/tree.ts';
import { isWholeType } from '../../foundation/sql/types/type-names.ts';
import { rewrite } from '../../foundation/sql/walk.ts';
import { type LiftedWindows, liftWindows } from './lift-windows.ts';
import {
  type AnswerValue,
  answerColumn,
  answerName,
  type Component,
  type LogicalQuery,
  type Part,
} from './logical-query.ts';
import { type PartSource, partSource, type Tables } from './lower-part.ts';
import { lowerVariant } from './time/lower-variant.ts';
import {
  allOf,
  call,
  caseWhen,
  cast,
  column,
  derived,
  identifier,
  isNull,
  join,
  NOWHERE,
  NULL_LITERAL,
  numberLiteral,
  projection,
  query,
  select,
  table,
  unionAll,
} from './tree-nodes.ts';
import { withNarrowJoins } from './with-narrow-joins.ts';

/** How the columns of the answer are called in the SQL, in order. */
export type Aliases = readonly string[];

export function lowerQuery(logical: LogicalQuery, tables: Tables, aliases: Aliases): Query {
  const body = lowerBody(logical, tables, aliases);
  const isOneRow = logical.keys.length === 0 && !logical.isUngrouped;
  return query(body.select, {
    ...(body.with.length === 0 ? {} : { with: { recursive: false, tables: body.with } }),
    // One row has no order, and no limit but 0 leaves it out.
    orderBy: isOneRow ? [] : orderItems(logical, aliases, body.value),
    ...(logical.limit === undefined || (isOneRow && logical.limit > 0)
      ? {}
      : { limit: numberLiteral(logical.limit) }),
    ...(logical.offset === undefined ? {} : { offset: numberLiteral(logical.offset) }),
  });
}

interface Body {
  readonly select: Select;
  readonly with: NonNullable<Query['with']>['tables'];
  /** What an expression over keys and components is in this SELECT. */
  readonly value: (expression: Expression) => Expression;
}

function lowerBody(logical: LogicalQuery, tables: Tables, aliases: Aliases): Body {
  const [part] = logical.parts;
  if (part === undefined) throw new Error('a logical query has no part');
  const expressions = [
    ...logical.outputs.map(({ value }) => value),
    ...logical.having,
    ...logical.order.map(({ value }) => value),
  ];
  const names = [...logical.keys, ...logical.parts.flatMap(({ components }) => components)].map(
    ({ name }) => name,
  );
  const windows = liftWindows(expressions, names);
  if (windows !== undefined && (logical.having.length > 0 || windows.levels.length > 1))
    return lowerWindowQuery(logical, windows, { names, tables, aliases });
  if (logical.isUngrouped) return ungrouped(logical, part, tables, aliases);
  if (logical.parts.length === 1 && part.variant.kind === 'plain')
    return single(logical, part, tables, aliases);
  return stitched(logical, tables, aliases);
}

/** Keys and components of a part in place of their names. */
function inPart(part: Part, source: PartSource, aggregate: (component: Component) => Expression) {
  const values = new Map<string, Expression>();
  for (const [i, { name }] of part.keys.entries()) values.set(name, source.keys[i] as Expression);
  for (const component of part.components) values.set(component.name, aggregate(component));
  return (expression: Expression): Expression => replaceAnswers(expression, values);
}

function replaceAnswers(expression: Expression, values: ReadonlyMap<string, Expression>): Expression {
  return rewrite(expression, (node) => {
    const name = answerName(node);
    return name === undefined ? node : (values.get(name) ?? node);
  });
}

function outputs(logical: LogicalQuery, aliases: Aliases, value: Body['value']) {
  return logical.outputs.map((output, i) => projection(value(output.value), aliases[i]));
}

function single(logical: LogicalQuery, whole: Part, tables: Tables, aliases: Aliases): Body {
  const part = withNarrowJoins(whole);
  const source = partSource(part, tables);
  const value = inPart(part, source, source.component);
  return {
    select: select({
      projections: outputs(logical, aliases, value),
      from: source.from,
      where: source.where,
      groupByFirst: logical.keys.length,
      having: allOf(logical.having.map(value)),
    }),
    with: [],
    value,
  };
}

function ungrouped(logical: LogicalQuery, part: Part, tables: Tables, aliases: Aliases): Body {
  const source = partSource(part, tables);
  const value = inPart(part, source, ofOneRow);
  return {
    select: select({
      projections: outputs(logical, aliases, value),
      from: source.from,
      where: allOf([...(source.where === undefined ? [] : [source.where]), ...logical.having.map(value)]),
    }),
    with: [],
    value,
  };
}

const GROUPS = 'groups';

/** All groups with their windows first; what is left of them, and what is shown, around that. */
function lowerWindowQuery(
  logical: LogicalQuery,
  { without, levels: [first = [], ...others] }: LiftedWindows,
  {
    names,
    tables,
    aliases,
  }: { readonly names: readonly string[]; readonly tables: Tables; readonly aliases: Aliases },
): Body {
  const { limit: _, offset: __, ...all } = logical;
  const shown = [
    ...names.map((name) => ({ name, value: answerColumn(name) })),
    ...first.map(({ name, call: value }) => ({ name, value })),
  ];
  const outputsOfGroups = shown.map(
    ({ name, value }): AnswerValue => ({
      column: { name, kind: 'measure', type: 'UNKNOWN' },
      value,
    }),
  );
  let inner = lowerQuery(
    { ...all, outputs: outputsOfGroups, having: [], order: [] },
    tables,
    shown.map(({ name }) => name),
  );
  const known = shown.map(({ name }) => name);
  const named = (expression: Expression): Expression =>
    rewrite(expression, (node) => {
      const name = answerName(node);
      return name === undefined ? node : column(GROUPS, name);
    });
  const value = (expression: Expression): Expression => named(without(expression));
  for (const level of others) {
    inner = query(
      select({
        projections: [
          ...known.map((name) => projection(column(GROUPS, name), name)),
          ...level.map(({ name, call: window }) => projection(named(window), name)),
        ],
        from: derived(inner, GROUPS),
      }),
    );
    known.push(...level.map(({ name }) => name));
  }
  return {
    select: select({
      projections: outputs(logical, aliases, value),
      from: derived(inner, GROUPS),
      where: allOf(logical.having.map(value)),
    }),
    with: [],
    value,
  };
}

/** What an aggregate is of one row: counts are 1 or 0, everything else is its input. */
function ofOneRow({ call: bound, isCount }: Component): Expression {
  const input = bound.arguments[0]?.value;
  const { filter } = bound;
  if (isCount && !bound.isDistinct && bound.name.name.toLowerCase() === 'count') {
    const conditions = [
      ...(filter === undefined ? [] : [filter]),
      ...(input === undefined ? [] : [isNull(input, true)]),
    ];
    const condition = allOf(conditions);
    return condition === undefined
      ? numberLiteral(1)
      : caseWhen(condition, numberLiteral(1), numberLiteral(0));
  }
  const value = input ?? NULL_LITERAL;
  return filter === undefined ? value : caseWhen(filter, value);
}

const STITCHED = 'parts';

function stitched(logical: LogicalQuery, tables: Tables, aliases: Aliases): Body {
  const common = logical.parts.map((part) => ({
    name: identifier(part.name),
    columns: [],
    query: lowerVariant(part, tables, logical.zone),
    span: NOWHERE,
  }));
  const values = new Map<string, Expression>();
  if (logical.keys.length === 0) {
    for (const { name, components, variant } of logical.parts)
      for (const component of components) {
        const own = column(name, component.name);
        // A count of rows is 0 without any; what is made of counts per day is nothing then.
        const isMade = component.isCount && variant.kind !== 'plain';
        values.set(component.name, isMade ? call('COALESCE', [own, numberLiteral(0)]) : own);
      }
    const value = (expression: Expression): Expression => replaceAnswers(expression, values);
    const [first, ...rest] = logical.parts.map(({ name }) => table([name]));
    const from = rest.reduce<TableExpression>(
      (left, right) => join(left, right, { type: 'cross' }),
      first as TableExpression,
    );
    return {
      select: select({
        projections: outputs(logical, aliases, value),
        from,
        where: allOf(logical.having.map(value)),
      }),
      with: common,
      value,
    };
  }
  const components = logical.parts.flatMap((part) => part.components);
  for (const { name } of logical.keys) values.set(name, column(STITCHED, name));
  for (const component of components) values.set(component.name, merged(component));
  const value = (expression: Expression): Expression => replaceAnswers(expression, values);
  const [first, ...rest] = logical.parts.map((part): QueryBody => branch(logical, part, components));
  return {
    select: select({
      projections: outputs(logical, aliases, value),
      from: derived(query(unionAll(first as QueryBody, ...rest)), STITCHED),
      groupByFirst: logical.keys.length,
      having: allOf(logical.having.map(value)),
    }),
    with: common,
    value,
  };
}

/** The columns of all parts, of which one part has its own. */
function branch(logical: LogicalQuery, part: Part, components: readonly Component[]): Select {
  const own = new Set(part.components);
  return select({
    projections: [
      ...logical.keys.map(({ name }) => projection(column(undefined, name), name)),
      ...components.map((component) =>
        projection(
          own.has(component) ? column(undefined, component.name) : noValue(component),
          component.name,
        ),
      ),
    ],
    from: table([part.name]),
  });
}

function noValue({ type }: Component): Expression {
  return isWholeType(type) ? cast(NULL_LITERAL, type) : NULL_LITERAL;
}

/** The one value a component has in a group, or what stands for none. */
function merged({ name, type, isCount }: Component): Expression {
  const value = call(type === 'BOOLEAN' ? 'BOOL_OR' : 'MAX', [column(STITCHED, name)]);
  return isCount ? call('COALESCE', [value, numberLiteral(0)]) : value;
}

function orderItems(logical: LogicalQuery, aliases: Aliases, value: Body['value']): readonly OrderItem[] {
  return logical.order.map(({ value: ordered, direction }) => {
    const at = logical.outputs.findIndex((output) => isSame(output.value, ordered));
    const alias = aliases[at];
    return {
      expression: alias === undefined ? value(ordered) : column(undefined, alias),
      direction,
      nulls: 'LAST',
    };
  });
}

function isSame(a: Expression, b: Expression): boolean {
  if (a === b) return true;
  const name = answerName(a);
  return name !== undefined && name === answerName(b);
}
