/*
 * When something in an environment is due next. Many models share few schedules, so an environment is reduced to its
 * distinct crons once, and asking costs as many searches as there are crons, not models.
 */
import type { Environment } from '../../domain/environment.ts';
import { isWritten, type Snapshot } from '../../domain/snapshot.ts';
import { type Cron, nextTick, parseCron } from '../../foundation/time/cron.ts';

/** One schedule with the models that follow it, sorted. */
export interface SharedCron {
  readonly cron: Cron;
  readonly models: readonly string[];
}

/** When an environment is due, and because of which models. */
export interface NextDue {
  readonly at: number;
  readonly models: readonly string[];
}

/** The schedules of everything that a run of this environment would fill, automatic restatements included; seeds follow plans, not the clock. */
export function cronsOf(
  environment: Environment,
  snapshots: ReadonlyMap<string, Snapshot>,
): readonly SharedCron[] {
  const shared = new Map<string, { readonly cron: Cron; readonly models: Set<string> }>();
  for (const { model, fingerprint } of environment.entries) {
    const snapshot = snapshots.get(fingerprint);
    if (snapshot === undefined || !isWritten(snapshot.kind) || snapshot.kind === 'seed') continue;
    const { cron, cronTz, autoRestatementCron } = snapshot.schedule;
    for (const text of autoRestatementCron === undefined ? [cron] : [cron, autoRestatementCron]) {
      const parsed = parseCron(text, cronTz);
      // It was checked when the project was loaded; the other models must not suffer for it.
      if (parsed.kind === 'problem') continue;
      const key = `${parsed.zone} ${parsed.pattern}`;
      const known = shared.get(key);
      if (known === undefined) shared.set(key, { cron: parsed, models: new Set([model]) });
      else known.models.add(model);
    }
  }
  return [...shared.values()].map(({ cron, models }) => ({ cron, models: [...models].sort() }));
}

/** The first tick of any of them after the instant; undefined when nothing has a schedule. */
export function nextDue(crons: readonly SharedCron[], after: number): NextDue | undefined {
  let at = Number.POSITIVE_INFINITY;
  const models = new Set<string>();
  for (const { cron, models: following } of crons) {
    const tick = nextTick(cron, after);
    if (tick < at) models.clear();
    if (tick > at) continue;
    at = tick;
    for (const model of following) models.add(model);
  }
  return models.size === 0 ? undefined : { at, models: [...models].sort() };
}
