import { unreachable } from '../../unreachable.ts';
import type {
  Argument,
  Call,
  Expression,
  GroupItem,
  Identifier,
  In,
  OrderItem,
  Projection,
  Star,
  WindowSpec,
} from '../tree.ts';
import { writeLiteral, writeType } from './canonical-leaf.ts';
import { canonicalTokens } from './canonical-tokens.ts';
import {
  type CanonicalWriter,
  writeExactName,
  writeName,
  writeNames,
  writePath,
} from './canonical-writer.ts';
import { type Chained, firstOperand, isChained } from './chained.ts';

/** AND and OR group in any way with the same result, so their chains are written flat; `+` on floats does not. */
const flattens = (node: Expression, parentOperator: string | undefined): boolean =>
  parentOperator !== undefined && node.kind === 'binary' && node.operator === parentOperator;

const associative = (operator: string): string | undefined =>
  operator === 'AND' || operator === 'OR' ? operator : undefined;

export function writeExpression(w: CanonicalWriter, expression: Expression, parentOperator?: string): void {
  if (!isChained(expression)) {
    writeSimple(w, expression);
    return;
  }
  const chain: Chained[] = [];
  const closes: boolean[] = [];
  let outer = parentOperator;
  let at: Expression = expression;
  while (isChained(at)) {
    const isOpen = !flattens(at, outer);
    if (isOpen) w.out += '(';
    chain.push(at);
    closes.push(isOpen);
    outer = at.kind === 'binary' ? associative(at.operator) : undefined;
    at = firstOperand(at);
  }
  writeSimple(w, at);
  for (let i = chain.length - 1; i >= 0; i--) {
    writeTail(w, chain[i] as Chained);
    if (closes[i]) w.out += ')';
  }
}

/** What follows the first operand. */
function writeTail(w: CanonicalWriter, node: Chained): void {
  switch (node.kind) {
    case 'binary':
      w.out += ` ${node.operator} `;
      writeExpression(w, node.right, associative(node.operator));
      return;
    case 'like':
      w.out += ` ${node.negated ? 'not ' : ''}${node.operator.toUpperCase()} ${node.quantifier ?? ''}`;
      writeExpression(w, node.pattern);
      if (node.escape !== undefined) {
        w.out += ' escape ';
        writeExpression(w, node.escape);
      }
      return;
    case 'between':
      w.out += ` ${node.negated ? 'not ' : ''}between${node.symmetric ? ' symmetric' : ''} `;
      writeExpression(w, node.low);
      w.out += ' to ';
      writeExpression(w, node.high);
      return;
    case 'in':
      w.out += node.negated ? ' not in ' : ' in ';
      writeSet(w, node.set);
      return;
    case 'is':
      w.out += ` is ${node.negated ? 'not ' : ''}${node.test}`;
      return;
    case 'cast':
      // In DuckDB and PostgreSQL DATE '…' is CAST('…' AS DATE); others check typed literals differently.
      w.out += node.isTry
        ? ' try::'
        : node.form === 'literal' && w.dialect !== 'duckdb' && w.dialect !== 'postgres'
          ? ' literal::'
          : ' ::';
      writeType(w, node.type);
      if (node.format !== undefined) {
        w.out += ' format ';
        writeExpression(w, node.format);
      }
      return;
    case 'subscript':
      w.out += node.isSlice ? ' slice[' : ' at[';
      if (node.index !== undefined) writeExpression(w, node.index);
      w.out += ':';
      if (node.upper !== undefined) writeExpression(w, node.upper);
      w.out += ':';
      if (node.step !== undefined) writeExpression(w, node.step);
      w.out += ']';
      return;
    case 'field':
      w.out += node.isVariantPath ? ' :' : ' .';
      writeName(w, node.field);
      return;
    case 'at-time-zone':
      w.out += ' at time zone ';
      writeExpression(w, node.zone);
      return;
    case 'collate':
      w.out += ' collate ';
      writeNames(w, node.collation);
      return;
    default:
      unreachable(node);
  }
}

function writeSet(w: CanonicalWriter, set: In['set']): void {
  if (set.kind === 'list') writeExpressions(w, set.items);
  else if (set.kind === 'expression') writeExpression(w, set.expression);
  else {
    w.out += '{';
    w.query(w, set.query);
    w.out += '}';
  }
}

