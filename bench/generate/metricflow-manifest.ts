import type { Project } from '../../src/domain/project.ts';
import type { Measure, SemanticModel } from '../../src/domain/semantic-model.ts';

// The semantic models of a generated project in MetricFlow's form (the manifest that dbt writes for it), and the same metrics for both
// tools. Measures derived from measures have no counterpart there but as metrics: these are the ratio and the derived metric.

export const METRIC_KINDS = ['simple', 'ratio', 'derived', 'cumulative'] as const;
export type MetricKind = (typeof METRIC_KINDS)[number];

/** A fact of the generated project and the dimensions its metrics have: beside it, and one behind that. */
interface Fact {
  readonly name: string;
  readonly near: string;
  readonly far: string;
  readonly filtered: string;
}

/** Facts that have all these dimensions. */
export function factsOf({ semanticModels }: Pick<Project, 'semanticModels'>): readonly Fact[] {
  return semanticModels.flatMap(({ name: { value: name } }) => {
    const group = /^fact_(\d+)_/.exec(name)?.[1];
    return group === undefined
      ? []
      : [{ name, near: `dim_${group}_2`, far: `dim_${group}_6`, filtered: `dim_${group}_3` }];
  });
}

export const metricName = (fact: string, kind: MetricKind): string => `${fact}_${kind}`;

/** Files of Plinth's metrics, by name. */
export function metricFiles(facts: readonly Fact[]): ReadonlyMap<string, string> {
  const calculations: Readonly<Record<MetricKind, (fact: string) => string>> = {
    simple: (fact) => `measure: ${fact}.m0`,
    ratio: (fact) => `type: ratio\nnumerator: ${fact}.m0\ndenominator: ${fact}.m4`,
    derived: (fact) => `type: derived\nexpression: "{a} - {b}"\ninputs: {a: ${fact}.m0, b: ${fact}.m4}`,
    cumulative: (fact) => `type: cumulative\nmeasure: ${fact}.m0\nwindow: 7 days`,
  };
  return new Map(
    facts.flatMap(({ name, near, far, filtered }) =>
      METRIC_KINDS.map((kind) => [
        `${metricName(name, kind)}.yml`,
        `kind: metric\nname: ${metricName(name, kind)}\n${calculations[kind](name)}\nts: ${name}.day\ngranularity: month\n` +
          `dimensions: [{name: near, ref: ${near}.status}, {name: far, ref: ${far}.status}, {name: filtered, ref: ${filtered}.c0}]\n`,
      ]),
    ),
  );
}

/** The same models and metrics for MetricFlow. */
export function metricflowManifest(
  project: Pick<Project, 'semanticModels'>,
  facts: readonly Fact[],
): unknown {
  const relation = (name: string) => ({ alias: name, schema_name: 'raw', relation_name: `raw.${name}` });
  return {
    semantic_models: project.semanticModels.map((model) => ({
      name: model.name.value,
      node_relation: relation(model.name.value),
      defaults: { agg_time_dimension: 'day' },
      entities: entities(model),
      dimensions: dimensions(model),
      measures: model.measures.flatMap((each) => measure(model.name.value, each)),
    })),
    metrics: facts.flatMap(({ name }) => metrics(name)),
    project_configuration: {
      time_spine_table_configurations: [],
      time_spines: [
        { node_relation: relation('days'), primary_column: { name: 'day', time_granularity: 'day' } },
      ],
    },
    saved_queries: [],
  };
}

function entities({ name, joins }: SemanticModel): unknown {
  return [
    { name: name.value, type: 'primary', expr: 'id' },
    ...joins.map((join) => ({ name: join.name.value, type: 'foreign', expr: `${join.name.value}_id` })),
  ];
}

function dimensions(model: SemanticModel): unknown {
  return (model.dimensions ?? [])
    .map(({ name }) => name.value)
    .filter((name) => name !== 'id')
    .map((name) =>
      name === 'day' || name === 'at'
        ? { name, type: 'time', type_params: { time_granularity: name === 'day' ? 'day' : 'second' } }
        : { name, type: 'categorical' },
    );
}

const AGGREGATES: Readonly<Record<string, string>> = { sum: 'sum', count: 'count', avg: 'average' };

/** Names of measures are unique in the whole manifest. Measures of measures are none there. */
function measure(model: string, { name, type, expression, filters }: Measure): readonly unknown[] {
  const agg = AGGREGATES[type];
  if (agg === undefined) return [];
  const sql = (text: string): string => text.replace(/[{}]/g, '');
  const value = sql(expression?.value ?? '1');
  const conditions = filters.map((filter) => `(${sql(filter.value)})`).join(' AND ');
  return [
    {
      name: `${model}_${name.value}`,
      agg,
      expr: conditions === '' ? value : `CASE WHEN ${conditions} THEN ${value} END`,
    },
  ];
}

function metrics(fact: string): readonly unknown[] {
  const input = (name: string) => ({ name });
  const simple = (name: string, of: string) => ({
    name,
    type: 'simple',
    type_params: { measure: { name: of }, metrics: [] },
  });
  const [first, second] = [metricName(fact, 'simple'), `${fact}_other`];
  return [
    simple(first, `${fact}_m0`),
    simple(second, `${fact}_m4`),
    {
      name: metricName(fact, 'ratio'),
      type: 'ratio',
      type_params: { numerator: input(first), denominator: input(second), metrics: [] },
    },
    {
      name: metricName(fact, 'derived'),
      type: 'derived',
      type_params: {
        expr: 'a - b',
        metrics: [
          { name: first, alias: 'a' },
          { name: second, alias: 'b' },
        ],
      },
    },
    {
      name: metricName(fact, 'cumulative'),
      type: 'cumulative',
      type_params: {
        measure: { name: `${fact}_m0` },
        // Plinth's window ends with the bucket.
        cumulative_type_params: { window: { count: 7, granularity: 'day' }, period_agg: 'last' },
        metrics: [],
      },
    },
  ];
}
