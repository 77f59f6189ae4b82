/** Nodes of the SQL tree as the time functions need them, in DuckDB's vocabulary; they were never text, so their spans are empty. */
import type { Call, Expression, Identifier, Literal, TypeName } from '../../../foundation/sql/tree.ts';
import { isoDate, sqlTimestamp } from '../../../foundation/time/iso.ts';
import type { TimeType } from './granularity.ts';

export const SPAN = { start: 0, end: 0 } as const;

export function identifier(name: string): Identifier {
  return { name, quoted: false, span: SPAN };
}

export function column(name: string, table?: string): Expression {
  return {
    kind: 'column',
    name: identifier(name),
    qualifiers: table === undefined ? [] : [identifier(table)],
    span: SPAN,
  };
}

export function text(value: string): Literal {
  return { kind: 'literal', type: 'string', text: value, span: SPAN };
}

/** A whole number; negative ones are literals, too, which every dialect reads. */
export function integer(value: number): Expression {
  return { kind: 'literal', type: 'number', text: String(value), span: SPAN };
}

export function binary(operator: string, left: Expression, right: Expression): Expression {
  return { kind: 'binary', operator, left, right, span: SPAN };
}

export function call(name: string, values: readonly Expression[]): Call {
  return {
    kind: 'call',
    name: identifier(name),
    qualifiers: [],
    syntax: 'plain',
    arguments: values.map((value) => ({ value })),
    isStar: false,
    isDistinct: false,
    orderBy: [],
    withinGroup: [],
    span: SPAN,
  };
}

export function typeName(name: string): TypeName {
  return { name, parameters: [], fields: [], span: SPAN };
}

export function cast(operand: Expression, type: string): Expression {
  return { kind: 'cast', form: 'cast', isTry: false, operand, type: typeName(type), span: SPAN };
}

export function atTimeZone(operand: Expression, zone: string): Expression {
  return { kind: 'at-time-zone', operand, zone: text(zone), span: SPAN };
}

/** `INTERVAL 3 DAY`, or of a computed size. */
export function interval(amount: number | Expression, unit: string): Expression {
  return {
    kind: 'interval',
    value: typeof amount === 'number' ? integer(amount) : amount,
    unit,
    span: SPAN,
  };
}

/** A constant of the type: milliseconds since 1970 as the column counts them (UTC for timestamps, the day itself for dates). */
export function timeConstant(at: number, type: TimeType): Expression {
  const written =
    type === 'DATE' ? isoDate(at) : type === 'TIMESTAMP' ? sqlTimestamp(at) : `${sqlTimestamp(at)}+00:00`;
  return {
    kind: 'cast',
    form: 'literal',
    isTry: false,
    operand: text(written),
    type: typeName(type),
    span: SPAN,
  };
}
