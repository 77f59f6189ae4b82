/*
 * Which blocking audits are known to hold of the rows of a table. Every write passes the audits of every environment
 * that shows its table, and a promotion passes those of its target, so what some environment demands right now holds:
 *
 *   shown by prod with {A}, by dev with {A, B}    a target that demands {A, B, C}: C must be looked at, over all rows
 *                                                 a write of prod: B as well, else dev would show what it refuses
 *
 * What was demanded once, and what a plan that failed wanted, proves nothing. An audit that reads other models proves
 * something only where those are the same tables.
 */
import type { Environment, EnvironmentEntry } from '../../domain/environment.ts';
import type { ForeignAudits } from '../../domain/plan.ts';
import { type TableId, tableKey } from '../../domain/relation.ts';
import type { Snapshot } from '../../domain/snapshot.ts';
import { standaloneTable } from './standalone-audits.ts';

type Entries = ReadonlyMap<string, EnvironmentEntry>;

interface Shown {
  readonly environment: string;
  readonly entries: Entries;
  readonly snapshot: Snapshot;
}

/** Who shows which table, and what they demand of it. */
export class AuditedTables {
  readonly #shown = new Map<string, Shown[]>();

  constructor(environments: readonly Environment[], snapshots: ReadonlyMap<string, Snapshot>) {
    for (const { name, entries, audits = [] } of environments) {
      const byModel = new Map(entries.map((entry) => [entry.model, entry]));
      const standalone = audits.map((entry) => ({ ...entry, ...standaloneTable(entry) }));
      for (const { model, version, fingerprint } of [...entries, ...standalone]) {
        const snapshot = snapshots.get(fingerprint);
        if (version === undefined || snapshot === undefined) continue;
        const key = tableKey({ model, version });
        const shown = { environment: name, entries: byModel, snapshot };
        const list = this.#shown.get(key);
        if (list === undefined) this.#shown.set(key, [shown]);
        else list.push(shown);
      }
    }
  }

  isShown(table: TableId): boolean {
    return this.#shown.has(tableKey(table));
  }

  /** Names of a snapshot's blocking audits that no environment showing the table demands now. */
  unproven(snapshot: Snapshot, table: TableId, entries: Entries): readonly string[] {
    const proven = new Set(
      (this.#shown.get(tableKey(table)) ?? [])
        .filter((shown) => readsTheSame(snapshot, shown.entries, entries))
        .flatMap((shown) => demandsOf(shown.snapshot)),
    );
    return namesWithout(snapshot, proven);
  }

  /** What others demand of a table that this snapshot writes, beyond what it demands itself; the same demand once. */
  foreign(
    snapshot: Snapshot,
    table: TableId,
    { entries, except }: { readonly entries: Entries; readonly except: string | undefined },
  ): readonly ForeignAudits[] {
    const found = new Map<string, ForeignAudits>();
    for (const { environment, entries: theirs, snapshot: other } of this.#shown.get(tableKey(table)) ?? []) {
      if (environment === except) continue;
      const isSame = readsTheSame(other, theirs, entries);
      const audits = namesWithout(other, new Set(isSame ? demandsOf(snapshot) : []));
      if (audits.length === 0) continue;
      const { fingerprint } = other;
      const id = other.audits?.readsOthers === true ? `${fingerprint} ${environment}` : fingerprint;
      if (!found.has(id)) found.set(id, { environment, fingerprint, audits });
    }
    return [...found.values()];
  }
}

function namesWithout(snapshot: Snapshot, proven: ReadonlySet<string>): readonly string[] {
  const demands = demandsOf(snapshot);
  return [...new Set((snapshot.audits?.blocking ?? []).filter((_, i) => !proven.has(demands[i]!)))];
}

/** A snapshot from before demands were kept is only known to demand what it demands itself. */
function demandsOf({ audits, fingerprint }: Snapshot): readonly string[] {
  return audits?.demands ?? (audits?.blocking ?? []).map((name) => `${fingerprint} ${name}`);
}

/** Whether the audits of a snapshot find the same other tables among both. */
function readsTheSame({ audits }: Snapshot, one: Entries, other: Entries): boolean {
  if (audits?.readsOthers !== true || one === other) return true;
  const isSame = (model: string): boolean => {
    const [left, right] = [one.get(model), other.get(model)];
    if (left?.version !== undefined || right?.version !== undefined) return left?.version === right?.version;
    return left?.fingerprint === right?.fingerprint;
  };
  const named = Object.values(audits.reads ?? {}).flat();
  if (audits.mayReadMore !== true) return named.every(isSame);
  return [...one.keys(), ...other.keys()].every(isSame);
}
