import type { Environment } from '../../domain/environment.ts';
import type { Plan, Stage } from '../../domain/plan.ts';
import { type TableId, tableKey } from '../../domain/relation.ts';
import { isBuilt, type Snapshot } from '../../domain/snapshot.ts';
import type { Promotion } from '../../domain/state-store.ts';
import { addDuration, type Duration } from '../../foundation/time/duration.ts';

/*
 * What is no longer needed. A table is kept while anything names it:
 *
 *   environments that live ─┐
 *   plans that are not done ─┼─▶ named ─▶ kept
 *   leases and intents ──────┘
 *   not named, but younger than the ttl ─▶ kept (a rollback may want it)
 *
 * Physical views hold no rows and are remembered only by the history of environments, so they go with the last one.
 */

export interface JanitorInput {
  readonly environments: readonly Environment[];
  /** All snapshots of the state. */
  readonly snapshots: readonly Snapshot[];
  /** The history of each environment, newest first. */
  readonly promotions: readonly Promotion[];
  /** Plans that were stored and are neither applied nor given up: whatever they name is kept. */
  readonly unfinished: readonly Plan[];
  /** Tables with a lease or an intent. */
  readonly busy: readonly TableId[];
  /** When each plan was made, by id: since when a snapshot that was never shown is there. */
  readonly planTimes: ReadonlyMap<string, number>;
  /** Wall time. */
  readonly now: number;
  readonly ttl: Duration;
  /** prod may end like any other environment: everything is to be removed. */
  readonly endsProd?: boolean;
}

export interface JanitorOutcome {
  /** One clean-up, or none. */
  readonly stages: readonly Stage[];
  /** For `SnapshotStore.forget`, once the stage is done. */
  readonly gone: {
    readonly environments: readonly string[];
    readonly fingerprints: readonly string[];
    readonly tables: readonly TableId[];
  };
}

/** Expired environments, and tables and snapshots that have been unused for longer than their time to live. */
export function janitorStages(input: JanitorInput): JanitorOutcome {
  const expired = input.environments.filter((environment) => isExpired(environment, input));
  const living = input.environments.filter((environment) => !expired.includes(environment));
  const known = new Map(input.snapshots.map((snapshot) => [snapshot.fingerprint, snapshot]));
  const named = namedThings(living, input, known);
  const uses = lastUses(input);
  const remembered = new Set(
    input.promotions
      .filter(({ environment }) => living.some(({ name }) => name === environment.name))
      .flatMap(({ environment }) => environment.entries)
      .flatMap(({ model, version }) => (version === undefined ? [] : tableKey({ model, version }))),
  );
  const isOld = (at: number | undefined): boolean =>
    at !== undefined && addDuration(at, input.ttl) <= input.now;

  const fingerprints = input.snapshots
    .filter(({ fingerprint }) => !named.fingerprints.has(fingerprint))
    .filter(({ fingerprint }) => isOld(uses.fingerprints.get(fingerprint)))
    .map(({ fingerprint }) => fingerprint);
  const tables = [...uses.tables.values()]
    .map(({ table, fingerprint, at }) => ({
      table,
      at,
      object: known.get(fingerprint)?.kind === 'view' ? ('view' as const) : ('table' as const),
    }))
    .filter(({ table, object, at }) => {
      const key = tableKey(table);
      return !named.tables.has(key) && (isOld(at) || (object === 'view' && !remembered.has(key)));
    })
    .map(({ table, object }) => ({ table, object }));
  const environments = expired.map(({ name }) => name);
  const gone = { environments, fingerprints, tables: tables.map(({ table }) => table) };
  if (environments.length + tables.length === 0) return { stages: [], gone };
  return { stages: [{ id: 'clean-up', needs: [], kind: 'clean-up', tables, environments }], gone };
}

function isExpired(
  { name, expiresAt }: Environment,
  { now, unfinished, endsProd = false }: JanitorInput,
): boolean {
  if ((name === 'prod' && !endsProd) || expiresAt === undefined || expiresAt > now) return false;
  return !unfinished.some(({ environment }) => environment === name);
}

