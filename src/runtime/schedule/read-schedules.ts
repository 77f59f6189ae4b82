import { packCrons } from '../../compiler/quality/pack-schedule.ts';
import type { Environment } from '../../domain/environment.ts';
import type { SnapshotReader } from '../../domain/state-store.ts';
import { cronsOf, type SharedCron } from './due-times.ts';

/** What is scheduled in each environment, as it was promoted last. */
export type AppliedSchedules = ReadonlyMap<
  string,
  { readonly promotionId: string; readonly crons: readonly SharedCron[] }
>;

/** Reads the schedules of these environments; those that were not promoted since `before` are taken from there. */
export async function readSchedules(
  reader: SnapshotReader,
  request: {
    readonly environments: readonly string[] | 'all';
    readonly now: number;
    readonly before?: AppliedSchedules;
  },
): Promise<AppliedSchedules> {
  const found =
    request.environments === 'all'
      ? await reader.environments()
      : await Promise.all(request.environments.map((name) => reader.environment(name)));
  const schedules = new Map<string, { promotionId: string; crons: readonly SharedCron[] }>();
  for (const environment of found) {
    if (environment === undefined || isExpired(environment, request.now)) continue;
    const { name, promotionId } = environment;
    const before = request.before?.get(name);
    const isSame = before?.promotionId === promotionId;
    schedules.set(name, isSame ? before : { promotionId, crons: await readCrons(reader, environment) });
  }
  return schedules;
}

async function readCrons(reader: SnapshotReader, environment: Environment): Promise<readonly SharedCron[]> {
  const snapshots = await reader.snapshots(environment.entries.map(({ fingerprint }) => fingerprint));
  const packs =
    environment.dqPacks === undefined ? undefined : (await reader.plan(environment.dqPacks))?.dqPacks;
  return [
    ...cronsOf(environment, new Map(snapshots.map((snapshot) => [snapshot.fingerprint, snapshot]))),
    ...packCrons(packs ?? []),
  ];
}

function isExpired({ expiresAt }: Environment, now: number): boolean {
  return expiresAt !== undefined && expiresAt <= now;
}
