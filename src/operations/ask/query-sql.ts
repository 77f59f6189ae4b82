import { replaceTables, type StandInOf } from '../../compiler/render/replace-tables.ts';
import type { Answer } from '../../domain/engine.ts';
import { failure } from '../../domain/failure.ts';
import { modelName } from '../../domain/model-name.ts';
import { type Relation, relationSql, viewRelation } from '../../domain/relation.ts';
import { withCells } from '../../domain/with-cells.ts';
import { didYouMean } from '../../foundation/diagnostics/nearest.ts';
import { appliedEnvironment, type OpenedWorld } from '../open-world.ts';

export interface SqlRequest {
  readonly sql: string;
  readonly environment: string;
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

/** Rows of one query over an environment: names of models mean its views. Anything but a query is refused, so nothing is written. */
export async function querySql(world: OpenedWorld, request: SqlRequest): Promise<Answer> {
  const environment = await appliedEnvironment(world, request.environment);
  const naming = world.naming(environment.name);
  const views = new Map(environment.entries.map(({ model }) => [model, viewRelation(model, naming)]));
  const written = request.sql.trim().replace(/;\s*$/, '');
  if (!/^[\s(]*(?:select|with|from|values|table|pivot|unpivot|describe|summarize|show)\b/i.test(written))
    throw failure('query.not-a-query', { text: written.slice(0, 60) });
  const { dialect } = world.engine;
  const replaced = await replaceTables({ text: written, dialect }, standIns(views, environment.name));
  if (replaced === undefined && environment.name !== 'prod')
    throw failure('query.cannot-read', { environment: environment.name });
  const { limit, signal } = request;
  // As a table of an outer query a text cannot be anything but a query, whatever our own parser made of it.
  const sql = `SELECT * FROM (\n${replaced?.text ?? written}\n) AS asked${limit === undefined ? '' : ` LIMIT ${limit}`}`;
  return withCells(await world.engine.query(sql, signal === undefined ? {} : { signal }));
}

function standIns(views: ReadonlyMap<string, Relation>, environment: string): StandInOf {
  const schemaOf = (name: string): string => name.slice(0, name.lastIndexOf('.'));
  const schemas = new Set([...views.keys()].map(schemaOf));
  return (parts, dialect) => {
    const name = modelName(parts, dialect);
    const view = views.get(name) ?? views.get(modelName(parts.slice(-2), dialect));
    if (view !== undefined) return { kind: 'table', sql: relationSql(view, dialect) };
    // One part, or a schema that no model has: an external table, which the engine may know.
    if (parts.length < 2 || !schemas.has(schemaOf(name))) return undefined;
    throw failure(
      'query.unknown-model',
      { name, environment },
      {
        hint: didYouMean(name, [...views.keys()]) ?? 'plinth status --all lists the models of an environment',
      },
    );
  };
}
