import { SQL_TYPE } from './columns.ts';
import {
  folderOf,
  type GeneratedModel,
  type GeneratedProject,
  materialisationOf,
  type Spelling,
  spell,
} from './project.ts';

// One folder that Plinth and SQLMesh load unchanged. The shared macro exists twice, once for each tool: SQLMesh takes
// user macros in Python only, Plinth needs none; each ignores the other's file.

const SPELLING: Spelling = {
  ref: (schema, name) => `${schema}.${name}`,
  ratio: (numerator, denominator) => `@safe_ratio(${numerator}, ${denominator})`,
  start: '@start_date',
  end: '@end_date',
};

/** The `macros/shared.*` files; `version` changes their effect, which is how the bench touches the macro. */
export function blockMacros(version = 0): ReadonlyMap<string, string> {
  const factor = version === 0 ? '' : ` * ${version}.0`;
  const ts = [
    '/** a / b, NULL when b is zero. */',
    'export function safe_ratio(a: string, b: string): string {',
    `  return \`CAST(\${a} AS DOUBLE) / NULLIF(CAST(\${b} AS DOUBLE), 0)${factor}\`;`,
    '}',
  ];
  const py = [
    'from sqlmesh import macro',
    '',
    '',
    '@macro()',
    'def safe_ratio(evaluator, a, b):',
    `    return f"CAST({a} AS DOUBLE) / NULLIF(CAST({b} AS DOUBLE), 0)${factor}"`,
  ];
  return new Map([
    ['macros/__init__.py', ''],
    ['macros/shared.ts', `${ts.join('\n')}\n`],
    ['macros/shared.py', `${py.join('\n')}\n`],
  ]);
}

/** Files of the project in `MODEL (…)` form, by path inside the project folder. */
export function emitBlocks(project: GeneratedProject): ReadonlyMap<string, string> {
  const files = new Map<string, string>(blockMacros());
  files.set('config.yaml', CONFIG);
  files.set('external_models.yaml', externalModels(project));
  for (const model of project.models) files.set(blockPath(model), blockText(model));
  return files;
}

/** Where a model's file lies in the emitted folder. */
export function blockPath({ node }: GeneratedModel): string {
  return `models/${folderOf(node)}/${node.name}.sql`;
}

const CONFIG = `gateways:
  local:
    connection:
      type: duckdb
      database: warehouse.duckdb
default_gateway: local
model_defaults:
  dialect: duckdb
  start: 7 days ago
  cron: '@daily'
disable_anonymized_analytics: true
`;

function blockText(model: GeneratedModel): string {
  const { node, query } = model;
  const { key, date } = query.relation;
  const kinds = {
    view: 'VIEW',
    full: 'FULL',
    incremental: `INCREMENTAL_BY_TIME_RANGE (\n    time_column ${date}\n  )`,
  };
  return `MODEL (
  name ${node.schema}.${node.name},
  kind ${kinds[materialisationOf(model)]},
  cron '@daily',
  grain ${key},
  tags (${node.layer}, ${node.entity}),
  audits (
    not_null(columns := (${key})),
    unique_values(columns := (${key}))
  )
);

${spell(query.text, SPELLING)}
`;
}

function externalModels({ externals }: GeneratedProject): string {
  return externals
    .map(({ node, relation }) => {
      const columns = relation.columns.map((column) => `    ${column.name}: ${SQL_TYPE[column.family]}\n`);
      return `- name: ${node.schema}.${node.name}\n  columns:\n${columns.join('')}`;
    })
    .join('');
}
