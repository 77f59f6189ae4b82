import { DuckDBInstance } from '@duckdb/node-api';
import { auditStatements, buildStatements, externalStatements } from './emit-bare.ts';
import { generateProject } from './project.ts';

/** What DuckDB says of the generated project; `failedAudits` and `errors` are empty when the generator is right. */
export interface Verification {
  readonly statements: number;
  readonly errors: readonly string[];
  readonly failedAudits: readonly string[];
  readonly rowsInMarts: number;
}

/** A column as DuckDB describes it. */
export interface DescribedColumn {
  readonly name: string;
  readonly type: string;
}

/** What DuckDB's DESCRIBE says of every model, by `schema.name`: the yardstick for inferred types. */
export async function describeProject(
  total: number,
): Promise<ReadonlyMap<string, readonly DescribedColumn[]>> {
  const project = generateProject(total);
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const described = new Map<string, readonly DescribedColumn[]>();
  for (const statement of [...externalStatements(project, 0), ...buildStatements(project)])
    await connection.run(statement);
  for (const { node } of project.models) {
    const name = `${node.schema}.${node.name}`;
    const rows = (await connection.runAndReadAll(`DESCRIBE ${name}`)).getRows();
    described.set(
      name,
      rows.map(([column, type]) => ({ name: String(column), type: String(type) })),
    );
  }
  connection.closeSync();
  instance.closeSync();
  return described;
}

/** Builds the whole project in an in-memory DuckDB with `rows` rows in each external table and runs its audits. */
export async function verifyProject(total: number, rows: number): Promise<Verification> {
  const project = generateProject(total);
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const errors: string[] = [];
  const build = [...externalStatements(project, rows), ...buildStatements(project)];
  for (const statement of build) {
    try {
      await connection.run(statement);
    } catch (error) {
      errors.push(`${String(error)}\n${statement}`);
    }
  }
  const failedAudits: string[] = [];
  let statements = build.length;
  if (errors.length === 0) {
    for (const statement of auditStatements(project)) {
      statements++;
      if ((await connection.runAndReadAll(statement)).currentRowCount > 0) failedAudits.push(statement);
    }
  }
  let rowsInMarts = 0;
  for (const { node } of errors.length === 0 ? project.models : []) {
    if (node.layer !== 'marts') continue;
    const reader = await connection.runAndReadAll(`SELECT COUNT(*) FROM ${node.schema}.${node.name}`);
    rowsInMarts += Number(reader.getRows()[0]![0]);
  }
  connection.closeSync();
  instance.closeSync();
  return { statements, errors, failedAudits, rowsInMarts };
}
