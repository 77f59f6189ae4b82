import type { Expression, FrameBound, Identifier, OrderItem, WindowFrame, WindowSpec } from '../tree.ts';
import {
  accept,
  acceptTwo,
  advance,
  type Cursor,
  type Draft,
  expect,
  fail,
  peek,
  takeName,
} from './cursor.ts';
import { isName } from './keywords.ts';
import { OPERATOR } from './precedence.ts';

/** Expressions separated by commas. */
export function parseList(c: Cursor): Expression[] {
  const items: Expression[] = [];
  do items.push(c.grammar.expression(c));
  while (accept(c, ','));
  return items;
}

/** What follows ORDER BY. */
export function parseOrderItems(c: Cursor): OrderItem[] {
  const items: OrderItem[] = [];
  do {
    const item: Draft<OrderItem> = { expression: c.grammar.expression(c) };
    if (accept(c, 'ASC')) item.direction = 'ASC';
    else if (accept(c, 'DESC')) item.direction = 'DESC';
    const nulls = parseNullsOrder(c);
    if (nulls !== undefined) item.nulls = nulls;
    items.push(item);
  } while (accept(c, ','));
  return items;
}

/** `NULLS FIRST | LAST`. */
export function parseNullsOrder(c: Cursor): 'FIRST' | 'LAST' | undefined {
  if (acceptTwo(c, 'NULLS', 'FIRST')) return 'FIRST';
  if (acceptTwo(c, 'NULLS', 'LAST')) return 'LAST';
  return undefined;
}

/** After OVER: a window's name or its specification in parentheses. */
export function parseOver(c: Cursor): WindowSpec | Identifier {
  return c.key === '(' ? parseWindowSpec(c) : takeName(c, 'a window name or “(”');
}

/** `(base PARTITION BY … ORDER BY … ROWS …)`. */
export function parseWindowSpec(c: Cursor): WindowSpec {
  expect(c, '(');
  const spec: Draft<WindowSpec> = { partitionBy: [], orderBy: [] };
  if (isName(c.key) && !(c.key === 'PARTITION' && peek(c, 1) === 'BY') && !isFrameUnit(c.key))
    spec.base = takeName(c, 'a window name');
  if (acceptTwo(c, 'PARTITION', 'BY')) spec.partitionBy = parseList(c);
  if (acceptTwo(c, 'ORDER', 'BY')) spec.orderBy = parseOrderItems(c);
  if (isFrameUnit(c.key)) spec.frame = parseFrame(c);
  expect(c, ')');
  return spec;
}

function isFrameUnit(key: string): key is WindowFrame['unit'] {
  return key === 'ROWS' || key === 'RANGE' || key === 'GROUPS';
}

function parseFrame(c: Cursor): WindowFrame {
  const unit = c.key as WindowFrame['unit'];
  advance(c);
  const frame: Draft<WindowFrame> = { unit, start: { kind: 'current-row' } };
  if (accept(c, 'BETWEEN')) {
    frame.start = parseBound(c);
    expect(c, 'AND');
    frame.end = parseBound(c);
  } else frame.start = parseBound(c);
  if (accept(c, 'EXCLUDE')) frame.exclude = parseExclusion(c);
  return frame;
}

function parseBound(c: Cursor): FrameBound {
  if (acceptTwo(c, 'UNBOUNDED', 'PRECEDING')) return { kind: 'unbounded-preceding' };
  if (acceptTwo(c, 'UNBOUNDED', 'FOLLOWING')) return { kind: 'unbounded-following' };
  if (acceptTwo(c, 'CURRENT', 'ROW')) return { kind: 'current-row' };
  const offset = c.grammar.operand(c, OPERATOR);
  if (accept(c, 'PRECEDING')) return { kind: 'preceding', offset };
  if (accept(c, 'FOLLOWING')) return { kind: 'following', offset };
  return fail(c, 'PRECEDING or FOLLOWING');
}

function parseExclusion(c: Cursor): string {
  if (acceptTwo(c, 'CURRENT', 'ROW')) return 'CURRENT ROW';
  if (acceptTwo(c, 'NO', 'OTHERS')) return 'NO OTHERS';
  if (accept(c, 'GROUP')) return 'GROUP';
  if (accept(c, 'TIES')) return 'TIES';
  return fail(c, 'CURRENT ROW, GROUP, TIES or NO OTHERS');
}
