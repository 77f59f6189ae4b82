import { ColumnFlow } from '../../compiler/semantic/access/column-flow.ts';
import { indexOf } from '../../compiler/semantic/semantic-index.ts';
import type { ModelTables } from '../../compiler/semantic/sql/compile-semantic-sql.ts';
import type { Environment } from '../../domain/environment.ts';
import { failure } from '../../domain/failure.ts';
import type { Project } from '../../domain/project.ts';
import type { Caller } from '../../domain/semantic-query.ts';
import type { Semantics } from '../../domain/semantics.ts';
import { appliedSemantics } from '../applied-semantics.ts';
import { environmentOf, type OpenedWorldReader } from '../open-world.ts';
import { environmentPolicies } from './environment-policies.ts';
import { tablesFor } from './readable-models.ts';

/** What questions of members of groups are compiled from, with the policies that hold for them. */
export interface GroupView {
  readonly semantics: Semantics;
  /** Models that they may name as tables. */
  readonly models: readonly string[];
  readonly tables: ModelTables;
}

/** Policies as a server would apply them to members of groups, for those who try them out. `applied` is what the environment shows, if anything. */
export async function viewOfGroups(
  world: OpenedWorldReader,
  caller: Caller,
  {
    applied,
    semantics: asked,
    folder,
  }: {
    readonly applied: Environment | undefined;
    readonly semantics: Semantics | 'unreadable';
    readonly folder?: Project | undefined;
  },
): Promise<GroupView> {
  if (asked === 'unreadable') throw unreadable(applied?.name ?? '');
  if (applied === undefined) {
    const { models = [], audits = [] } = folder ?? {};
    const columnsOf = new Map(
      models.map(({ name, columns }) => [name, columns.map((column) => column.name)]),
    );
    const flow = new ColumnFlow(models.map((model) => ({ model, audits })));
    const protection = { flow, indexes: [indexOf(asked)], rollups: new Set<string>() };
    const columns = (model: string): readonly string[] => columnsOf.get(model) ?? [];
    return {
      semantics: asked,
      models: [...columnsOf.keys()],
      tables: tablesFor(caller, { protection, semantics: asked, columns }),
    };
  }
  const home = environmentOf(world.config, undefined);
  const other = home === applied.name ? undefined : await world.state.snapshots.environment(home);
  const policies = await environmentPolicies(
    world,
    { environment: applied, semantics: asked },
    other && { environment: other, semantics: await appliedSemantics(world, other) },
  );
  if (policies.isUnreadable) throw unreadable(other?.name ?? applied.name);
  const { semantics } = policies;
  const shown = new Map(applied.entries.map((entry) => [entry.model, entry.columns]));
  const columns = (model: string): readonly string[] => shown.get(model) ?? [];
  return {
    semantics,
    models: [...shown.keys()],
    tables: tablesFor(caller, { protection: await policies.protection(), semantics, columns }),
  };
}

const unreadable = (environment: string) => failure('policy.unreadable', { environment });
