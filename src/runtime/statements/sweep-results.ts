import type { ResultStore } from '../../domain/result-store.ts';
import type { StatementStore } from '../../domain/state-store.ts';

/** Removes results whose time is over, and files that a process left when it died. */
export async function sweepResults({
  statements,
  results,
  now,
  keptMs,
}: {
  readonly statements: Pick<StatementStore, 'expire' | 'wantedResults'>;
  readonly results: ResultStore;
  readonly now: number;
  readonly keptMs: number;
}): Promise<void> {
  await results.remove(await statements.expire({ now, keptMs }));
  const names = await results.names();
  const wanted = new Set(names.length === 0 ? [] : await statements.wantedResults(names));
  await results.remove(names.filter((name) => !wanted.has(name)));
}
