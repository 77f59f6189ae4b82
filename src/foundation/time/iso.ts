import { civilFromDays, DAY_MS, HOUR_MS, MINUTE_MS, modulo } from './civil.ts';

/** `YYYY-MM-DD` of the UTC day; a hand-made format because `Date.toISOString` is several times slower. */
export function isoDate(at: number): string {
  const { year, month, day } = civilFromDays(Math.floor(at / DAY_MS));
  return `${year < 1000 ? String(year).padStart(4, '0') : year}-${two(month)}-${two(day)}`;
}

/** `YYYY-MM-DDTHH:MM:SS.mmm` without a zone: what a cell of type TIMESTAMP or a time bucket shows. */
export function isoLocal(at: number): string {
  return `${isoDate(at)}T${clock(at)}.${three(modulo(at, 1000))}`;
}

/** `YYYY-MM-DDTHH:MM:SS.mmmZ`, the form of TIMESTAMPTZ cells and events. */
export function isoInstant(at: number): string {
  return `${isoLocal(at)}Z`;
}

/** As JSON has a time that may be missing. */
export function isoInstantOrNull(at: number | undefined): string | null {
  return at === undefined ? null : isoInstant(at);
}

/** `YYYY-MM-DDTHH:MM:SSZ`, with milliseconds only where there are some; the form of intervals in JSON output. */
export function isoInstantShort(at: number): string {
  const millis = modulo(at, 1000);
  return `${isoDate(at)}T${clock(at)}${millis === 0 ? '' : `.${three(millis)}`}Z`;
}

/**
 * `YYYY-MM-DD HH:MM:SS`, and six digits of fraction only where there is one; `micros` (0…999) adds what epoch
 * milliseconds cannot hold, since an inclusive end lies one microsecond before the exclusive one.
 */
export function sqlTimestamp(at: number, micros = 0): string {
  const fraction = modulo(at, 1000) * 1000 + micros;
  return `${isoDate(at)} ${clock(at)}${fraction === 0 ? '' : `.${String(fraction).padStart(6, '0')}`}`;
}

/** The UTC hour, 0 to 23. */
export function utcHour(at: number): number {
  return Math.floor(modulo(at, DAY_MS) / HOUR_MS);
}

function clock(at: number): string {
  const inDay = modulo(at, DAY_MS);
  const minute = Math.floor(inDay / MINUTE_MS) % 60;
  return `${two(Math.floor(inDay / HOUR_MS))}:${two(minute)}:${two(Math.floor(inDay / 1000) % 60)}`;
}

function two(value: number): string {
  return value < 10 ? `0${value}` : `${value}`;
}

function three(value: number): string {
  return String(value).padStart(3, '0');
}
