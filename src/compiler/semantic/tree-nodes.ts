import { parseTypeName } from '../../foundation/sql/parse/parse-query.ts';
import { spellingOf } from '../../foundation/sql/print/spelling-of.ts';
import type {
  Binary,
  Call,
  ColumnReference,
  Expression,
  Identifier,
  Literal,
  OrderItem,
  Projection,
  Query,
  QueryBody,
  Select,
  TableExpression,
  TypeName,
} from '../../foundation/sql/tree.ts';

/** The span of generated nodes. */
export const NOWHERE = { start: 0, end: 0 } as const;

const BARE = /^[a-z_][a-z0-9_]*$/;

/** Words that are not reserved, but begin something of their own where an expression may stand. */
const BEGINNINGS: ReadonlySet<string> = new Set(
  'cast coalesce columns current_user exists extract grouping interval map nullif overlay position row struct substring time timestamp trim try_cast user'.split(
    ' ',
  ),
);

function needsQuotes(name: string): boolean {
  return BEGINNINGS.has(name) || spellingOf('duckdb').reserved.has(name);
}

/** A name, in quotes where DuckDB needs them. */
export function identifier(name: string): Identifier {
  return { name, quoted: !BARE.test(name) || needsQuotes(name), span: NOWHERE };
}

/** A column of the table or node with this alias; without alias a column of the only table. */
export function column(alias: string | undefined, name: string): ColumnReference {
  return {
    kind: 'column',
    name: identifier(name),
    qualifiers: alias === undefined ? [] : [identifier(alias)],
    span: NOWHERE,
  };
}

export function textLiteral(text: string): Literal {
  return { kind: 'literal', type: 'string', text, span: NOWHERE };
}

/** `text` is a number as SQL writes it, without a sign. */
export function numberLiteral(text: string | number): Literal {
  return { kind: 'literal', type: 'number', text: String(text), span: NOWHERE };
}

export const NULL_LITERAL: Literal = { kind: 'literal', type: 'null', text: 'NULL', span: NOWHERE };

export function booleanLiteral(value: boolean): Literal {
  return { kind: 'literal', type: 'boolean', text: value ? 'TRUE' : 'FALSE', span: NOWHERE };
}

export function call(
  name: string,
  values: readonly Expression[],
  more: Partial<Pick<Call, 'isDistinct' | 'isStar' | 'over' | 'filter' | 'orderBy'>> = {},
): Call {
  return {
    kind: 'call',
    name: { name, quoted: false, span: NOWHERE },
    qualifiers: [],
    syntax: 'plain',
    arguments: values.map((value) => ({ value })),
    isStar: false,
    isDistinct: false,
    orderBy: [],
    withinGroup: [],
    span: NOWHERE,
    ...more,
  };
}

export function binary(operator: string, left: Expression, right: Expression): Binary {
  return { kind: 'binary', operator, left, right, span: NOWHERE };
}

export function isNull(operand: Expression, negated = false): Expression {
  return { kind: 'is', negated, operand, test: 'NULL', span: NOWHERE };
}

/** All of them; undefined for none, so that a WHERE can be left out. */
export function allOf(conditions: readonly Expression[]): Expression | undefined {
  return conditions.length === 0 ? undefined : conditions.reduce((a, b) => binary('AND', a, b));
}

/** One of them; FALSE for none. */
export function anyOf(conditions: readonly Expression[]): Expression {
  return conditions.length === 0 ? booleanLiteral(false) : conditions.reduce((a, b) => binary('OR', a, b));
}

const types = new Map<string, TypeName>();

/** A canonical type text as a tree. */
export function typeName(text: string): TypeName {
  let type = types.get(text);
  if (type === undefined) {
    const parsed = parseTypeName(text, 'duckdb');
    type = parsed.ok ? parsed.value : { name: text, parameters: [], fields: [], span: NOWHERE };
    types.set(text, type);
  }
  return type;
}

export function cast(operand: Expression, type: string): Expression {
  return { kind: 'cast', form: 'cast', isTry: false, operand, type: typeName(type), span: NOWHERE };
}

/** `CASE WHEN when THEN value [ELSE otherwise] END`. */
export function caseWhen(when: Expression, value: Expression, otherwise?: Expression): Expression {
  return {
    kind: 'case',
    // biome-ignore lint/suspicious/noThenProperty: the tree's word for it, and trees are never awaited
    whens: [{ when, then: value }],
    ...(otherwise === undefined ? {} : { otherwise }),
    span: NOWHERE,
  };
}

export function projection(expression: Expression, alias?: string): Projection {
  return { expression, ...(alias === undefined ? {} : { alias: identifier(alias) }), span: NOWHERE };
}

/** The parts of a SELECT that are there. */
export interface SelectParts {
  readonly projections: readonly Projection[];
  readonly from?: TableExpression;
  readonly where?: Expression | undefined;
  /** Of the first n projections. */
  readonly groupByFirst?: number;
  readonly having?: Expression | undefined;
  readonly isDistinct?: boolean;
}

export function select(parts: SelectParts): Select {
  const { projections, from, where, groupByFirst = 0, having, isDistinct = false } = parts;
  return {
    kind: 'select',
    distinct: isDistinct ? 'all' : 'none',
    projections,
    from: from === undefined ? [] : [from],
    ...(where === undefined ? {} : { where }),
    ...(groupByFirst === 0
      ? {}
      : {
          groupBy: {
            isAll: false,
            items: Array.from({ length: groupByFirst }, (_, i) => ({
              kind: 'expression' as const,
              expression: numberLiteral(i + 1),
            })),
          },
        }),
    ...(having === undefined ? {} : { having }),
    windows: [],
    span: NOWHERE,
  };
}

export function query(
  body: QueryBody,
  more: Partial<Pick<Query, 'with' | 'limit' | 'offset'>> & { readonly orderBy?: readonly OrderItem[] } = {},
): Query {
  return { kind: 'query', body, orderBy: [], span: NOWHERE, ...more };
}

/** A table by its parts, or a common table. Parts of stored tables are kept as they are. */
export function table(parts: readonly string[], alias?: string): TableExpression {
  return {
    kind: 'table',
    parts: parts.map(identifier),
    isFile: false,
    ...(alias === undefined ? {} : { alias: { name: identifier(alias), columns: [] } }),
    nameSpan: NOWHERE,
    span: NOWHERE,
  };
}

export function derived(inner: Query, alias: string): TableExpression {
  return {
    kind: 'derived',
    query: inner,
    lateral: false,
    alias: { name: identifier(alias), columns: [] },
    span: NOWHERE,
  };
}

export function join(
  left: TableExpression,
  right: TableExpression,
  how: { readonly type: 'left' | 'inner' | 'cross'; readonly on?: Expression },
): TableExpression {
  return { kind: 'join', natural: false, asof: false, left, right, span: NOWHERE, ...how };
}

/** Branches one below the other. */
export function unionAll(first: QueryBody, ...rest: readonly QueryBody[]): QueryBody {
  return rest.reduce<QueryBody>(
    (left, right) => ({
      kind: 'set-operation',
      operator: 'UNION',
      isAll: true,
      byName: false,
      left,
      right,
      span: NOWHERE,
    }),
    first,
  );
}
