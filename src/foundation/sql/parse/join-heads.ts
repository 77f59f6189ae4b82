import type { Join } from '../tree.ts';
import {
  accept,
  advance,
  type Cursor,
  type Draft,
  fail,
  peek,
  spanFrom,
  startOf,
  takeNameList,
} from './cursor.ts';
import { UNARY } from './precedence.ts';

/** What the words before a joined table say. */
export interface JoinHead {
  readonly type: Join['type'];
  readonly natural: boolean;
  readonly asof: boolean;
  readonly isApply: boolean;
}

/** Engines that read a join without a condition as a cross join. */
const MAY_LACK_CONDITION = new Set([
  'mysql',
  'snowflake',
  'spark',
  'databricks',
  'sqlite',
  'clickhouse',
  'generic',
  'bigquery',
]);

/** ON, USING, and Snowflake's MATCH_CONDITION, which is one more condition. */
export function parseCondition(c: Cursor, join: Draft<Join>, isNeeded: boolean): void {
  const start = startOf(c);
  const match = accept(c, 'MATCH_CONDITION') ? c.grammar.operand(c, UNARY) : undefined;
  if (accept(c, 'ON')) join.on = c.grammar.expression(c);
  else if (c.key === 'USING' && peek(c, 1) === '(') {
    advance(c);
    join.using = takeNameList(c, 'a column name');
  } else if (
    isNeeded &&
    match === undefined &&
    !c.joinsMayLackCondition &&
    !MAY_LACK_CONDITION.has(c.dialect)
  )
    fail(c, 'ON or USING');
  if (match === undefined) return;
  const { on } = join;
  join.on =
    on === undefined
      ? match
      : { kind: 'binary', operator: 'AND', left: match, right: on, span: spanFrom(c, start) };
}

/** Whether a join begins here; the cursor stays. */
export function beginsJoin(c: Cursor): boolean {
  const { at, key } = c;
  const head = parseJoinHead(c);
  c.at = at;
  c.key = key;
  return head !== undefined;
}

const JOIN_TYPES: Readonly<Record<string, Join['type']>> = {
  INNER: 'inner',
  LEFT: 'left',
  RIGHT: 'right',
  FULL: 'full',
  CROSS: 'cross',
  SEMI: 'semi',
  ANTI: 'anti',
  POSITIONAL: 'positional',
};

/** NATURAL, ASOF, a type, OUTER and JOIN; undefined, without moving, when no join begins here. */
export function parseJoinHead(c: Cursor): JoinHead | undefined {
  if (accept(c, 'JOIN') || accept(c, 'STRAIGHT_JOIN'))
    return { type: 'inner', natural: false, asof: false, isApply: false };
  const { at, key } = c;
  const natural = accept(c, 'NATURAL');
  const asof = accept(c, 'ASOF');
  let type: Join['type'] = JOIN_TYPES[c.key] ?? 'inner';
  if (c.key in JOIN_TYPES) advance(c);
  else if (c.key === 'OUTER' && peek(c, 1) === 'APPLY') type = 'left';
  if (c.key === 'OUTER') advance(c);
  else if (c.key === 'SEMI' || c.key === 'ANTI') {
    type = c.key === 'SEMI' ? 'semi' : 'anti';
    advance(c);
  }
  if (c.at > at && accept(c, 'JOIN')) return { type, natural, asof, isApply: false };
  if (c.at > at && accept(c, 'APPLY')) return { type, natural, asof, isApply: true };
  c.at = at;
  c.key = key;
  return undefined;
}
