/*
 * Functions whose answer is as large as a number says. Untrusted callers have to write that number in the text, so that it can be checked:
 * the engine would find out only when its memory is gone. What grows step by step (s || s, over and over) is left to its limits.
 */
import type { Call, Expression } from '../../../foundation/sql/tree.ts';
import { walk } from '../../../foundation/sql/walk.ts';
import { DAY_MS } from '../../../foundation/time/civil.ts';
import { addDuration, parseDuration } from '../../../foundation/time/duration.ts';
import { parseWrittenTime } from '../../../foundation/time/relative-date.ts';
import { isClockFunction } from './allowed-functions.ts';

const LENGTH_MAX = 10_000;
const REPEATS_MAX = 100;
const ROWS_MAX = 10_000_000;
const TEMPLATE_MAX = 1_000;
/** Widths and precisions of four digits, or taken from another argument, in either language of templates. */
const WIDE = /%[^a-z%]*(?:\d{4}|\*)|\{[^}]*(?:\d{4}|\{)/i;
/** Functions that stand in a FROM with as many rows as their arguments say. */
const SERIES: ReadonlySet<string> = new Set(['range', 'generate_series']);

/** Why a call is too large, or cannot be seen not to be; undefined for all others. */
export function sizeProblem(call: Call): string | undefined {
  const name = call.name.name.toLowerCase();
  const at = (i: number): Expression | undefined => call.arguments[i]?.value;
  switch (name) {
    case 'lpad':
    case 'rpad':
      return isAtMost(at(1), LENGTH_MAX) ? undefined : `its length must be a number up to ${LENGTH_MAX}`;
    case 'repeat': {
      if (!isAtMost(at(1), REPEATS_MAX)) return `it must say how often, up to ${REPEATS_MAX} times`;
      return hasCall(at(0), 'repeat') ? 'it cannot repeat what is repeated' : undefined;
    }
    case 'printf':
    case 'format': {
      const template = at(0);
      if (template?.kind !== 'literal' || template.text.length > TEMPLATE_MAX)
        return `its template must be a text of up to ${TEMPLATE_MAX} characters that is written there`;
      return WIDE.test(template.text)
        ? 'its template has a width that is large or not written there'
        : undefined;
    }
    default:
      return undefined;
  }
}

/** The same for a function in a FROM. */
export function rowsProblem(call: Call): string | undefined {
  if (!SERIES.has(call.name.name.toLowerCase())) return undefined;
  const [first, second, third] = call.arguments.map(({ value }) => constantOf(value));
  const [from, to] = call.arguments.length === 1 ? [{ low: 0, high: 0 }, first] : [first, second];
  const step = call.arguments.length < 3 ? 1 : third?.step;
  const rows =
    from === undefined || to === undefined || step === undefined || step === 0
      ? Number.NaN
      : (step > 0 ? to.high - from.low : to.low - from.high) / step;
  return rows <= ROWS_MAX
    ? undefined
    : `it must begin, step and end at values that are written there, with up to ${ROWS_MAX} rows`;
}

/** Lists made in lists made in lists grow with every level, where no limit of the engine sees them. */
export function hasNestedLists(node: Extract<Expression, { kind: 'lambda' | 'comprehension' }>): boolean {
  let isNested = false;
  walk(node, (each) => {
    if (each !== node && (each.kind === 'lambda' || each.kind === 'comprehension')) isNested = true;
    return isNested ? false : undefined;
  });
  return isNested;
}

function isAtMost(value: Expression | undefined, most: number): boolean {
  return value?.kind === 'literal' && value.type === 'number' && Number(value.text) <= most;
}

function hasCall(tree: Expression | undefined, name: string): boolean {
  let isFound = false;
  if (tree !== undefined)
    walk(tree, (node) => {
      isFound ||= node.kind === 'call' && node.name.name.toLowerCase() === name;
    });
  return isFound;
}

/** Where a value lies on a line of numbers or of milliseconds, and how far it is as a step. */
interface Constant {
  readonly low: number;
  readonly high: number;
  readonly step?: number;
}

const UNKNOWN: Constant = { low: Number.NaN, high: Number.NaN };
/** Every present time that will be asked at. */
const PRESENT: Constant = { low: 0, high: Date.UTC(2100, 0, 1) };

function constantOf(value: Expression): Constant {
  switch (value.kind) {
    case 'literal': {
      if (value.type === 'number') return numberAt(Number(value.text));
      const time = value.type === 'string' ? parseWrittenTime(value.text) : undefined;
      return time?.kind === 'written' ? { low: time.wall, high: time.wall } : UNKNOWN;
    }
    case 'unary': {
      const { step } = constantOf(value.operand);
      return value.operator === '-' && step !== undefined ? numberAt(-step) : UNKNOWN;
    }
    case 'cast':
      return constantOf(value.operand);
    case 'call':
      return isClockFunction(value.name.name) && value.arguments.length === 0 ? PRESENT : UNKNOWN;
    case 'interval': {
      const { value: amount, unit } = value;
      if (amount.kind !== 'literal') return UNKNOWN;
      const duration = parseDuration(unit === undefined ? amount.text : `${amount.text} ${unit}`);
      return duration.kind === 'duration' ? { ...UNKNOWN, step: addDuration(0, duration) } : UNKNOWN;
    }
    case 'binary':
      return moved(value);
    default:
      return UNKNOWN;
  }
}

const numberAt = (at: number): Constant => ({ low: at, high: at, step: at });

/** A time and a duration, or a day and a number of days. */
function moved({ operator, left, right }: Extract<Expression, { kind: 'binary' }>): Constant {
  const from = constantOf(left);
  const { step } = constantOf(right);
  const sign = operator === '+' ? 1 : operator === '-' ? -1 : Number.NaN;
  if (step === undefined || from.step !== undefined) return UNKNOWN;
  const by = sign * (right.kind === 'interval' ? step : step * DAY_MS);
  return { low: from.low + by, high: from.high + by };
}
