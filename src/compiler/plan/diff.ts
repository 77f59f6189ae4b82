import type { Environment } from '../../domain/environment.ts';
import type { Change } from '../../domain/plan.ts';
import type { Snapshot } from '../../domain/snapshot.ts';

/** What must change for the environment to show the wanted snapshots. */
export function diff(wanted: readonly Snapshot[], environment: Environment | undefined): readonly Change[] {
  const present = new Map(environment?.snapshots.map((snapshot) => [snapshot.model, snapshot.fingerprint]));
  const changed = wanted
    .filter((snapshot) => present.get(snapshot.model) !== snapshot.fingerprint)
    .map(
      (snapshot): Change => ({
        model: snapshot.model,
        change: present.has(snapshot.model) ? 'modified' : 'added',
      }),
    );
  const names = new Set(wanted.map((snapshot) => snapshot.model));
  const removed = [...present.keys()].filter((name) => !names.has(name));
  return [...changed, ...removed.map((model): Change => ({ model, change: 'removed' }))];
}
