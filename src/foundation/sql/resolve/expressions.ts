/**
 * Types an expression and gathers where its value comes from, in one walk.
 *
 * Chains of operators are walked in a loop, so their length costs no stack; anything else nested deeper than DEPTH_MAX is reported and left unknown.
 */
import type {
  Binary,
  Case,
  ColumnReference,
  Expression,
  Identifier,
  In,
  Literal,
  Subscript,
} from '../tree.ts';
import { binaryResult, unaryResult } from '../types/arithmetic.ts';
import { tableResult } from '../types/function-table.ts';
import { fieldType, lacksField } from '../types/functions.ts';
import { elementOf } from '../types/list-functions.ts';
import {
  BIT,
  BLOB,
  BOOLEAN,
  DOUBLE,
  decimalType,
  INTERVAL,
  integerLiteral,
  listType,
  mapType,
  NULL,
  type SqlType,
  STRING_LITERAL,
  settle,
  structType,
  UNKNOWN,
  VARCHAR,
} from '../types/sql-type.ts';
import { typeOf } from '../types/type-names.ts';
import { unifyAll } from '../types/unify.ts';
import { type Flow, use } from './columns.ts';
import {
  DEPTH_MAX,
  findFromItem,
  type NameScope,
  type ResolveSession,
  report,
  spend,
  withVariables,
} from './name-scope.ts';
import { resolveReference } from './reference.ts';
import { typeCall } from './type-call.ts';

/** The type of an expression; its sources go into `flow`, the columns it uses count as read. */
export function typeExpression(
  session: ResolveSession,
  scope: NameScope,
  expression: Expression,
  flow: Flow,
): SqlType {
  if (++session.depth > DEPTH_MAX) {
    session.depth--;
    report(session, 'too-deep', '', { span: expression.span, isCertain: false });
    return UNKNOWN;
  }
  const steps = expression.kind === 'column' ? 1 + scope.fromItems.length : 1;
  const type = spend(session, steps, expression.span) ? typeNode(session, scope, expression, flow) : UNKNOWN;
  session.depth--;
  return type;
}

function typeNode(session: ResolveSession, scope: NameScope, e: Expression, flow: Flow): SqlType {
  const visit = (child: Expression): SqlType => typeExpression(session, scope, child, flow);
  switch (e.kind) {
    case 'column':
      return typeColumn(session, scope, e, flow);
    case 'literal':
      return e.type === 'bytes' && session.dialect === 'duckdb' ? STRING_LITERAL : literalType(e);
    case 'binary':
      return typeChain(session, scope, e, flow);
    case 'call':
      return typeCall(session, scope, e, flow);
    case 'cast':
      visit(e.operand);
      if (e.format !== undefined) visit(e.format);
      return typeOf(e.type, session.dialect);
    case 'case':
      return typeCase(session, scope, e, flow);
    case 'unary': {
      if (e.operator === '-' && e.operand.kind === 'literal' && e.operand.type === 'number') {
        const type = literalType(e.operand);
        return type.kind === 'integer-literal' ? integerLiteral(-type.value) : type;
      }
      return unaryResult(e.operator, visit(e.operand));
    }
    case 'parameter':
      return UNKNOWN;
    case 'interval':
      visit(e.value);
      return INTERVAL;
    case 'like':
      visit(e.operand);
      visit(e.pattern);
      if (e.escape !== undefined) visit(e.escape);
      return BOOLEAN;
    case 'between':
      visit(e.operand);
      visit(e.low);
      visit(e.high);
      return BOOLEAN;
    case 'is':
      visit(e.operand);
      return BOOLEAN;
    case 'in':
      typeIn(session, scope, e, flow);
      return BOOLEAN;
    case 'exists':
      for (const column of session.bindQuery(session, e.query, scope, scope.withList).columns)
        flow.add(column);
      return BOOLEAN;
    case 'subquery': {
      const { columns } = session.bindQuery(session, e.query, scope, scope.withList);
      for (const column of columns) flow.add(column);
      const type = columns[0]?.type ?? UNKNOWN;
      return e.quantifier === 'ARRAY' ? listType(type) : type;
    }
    case 'list': {
      const element = unifyAll(e.items.map(visit));
      return element === undefined ? UNKNOWN : listType(element);
    }
    case 'tuple':
      return structType(e.items.map((item) => ({ name: '', type: visit(item) })));
    case 'struct':
      return structType(
        e.fields.map((field) => ({
          name: field.name?.name ?? (field.value.kind === 'column' ? field.value.name.name : ''),
          type: visit(field.value),
        })),
      );
    case 'map': {
      const key = unifyAll(e.entries.map((entry) => visit(entry.key)));
      const value = unifyAll(e.entries.map((entry) => visit(entry.value)));
      return key === undefined || value === undefined ? UNKNOWN : mapType(key, value);
    }
    case 'subscript':
      return typeSubscript(session, scope, e, flow);
    case 'field':
      return fieldType(visit(e.operand), e.field.name);
    case 'lambda':
      return typeExpression(session, withVariables(scope, e.parameters, []), e.body, flow);
    case 'comprehension': {
      const inner = withVariables(scope, [e.variable], [elementOf(visit(e.source))]);
      if (e.condition !== undefined) typeExpression(session, inner, e.condition, flow);
      return listType(typeExpression(session, inner, e.result, flow));
    }
    case 'at-time-zone': {
      const type = visit(e.operand);
      visit(e.zone);
      return type === UNKNOWN ? UNKNOWN : (tableResult('timezone', [VARCHAR, type]) ?? UNKNOWN);
    }
    case 'collate':
      return settle(visit(e.operand));
    case 'star':
      return typeInnerStar(scope, e.qualifiers, flow);
  }
}

