import type { Model } from '../../domain/model.ts';
import type { Schedule } from '../../domain/snapshot.ts';
import { parseCron } from '../../foundation/time/cron.ts';
import { type IntervalUnit, parseIntervalUnit } from '../../foundation/time/interval-unit.ts';

/** All that decides which intervals a model is due for, as its snapshot keeps it. Cron and unit were checked at load. */
export function scheduleOf(model: Model): Schedule {
  const { kind, cron, start, end, allowPartials, signals } = model;
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
    batchConcurrency: incremental?.batchConcurrency ?? 1,
    ...(autoRestatementCron === undefined ? {} : { autoRestatementCron }),
    ...(intervals === undefined ? {} : { autoRestatementIntervals: intervals }),
    disableRestatement: incremental?.disableRestatement ?? false,
    signals,
  };
}

/** The unit that is written, else the one the schedule asks for; a cron that cannot be read was an error at load. */
function unitOf({ intervalUnit, cron }: Model, cronTz: string): IntervalUnit {
  const written = intervalUnit === undefined ? undefined : parseIntervalUnit(intervalUnit);
  if (written?.kind === 'interval-unit') return written.unit;
  const parsed = parseCron(cron, cronTz);
  return parsed.kind === 'cron' ? parsed.unit : 'day';
}
