/*
 * The proleptic Gregorian calendar as integers: a day is its number since 1970-01-01, a month its number since
 * January 1970. No `Date` object is made, years 1 to 99 are not moved to the 1900s, and every function is O(1).
 */

/** Milliseconds of a UTC day, which has no leap seconds. */
export const DAY_MS = 86_400_000;
/** Milliseconds of an hour. */
export const HOUR_MS = 3_600_000;
/** Milliseconds of a minute. */
export const MINUTE_MS = 60_000;

/** A calendar day without any zone; `month` counts from 1. */
export interface CivilDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

const DAYS_BEFORE_MONTH = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365];

/** True for years with a 29 February. */
export function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** The length of a month, leap years considered; `month` counts from 1. */
export function daysInMonth(year: number, month: number): number {
  if (month === 2 && isLeapYear(year)) return 29;
  return DAYS_BEFORE_MONTH[month]! - DAYS_BEFORE_MONTH[month - 1]!;
}

/** Days since 1970-01-01; `month` and `day` must be valid, callers parse first. */
export function daysFromCivil(year: number, month: number, day: number): number {
  const before = year - 1;
  const leapDays = Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400);
  const afterFebruary = month > 2 && isLeapYear(year) ? 1 : 0;
  return before * 365 + leapDays + DAYS_BEFORE_MONTH[month - 1]! + afterFebruary + day - 1 - 719_162;
}

/** The inverse of `daysFromCivil`. */
export function civilFromDays(days: number): CivilDate {
  // A year that is never too late: 400 years are 146,097 days, so the estimate is off by at most one.
  let year = 1970 + Math.floor((days * 400) / 146_097);
  let first = daysFromCivil(year, 1, 1);
  if (first > days) {
    year -= 1;
    first = daysFromCivil(year, 1, 1);
  } else if (days - first >= (isLeapYear(year) ? 366 : 365)) {
    first += isLeapYear(year) ? 366 : 365;
    year += 1;
  }
  let rest = days - first;
  let month = 1;
  for (; month < 12; month++) {
    const length = daysInMonth(year, month);
    if (rest < length) break;
    rest -= length;
  }
  return { year, month, day: rest + 1 };
}

/** 0 is Sunday and 6 is Saturday, the numbering of cron. */
export function weekdayOfDays(days: number): number {
  return modulo(days + 4, 7);
}

/** Months since January 1970, the number that makes month arithmetic an addition. */
export function monthIndexOfDays(days: number): number {
  const { year, month } = civilFromDays(days);
  return (year - 1970) * 12 + month - 1;
}

/** The first day of a month given by its number since January 1970. */
export function daysFromMonthIndex(index: number): number {
  return daysFromCivil(1970 + Math.floor(index / 12), modulo(index, 12) + 1, 1);
}

/** Adds months to a day and keeps the day of the month, or takes the last one where the month is shorter. */
export function addMonthsToDays(days: number, months: number): number {
  const { year, month, day } = civilFromDays(days);
  const first = daysFromMonthIndex((year - 1970) * 12 + month - 1 + months);
  const target = civilFromDays(first);
  return first + Math.min(day, daysInMonth(target.year, target.month)) - 1;
}

/** The remainder that is never negative, as times before 1970 need. */
export function modulo(value: number, divisor: number): number {
  const rest = value % divisor;
  // `|| 0` turns −0, which prints as "-0" and is not Object.is-equal to 0, into 0.
  return (rest < 0 ? rest + divisor : rest) || 0;
}
