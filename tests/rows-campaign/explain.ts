/** What a plan or run said about itself, beside what the oracle knows: failures without a reason, and failures that nobody was told of. */
import { brokenRelations } from './audits.ts';
import { readsOf, type Standalone } from './definition.ts';
import { madeKey } from './meaning.ts';
import { keyOf, type Names, type Oracle, type WrittenTables } from './oracle.ts';
import type { Outcome } from './plinth.ts';
import { isTaken } from './taken.ts';
import type { Problem } from './verify-work.ts';

/** Failures that no audit explains; `foreseen` are the audits that fail by the oracle. */
export function failuresWithoutReason(outcome: Outcome, foreseen: ReadonlySet<string>): readonly Problem[] {
  const failed = (outcome.run?.models ?? []).filter(({ status }) => status === 'failed');
  if (failed.length === 0 && foreseen.size > 0) return [];
  const wrong = failed.filter(({ error, audits }) => {
    if (error?.code === 'audit.duplicate-key' || error?.code === 'audit.null-key')
      return !foreseen.has('(key)');
    const names = audits.filter(({ status }) => status === 'failed').map(({ name }) => name);
    return names.length === 0 ? foreseen.size === 0 : !names.some((name) => foreseen.has(name));
  });
  if (failed.length > 0 && wrong.length === 0) return [];
  const words = wrong.map(({ name, error }) => `${name} (${error?.code}: ${error?.message})`);
  return [
    {
      kind: `failed ${wrong[0]?.error?.code ?? outcome.run?.error?.code ?? ''}`,
      text: `failed without a reason: ${words.join(', ')} ${outcome.run?.error?.message ?? ''}`,
    },
  ];
}

/** Models that failed, were skipped or wait for a plan, and everything below them. */
export function unfinishedModels({ run, behind = [] }: Outcome, names: Names): ReadonlySet<string> {
  const found = new Set([
    ...behind,
    ...(run?.models ?? [])
      .filter(({ status }) => status === 'failed' || status === 'skipped')
      .map(({ name }) => name),
  ]);
  for (const { model, definition } of names.values())
    if (readsOf(definition).some((name) => found.has(name))) found.add(model);
  return found;
}

/** Models that are left alone for a plan to rebuild, though they were made from what is shown and by what it says. */
export function behindWithoutReason(
  oracle: Oracle,
  names: Names,
  { behind = [] }: Outcome,
): readonly Problem[] {
  return behind.flatMap((model) => {
    const entry = names.get(model);
    const made = oracle.tables.get(keyOf(entry ?? { model }) ?? '')?.latest;
    if (entry === undefined || made === undefined) return [];
    const { definition } = made;
    const isOther = madeKey(made) !== madeKey({ definition, reads: oracle.readsFor(definition, names) });
    return isOther || isTaken(oracle, names, entry)
      ? []
      : [{ kind: 'left-behind', text: `${model} waits for a plan, and nothing that it reads is another` }];
  });
}

/** Audits over other models, and audits of their own, that fail after what they read was written, and that nobody was told of. */
export function unreportedFailures(
  oracle: Oracle,
  names: Names,
  {
    told,
    written,
    standalones,
  }: {
    readonly told: string;
    readonly written: WrittenTables;
    readonly standalones: readonly Standalone[];
  },
): readonly Problem[] {
  if (written.size === 0) return [];
  const isWrittenHere = (model: string): boolean => {
    const key = keyOf(names.get(model) ?? { model });
    return key !== undefined && written.has(key);
  };
  const relations = brokenRelations(oracle, names)
    .filter(({ audit }) => isWrittenHere(audit.other ?? '') && !told.includes(audit.name))
    .map(({ entry, audit, row }) => ({
      kind: 'relation-not-asked',
      text: `${audit.other} was written, and ${entry.model} has rows that ${audit.name} is against: ${row}`,
    }));
  const alone = standalones
    .filter(({ name, model }) => isWrittenHere(model) && !told.includes(name))
    .filter(({ model, column }) => {
      const entry = names.get(model);
      return entry !== undefined && oracle.shown(entry).some((row) => Number(row[column] ?? 0) < 0);
    })
    .map(({ name, model }) => ({
      kind: 'standalone-not-asked',
      text: `${model} was written and has rows that ${name} is against, and nobody was told`,
    }));
  return [...relations, ...alone];
}
