import type { CheckedTable } from '../../compiler/quality/check-plan.ts';
import { modelsOfPack } from '../../compiler/quality/pack-sources.ts';
import type { DqPack } from '../../domain/dq-pack.ts';
import type { Environment } from '../../domain/environment.ts';
import type { CheckedModels } from '../../runtime/quality/check-model.ts';
import { appliedPacks } from '../applied-packs.ts';
import type { OpenedWorldReader } from '../open-world.ts';
import { environmentTables } from './environment-tables.ts';

/** The packs of an environment, and the tables they are about. */
export interface EnvironmentChecks extends CheckedModels {
  readonly environment: Environment;
  readonly packs: readonly DqPack[];
}

/** Reads what checks of an environment need; `isWanted` chooses packs. */
export async function environmentChecks(
  world: OpenedWorldReader,
  environment: Environment,
  isWanted: (pack: DqPack) => boolean,
): Promise<EnvironmentChecks> {
  const packs = (await appliedPacks(world, environment)).filter(isWanted);
  if (packs.length === 0) return { environment, packs, tableOf: () => undefined, sourcesOf: () => undefined };
  const tables = await environmentTables(world, environment, packs.flatMap(modelsOfPack));
  const find = (name: string) => tables.get(name.toLowerCase());
  return {
    environment,
    packs,
    tableOf: (name): CheckedTable | undefined => {
      const found = find(name);
      return found?.relation === undefined || found.columns.length === 0
        ? undefined
        : { name: found.name, relation: found.relation, columns: found.columns, dialect: found.dialect };
    },
    sourcesOf: (name) => find(name)?.sources,
  };
}
