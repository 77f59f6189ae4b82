import { isRollup, tableOf } from '../domain/environment.ts';
import { failure } from '../domain/failure.ts';
import { splitModelName } from '../domain/model-name.ts';
import type { Relation } from '../domain/relation.ts';
import { appliedEnvironment, type OpenedWorld } from './open-world.ts';
import { selected } from './run.ts';
import { type TableDiff, type TableDiffRequest, tableDiff } from './table-diff.ts';
import { tableName } from './table-name.ts';

/** What is compared: one model in two environments, or two tables. */
export type ComparedSides =
  | {
      readonly kind: 'environments';
      readonly source: string;
      readonly target: string;
      readonly model: string;
    }
  | { readonly kind: 'tables'; readonly source: string; readonly target: string };

/** Compares two tables; what identifies a row is said by `key`, or by the model's grain. */
export async function compareTables(
  world: OpenedWorld,
  sides: ComparedSides,
  options: Omit<TableDiffRequest, 'source' | 'target' | 'key'> & { readonly key?: readonly string[] },
): Promise<TableDiff> {
  if (sides.kind === 'tables') {
    if (options.key === undefined) throw failure('query.no-key', { model: sides.source });
    return tableDiff(world.engine, {
      ...options,
      source: relationOf(sides.source),
      target: relationOf(sides.target),
      key: options.key,
    });
  }
  const { model } = sides;
  const source = await tableName(world, { model, environment: sides.source });
  const target = await tableName(world, { model, environment: sides.target });
  const key = options.key ?? (await grainOf(world, sides.target, target.model));
  return tableDiff(world.engine, { ...options, source: source.view, target: target.view, key });
}

/** The models that names and wildcards mean in an environment, in their order; those without a table are left to wildcards only. */
export async function comparedModels(
  world: OpenedWorld,
  environment: string,
  written: readonly string[],
): Promise<readonly string[]> {
  const applied = await appliedEnvironment(world, environment);
  const found: string[] = [];
  for (const word of written) {
    if (!/[*:+&|^()]/.test(word)) {
      found.push((await tableName(world, { model: word, environment })).model);
      continue;
    }
    const names = await selected(world, applied, word);
    found.push(
      ...applied.entries
        .filter((entry) => names.has(entry.model) && tableOf(entry) !== undefined && !isRollup(entry))
        .map(({ model }) => model),
    );
  }
  return [...new Set(found)];
}

function relationOf(name: string): Relation {
  const { catalog, schema = 'main', table } = splitModelName(name.toLowerCase());
  return { ...(catalog === undefined ? {} : { catalog }), schema, name: table };
}

/** The first grain, or the key that the model's kind names. */
async function grainOf(world: OpenedWorld, environment: string, model: string): Promise<readonly string[]> {
  const { entries } = await appliedEnvironment(world, environment);
  const fingerprint = entries.find((entry) => entry.model === model)?.fingerprint ?? '';
  const applied = (await world.state.snapshots.contents([fingerprint])).get(fingerprint)?.model;
  const key =
    applied?.grains[0] ?? (applied?.kind && 'uniqueKey' in applied.kind ? applied.kind.uniqueKey : []);
  if (key.length === 0) throw failure('query.no-key', { model });
  return key;
}
