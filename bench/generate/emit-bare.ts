import { SQL_TYPE, sampleValue } from './columns.ts';
import {
  type ExternalTable,
  type GeneratedProject,
  materialisationOf,
  type Spelling,
  spell,
} from './project.ts';

// The floor: the same queries as plain DuckDB statements in order, macros expanded by hand, no tool.

const SPELLING: Spelling = {
  ref: (schema, name) => `${schema}.${name}`,
  ratio: (numerator, denominator) =>
    `CAST(${numerator} AS DOUBLE) / NULLIF(CAST(${denominator} AS DOUBLE), 0)`,
  start: 'CURRENT_DATE - 7',
  end: 'CURRENT_DATE - 1',
};

/** The query of each model as DuckDB takes it, by `schema.name`, in topological order. */
function bareQueries(project: GeneratedProject): ReadonlyMap<string, string> {
  return new Map(
    project.models.map(({ node, query }) => [`${node.schema}.${node.name}`, spell(query.text, SPELLING)]),
  );
}

/** Statements that create the external tables with `rows` rows each (0 gives empty tables). */
export function externalStatements(project: GeneratedProject, rows: number): readonly string[] {
  return [
    'CREATE SCHEMA IF NOT EXISTS raw',
    ...project.externals.flatMap((table) => externalTable(table, rows)),
  ];
}

/** Statements that build every model, in order. */
export function buildStatements(project: GeneratedProject): readonly string[] {
  const queries = bareQueries(project);
  const schemas = ['staging', 'intermediate', 'marts'].map(
    (schema) => `CREATE SCHEMA IF NOT EXISTS ${schema}`,
  );
  return [
    ...schemas,
    ...project.models.map((model) => {
      const name = `${model.node.schema}.${model.node.name}`;
      return `CREATE ${materialisationOf(model) === 'view' ? 'VIEW' : 'TABLE'} ${name} AS\n${queries.get(name)!}`;
    }),
  ];
}

/** Statements that bring the next day: incremental tables get its rows, full ones are built anew, views stay. */
function incrementStatements(project: GeneratedProject): readonly string[] {
  const today: Spelling = { ...SPELLING, start: 'CURRENT_DATE', end: 'CURRENT_DATE' };
  return project.models.flatMap((model) => {
    const { node, query } = model;
    const name = `${node.schema}.${node.name}`;
    const text = spell(query.text, today);
    const kind = materialisationOf(model);
    if (kind === 'view') return [];
    if (kind === 'full') return [`CREATE OR REPLACE TABLE ${name} AS\n${text}`];
    return [
      `DELETE FROM ${name} WHERE CAST(${query.relation.date} AS DATE) = CURRENT_DATE`,
      `INSERT INTO ${name} BY NAME\n${text}`,
    ];
  });
}

/** The two audits of every model as queries; a row returned is a failure. */
export function auditStatements(project: GeneratedProject): readonly string[] {
  return project.models.flatMap(({ node, query }) => {
    const table = `${node.schema}.${node.name}`;
    const { key } = query.relation;
    return [
      `SELECT * FROM ${table} WHERE ${key} IS NULL`,
      `SELECT ${key} FROM ${table} WHERE ${key} IS NOT NULL GROUP BY ${key} HAVING COUNT(*) > 1`,
    ];
  });
}

/** Files of the floor: whole scripts, and one file a query for measuring the parser alone. */
export function emitBare(project: GeneratedProject, rows: number): ReadonlyMap<string, string> {
  const script = (statements: readonly string[]): string => `${statements.join(';\n\n')};\n`;
  const files = new Map<string, string>();
  files.set('externals.sql', script(externalStatements(project, rows)));
  files.set('build.sql', script(buildStatements(project)));
  files.set('audits.sql', script(auditStatements(project)));
  files.set('increment.sql', script(incrementStatements(project)));
  for (const [name, text] of bareQueries(project)) files.set(`queries/${name}.sql`, `${text}\n`);
  return files;
}

function externalTable({ node, relation }: ExternalTable, rows: number): string[] {
  const name = `${node.schema}.${node.name}`;
  const columns = relation.columns.map((column) => `${column.name} ${SQL_TYPE[column.family]}`);
  const create = `CREATE TABLE ${name} (${columns.join(', ')})`;
  if (rows === 0) return [create];
  const isRequired = (column: string): boolean => column === relation.key || column === relation.date;
  const values = relation.columns.map((c, i) => sampleValue(c, isRequired(c.name), i, rows));
  return [create, `INSERT INTO ${name} SELECT ${values.join(', ')} FROM range(${rows}) AS r(i)`];
}
