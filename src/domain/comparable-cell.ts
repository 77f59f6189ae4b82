/**
 * Cells of tests whose text does not say whether they are the same:
 *
 *   JSON      {"a": 1, "b": 2}   is {"b":2,"a":1}
 *   INTERVAL  1 day              is 24:00:00, and 1 month is 30 days, as in DuckDB
 */
import { canonicalJson } from '../foundation/canonical-json.ts';

interface IntervalCell {
  readonly months: number;
  readonly days: number;
  readonly micros: string | number;
}

const DAY_MICROS = 86_400_000_000n;

/** What is the same for cells that mean the same. */
export function comparableCell(cell: unknown, type: string): unknown {
  if (isInterval(cell, type))
    return String(BigInt(cell.months * 30 + cell.days) * DAY_MICROS + BigInt(cell.micros));
  return type.toUpperCase() === 'JSON' && typeof cell === 'string' ? comparableJson(cell) : cell;
}

/** A cell as a person writes it. */
export const shownCell = (cell: unknown, type: string): unknown =>
  isInterval(cell, type) ? intervalText(cell) : cell;

const isInterval = (cell: unknown, type: string): cell is IntervalCell =>
  type.toUpperCase() === 'INTERVAL' && typeof cell === 'object' && cell !== null && 'micros' in cell;

/** As DuckDB writes it: `1 year 2 months -3 days 04:05:06.5`. */
function intervalText({ months, days, micros }: IntervalCell): string {
  const years = Math.trunc(months / 12);
  const time = BigInt(micros);
  const parts = [counted(years, 'year'), counted(months - years * 12, 'month'), counted(days, 'day')].filter(
    (part) => part !== '',
  );
  if (time !== 0n || parts.length === 0) parts.push(timeText(time));
  return parts.join(' ');
}

const counted = (count: number, unit: string): string =>
  count === 0 ? '' : `${count} ${unit}${Math.abs(count) === 1 ? '' : 's'}`;

function timeText(micros: bigint): string {
  const rest = micros < 0n ? -micros : micros;
  const two = (value: bigint): string => String(value).padStart(2, '0');
  const fraction = String(rest % 1_000_000n)
    .padStart(6, '0')
    .replace(/0+$/, '');
  const [hours, minutes, seconds] = [
    rest / 3_600_000_000n,
    (rest / 60_000_000n) % 60n,
    (rest / 1_000_000n) % 60n,
  ];
  const whole = `${two(hours)}:${two(minutes)}:${two(seconds)}`;
  return `${micros < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Keys in one order, without blanks; numbers that no double holds keep their digits. */
function comparableJson(text: string): string {
  try {
    const value: unknown = JSON.parse(text, (_, each: unknown, context?: { readonly source?: string }) =>
      typeof each === 'number' && Number.isInteger(each) && !Number.isSafeInteger(each)
        ? { number: context?.source ?? String(each) }
        : each,
    );
    return canonicalJson(value);
  } catch {
    // A text that is not JSON is the same as itself.
    return text;
  }
}
