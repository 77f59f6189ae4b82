import type { Environment, EnvironmentHooks } from '../../domain/environment.ts';
import { tableOf } from '../../domain/environment.ts';
import type { PromotionRecord } from '../../domain/promotion-record.ts';
import { tableKey } from '../../domain/relation.ts';
import type { Snapshot } from '../../domain/snapshot.ts';
import { hash128 } from '../../foundation/hash128.ts';
import { chainOf, tookOver } from './taken-tables.ts';

/** What the warehouse is to remember of a promotion; `known` are all snapshots of the state. */
export function promotionRecord(
  { semantics: _s, dqPacks: _d, audits: _a, hooks, access: _x, planId: _p, ...environment }: Environment,
  known: readonly Snapshot[],
): PromotionRecord {
  const all = new Map(known.map((snapshot) => [snapshot.fingerprint, snapshot]));
  const takers: Record<string, readonly string[]> = {};
  for (const snapshot of known) {
    const { model, version, fingerprint } = snapshot;
    if (version === undefined || !(tookOver(snapshot) || snapshot.isUnproven === true)) continue;
    const key = tableKey({ model, version });
    takers[key] = [...(takers[key] ?? []), fingerprint];
  }
  const chains: Record<string, readonly string[]> = {};
  for (const entry of environment.entries) {
    const table = tableOf(entry);
    if (table !== undefined && takers[tableKey(table)] !== undefined)
      chains[entry.fingerprint] = [...chainOf(entry.fingerprint, all)];
  }
  return {
    environment,
    snapshots: [...new Set(environment.entries.map(({ fingerprint }) => fingerprint))].flatMap((one) => {
      const { isTried: _t, isReturn: _r, abandoned: _b, ...snapshot } = all.get(one) ?? NONE;
      return snapshot.fingerprint === one ? [snapshot as Snapshot] : [];
    }),
    takers,
    chains,
    ...(hooks === undefined ? {} : { hooks: hooksHash(hooks) }),
  };
}

const NONE: Partial<Snapshot> = {};

/** The same for the same statements with the same surroundings, wherever they stand. */
export function hooksHash({ beforeAll, afterAll, applied }: EnvironmentHooks): string {
  return hash128(JSON.stringify([beforeAll, afterAll, applied]));
}
