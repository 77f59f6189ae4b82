import { isRollup, tableOf } from '../../domain/environment.ts';
import { Failure, failure } from '../../domain/failure.ts';
import { splitModelName } from '../../domain/model-name.ts';
import { type Relation, relationText } from '../../domain/relation.ts';
import { appliedEnvironment, type OpenedWorldReader } from '../open-world.ts';
import { selected } from './run.ts';
import { type TableDiff, type TableDiffRequest, tableDiff } from './table-diff.ts';
import { tableName } from './table-name.ts';

/** Two environments, or two tables. */
interface Sides {
  readonly source: string;
  readonly target: string;
}

interface ModelOfSides {
  readonly model: string;
  readonly key: readonly string[] | undefined;
  readonly isNamed: boolean;
}

export type ComparisonOptions = Omit<TableDiffRequest, keyof Compared> & { readonly key?: readonly string[] };

/** A model in two environments side by side, or why it was not compared. */
export type ModelComparison =
  | { readonly model: string; readonly diff: TableDiff }
  | { readonly model: string; readonly reason: string };

/** Compares two tables by the columns of `key`. */
export async function compareTables(
  world: OpenedWorldReader,
  { source, target }: Sides,
  options: ComparisonOptions,
): Promise<TableDiff> {
  if (options.key === undefined) throw failure('query.no-key', { model: source });
  return tableDiff(world.engine, {
    ...options,
    source: relationOf(source),
    target: relationOf(target),
    key: options.key,
  });
}

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

type Compared = Pick<TableDiffRequest, 'source' | 'target' | 'key'>;

async function comparedSides(
  world: OpenedWorldReader,
  { source, target, model, key, isNamed }: Sides & ModelOfSides,
): Promise<Compared | { readonly reason: string }> {
  try {
    return {
      source: (await tableName(world, { model, environment: source })).view,
      target: (await tableName(world, { model, environment: target })).view,
      key: key ?? (await grainOf(world, target, model)),
    };
  } catch (error) {
    if (isNamed || !(error instanceof Failure) || !NOT_COMPARED.has(error.code)) throw error;
    return { reason: error.message };
  }
}

/** Why a model that only a wildcard means is left out: it is new, has no table on one side, or nothing says what identifies a row. */
const NOT_COMPARED: ReadonlySet<string> = new Set(['query.unknown-model', 'query.no-table', 'query.no-key']);

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
    const names = await selected(world, applied, word);
    for (const entry of applied.entries)
      if (names.has(entry.model) && tableOf(entry) !== undefined && !isRollup(entry))
        found.set(entry.model, found.get(entry.model) ?? false);
  }
  return found;
}

function relationOf(name: string): Relation {
  const { catalog, schema = 'main', table } = splitModelName(name.toLowerCase());
  return { ...(catalog === undefined ? {} : { catalog }), schema, name: table };
}

/** The first grain, or the key that the model's kind names. */
async function grainOf(world: OpenedWorldReader, name: string, model: string): Promise<readonly string[]> {
  const { entries } = await appliedEnvironment(world, name);
  const fingerprint = entries.find((entry) => entry.model === model)?.fingerprint ?? '';
  const applied = (await world.state.snapshots.contents([fingerprint])).get(fingerprint)?.model;
  const key =
    applied?.grains[0] ?? (applied?.kind && 'uniqueKey' in applied.kind ? applied.kind.uniqueKey : []);
  if (key.length === 0) throw failure('query.no-key', { model });
  return key;
}
