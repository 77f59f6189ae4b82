// What is planted in the data on purpose, so that every feature of the product has something to find.
// The project's README describes the same stories; the tests count each of them.

/** The whole sample comes from this number; changing it changes every golden hash. */
export const SAMPLE_SEED = 42;

/** The orders of this day were delivered by the source three days late: an incremental model needs a lookback. */
export const LATE_DAY = '2025-09-14';
export const LATE_DAY_LOADED_ON = '2025-09-17';

/** On these days the first order has a channel that does not exist: an audit quarantines exactly these three rows. */
export const BAD_CHANNELS: ReadonlyMap<string, string> = new Map([
  ['2025-02-03', 'onlien'],
  ['2025-05-12', 'ONLINE'],
  ['2025-10-06', 'pos'],
]);

/** In this week (both ends included) the tracking was broken and no order has a device: the profile drifts. */
export const NULL_DEVICE_FROM = '2024-03-11';
export const NULL_DEVICE_TO = '2024-03-17';

/** Thousandths of all orders that end as returned, with a refund for each. */
export const RETURNED_PERMILLE = 30;
export const CANCELLED_PERMILLE = 20;

/** Thousandths of the monthly demand against an average month, January first. */
export const MONTH_DEMAND: readonly number[] = [
  850, 820, 900, 950, 980, 1000, 920, 880, 980, 1050, 1200, 1470,
];

/** Thousandths of the daily demand against an average day, Monday first. */
export const WEEKDAY_DEMAND: readonly number[] = [850, 880, 930, 1000, 1200, 1400, 740];

/** Demand grows in a straight line between these thousandths from the first to the last day. */
export const GROWTH_FROM = 700;
export const GROWTH_TO = 1300;
