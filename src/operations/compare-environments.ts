import { sqlDiff } from '../compiler/plan/sql-diff.ts';
import type { Change } from '../domain/plan.ts';
import type { Snapshot, SnapshotContent } from '../domain/snapshot.ts';
import { appliedEnvironment, type OpenedWorld } from './open-world.ts';

/** How one environment would change to become another: by what was applied to both, no file is looked at. */
export async function compareEnvironments(
  world: OpenedWorld,
  environment: string,
  other: string,
): Promise<readonly Change[]> {
  const [from, to] = [await appliedEnvironment(world, environment), await appliedEnvironment(world, other)];
  const before = new Map(from.entries.map((entry) => [entry.model, entry]));
  const after = new Map(to.entries.map((entry) => [entry.model, entry]));
  const names = [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => before.get(name)?.fingerprint !== after.get(name)?.fingerprint,
  );
  const fingerprints = names
    .flatMap((name) => [before.get(name), after.get(name)])
    .flatMap((entry) => entry?.fingerprint ?? []);
  const { snapshots } = world.state;
  const [known, contents] = await Promise.all([
    snapshots.snapshots(fingerprints),
    snapshots.contents(fingerprints),
  ]);
  const byFingerprint = new Map(known.map((snapshot) => [snapshot.fingerprint, snapshot]));
  return names.sort().map((name): Change => {
    const [old, next] = [before.get(name), after.get(name)];
    const [first, second] = [old, next].map((entry) => byFingerprint.get(entry?.fingerprint ?? ''));
    const columns = {
      added: (next?.columns ?? []).filter((column) => !old?.columns.includes(column)),
      removed: (old?.columns ?? []).filter((column) => !next?.columns.includes(column)),
      changed: [],
    };
    const change = changeOf(first, second);
    const diff =
      change === 'direct'
        ? diffOf(contents.get(old?.fingerprint ?? ''), contents.get(next?.fingerprint ?? ''))
        : undefined;
    return {
      kind: 'model',
      name,
      change,
      category: change === 'added' || change === 'removed' ? null : (second?.category ?? null),
      reason:
        second === undefined
          ? `only ${environment} has it`
          : first === undefined
            ? `only ${other} has it`
            : `plan ${second.planId} made it`,
      columns: change === 'added' || change === 'removed' ? { added: [], removed: [], changed: [] } : columns,
      ...(diff === undefined || diff === '' ? {} : { sqlDiff: diff }),
    };
  });
}

function changeOf(before: Snapshot | undefined, after: Snapshot | undefined): Change['change'] {
  if (before === undefined) return 'added';
  if (after === undefined) return 'removed';
  if (before.dataHash !== after.dataHash) return 'direct';
  return before.parentsHash === after.parentsHash ? 'metadata' : 'indirect';
}

function diffOf(before: SnapshotContent | undefined, after: SnapshotContent | undefined): string | undefined {
  const text = (content: SnapshotContent | undefined) =>
    content?.expandedQuery === undefined
      ? undefined
      : { text: content.expandedQuery, dialect: content.model.dialect };
  const [old, recent] = [text(before), text(after)];
  return old === undefined || recent === undefined ? undefined : sqlDiff(old, recent);
}
