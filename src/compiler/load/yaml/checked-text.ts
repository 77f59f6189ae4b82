import { DIALECTS, type Dialect, dialectOf } from '../../../foundation/sql/dialect.ts';
import { parseCron } from '../../../foundation/time/cron.ts';
import { parseDuration } from '../../../foundation/time/duration.ts';
import { parseIntervalUnit } from '../../../foundation/time/interval-unit.ts';
import { parseTime } from '../../../foundation/time/relative-date.ts';
import { parseTimeZone } from '../../../foundation/time/time-zone.ts';
import { text } from '../../../foundation/yaml/scalar-schemas.ts';
import type { Schema } from '../../../foundation/yaml/schema.ts';

/** Text that one of our own readers must understand. */
function checkedText<Value>(
  expected: string,
  check: (text: string) => Value | undefined,
  known: readonly string[] = [],
): Schema<Value> {
  const plain = text({ expected });
  return {
    ...plain,
    read(node, reader) {
      const value = plain.read(node, reader);
      if (value === undefined || node.kind !== 'scalar') return undefined;
      const checked = check(value);
      return checked === undefined ? reader.badValue(node, expected, known) : checked;
    },
  };
}

/** A cron expression or an alias such as @daily, as written. */
export function cronText(): Schema<string> {
  return checkedText('a cron expression such as @daily or 0 6 * * *', (value) =>
    parseCron(value).kind === 'problem' ? undefined : value,
  );
}

/** A duration as written; SQLMesh's "in 1 week" means "1 week". */
export function durationText(): Schema<string> {
  return checkedText('a duration such as 1 week or 26h', (value) => {
    const duration = value.replace(/^in\s+/i, '');
    return parseDuration(duration).kind === 'problem' ? undefined : duration;
  });
}

/** A duration, or `unbounded`. */
export function windowText(): Schema<string> {
  return checkedText('a duration such as 7 days, or unbounded', (value) =>
    value === 'unbounded' || parseDuration(value).kind !== 'problem' ? value : undefined,
  );
}

/** A point in time as written, by the rule of `start` in a MODEL block. */
export function timeText(): Schema<string> {
  return checkedText("a time such as '2024-01-31' or '1 week ago'", (value) =>
    parseTime(value, SOME_NOW).kind === 'problem' ? undefined : value,
  );
}

/** Any fixed moment does: only the form of a relative time is checked here. */
export const SOME_NOW = Date.UTC(2024, 0, 1);

/** A time zone under the name that the calendar has for it. */
export function zoneText(): Schema<string> {
  return checkedText('a time zone such as Europe/Berlin', (value) => {
    const zone = parseTimeZone(value);
    return 'reason' in zone ? undefined : zone.name;
  });
}

/** A unit of intervals. */
export function unitText(): Schema<string> {
  return checkedText('an interval unit such as day', (value) => {
    const unit = parseIntervalUnit(value.toLowerCase());
    return 'reason' in unit ? undefined : unit.unit;
  });
}

/** A dialect; SQLMesh's settings behind a comma are dropped. */
export function dialectText(): Schema<Dialect> {
  return checkedText(
    `one of the dialects ${DIALECTS.join(', ')}`,
    (value) => dialectOf((value.split(',')[0] as string).trim()),
    DIALECTS,
  );
}

export function semanticVersion(): Schema<string> {
  return checkedText('a version such as 1.2.0', (value) =>
    /^\d+\.\d+(\.\d+)?([-+][0-9A-Za-z.+-]+)?$/.test(value) ? value : undefined,
  );
}
