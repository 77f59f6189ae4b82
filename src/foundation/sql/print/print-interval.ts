import type { Expression, IntervalLiteral } from '../tree.ts';
import { LEVEL } from './levels.ts';
import { stringText } from './print-name.ts';
import { type Printer, refuse } from './printer.ts';

/** An interval taken apart: how many of which unit; the amount is text when it is a constant. */
export interface IntervalParts {
  readonly amount: string | Expression;
  /** Upper-case and singular. */
  readonly unit: string;
}

const WRITTEN = /^\s*(-?\d+(?:\.\d+)?)\s+([a-z]+?)s?\s*$/i;
const UNITS: Readonly<Record<string, string>> = {
  mon: 'MONTH',
  min: 'MINUTE',
  hr: 'HOUR',
  sec: 'SECOND',
  yr: 'YEAR',
  centurie: 'CENTURY',
  h: 'HOUR',
  d: 'DAY',
};

/** Amount and unit of `INTERVAL '3 days'`, `INTERVAL 3 DAY` and the like; undefined for compound ones. */
export function intervalParts({ value, unit }: IntervalLiteral): IntervalParts | undefined {
  if (unit !== undefined) {
    if (!/^[a-z]+$/.test(unit)) return undefined;
    const isConstant =
      value.kind === 'literal' && (value.type === 'number' || /^\s*-?\d+\s*$/.test(value.text));
    return { amount: isConstant ? value.text.trim() : value, unit: singular(unit) };
  }
  const written = value.kind === 'literal' ? WRITTEN.exec(value.text) : null;
  return written === null
    ? undefined
    : { amount: written[1] as string, unit: singular(written[2] as string) };
}

function singular(unit: string): string {
  const base = unit.toLowerCase().replace(/s$/, '');
  return UNITS[base] ?? base.toUpperCase();
}

export function writeInterval(p: Printer, node: IntervalLiteral): void {
  if (!p.isTranslating) {
    writeAsIs(p, node);
    return;
  }
  const parts = intervalParts(node);
  if (parts === undefined || p.target.interval === 'none' || p.target.interval === 'dateadd') {
    refuse(p, 'this interval', node.span);
    writeAsIs(p, node);
    return;
  }
  const { amount, unit } = parts;
  if (typeof amount !== 'string') {
    writeVariable(p, amount, unit);
    return;
  }
  switch (p.target.interval) {
    case 'string':
      p.out += `INTERVAL '${amount} ${unit}'`;
      return;
    case 'quoted-number':
      p.out += `INTERVAL ${amount.startsWith('-') ? '-' : ''}'${amount.replace(/^-/, '')}' ${unit}`;
      return;
    case 'number':
      p.out += `INTERVAL ${amount} ${unit}`;
  }
}

/** An amount that is computed: as it is where INTERVAL takes an expression, else a multiple of one unit. */
function writeVariable(p: Printer, amount: Expression, unit: string): void {
  const takesAny = p.to === 'mysql' || p.to === 'bigquery' || p.to === 'clickhouse';
  if (takesAny) {
    p.out += 'INTERVAL (';
    p.expression(p, amount);
    p.out += `) ${unit}`;
    return;
  }
  p.out += '(';
  p.expression(p, amount, LEVEL.sign);
  p.out += p.target.interval === 'string' ? ` * INTERVAL '1 ${unit}')` : ` * INTERVAL '1' ${unit})`;
}

function writeAsIs(p: Printer, { value, unit }: IntervalLiteral): void {
  p.out += 'INTERVAL ';
  if (value.kind === 'literal') p.out += value.type === 'string' ? stringText(p, value.text) : value.text;
  else {
    p.out += '(';
    p.expression(p, value);
    p.out += ')';
  }
  if (unit !== undefined) p.out += ` ${unit.toUpperCase()}`;
}
