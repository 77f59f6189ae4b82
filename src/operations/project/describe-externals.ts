import { externalTables } from '../../compiler/catalog/external-tables.ts';
import { externalFile } from '../../compiler/load/yaml/external-file.ts';
import { externalName } from '../../compiler/load/yaml/external-name.ts';
import { type DescribedTable, generatedNames } from '../../compiler/load/yaml/write-external-models.ts';
import type { ExternalFile } from '../../domain/external-file.ts';
import { failure } from '../../domain/failure.ts';
import { externalRelation, relationText } from '../../domain/relation.ts';
import { hasErrors } from '../../foundation/diagnostics/diagnostic.ts';
import { openWorld } from '../open-world.ts';
import type { Workspace } from '../workspace.ts';
import type { LoadedWorkspace } from './load-project.ts';

const PATHS = ['external_models.yaml', 'external_models.yml'];

/** Describes every table that models read and no model makes, as the warehouse has it. Writes nothing; what the user described stays. */
export async function describeExternals(
  workspace: Workspace,
  loaded: LoadedWorkspace,
): Promise<ExternalFile> {
  const path = PATHS.find((each) => loaded.sources.has(each)) ?? 'external_models.yaml';
  const before = loaded.sources.get(path) ?? '';
  const generated = generatedNames(before);
  if (generated === undefined) throw failure('external.not-a-list', { path });
  const world = await openWorld(workspace);
  const spell = (name: string): string => externalName(name, world.engine.dialect);
  const { read, own } = externalTables(
    loaded,
    (name, file) => file === path && generated.includes(spell(name)),
  );
  const asked = read.filter((name) => !own.has(name));
  const found = await world.engine.columnsOf(asked.map(externalRelation));
  const described = new Map(
    asked.flatMap((name): readonly [string, DescribedTable][] => {
      const columns = found.get(relationText(externalRelation(name)));
      if (columns === undefined) return [];
      const table = {
        name: spell(name),
        columns: columns.map((each) => ({ name: each.name, type: each.type })),
      };
      return [[name, { ...table, ...written(world) }]];
    }),
  );
  return externalFile(
    { path, before },
    { read, own, described, spell, isWhole: !hasErrors(loaded.diagnostics) },
  );
}

/** What an entry says beside name and columns: for which gateway, and in which dialect, where it is not the project's own. */
function written({
  gateway,
  config,
  engine,
}: Awaited<ReturnType<typeof openWorld>>): Pick<DescribedTable, 'gateway' | 'dialect'> {
  const dialect = gateway.modelDefaults.dialect ?? config.modelDefaults.dialect;
  return {
    ...(gateway.name === config.defaultGateway ? {} : { gateway: gateway.name }),
    ...(dialect === engine.dialect ? {} : { dialect: engine.dialect }),
  };
}
