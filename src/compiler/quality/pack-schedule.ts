import type { DqPack } from '../../domain/dq-pack.ts';
import { type Cron, floorTick, parseCron } from '../../foundation/time/cron.ts';

/** The last tick of a pack's schedule; undefined without one. Loading has proven that it can be read. */
export function scheduledSince({ schedule }: DqPack, now: number): number | undefined {
  const cron = schedule && parseCron(schedule.value);
  return cron === undefined || cron.kind === 'problem' ? undefined : floorTick(cron, now);
}

/** The schedules of packs with the models they are on. */
export function packCrons(
  packs: readonly DqPack[],
): readonly { readonly cron: Cron; readonly models: readonly string[] }[] {
  return packs.flatMap(({ schedule, model }) => {
    const cron = schedule && parseCron(schedule.value);
    return cron === undefined || cron.kind === 'problem' ? [] : [{ cron, models: [model.value] }];
  });
}
