import {
  folderOf,
  type GeneratedModel,
  type GeneratedProject,
  materialisationOf,
  type Spelling,
  spell,
} from './project.ts';

// The same SQL as a dbt project: ref() and source(), tests in schema.yml, the macro in Jinja. A profile for DuckDB
// lies in the same folder, so `--profiles-dir .` is all it needs.

const SPELLING: Spelling = {
  ref: (schema, name) => (schema === 'raw' ? `{{ source('raw', '${name}') }}` : `{{ ref('${name}') }}`),
  ratio: (numerator, denominator) => `{{ safe_ratio('${numerator}', '${denominator}') }}`,
  start: '{{ window_start() }}',
  end: '{{ window_end() }}',
};

/** The dbt macro; `version` changes its effect, which is how the bench touches the macro. */
export function dbtMacros(version = 0): ReadonlyMap<string, string> {
  const factor = version === 0 ? '' : ` * ${version}.0`;
  const text = `{% macro safe_ratio(a, b) %}CAST({{ a }} AS DOUBLE) / NULLIF(CAST({{ b }} AS DOUBLE), 0)${factor}{% endmacro %}

{% macro window_start() %}CURRENT_DATE - 7{% endmacro %}

{% macro window_end() %}CURRENT_DATE - 1{% endmacro %}
`;
  return new Map([['macros/shared.sql', text]]);
}

/** Files of the dbt project, by path inside its folder. */
export function emitDbt(project: GeneratedProject): ReadonlyMap<string, string> {
  const files = new Map<string, string>(dbtMacros());
  files.set('dbt_project.yml', PROJECT);
  files.set('profiles.yml', PROFILES);
  files.set('models/sources.yml', sources(project));
  const tests = new Map<string, string[]>();
  for (const model of project.models) {
    files.set(dbtPath(model), modelText(model));
    const folder = folderOf(model.node);
    const lines = tests.get(folder) ?? [];
    lines.push(testText(model));
    tests.set(folder, lines);
  }
  for (const [folder, lines] of tests) {
    files.set(`models/${folder}/schema.yml`, `version: 2\nmodels:\n${lines.join('')}`);
  }
  return files;
}

/** Where a model's file lies in the dbt folder. */
export function dbtPath({ node }: GeneratedModel): string {
  return `models/${folderOf(node)}/${node.name}.sql`;
}

const PROJECT = `name: generated
version: '1.0'
profile: generated
model-paths: [models]
macro-paths: [macros]
flags:
  send_anonymous_usage_stats: false
models:
  generated:
    staging: {+schema: staging}
    intermediate: {+schema: intermediate}
    marts: {+schema: marts}
`;

const PROFILES = `generated:
  target: dev
  outputs:
    dev:
      type: duckdb
      path: warehouse.duckdb
      threads: 2
`;

function modelText(model: GeneratedModel): string {
  const { key } = model.query.relation;
  const configs = {
    view: "materialized='view'",
    full: "materialized='table'",
    incremental: `materialized='incremental', incremental_strategy='delete+insert', unique_key='${key}'`,
  };
  return `{{ config(${configs[materialisationOf(model)]}) }}\n\n${spell(model.query.text, SPELLING)}\n`;
}

function testText({ node, query }: GeneratedModel): string {
  const { key } = query.relation;
  return `  - name: ${node.name}\n    columns:\n      - name: ${key}\n        data_tests: [not_null, unique]\n`;
}

function sources({ externals }: GeneratedProject): string {
  const tables = externals.map(({ node }) => `      - name: ${node.name}\n`);
  return `version: 2\nsources:\n  - name: raw\n    schema: raw\n    tables:\n${tables.join('')}`;
}
