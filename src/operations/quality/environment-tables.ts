/*
 * What checks look at: each model of an environment that a dq pack names, with its table, the columns that the table has now,
 * and the tables whose data versions say whether its rows are others than before.
 */

import { rollupSources } from '../../compiler/semantic/rollups/rollup-sources.ts';
import type { AnswerColumn } from '../../domain/engine.ts';
import { type Environment, type EnvironmentEntry, tableOf } from '../../domain/environment.ts';
import type { Model } from '../../domain/model.ts';
import {
  externalRelation,
  physicalRelation,
  type Relation,
  relationText,
  type TableId,
} from '../../domain/relation.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import type { OpenedWorldReader } from '../open-world.ts';

/** A model of an environment, as far as checks look at it. */
export interface EnvironmentTable {
  readonly name: string;
  /** In which the model's own texts are written, conditions of its packs as well. */
  readonly dialect: Dialect;
  /** Absent for a model that has no table of its own. */
  readonly relation?: Relation;
  /** As the warehouse has them; empty when the table is not there. */
  readonly columns: readonly AnswerColumn[];
  /** Tables that its rows are made of; absent: they may change without a write of Plinth. */
  readonly sources?: readonly TableId[];
}

/** All models of an environment by name in lower case; columns and sources only of those that are named. */
export async function environmentTables(
  { engine, state }: OpenedWorldReader,
  { entries }: Environment,
  named: readonly string[],
): Promise<ReadonlyMap<string, EnvironmentTable>> {
  const wanted = new Set(named.map((name) => name.toLowerCase()));
  const contents = await state.snapshots.contents(entries.map(({ fingerprint }) => fingerprint));
  const models = new Map<string, Model>();
  const tables = new Map<string, TableId>();
  for (const entry of entries) {
    const model = contents.get(entry.fingerprint)?.model;
    if (model !== undefined) models.set(entry.model, model);
    const table = tableOf(entry);
    if (table !== undefined) tables.set(entry.model, table);
  }
  const relationOf = (entry: EnvironmentEntry): Relation | undefined => {
    const table = tableOf(entry);
    if (table !== undefined) return physicalRelation(table, engine.capabilities.identifierMax);
    return models.get(entry.model)?.kind.kind === 'external' ? externalRelation(entry.model) : undefined;
  };
  const asked = entries.filter(({ model }) => wanted.has(model.toLowerCase()));
  const columns = await engine.columnsOf(asked.flatMap((entry) => relationOf(entry) ?? []));
  const found = await Promise.all(
    entries.map(async (entry): Promise<readonly [string, EnvironmentTable]> => {
      const relation = relationOf(entry);
      const isAsked = wanted.has(entry.model.toLowerCase());
      const sources = isAsked ? await sourcesOf(entry.model, models, tables) : undefined;
      return [
        entry.model.toLowerCase(),
        {
          name: entry.model,
          dialect: models.get(entry.model)?.dialect ?? engine.dialect,
          ...(relation === undefined ? {} : { relation }),
          columns: (relation && columns.get(relationText(relation))) ?? [],
          ...(sources === undefined ? {} : { sources }),
        },
      ];
    }),
  );
  return new Map(found);
}

async function sourcesOf(
  model: string,
  models: ReadonlyMap<string, Model>,
  tables: ReadonlyMap<string, TableId>,
): Promise<readonly TableId[] | undefined> {
  const sources = await rollupSources([model], async (name) => models.get(name));
  if (sources.kind === 'unknown') return undefined;
  const found = sources.models.map((name) => tables.get(name));
  return found.some((table) => table === undefined) ? undefined : (found as readonly TableId[]);
}
