import { type Model, readsItself } from '../../domain/model.ts';
import type { Schedule } from '../../domain/snapshot.ts';
import { type IntervalUnit, parseIntervalUnit } from '../../foundation/time/interval-unit.ts';
import { checkedCron } from './due.ts';
import { isParallel } from './intervals/kind-traits.ts';

/** More batches than any engine writes side by side: the limit of the run decides. */
export const BATCHES_UNBOUNDED = 1000;

/** All that decides which intervals a model is due for, as its snapshot keeps it. Cron and unit were checked at load. */
export function scheduleOf(model: Model): Schedule {
  const { kind, cron, start, end, allowPartials, signals, freshness } = model;
  const cronTz = model.cronTz ?? 'UTC';
  const incremental = 'lookback' in kind ? kind : undefined;
  const batchSize = incremental?.batchSize;
  const autoRestatementCron = incremental?.autoRestatementCron;
  const intervals = kind.kind === 'incremental-by-time-range' ? kind.autoRestatementIntervals : undefined;
  return {
    cron,
    cronTz,
    unit: unitOf(model, cronTz),
    ...(start === undefined ? {} : { start }),
    ...(end === undefined ? {} : { end }),
    lookback: incremental?.lookback ?? 0,
    allowPartials,
    ...(batchSize === undefined ? {} : { batchSize }),
    // A default of the project may name more for all models; where intervals depend on one another it is still one.
    batchConcurrency: isParallel({ kind: kind.kind, readsItself: readsItself(model) })
      ? (incremental?.batchConcurrency ?? BATCHES_UNBOUNDED)
      : 1,
    ...(autoRestatementCron === undefined ? {} : { autoRestatementCron }),
    ...(intervals === undefined ? {} : { autoRestatementIntervals: intervals }),
    disableRestatement: incremental?.disableRestatement ?? false,
    ...(freshness === undefined ? {} : { freshness }),
    signals,
  };
}

/** The unit that is written, else the one that the schedule asks for. */
function unitOf({ intervalUnit, cron }: Model, cronTz: string): IntervalUnit {
  if (intervalUnit === undefined) return checkedCron(cron, cronTz).unit;
  const written = parseIntervalUnit(intervalUnit);
  if (written.kind === 'problem') throw new Error(`a unit that loading let through: ${written.message}`);
  return written.unit;
}
