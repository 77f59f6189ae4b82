import type { Environment, EnvironmentEntry } from '../../domain/environment.ts';
import { failure } from '../../domain/failure.ts';
import type { Semantics } from '../../domain/semantics.ts';
import { kindsOf } from './compile-semantic.ts';

type Entries = ReadonlyMap<string, EnvironmentEntry>;

const knownEntries = new WeakMap<Environment['entries'], Entries>();

function entriesOf({ entries }: Environment): Entries {
  const known = knownEntries.get(entries) ?? new Map(entries.map((entry) => [entry.model, entry]));
  knownEntries.set(entries, known);
  return known;
}

/** Every model that is read has a view in the environment. */
export function checkModels(project: Semantics, environment: Environment, reads: readonly string[]): void {
  const kinds = kindsOf(project);
  const shown = entriesOf(environment);
  for (const name of reads) {
    if (kinds.get(name) === 'external') continue;
    const entry = shown.get(name);
    if (entry === undefined)
      throw failure(
        'query.unknown-model',
        { name, environment: environment.name },
        { hint: `plinth plan ${environment.name} builds it` },
      );
    if (entry.version === undefined) throw failure('query.no-table', { model: name });
  }
}
