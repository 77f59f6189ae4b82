/*
 * AT TIME ZONE has two meanings, distinguished by the type of its operand. A translation to a dialect without the operator needs to
 * see which one it is:
 *
 *   (x AT TIME ZONE 'UTC') AT TIME ZONE z   the wall clock in z of a timestamp that means UTC
 *   CAST(x AS TIMESTAMPTZ) AT TIME ZONE z   the wall clock in z of an instant
 */
import { type Chained, firstOperand } from '../canonical/chained.ts';
import type { AtTimeZone } from '../tree.ts';
import { LEVEL } from './levels.ts';
import { captured, type Printer, refuse } from './printer.ts';

const OPERATORS: ReadonlySet<string> = new Set(['duckdb', 'postgres', 'redshift', 'generic']);

/** The operand the writer goes on with: both conversions of a UTC timestamp are one in a dialect that says it by a call. */
export function nextOperand(p: Printer, node: Chained): ReturnType<typeof firstOperand> {
  const operand = firstOperand(node);
  return node.kind === 'at-time-zone' && usesCall(p) && isOfUtc(node)
    ? firstOperand(operand as Chained)
    : operand;
}

const usesCall = (p: Printer): boolean => p.isTranslating && p.target.wallClock !== undefined;

function isOfUtc({ operand }: AtTimeZone): boolean {
  return operand.kind === 'at-time-zone' && operand.zone.kind === 'literal' && operand.zone.text === 'UTC';
}

function isOfInstant({ operand }: AtTimeZone): boolean {
  return operand.kind === 'cast' && /^TIMESTAMPTZ$|^TIMESTAMP WITH TIME ZONE$/.test(operand.type.name);
}

/** What stands before the operand. */
export function writeZoneHead(p: Printer, node: AtTimeZone): void {
  if (usesCall(p)) p.out += zoneWords(p, node)[0];
}

/** What follows it. */
export function writeZoneTail(p: Printer, node: AtTimeZone): void {
  if (usesCall(p)) {
    p.out += zoneWords(p, node)[1];
    return;
  }
  if (p.isTranslating && !OPERATORS.has(p.to)) refuse(p, 'AT TIME ZONE', node.span);
  p.out += ` AT TIME ZONE ${zoneText(p, node)}`;
}

function zoneText(p: Printer, { zone }: AtTimeZone): string {
  return captured(p, () => p.expression(p, zone, LEVEL.postfix));
}

function zoneWords(p: Printer, node: AtTimeZone): readonly [head: string, tail: string] {
  const isKnown = isOfUtc(node) || isOfInstant(node);
  if (!isKnown) refuse(p, 'AT TIME ZONE of a time whose type is not written', node.span);
  const template = isOfInstant(node) ? p.target.wallClock?.ofInstant : p.target.wallClock?.ofUtc;
  const [head = '', tail = ''] = (template ?? '')
    .split('$1')
    .map((part) => part.replace('$2', () => zoneText(p, node)));
  return [head, tail];
}
