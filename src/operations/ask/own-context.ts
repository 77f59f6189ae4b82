/*
 * What questions of the owner of a folder are compiled from.
 *
 *   semantics as the environment was applied with     unless
 *   semantics of the folder                           they are asked for, or none were stored
 *   the folder alone                                  a question is only shown, and the environment need not be there
 */
import { ColumnFlow } from '../../compiler/semantic/access/column-flow.ts';
import { indexOf } from '../../compiler/semantic/semantic-index.ts';
import { bareTables } from '../../compiler/semantic/sql/compile-sql-question.ts';
import type { StatementContext } from '../../compiler/semantic/statement-context.ts';
import type { Project } from '../../domain/project.ts';
import type { ViewNaming } from '../../domain/relation.ts';
import type { Caller } from '../../domain/semantic-query.ts';
import type { Semantics } from '../../domain/semantics.ts';
import { environmentOf, type OpenedWorldReader } from '../open-world.ts';
import { readContext } from './read-context.ts';
import type { Question } from './submission.ts';

export interface OwnContext<Folder> {
  readonly context: StatementContext;
  /** When the semantics are those of the folder. */
  readonly folder?: Folder;
}

export interface OwnRequest<Folder> {
  /** The project's default when absent. */
  readonly environment: string | undefined;
  readonly caller: Caller;
  readonly isLocal: boolean;
  readonly isShown: boolean;
  readonly load: () => Promise<Folder>;
}

const NO_SEMANTICS: Semantics = { semanticModels: [], metrics: [], models: [] };

export async function ownContext<Folder extends { readonly project: Project }>(
  world: OpenedWorldReader,
  question: Question,
  { environment: written, caller, isLocal, isShown, load }: OwnRequest<Folder>,
): Promise<OwnContext<Folder>> {
  const environment = environmentOf(world.config, written);
  // Only names without a schema can be semantic models, and policies do not apply to the owner.
  const isOfModels =
    question.kind === 'sql' && caller.isUnrestricted && bareTables(question.sql).length === 0;
  if (isOfModels) return { context: await readContext(world, environment, { semantics: NO_SEMANTICS }) };
  const isThere = !isShown || (await world.state.snapshots.environment(environment)) !== undefined;
  const applied = isLocal || !isThere ? undefined : await readContext(world, environment, {});
  if (applied !== undefined && isEnough(applied, caller)) return { context: applied };
  const folder = await load();
  const context = isShown
    ? folderContext(folder.project, world.naming(environment))
    : await readContext(world, environment, { semantics: folder.project });
  return { context, folder };
}

/** Policies that cannot be read must not be replaced by those of the folder. */
const isEnough = ({ semantics, isUnreadable }: StatementContext, { isUnrestricted }: Caller): boolean =>
  semantics.semanticModels.length + semantics.metrics.length > 0 || (isUnreadable && !isUnrestricted);

/** As if the folder had been applied. */
export function folderContext(project: Project, naming: ViewNaming): StatementContext {
  const { models, audits } = project;
  const entries = models.map((model) => ({
    model: model.name,
    fingerprint: '',
    version: '',
    columns: model.columns.map((column) => column.name),
  }));
  const flow = new ColumnFlow(models.map((model) => ({ model, audits })));
  const applied = {
    promotionId: '',
    planId: '',
    promotedAt: 0,
    gateway: '',
    definitions: {},
  };
  return {
    environment: { name: naming.environment, entries, ...applied },
    naming,
    semantics: project,
    protection: async () => ({ flow, indexes: [indexOf(project)], rollups: new Set() }),
    isUnreadable: false,
    models: new Map(
      models.map(({ kind }, at) => {
        const entry = entries[at] as (typeof entries)[number];
        const isTable = kind.kind !== 'embedded' && kind.kind !== 'external';
        return [entry.model, { entry, kind: isTable ? 'stored' : kind.kind, isRollup: false }];
      }),
    ),
    tablesBelow: async () => undefined,
    above: async () => [],
    rules: async () => undefined,
    rollups: async () => new Map(),
  };
}