function writeSimple(w: CanonicalWriter, node: Exclude<Expression, Chained>): void {
  switch (node.kind) {
    case 'column':
      for (const part of node.qualifiers) {
        writeName(w, part);
        w.out += '.';
      }
      writeName(w, node.name);
      return;
    case 'star':
      writeStar(w, node);
      return;
    case 'literal':
      writeLiteral(w, node);
      return;
    case 'parameter':
      w.out += `?${node.text};`;
      return;
    case 'interval':
      w.out += 'interval(';
      writeExpression(w, node.value);
      w.out += node.unit === undefined ? ')' : ` ${node.unit.toLowerCase()})`;
      return;
    case 'unary':
      w.out += `(${node.operator} `;
      writeExpression(w, node.operand);
      w.out += ')';
      return;
    case 'case':
      w.out += 'case(';
      if (node.operand !== undefined) writeExpression(w, node.operand);
      for (const branch of node.whens) {
        w.out += ' when ';
        writeExpression(w, branch.when);
        w.out += ' then ';
        writeExpression(w, branch.then);
      }
      // No ELSE is ELSE NULL.
      if (
        node.otherwise !== undefined &&
        !(node.otherwise.kind === 'literal' && node.otherwise.type === 'null')
      ) {
        w.out += ' else ';
        writeExpression(w, node.otherwise);
      }
      w.out += ')';
      return;
    case 'call':
      writeCall(w, node);
      return;
    case 'exists':
      w.out += 'exists{';
      w.query(w, node.query);
      w.out += '}';
      return;
    case 'subquery':
      w.out += `${node.quantifier === 'SOME' ? 'ANY' : (node.quantifier ?? '')}{`;
      w.query(w, node.query);
      w.out += '}';
      return;
    case 'list':
      w.out += 'list';
      writeExpressions(w, node.items);
      return;
    case 'tuple':
      w.out += 'row';
      writeExpressions(w, node.items);
      return;
    case 'struct':
      w.out += 'struct[';
      for (const field of node.fields) {
        if (field.name !== undefined) writeExactName(w, field.name);
        w.out += ':';
        writeExpression(w, field.value);
        w.out += ',';
      }
      w.out += ']';
      return;
    case 'map':
      w.out += 'map[';
      for (const entry of node.entries) {
        writeExpression(w, entry.key);
        w.out += ':';
        writeExpression(w, entry.value);
        w.out += ',';
      }
      w.out += ']';
      return;
    case 'lambda':
      w.out += 'lambda';
      writeNames(w, node.parameters);
      writeExpressions(w, [node.body]);
      return;
    case 'comprehension':
      w.out += 'for[';
      writeExpression(w, node.result);
      w.out += ' for ';
      writeName(w, node.variable);
      if (node.index !== undefined) {
        w.out += ' at ';
        writeName(w, node.index);
      }
      w.out += ' in ';
      writeExpression(w, node.source);
      if (node.condition !== undefined) {
        w.out += ' if ';
        writeExpression(w, node.condition);
      }
      w.out += ']';
      return;
    default:
      unreachable(node);
  }
}

function writeStar(w: CanonicalWriter, star: Star): void {
  for (const part of star.qualifiers) {
    writeName(w, part);
    w.out += '.';
  }
  w.out += '*';
  if (star.exclude.length > 0) {
    w.out += 'exclude[';
    for (const column of star.exclude) {
      writePath(w, [...(column.qualifiers ?? []), column]);
      w.out += ',';
    }
    w.out += ']';
  }
  if (star.replace.length > 0) {
    w.out += 'replace';
    writeProjections(w, star.replace);
  }
  if (star.rename.length > 0) {
    w.out += 'rename[';
    for (const { from, to } of star.rename) {
      writeName(w, from);
      w.out += ' as ';
      writeName(w, to);
      w.out += ',';
    }
    w.out += ']';
  }
}