/** `f(t.*)`: every column is read, none is known by position. */
function typeInnerStar(scope: NameScope, qualifiers: readonly Identifier[], flow: Flow): SqlType {
  const only = qualifiers.length === 0 ? undefined : findFromItem(scope, qualifiers);
  for (const relation of only === undefined ? scope.fromItems : [only]) {
    for (const column of relation.all()) use(column, flow);
    for (const table of relation.open ?? []) table.readsAll = true;
  }
  return UNKNOWN;
}

function typeColumn(session: ResolveSession, scope: NameScope, e: ColumnReference, flow: Flow): SqlType {
  const reference = resolveReference(session, scope, e);
  if (reference === undefined) return UNKNOWN;
  if (reference.column !== undefined) use(reference.column, flow);
  let { type } = reference;
  for (const field of reference.fields) {
    if (lacksField(type, field.name)) {
      const candidates = type.kind === 'struct' ? type.fields.map((each) => each.name) : [];
      const isCertain = type.kind === 'struct' || session.dialect === 'duckdb';
      report(session, 'unknown-column', field.name, { span: field.span, isCertain, candidates });
      return UNKNOWN;
    }
    type = fieldType(type, field.name);
  }
  return type;
}

/** The type of a constant; numbers with a point are decimals of as many digits as were written. */
export function literalType(e: Literal): SqlType {
  switch (e.type) {
    case 'string':
      return STRING_LITERAL;
    case 'number':
      return numberType(e.text);
    case 'boolean':
      return BOOLEAN;
    case 'null':
      return NULL;
    case 'bytes':
      return BLOB;
    case 'bit':
      return BIT;
  }
}

function numberType(text: string): SqlType {
  if (/^\d{1,9}$/.test(text)) return integerLiteral(Number(text));
  const plain = text.replaceAll('_', '');
  if (/^(\d+|0[xX][0-9a-fA-F]+)$/.test(plain)) return integerLiteral(Number(plain));
  const decimal = /^(\d*)\.(\d*)$/.exec(plain);
  if (decimal === null) return DOUBLE;
  const whole = (decimal[1] as string).length;
  const scale = (decimal[2] as string).length;
  return whole + scale > 38 ? DOUBLE : decimalType(whole + scale, scale);
}

/** `a AND b AND c …` hangs down to the left: walk down, then type on the way up. */
function typeChain(session: ResolveSession, scope: NameScope, e: Binary, flow: Flow): SqlType {
  const chain: Binary[] = [];
  let left: Expression = e;
  while (left.kind === 'binary') {
    chain.push(left);
    left = left.left;
  }
  let type = typeExpression(session, scope, left, flow);
  let isNull = type === NULL || isNullConstant(left);
  for (let at = chain.length - 1; at >= 0; at--) {
    const { operator, right } = chain[at] as Binary;
    const other = typeExpression(session, scope, right, flow);
    type = binaryResult(operator, type, other);
    isNull = (isNull || other === NULL || isNullConstant(right)) && PASSES_NULL.has(operator);
    if (isNull && (operator === '||' || type.kind === 'decimal') && session.dialect === 'duckdb') type = NULL;
  }
  return type;
}

/** Operators that give NULL when an operand is NULL. */
const PASSES_NULL = new Set(['||', '+', '-', '*', '/', '//', '%', '=', '<>', '<', '>', '<=', '>=']);

/** DuckDB evaluates constants before it gives types: `||` and decimal arithmetic on a NULL, cast or not, have the type of NULL. Only plain casts are seen here. */
function isNullConstant(e: Expression): boolean {
  let at = e;
  while (at.kind === 'cast') at = at.operand;
  return at.kind === 'literal' && at.type === 'null';
}

function typeCase(session: ResolveSession, scope: NameScope, e: Case, flow: Flow): SqlType {
  const visit = (child: Expression): SqlType => typeExpression(session, scope, child, flow);
  if (e.operand !== undefined) visit(e.operand);
  const results: SqlType[] = [];
  for (const { when, then } of e.whens) {
    visit(when);
    results.push(visit(then));
  }
  results.push(e.otherwise === undefined ? NULL : visit(e.otherwise));
  return settle(unifyAll(results) ?? UNKNOWN);
}

function typeIn(session: ResolveSession, scope: NameScope, e: In, flow: Flow): void {
  typeExpression(session, scope, e.operand, flow);
  switch (e.set.kind) {
    case 'list':
      for (const item of e.set.items) typeExpression(session, scope, item, flow);
      return;
    case 'expression':
      typeExpression(session, scope, e.set.expression, flow);
      return;
    case 'query':
      for (const column of session.bindQuery(session, e.set.query, scope, scope.withList).columns)
        flow.add(column);
      return;
  }
}

function typeSubscript(session: ResolveSession, scope: NameScope, e: Subscript, flow: Flow): SqlType {
  const container = settle(typeExpression(session, scope, e.operand, flow));
  for (const bound of [e.index, e.upper, e.step])
    if (bound !== undefined) typeExpression(session, scope, bound, flow);
  if (e.isSlice) return container.kind === 'array' ? listType(container.element) : container;
  if (container.kind === 'struct')
    return e.index?.kind === 'literal' ? fieldType(container, e.index.text) : UNKNOWN;
  return elementOf(container);
}
