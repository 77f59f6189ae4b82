import { renderQuery, type TableStandIn } from '../../compiler/render/render-query.ts';
import type { Answer } from '../../domain/engine.ts';
import { type Environment, tableOf } from '../../domain/environment.ts';
import { failure } from '../../domain/failure.ts';
import type { Model } from '../../domain/model.ts';
import { physicalRelation, relationSql } from '../../domain/relation.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { transpile } from '../../foundation/sql/library/transpile.ts';
import type { TimeRange } from '../../foundation/time/ranges.ts';
import type { OpenedWorld } from '../open-world.ts';
import type { LoadedWorkspace } from './load-project.ts';

export interface EvaluateRequest {
  readonly model: Model;
  readonly environment: string;
  readonly range: TimeRange;
  readonly executionTime: number;
  readonly rowsMax: number;
}

/** Rows a model of the project folder would have for an interval: read from the environment's tables, nothing is written. */
export async function evaluate(
  world: OpenedWorld,
  loaded: LoadedWorkspace,
  request: EvaluateRequest,
): Promise<Answer> {
  const { model, range, executionTime, rowsMax } = request;
  const environment = await world.state.snapshots.environment(request.environment);
  const built = tablesOf(environment, world);
  const columns = new Map(loaded.project.models.map(({ name, columns: own }) => [name, own]));
  const rendered = new Map<string, { readonly sql: string; readonly dialect: Dialect }>();
  const needed = inlined(loaded, model, built);
  // Dependencies come first, so what is computed in place finds what it reads.
  for (const each of loaded.project.models) {
    if (each !== model && !needed.has(each.name)) continue;
    const standIn = (table: string): TableStandIn | undefined => {
      const sql = built(table, each.dialect);
      if (sql !== undefined) return { kind: 'table', sql };
      const inline = rendered.get(table);
      return inline === undefined ? undefined : { kind: 'query', sql: inline.sql };
    };
    const sql = await renderQuery(each, loaded.surroundings, {
      times: { ...range, execution: executionTime },
      standIn,
      columnsOf: (table) => columns.get(table),
      runtimeStage: 'evaluating',
    });
    rendered.set(each.name, { sql, dialect: each.dialect });
  }
  const sql = await inDialect(rendered.get(model.name)?.sql ?? '', model, world.engine.dialect);
  return world.engine.query(`SELECT * FROM (\n${sql}\n) AS preview LIMIT ${rowsMax}`);
}

/** The SQL name of the table of a model that the environment has built. */
function tablesOf(
  environment: Environment | undefined,
  { engine }: OpenedWorld,
): (model: string, dialect: Dialect) => string | undefined {
  const entries = new Map(environment?.entries.map((entry) => [entry.model, entry]));
  return (model, dialect) => {
    const entry = entries.get(model);
    const id = entry === undefined ? undefined : tableOf(entry);
    return id && relationSql(physicalRelation(id, engine.capabilities.identifierMax), dialect);
  };
}

/** Models whose rows must be computed in place: those above the model with no built one in between. */
function inlined(
  { project }: LoadedWorkspace,
  model: Model,
  built: (model: string, dialect: Dialect) => string | undefined,
): ReadonlySet<string> {
  const byName = new Map(project.models.map((each) => [each.name, each]));
  const found = new Set<string>();
  const queue = [model];
  for (let at = queue.pop(); at !== undefined; at = queue.pop())
    for (const name of at.dependencies) {
      const parent = byName.get(name);
      if (parent === undefined || parent.kind.kind === 'external' || found.has(name)) continue;
      if (built(name, parent.dialect) !== undefined) continue;
      found.add(name);
      queue.push(parent);
    }
  return found;
}

async function inDialect(sql: string, { name, dialect }: Model, to: Dialect): Promise<string> {
  if (dialect === to) return sql;
  const result = await transpile(sql, dialect, to);
  if (result.ok) return result.value;
  throw failure('cli.not-rendered', { model: name, detail: result.error.message.replace(/\.$/, '') });
}
