import type { Operator } from '../call.ts';
import { haversineDistance, safeAdd, safeDiv, safeSub, surrogateKey } from './arithmetic.ts';
import { pivot, star, union } from './columns.ts';
import {
  and,
  blueprintVar,
  clauseSwitch,
  define,
  evaluateMacro,
  ifMacro,
  or,
  resolveTemplate,
  sql,
  variable,
} from './control.ts';
import { each, filter, reduce } from './lists.ts';
import { dateSpine, deduplicate } from './queries.ts';

const OPERATORS: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ['def', define],
  ['var', variable],
  ['blueprint_var', blueprintVar],
  ['if', ifMacro],
  ['eval', evaluateMacro],
  ['sql', sql],
  ['and', and],
  ['or', or],
  ['resolve_template', resolveTemplate],
  ['each', each],
  ['filter', filter],
  ['reduce', reduce],
  ['star', star],
  ['union', union],
  ['pivot', pivot],
  ['deduplicate', deduplicate],
  ['date_spine', dateSpine],
  ['generate_surrogate_key', surrogateKey],
  ['safe_add', safeAdd],
  ['safe_sub', safeSub],
  ['safe_div', safeDiv],
  ['haversine_distance', haversineDistance],
]);

const SWITCHES: ReadonlySet<string> = new Set([
  'with',
  'join',
  'where',
  'group_by',
  'having',
  'order_by',
  'limit',
]);

/** Names of all macros that are built in, switches apart; for hints. */
export const OPERATOR_NAMES: readonly string[] = [...OPERATORS.keys()];

/** The built-in macro of a lower-case name. */
export function operatorOf(name: string): Operator | undefined {
  return SWITCHES.has(name) ? clauseSwitch : OPERATORS.get(name);
}
