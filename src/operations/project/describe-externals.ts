import {
  type DescribedTable,
  generatedNames,
  hasEntry,
  withGeneratedEntries,
} from '../../compiler/load/yaml/write-external-models.ts';
import { failure } from '../../domain/failure.ts';
import { splitModelName } from '../../domain/model-name.ts';
import { externalRelation, relationText } from '../../domain/relation.ts';
import { hasErrors } from '../../foundation/diagnostics/diagnostic.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { quoteName } from '../../foundation/sql/quote.ts';
import { openWorld } from '../open-world.ts';
import type { Workspace } from '../workspace.ts';
import type { LoadedWorkspace } from './load-project.ts';

const PATHS = ['external_models.yaml', 'external_models.yml'];

/** What became of one table: `kept` is described by the user, `missing` is not in the warehouse. */
export interface ExternalTable {
  readonly name: string;
  readonly status: 'written' | 'same' | 'kept' | 'missing' | 'removed';
  readonly columns?: number;
}

export interface ExternalFile {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  readonly tables: readonly ExternalTable[];
}

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
  const spell = (name: string): string => spelled(name, world.engine.dialect);
  const { read, own } = tablesRead(loaded, (name, file) => file === path && generated.includes(spell(name)));
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
  // What an unreadable model reads is not known, so no entry goes then.
  const isWhole = !hasErrors(loaded.diagnostics);
  const wanted = new Set(asked.map(spell));
  const after = withGeneratedEntries(before, [...described.values()], (name) => !isWhole || wanted.has(name));
  const gone = isWhole ? generated.filter((name) => !wanted.has(name)) : [];
  const hasNothing = described.size === 0 && gone.length === 0;
  return {
    path,
    before,
    after: hasNothing ? before : after,
    tables: [
      ...read.map((name): ExternalTable => {
        const table = described.get(name);
        if (own.has(name)) return { name, status: 'kept' };
        if (table === undefined) return { name, status: 'missing' };
        return { name, status: hasEntry(before, table) ? 'same' : 'written', columns: table.columns.length };
      }),
      ...gone.map((name): ExternalTable => ({ name, status: 'removed' })),
    ],
  };
}

/** Names of tables that models read and no model makes, and those of them that the user described. */
function tablesRead(
  { project: { models }, brokenNames }: LoadedWorkspace,
  isGenerated: (name: string, file: string) => boolean,
): { readonly read: readonly string[]; readonly own: ReadonlySet<string> } {
  const externals = models.filter(({ source }) => source.kind === 'external');
  const made = new Set(models.map(({ name }) => name));
  for (const { name } of externals) made.delete(name);
  const read = new Set(models.flatMap(({ dependencies }) => dependencies));
  return {
    read: [...read].filter((name) => !made.has(name) && !brokenNames.has(name)).sort(),
    own: new Set(externals.filter(({ name, file }) => !isGenerated(name, file)).map(({ name }) => name)),
  };
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

/** A table as external_models.yaml names it. */
function spelled(name: string, dialect: Dialect): string {
  const { catalog, schema, table } = splitModelName(name);
  return [catalog, schema, table]
    .flatMap((part) => part ?? [])
    .map((part) => (/^[a-z_][a-z0-9_]*$/.test(part) ? part : quoteName(part, dialect)))
    .join('.');
}
