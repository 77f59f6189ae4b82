import type { EnvironmentEntry } from '../../domain/environment.ts';
import { isWritten, type Snapshot } from '../../domain/snapshot.ts';
import { dataIdOf } from './draft-snapshots.ts';

/*
 * A reader's rows belong to what it read. A plan of selected models may change a table and leave its readers:
 *
 *   rev  R1 ──▶ R2            top was made of R1. It is shown as it is, but nothing is filled or restated in it any more:
 *   top  T1 (over R1)         rows made of R2 would lie beside those made of R1. A plan that selects it rebuilds it.
 *
 * A snapshot says by `inputs` what it was made of, so an environment alone shows which models were left behind.
 */

/** Models with rows of their own that were made of something else than the environment shows now, with what that is. */
export function leftBehind(
  entries: readonly EnvironmentEntry[],
  snapshots: ReadonlyMap<string, Snapshot>,
): ReadonlyMap<string, readonly string[]> {
  const isCurrent = currentInputs(entries, snapshots);
  const behind = new Map<string, readonly string[]>();
  for (const { model, fingerprint, version } of entries) {
    const snapshot = snapshots.get(fingerprint);
    if (version === undefined || snapshot === undefined || !isWritten(snapshot.kind)) continue;
    const old = snapshot.parents.filter((parent) => !isCurrent(snapshot, parent));
    if (old.length > 0) behind.set(model, old);
  }
  return behind;
}

/** Whether a snapshot was made of what the environment shows as its parent; for older snapshots that is assumed. */
function currentInputs(
  entries: readonly EnvironmentEntry[],
  snapshots: ReadonlyMap<string, Snapshot>,
): (reader: Pick<Snapshot, 'inputs'>, parent: string) => boolean {
  const shown = new Map(entries.map(({ model, fingerprint }) => [model, snapshots.get(fingerprint)]));
  const ids = new Map<string, string>();
  return ({ inputs }, parent) => {
    const snapshot = shown.get(parent);
    const input = inputs?.[parent];
    // An external table has no version that rows could belong to.
    if (snapshot === undefined || input === undefined || snapshot.kind === 'external') return true;
    const id = ids.get(parent) ?? dataIdOf(snapshot);
    ids.set(parent, id);
    return id === input;
  };
}
