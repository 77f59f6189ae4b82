import { inDialect } from '../../compiler/render/in-dialect.ts';
import { renderInlined } from '../../compiler/render/render-inlined.ts';
import type { Answer } from '../../domain/engine.ts';
import { type Environment, tableOf } from '../../domain/environment.ts';
import type { Model } from '../../domain/model.ts';
import { physicalRelation, relationSql } from '../../domain/relation.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import type { TimeRange } from '../../foundation/time/ranges.ts';
import type { OpenedWorldReader } from '../open-world.ts';
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
  world: OpenedWorldReader,
  { project, compileContext }: LoadedWorkspace,
  request: EvaluateRequest,
): Promise<Answer> {
  const { model, range, executionTime, rowsMax } = request;
  const environment = await world.state.snapshots.environment(request.environment);
  const tableSql = tablesOf(environment, world);
  const query = await renderInlined({ models: project.models, compileContext }, model, {
    times: { ...range, execution: executionTime },
    runtimeStage: 'evaluating',
    tableSql,
    isInlined: ({ name, kind, dialect }) => kind.kind !== 'external' && tableSql(name, dialect) === undefined,
  });
  const sql = await inDialect(query, model, world.engine.dialect);
  return world.engine.query(`SELECT * FROM (\n${sql}\n) AS preview LIMIT ${rowsMax}`);
}

/** The SQL name of the table of a model that the environment has built. */
function tablesOf(
  environment: Environment | undefined,
  { engine }: OpenedWorldReader,
): (model: string, dialect: Dialect) => string | undefined {
  const entries = new Map(environment?.entries.map((entry) => [entry.model, entry]));
  return (model, dialect) => {
    const entry = entries.get(model);
    const id = entry === undefined ? undefined : tableOf(entry);
    return id && relationSql(physicalRelation(id, engine.capabilities.identifierMax), dialect);
  };
}