function writeCall(w: CanonicalWriter, call: Call): void {
  for (const part of call.qualifiers) {
    writeName(w, part);
    w.out += '.';
  }
  writeName(w, call.name);
  if (call.syntax !== 'plain') w.out += call.syntax;
  w.out += call.isDistinct ? '(distinct ' : '(';
  if (call.isStar) w.out += '*';
  if (call.syntax === 'extract') writeUnit(w, call);
  else for (const argument of call.arguments) writeArgument(w, argument);
  if (call.modifier !== undefined) w.out += ` modifier ${canonicalTokens(call.modifier, w.dialect)}`;
  if (call.orderBy.length > 0) {
    w.out += 'order';
    writeOrder(w, call.orderBy);
  }
  w.out += ')';
  if (call.withinGroup.length > 0) {
    w.out += 'within';
    writeOrder(w, call.withinGroup);
  }
  if (call.filter !== undefined) {
    w.out += 'filter';
    writeExpressions(w, [call.filter]);
  }
  // RESPECT NULLS is what happens without a word.
  if (call.nulls === 'IGNORE') w.out += 'ignore nulls';
  if (call.over !== undefined) {
    w.out += 'over';
    if (isWindow(call.over)) writeWindow(w, call.over);
    else writeName(w, call.over);
  }
}

/** The unit of EXTRACT is a word, so its case means nothing. */
function writeUnit(w: CanonicalWriter, call: Call): void {
  const [unit, ...rest] = call.arguments;
  if (unit?.value.kind === 'literal') w.out += `${unit.value.text.toLowerCase()},`;
  else if (unit !== undefined) writeArgument(w, unit);
  for (const argument of rest) writeArgument(w, argument);
}

const isWindow = (over: WindowSpec | Identifier): over is WindowSpec => 'partitionBy' in over;

function writeArgument(w: CanonicalWriter, argument: Argument): void {
  if (argument.name !== undefined) {
    writeName(w, argument.name);
    w.out += ':=';
  }
  writeExpression(w, argument.value);
  w.out += ',';
}

export function writeExpressions(w: CanonicalWriter, expressions: readonly Expression[]): void {
  w.out += '[';
  for (const expression of expressions) {
    writeExpression(w, expression);
    w.out += ',';
  }
  w.out += ']';
}

export function writeProjections(w: CanonicalWriter, projections: readonly Projection[]): void {
  w.out += '[';
  for (const projection of projections) {
    writeExpression(w, projection.expression);
    if (projection.alias !== undefined) {
      w.out += ' as ';
      writeName(w, projection.alias);
    }
    w.out += ',';
  }
  w.out += ']';
}

export function writeGroups(w: CanonicalWriter, items: readonly GroupItem[]): void {
  w.out += '[';
  for (const item of items) {
    if (item.kind === 'expression') writeExpression(w, item.expression);
    else {
      w.out += item.kind;
      writeGroups(w, item.items);
    }
    w.out += ',';
  }
  w.out += ']';
}

export function writeOrder(w: CanonicalWriter, items: readonly OrderItem[]): void {
  w.out += '[';
  for (const item of items) {
    writeExpression(w, item.expression);
    if (item.direction === 'DESC') w.out += ' desc';
    if (item.nulls !== undefined) w.out += item.nulls === 'FIRST' ? ' nulls first' : ' nulls last';
    w.out += ',';
  }
  w.out += ']';
}

export function writeWindow(w: CanonicalWriter, spec: WindowSpec): void {
  w.out += '{';
  if (spec.base !== undefined) writeName(w, spec.base);
  if (spec.partitionBy.length > 0) {
    w.out += 'partition';
    writeExpressions(w, spec.partitionBy);
  }
  if (spec.orderBy.length > 0) {
    w.out += 'order';
    writeOrder(w, spec.orderBy);
  }
  const { frame } = spec;
  if (frame !== undefined) {
    // A frame with only a start ends at the current row.
    const end = frame.end ?? { kind: 'current-row' };
    w.out += `${frame.unit} ${frame.start.kind}`;
    if (frame.start.offset !== undefined) writeExpressions(w, [frame.start.offset]);
    w.out += ` to ${end.kind}`;
    if (end.offset !== undefined) writeExpressions(w, [end.offset]);
    if (frame.exclude !== undefined) w.out += ` exclude ${frame.exclude}`;
  }
  w.out += '}';
}
