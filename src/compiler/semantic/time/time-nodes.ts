import type { Expression } from '../../../foundation/sql/tree.ts';
import { isoDate, sqlTimestamp } from '../../../foundation/time/iso.ts';
import { NOWHERE, numberLiteral, textLiteral, typeName } from '../tree-nodes.ts';
import type { TimeType } from './granularity.ts';

export function atTimeZone(operand: Expression, zone: string): Expression {
  return { kind: 'at-time-zone', operand, zone: textLiteral(zone), span: NOWHERE };
}

/** `INTERVAL 3 DAY`, or of a computed size. */
export function interval(amount: number | Expression, unit: string): Expression {
  return {
    kind: 'interval',
    value: typeof amount === 'number' ? numberLiteral(amount) : amount,
    unit,
    span: NOWHERE,
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
    operand: textLiteral(written),
    type: typeName(type),
    span: NOWHERE,
  };
}