/** Everything that something alive names, and the snapshots its versions come from. */
function namedThings(
  living: readonly Environment[],
  { unfinished, busy }: JanitorInput,
  known: ReadonlyMap<string, Snapshot>,
): { readonly fingerprints: ReadonlySet<string>; readonly tables: ReadonlySet<string> } {
  const fingerprints = new Set<string>();
  const tables = new Set(busy.map(tableKey));
  const name = (fingerprint: string): void => {
    for (let at: string | undefined = fingerprint; at !== undefined && !fingerprints.has(at); ) {
      fingerprints.add(at);
      at = known.get(at)?.inheritedFrom;
    }
  };
  const nameEntries = ({ entries }: Pick<Environment, 'entries'>): void => {
    for (const { model, version, fingerprint } of entries) {
      name(fingerprint);
      const inherited = known.get(fingerprint)?.version;
      if (version !== undefined) tables.add(tableKey({ model, version }));
      // Outside prod a forward-only change has a table of its own, but the one it will go to is wanted as well.
      if (inherited !== undefined) tables.add(tableKey({ model, version: inherited }));
    }
  };
  for (const environment of living) nameEntries(environment);
  for (const plan of unfinished) {
    nameEntries(plan.target);
    for (const { snapshot } of plan.snapshots) {
      name(snapshot.fingerprint);
      if (snapshot.version !== undefined)
        tables.add(tableKey({ model: snapshot.model, version: snapshot.version }));
    }
    for (const stage of plan.stages)
      if (stage.kind === 'backfill') for (const { table } of stage.members) tables.add(tableKey(table));
      else if (stage.kind === 'migrate' || stage.kind === 'audit') tables.add(tableKey(stage.table));
  }
  return { fingerprints, tables };
}

interface Uses {
  /** Until when each snapshot was shown or wanted; absent when that is not known. */
  readonly fingerprints: ReadonlyMap<string, number>;
  readonly tables: ReadonlyMap<
    string,
    { readonly table: TableId; readonly fingerprint: string; readonly at: number }
  >;
}

/** A promotion is in use until the next one of its environment; the last one until its environment ends. */
function lastUses({ promotions, snapshots, planTimes, environments, now }: JanitorInput): Uses {
  const fingerprints = new Map<string, number>();
  const tables = new Map<string, { table: TableId; fingerprint: string; at: number }>();
  const use = (fingerprint: string, table: TableId | undefined, at: number): void => {
    fingerprints.set(fingerprint, Math.max(at, fingerprints.get(fingerprint) ?? 0));
    if (table === undefined) return;
    const key = tableKey(table);
    if ((tables.get(key)?.at ?? -1) < at) tables.set(key, { table, fingerprint, at });
  };
  for (const { fingerprint, model, version, planId, kind, abandoned = [] } of snapshots) {
    const at = planTimes.get(planId);
    if (at === undefined || !isBuilt(kind)) {
      if (at !== undefined) use(fingerprint, undefined, at);
      continue;
    }
    use(fingerprint, version === undefined ? undefined : { model, version }, at);
    for (const one of abandoned) use(fingerprint, { model, version: one }, at);
    if (version !== undefined) use(fingerprint, { model, version: `${fingerprint}__dev` }, at);
  }
  const until = new Map<string, number>();
  for (const { environment, at } of promotions) {
    const isPresent = environments.some(({ promotionId }) => promotionId === environment.promotionId);
    const end = until.get(environment.name) ?? (isPresent ? now : at);
    until.set(environment.name, at);
    const ended =
      isPresent && environment.expiresAt !== undefined
        ? Math.min(end, Math.max(at, environment.expiresAt))
        : end;
    for (const { fingerprint, model, version } of environment.entries)
      use(fingerprint, version === undefined ? undefined : { model, version }, ended);
  }
  return { fingerprints, tables };
}
