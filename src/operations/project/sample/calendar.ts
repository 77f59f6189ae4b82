// Days are numbered from the first day of the sample (0 = 2023-01-01); earlier days are negative.

const DAY_MS = 86_400_000;
const EPOCH_MS = Date.UTC(2023, 0, 1);

/** Three full years, 2023-01-01 to 2025-12-31; fixed, so that the bytes do not depend on the day of generation. */
export const DAYS_TOTAL = 1096;

/** The day number of an ISO date such as 2024-03-11. */
export function dayOf(isoDate: string): number {
  return Math.round((Date.parse(`${isoDate}T00:00:00Z`) - EPOCH_MS) / DAY_MS);
}

/** The ISO date of a day number. */
export function isoDate(day: number): string {
  return new Date(EPOCH_MS + day * DAY_MS).toISOString().slice(0, 10);
}

/** The month of a day as 0 for January 2023 up to 35 for December 2025. */
export function monthOf(day: number): number {
  const date = new Date(EPOCH_MS + day * DAY_MS);
  return (date.getUTCFullYear() - 2023) * 12 + date.getUTCMonth();
}

/** The ISO date of the first day of a month numbered as in monthOf. */
export function firstOfMonth(month: number): string {
  const year = 2023 + Math.floor(month / 12);
  return `${year}-${twoDigits((month % 12) + 1)}-01`;
}

/** Monday is 0 and Sunday is 6, as weeks start on Monday everywhere in the product. */
export function weekdayOf(day: number): number {
  return (((day + 6) % 7) + 7) % 7; // 2023-01-01 was a Sunday
}

/** A wall-clock time such as 09:05:00 from seconds after midnight. */
export function clockTime(secondOfDay: number): string {
  const hours = Math.floor(secondOfDay / 3600);
  const minutes = Math.floor((secondOfDay % 3600) / 60);
  return `${twoDigits(hours)}:${twoDigits(minutes)}:${twoDigits(secondOfDay % 60)}`;
}

function twoDigits(value: number): string {
  return value < 10 ? `0${value}` : `${value}`;
}
