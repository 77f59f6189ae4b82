import { isRollup, tableOf } from '../../domain/environment.ts';
import { failure } from '../../domain/failure.ts';
import { relationText } from '../../domain/relation.ts';
import type { TableDiff } from '../../domain/table-diff.ts';
import { appliedEnvironment, type OpenedWorldReader } from '../open-world.ts';
import type { ComparisonOptions, Sides } from './compare-tables.ts';
import { type Compared, comparedSides } from './compared-sides.ts';
import { selectedModels } from './selected-models.ts';
import { tableDiff } from './table-diff.ts';
import { tableName } from './table-name.ts';

/** A model in two environments side by side, or why it was not compared. */
export type ModelComparison =
  | { readonly model: string; readonly diff: TableDiff }
  | { readonly model: string; readonly reason: string };

/** Compares models in two environments, each by `key` or by its grain. A model of a wildcard that cannot be compared is reported, not refused. */
export async function compareModels(
  world: OpenedWorldReader,
  sides: Sides,
  written: readonly string[],
  { key, skipped = [], ...options }: ComparisonOptions,
): Promise<readonly ModelComparison[]> {
  const found = new Map<string, Compared | { readonly reason: string }>();
  for (const [model, isNamed] of await comparedModels(world, sides.target, written))
    found.set(model, await comparedSides(world, { ...sides, model, key, isNamed }));
  const pairs = [...found.values()].filter((each) => 'key' in each);
  const columns = await world.engine.columnsOf(pairs.flatMap(({ source, target }) => [source, target]));
  const has = ({ source, target }: Compared, name: string): boolean =>
    [source, target].some((side) =>
      columns.get(relationText(side))?.some((column) => column.name.toLowerCase() === name.toLowerCase()),
    );
  const strange = skipped.find((name) => pairs.length > 0 && !pairs.some((pair) => has(pair, name)));
  if (strange !== undefined) throw failure('query.unknown-column', { column: strange });
  const comparisons: ModelComparison[] = [];
  for (const [model, each] of found) {
    if ('reason' in each) comparisons.push({ model, reason: each.reason });
    else {
      // Of several models each leaves out what it has; one alone says what is wrong with a name.
      const own = pairs.length === 1 ? skipped : skipped.filter((name) => has(each, name));
      comparisons.push({ model, diff: await tableDiff(world.engine, { ...options, ...each, skipped: own }) });
    }
  }
  return comparisons;
}

/** The models that names and wildcards mean in an environment, in their order, and whether each was named. */
async function comparedModels(
  world: OpenedWorldReader,
  environment: string,
  written: readonly string[],
): Promise<ReadonlyMap<string, boolean>> {
  const applied = await appliedEnvironment(world, environment);
  const found = new Map<string, boolean>();
  for (const word of written) {
    if (!/[*:+&|^()]/.test(word)) {
      found.set((await tableName(world, { model: word, environment })).model, true);
      continue;
    }
    const names = await selectedModels(world, applied, word);
    for (const entry of applied.entries)
      if (names.has(entry.model) && tableOf(entry) !== undefined && !isRollup(entry))
        found.set(entry.model, found.get(entry.model) ?? false);
  }
  return found;
}
