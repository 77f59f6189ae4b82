import type { DqAssertion } from '../../domain/dq-pack.ts';

export type Season = Extract<DqAssertion, { readonly kind: 'anomaly' }>['season'];

const MINUTE = 60_000;
const DAY = 86_400_000;

/** How long a season is, in milliseconds. */
export const PERIOD_MS: Readonly<Record<Exclude<Season, 'none'>, number>> = {
  hourly: 60 * MINUTE,
  daily: DAY,
  weekly: 7 * DAY,
  monthly: 30.436875 * DAY,
};

/** Which part of its season a time is in: five minutes of the hour, hour of the day, day of the week or of the month, in UTC. */
export function seasonSlot(at: number, season: Season): number {
  const date = new Date(at);
  switch (season) {
    case 'none':
      return 0;
    case 'hourly':
      return Math.floor(date.getUTCMinutes() / 5);
    case 'daily':
      return date.getUTCHours();
    case 'weekly':
      return date.getUTCDay();
    case 'monthly':
      return date.getUTCDate();
  }
}
