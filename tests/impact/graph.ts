/*
 * A random project as data, so that it can be edited in one place:
 *
 *   base tables ─▶ models (filters, joins, groups, windows, unions, DISTINCT, subqueries, stars) ─▶ semantic models ─▶ metrics, perspectives
 *
 * All numbers are whole, and every model that a semantic model stands on has a key, so that answers are the same in every execution.
 */
import type { PerspectiveQuery } from '../../src/domain/perspective.ts';

export interface Column {
  readonly name: string;
  expression: string;
}

export interface ModelSpec {
  readonly name: string;
  readonly columns: Column[];
  readonly from: string;
  where: string;
  /** GROUP BY and what follows. */
  tail: string;
  /** A column that is unique. */
  readonly key?: string;
  isDistinct: boolean;
  owner: string;
  /** The whole text, where it is no plain select. */
  text?: string;
}

export interface SemanticSpec {
  readonly name: string;
  readonly model: string;
  readonly key: string;
  readonly dimensions: Column[];
  readonly measures: { readonly name: string; type: string; expression: string; filter?: string }[];
  /** The column that its time is made of. */
  readonly day: string;
  readonly segments: Column[];
  readonly joins: { readonly to: string; on: string }[];
  policy?: string;
}

export interface MetricSpec {
  readonly name: string;
  readonly body: Record<string, unknown>;
}

export interface Graph {
  readonly models: ModelSpec[];
  readonly semantics: SemanticSpec[];
  readonly metrics: MetricSpec[];
  readonly perspectives: { readonly name: string; readonly query: PerspectiveQuery }[];
}

export function queryOf({ columns, from, where, tail, isDistinct, text }: ModelSpec): string {
  if (text !== undefined) return text;
  const list = columns.map(({ name, expression }) => `${expression} AS ${name}`).join(', ');
  return `SELECT ${isDistinct ? 'DISTINCT ' : ''}${list} FROM ${from}${where === '' ? '' : ` WHERE ${where}`}${tail}`;
}

const json = (value: unknown): string => JSON.stringify(value);

/** Definitions are written as JSON, which YAML reads. */
export function filesOf({ models, semantics, metrics }: Graph): Readonly<Record<string, string>> {
  const files: Record<string, string> = { 'config.yaml': 'name: i\nmodel_defaults: {dialect: duckdb}\n' };
  for (const model of models)
    files[`models/${model.name}.sql`] =
      `MODEL (name ${model.name}, kind FULL, owner ${model.owner});\n${queryOf(model)}\n`;
  for (const { name, model, key, day, dimensions, measures, segments, joins, policy } of semantics)
    files[`models/semantics/${name}.yml`] = json({
      kind: 'semantic',
      name,
      depends_on: model,
      primary_key: [key],
      dimensions: [
        ...dimensions.map((each) => ({ name: each.name, type: 'number', sql: each.expression })),
        { name: 'day', type: 'time', sql: `DATE '2024-01-01' + CAST(${day} AS INTEGER)` },
      ],
      measures: measures.map(({ name: own, type, expression, filter }) => ({
        name: own,
        type,
        expression,
        ...(filter === undefined ? {} : { filters: [filter] }),
      })),
      segments: segments.map((each) => ({ name: each.name, expression: each.expression })),
      joins: joins.map(({ to, on }) => ({ name: to, type: 'many_to_one', on })),
      ...(policy === undefined
        ? {}
        : {
            policies: [
              { group: 'all' },
              { group: 'some', filter: [{ member: policy, operator: 'gt', values: [1] }] },
            ],
          }),
    });
  for (const { name, body } of metrics)
    files[`models/metrics/${name}.yml`] = json({ kind: 'metric', name, ...body });
  return files;
}
