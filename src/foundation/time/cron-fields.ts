/*
 * Cron text → sets of numbers, and back to one canonical spelling in which every field is `*` or a list. It reads what
 * SQLMesh projects carry (`0/15`, `FRI-MON`, `L5`) and, where it cannot, names the part and what was expected there:
 *
 *   'MON-FRI' → 1,2,3,4,5      '10/20' → 10,30,50      '22-2' → 0,1,2,22,23      '@weekly' → 0 0 * * 0
 */
import { civilFromDays, DAY_MS, daysFromCivil, daysInMonth, MINUTE_MS, weekdayOfDays } from './civil.ts';
import { quoted, type TimeProblem, timeProblem } from './time-problem.ts';

/** A schedule as sets; days match by `OR` when both day fields are restricted, as in every cron since Version 7. */
export interface CronFields {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly months: readonly number[];
  readonly monthDays: {
    readonly isAny: boolean;
    readonly days: readonly number[];
    readonly hasLast: boolean;
    readonly nearestWeekdays: readonly number[];
  };
  readonly weekdays: {
    readonly isAny: boolean;
    readonly days: readonly number[];
    readonly nth: readonly { readonly weekday: number; readonly nth: number }[];
    readonly last: readonly number[];
  };
}

const ALIASES: ReadonlyMap<string, string> = new Map([
  ['@hourly', '0 * * * *'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@weekly', '0 0 * * 0'],
  ['@monthly', '0 0 1 * *'],
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
]);

interface FieldRule {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** How many different values there are; weekdays are written 0 to 7 and 7 is 0. */
  readonly size: number;
  readonly names: readonly string[];
}

const MONTH_NAMES = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const DAY_NAMES = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const RULES: readonly FieldRule[] = [
  { name: 'minute', min: 0, max: 59, size: 60, names: [] },
  { name: 'hour', min: 0, max: 23, size: 24, names: [] },
  { name: 'day of month', min: 1, max: 31, size: 31, names: [] },
  { name: 'month', min: 1, max: 12, size: 12, names: MONTH_NAMES },
  { name: 'day of week', min: 0, max: 7, size: 7, names: DAY_NAMES },
];

const SHAPE =
  'five fields (minute, hour, day of month, month, day of week) or @hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually';

interface MutableFields {
  readonly values: Set<number>;
  readonly nearestWeekdays: Set<number>;
  readonly last: Set<number>;
  readonly nth: { readonly weekday: number; readonly nth: number }[];
  hasLast: boolean;
  readonly isStar: boolean;
}

/** Reads cron text into sets, or says which part of it is wrong and what was expected there. */
export function parseCronFields(
  text: string,
): { readonly kind: 'fields'; readonly fields: CronFields } | TimeProblem {
  const bad = (message: string, expected: string, part?: readonly [number, number]): TimeProblem =>
    timeProblem('bad-cron', text, part === undefined ? { message, expected } : { message, expected, part });
  if (text.length > 256) return bad('The cron text is longer than 256 characters.', SHAPE);
  const trimmed = text.trim();
  if (trimmed.startsWith('@')) {
    const pattern = ALIASES.get(trimmed.toLowerCase());
    if (pattern === undefined) return bad(`${quoted(trimmed)} is not a known cron alias.`, SHAPE);
    return parseCronFields(pattern);
  }
  const parts = [...text.matchAll(/\S+/g)];
  if (parts.length !== 5) {
    const count = parts.length === 1 ? '1 field' : `${parts.length} fields`;
    return bad(`${quoted(trimmed)} has ${count}.`, SHAPE);
  }
  const parsed: MutableFields[] = [];
  for (const [i, part] of parts.entries()) {
    const rule = RULES[i]!;
    const field: MutableFields = {
      values: new Set(),
      nearestWeekdays: new Set(),
      last: new Set(),
      nth: [],
      hasLast: false,
      isStar: part[0] === '*' || part[0] === '?',
    };
    let offset = part.index;
    for (const item of part[0].split(',')) {
      const expected = readItem(item.toUpperCase(), rule, field);
      if (expected !== undefined) {
        const what = item === '' ? 'An empty value' : quoted(item);
        return bad(`${what} is not valid as ${rule.name} in ${quoted(trimmed)}.`, expected, [
          offset,
          item.length,
        ]);
      }
      offset += item.length + 1;
    }
    parsed.push(field);
  }
  const [minutes, hours, monthDays, months, weekdays] = parsed as [
    MutableFields,
    MutableFields,
    MutableFields,
    MutableFields,
    MutableFields,
  ];
  // Two restricted day fields are joined by OR, so a full one among them means every day, whatever the other says.
  const isEveryDay =
    (monthDays.values.size === 31 && !monthDays.isStar) || (weekdays.values.size === 7 && !weekdays.isStar);
  return {
    kind: 'fields',
    fields: {
      minutes: ascending(minutes.values),
      hours: ascending(hours.values),
      months: ascending(months.values),
      monthDays: {
        isAny: monthDays.isStar || isEveryDay,
        days: ascending(monthDays.values),
        hasLast: monthDays.hasLast,
        nearestWeekdays: ascending(monthDays.nearestWeekdays),
      },
      weekdays: {
        isAny: weekdays.isStar || isEveryDay,
        days: ascending(weekdays.values),
        nth: weekdays.nth,
        last: ascending(weekdays.last),
      },
    },
  };
}

/** The canonical five fields; equal schedules have equal text, so it can be a cache key. */
export function cronPattern(fields: CronFields): string {
  const { monthDays, weekdays } = fields;
  const list = (values: readonly (number | string)[], size: number): string =>
    values.length === size ? '*' : values.join(',');
  const dayItems = monthDays.isAny
    ? '*'
    : [
        ...monthDays.days,
        ...monthDays.nearestWeekdays.map((day) => `${day}W`),
        ...(monthDays.hasLast ? ['L'] : []),
      ].join(',');
  const weekdayItems = weekdays.isAny
    ? '*'
    : [
        ...weekdays.days,
        ...weekdays.nth.map(({ weekday, nth }) => `${weekday}#${nth}`),
        ...weekdays.last.map((weekday) => `${weekday}L`),
      ].join(',');
  return [
    list(fields.minutes, 60),
    list(fields.hours, 24),
    dayItems,
    list(fields.months, 12),
    weekdayItems,
  ].join(' ');
}

/** Whether the schedule is due on a day (days since 1970) at all. */
export function matchesDay(fields: CronFields, days: number): boolean {
  const { year, month, day } = civilFromDays(days);
  if (!fields.months.includes(month)) return false;
  const { monthDays, weekdays } = fields;
  if (monthDays.isAny && weekdays.isAny) return true;
  const weekday = weekdayOfDays(days);
  const length = daysInMonth(year, month);
  const byWeekday =
    weekdays.days.includes(weekday) ||
    weekdays.nth.some((rule) => rule.weekday === weekday && Math.ceil(day / 7) === rule.nth) ||
    (weekdays.last.includes(weekday) && day + 7 > length);
  if (monthDays.isAny) return byWeekday;
  const first = days - day + 1;
  const byMonthDay =
    monthDays.days.includes(day) ||
    (monthDays.hasLast && day === length) ||
    monthDays.nearestWeekdays.some(
      (target) => target <= length && nearestWeekday(first, target, length) === day,
    );
  return weekdays.isAny ? byMonthDay : byMonthDay || byWeekday;
}

/** The shortest wall-clock time between two ticks; `undefined` when there is no tick at all (30 February). */
export function cronSpacing(fields: CronFields): number | undefined {
  const times = fields.hours.flatMap((hour) => fields.minutes.map((minute) => hour * 60 + minute));
  let shortest = Number.POSITIVE_INFINITY;
  for (let i = 1; i < times.length; i++) shortest = Math.min(shortest, times[i]! - times[i - 1]!);
  const daysApart = rememberedDayGap(fields);
  if (daysApart === undefined) return undefined;
  const overnight = (daysApart * DAY_MS) / MINUTE_MS - (times[times.length - 1]! - times[0]!);
  return Math.min(shortest, overnight) * MINUTE_MS;
}

const dayGaps = new Map<string, number | undefined>();

/** Looking through 28 years takes half a millisecond, and schedules differ in their times more than in their days. */
function rememberedDayGap(fields: CronFields): number | undefined {
  const key = cronPattern(fields).split(' ').slice(2).join(' ');
  if (!dayGaps.has(key)) {
    if (dayGaps.size >= 1000) dayGaps.clear();
    dayGaps.set(key, shortestDayGap(fields));
  }
  return dayGaps.get(key);
}

/** Over 28 years, after which weekdays and leap days repeat; a lone tick in them counts as 28 years apart. */
function shortestDayGap(fields: CronFields): number | undefined {
  const first = daysFromCivil(2000, 1, 1);
  const end = daysFromCivil(2028, 1, 1);
  let previous: number | undefined;
  let shortest: number | undefined;
  for (let day = first; day < end; day++) {
    if (!matchesDay(fields, day)) continue;
    shortest = Math.min(shortest ?? end - first, previous === undefined ? end - first : day - previous);
    if (shortest === 1) return 1;
    previous = day;
  }
  return shortest;
}

function nearestWeekday(first: number, target: number, length: number): number {
  const weekday = weekdayOfDays(first + target - 1);
  if (weekday === 6) return target === 1 ? 3 : target - 1;
  if (weekday === 0) return target === length ? target - 2 : target + 1;
  return target;
}

/** Adds one comma-separated item to the field; the answer is what was expected when it does not fit. */
function readItem(item: string, rule: FieldRule, field: MutableFields): string | undefined {
  const isMonthDay = rule.name === 'day of month';
  const isWeekday = rule.name === 'day of week';
  const expected = expectedFor(rule);
  if (isMonthDay && item === 'L') {
    field.hasLast = true;
    return undefined;
  }
  if (isMonthDay && item.endsWith('W')) {
    const day = fieldValue(item.slice(0, -1), rule);
    if (day === undefined) return expected;
    field.nearestWeekdays.add(day);
    return undefined;
  }
  if (isWeekday && item.includes('#')) {
    const [name, nth, ...more] = item.split('#');
    const weekday = fieldValue(name!, rule);
    if (weekday === undefined || more.length > 0 || !/^[1-5]$/.test(nth!)) return expected;
    if (!field.nth.some((known) => known.weekday === weekday % 7 && known.nth === Number(nth))) {
      field.nth.push({ weekday: weekday % 7, nth: Number(nth) });
    }
    return undefined;
  }
  if (isWeekday && (/^L.+$/.test(item) || /^.+L$/.test(item))) {
    const weekday = fieldValue(item.startsWith('L') ? item.slice(1) : item.slice(0, -1), rule);
    if (weekday === undefined) return expected;
    field.last.add(weekday % 7);
    return undefined;
  }
  return readRange(item, rule, field.values) ? undefined : expected;
}

function readRange(item: string, rule: FieldRule, values: Set<number>): boolean {
  const [range, stepText, ...more] = item.split('/');
  if (more.length > 0 || range === undefined) return false;
  const step = stepText === undefined ? 1 : /^\d{1,4}$/.test(stepText) ? Number(stepText) : 0;
  if (step < 1) return false;
  const add = (from: number, to: number): void => {
    for (let value = from; value <= to; value += step)
      values.add(((value - rule.min) % rule.size) + rule.min);
  };
  const lastValue = rule.min + rule.size - 1;
  if (range === '*' || (range === '?' && (rule.name === 'day of month' || rule.name === 'day of week'))) {
    add(rule.min, lastValue);
    return true;
  }
  const [fromText, toText, ...rest] = range.split('-');
  const from = fieldValue(fromText!, rule);
  if (from === undefined || rest.length > 0) return false;
  if (toText === undefined) {
    // `10/20` counts from 10 to the end of the field.
    add(from, stepText === undefined ? from : Math.max(from, lastValue));
    return true;
  }
  const to = fieldValue(toText, rule);
  if (to === undefined) return false;
  // 22-2 goes over the end of the field and on from its beginning.
  add(from, from <= to ? to : to + rule.size);
  return true;
}

function fieldValue(text: string, rule: FieldRule): number | undefined {
  const named = rule.names.indexOf(text);
  if (named >= 0) return named + rule.min;
  if (!/^\d{1,2}$/.test(text)) return undefined;
  const value = Number(text);
  return value >= rule.min && value <= rule.max ? value : undefined;
}

function expectedFor(rule: FieldRule): string {
  const names = rule.names.length > 0 ? ` or ${rule.names[0]}-${rule.names[rule.names.length - 1]}` : '';
  const extra =
    rule.name === 'day of month'
      ? ', L (the last day), 15W (the nearest weekday)'
      : rule.name === 'day of week'
        ? ', MON#2 (the second Monday), 5L (the last Friday)'
        : '';
  return `${rule.min}-${rule.max}${names}, *, a range a-b, a step */n or a list${extra}`;
}

function ascending(values: ReadonlySet<number>): readonly number[] {
  return [...values].sort((a, b) => a - b);
}
