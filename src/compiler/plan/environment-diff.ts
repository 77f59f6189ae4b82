import type { Environment, EnvironmentEntry } from '../../domain/environment.ts';
import type { Change } from '../../domain/plan.ts';
import type { Snapshot } from '../../domain/snapshot.ts';
import { definitionChanges } from './definition-changes.ts';
import { columnsBetween } from './own-change.ts';
import { rollupChanges } from './plan-changes.ts';

/** How one environment differs from another, by fingerprints: what `plinth diff a b` shows. What it would mean for data is for a plan to say, so there are no categories. */
export function environmentDiff(
  before: Pick<Environment, 'entries' | 'definitions'>,
  after: Pick<Environment, 'entries' | 'definitions'>,
  snapshots: ReadonlyMap<string, Snapshot>,
): readonly Change[] {
  const old = new Map(before.entries.map((entry) => [entry.model, entry]));
  const names = new Set(after.entries.map(({ model }) => model));
  const changed = after.entries.flatMap((entry): readonly Change[] => {
    const previous = old.get(entry.model);
    if (previous === undefined) return [describe('added', undefined, entry)];
    if (previous.fingerprint === entry.fingerprint) return [];
    return [describe(changeBetween(previous, entry, snapshots), previous, entry)];
  });
  const removed = before.entries
    .filter(({ model }) => !names.has(model))
    .map((entry) => describe('removed', entry, undefined));
  return [
    ...rollupChanges([...changed, ...removed], [before, after]),
    ...definitionChanges(before.definitions, after.definitions),
  ];
}

function changeBetween(
  before: EnvironmentEntry,
  after: EnvironmentEntry,
  snapshots: ReadonlyMap<string, Snapshot>,
): Change['change'] {
  const [a, b] = [snapshots.get(before.fingerprint), snapshots.get(after.fingerprint)];
  if (a === undefined || b === undefined || a.dataHash !== b.dataHash) return 'direct';
  return a.parentsHash === b.parentsHash ? 'metadata' : 'indirect';
}

const REASONS: Readonly<Record<Change['change'], string>> = {
  added: 'only there',
  removed: 'not there',
  direct: 'its own definition differs',
  indirect: 'something it reads differs',
  metadata: 'only metadata differs',
};

function describe(
  change: Change['change'],
  before: EnvironmentEntry | undefined,
  after: EnvironmentEntry | undefined,
): Change {
  const name = (after ?? before)!.model;
  const columns = columnsBetween(before?.columns ?? [], after?.columns ?? []);
  return { kind: 'model', name, change, category: null, reason: REASONS[change], columns };
}
