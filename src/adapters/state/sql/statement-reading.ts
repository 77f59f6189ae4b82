/** The reading half of statements: a statement is its own row and what the execution it waits for has brought. */
import type { StatementReader, StatementUsage } from '../../../domain/state-store.ts';
import type { ExecutionResult, Statement, StatementStats } from '../../../domain/statement.ts';
import type { Row, StateSql, Steps } from './state-sql.ts';

/** Statements and executions that have not ended. */
export const WAITING = "status IN ('QUEUED', 'IN_PROGRESS')";

/** What an execution brought, as it is stored: without a name its lines are in a column of their own. */
export type Outcome = Omit<ExecutionResult, 'place'> & { readonly name?: string };

const SELECTED = 'SELECT s.*, e.fingerprint, e.outcome FROM statements s';
const EXECUTION = 'LEFT JOIN executions e ON e.id = s.execution_id';
const JOINED = `${SELECTED} ${EXECUTION}`;

export function* readStatement(
  state: StateSql,
  id: string,
  principalId?: string,
): Steps<Statement | undefined> {
  const row =
    principalId === undefined
      ? yield* state.row(`${JOINED} WHERE s.id = ?`, id)
      : yield* state.row(
          `${SELECTED} ${state.dialect.indexedBy('statements_by_principal')} ${EXECUTION} WHERE s.principal_id = ? AND s.id = ?`,
          principalId,
          id,
        );
  return row === undefined ? undefined : statementOf(row);
}

/** One that must be there. */
export function* knownStatement(state: StateSql, id: string): Steps<Statement> {
  const statement = yield* readStatement(state, id);
  if (statement === undefined) throw new Error(`statement ${id} is gone`);
  return statement;
}

export function* readStatements(
  state: StateSql,
  request: Parameters<StatementReader['statements']>[0],
): Steps<readonly Statement[]> {
  const { elements, field } = state.dialect;
  const conditions: string[] = ['TRUE'];
  const parameters: (string | number)[] = [];
  const add = (condition: string, value: string | number | undefined): void => {
    if (value === undefined) return;
    conditions.push(condition);
    parameters.push(value);
  };
  add('s.principal_id = ?', request.principalId);
  add('s.status = ?', request.status);
  add(`EXISTS (SELECT 1 FROM ${elements('s.head', 'tag', 'tags')} WHERE value = ?)`, request.tag);
  add(`${field('s.head', 'environment')} = ?`, request.environment);
  add(`${field('s.head', 'queryType')} = ?`, request.queryType);
  add(`EXISTS (SELECT 1 FROM ${elements('s.head', 'model', 'dependsOn')} WHERE value = ?)`, request.model);
  add('s.submitted_at >= ?', request.since);
  add('s.id < ?', request.before);
  const sql = `${JOINED} WHERE ${conditions.join(' AND ')} ORDER BY s.id DESC LIMIT ?`;
  return (yield* state.rows(sql, ...parameters, request.limit)).map(statementOf);
}

const MODELS_MAX = 20;

export function* readUsage(state: StateSql, since: number): Steps<StatementUsage> {
  const whole = yield* state.row(
    `SELECT COUNT(*) AS statements, COUNT(*) FILTER (WHERE status = 'FAILED') AS failed,
       COUNT(DISTINCT principal_id) AS callers, MAX(submitted_at) AS last_at FROM statements WHERE submitted_at >= ?`,
    since,
  );
  const types = yield* state.rows(
    `SELECT ${state.dialect.field('head', 'queryType')} AS type, COUNT(*) AS statements FROM statements WHERE submitted_at >= ? GROUP BY 1`,
    since,
  );
  const models = yield* state.rows(
    `SELECT m.value AS model, COUNT(*) AS statements FROM statements s, ${state.dialect.elements('s.head', 'm', 'dependsOn')}
     WHERE s.submitted_at >= ? GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${MODELS_MAX}`,
    since,
  );
  return {
    statements: whole?.['statements'] as number,
    failed: whole?.['failed'] as number,
    callers: whole?.['callers'] as number,
    ...(whole?.['last_at'] === null ? {} : { lastAt: whole?.['last_at'] as number }),
    byType: Object.fromEntries(types.map(({ type, statements }) => [type as string, statements as number])),
    models: models.map(({ model, statements }) => ({
      model: model as string,
      statements: statements as number,
    })),
  };
}

function statementOf(row: Row): Statement {
  const head = JSON.parse(row['head'] as string) as Pick<
    Statement,
    'queryType' | 'sql' | 'environment' | 'tenant' | 'tags' | 'dependsOn' | 'trust' | 'notes'
  >;
  const status = row['status'] as Statement['status'];
  const outcome =
    status !== 'SUCCESS' || typeof row['outcome'] !== 'string'
      ? undefined
      : (JSON.parse(row['outcome']) as Outcome);
  const [submittedAt, startedAt, finishedAt] = ['submitted_at', 'started_at', 'finished_at'].map(
    (name) => row[name] as number | null,
  ) as [number, number | null, number | null];
  return {
    id: row['id'] as string,
    status,
    version: row['version'] as number,
    strategy: row['strategy'] as Statement['strategy'],
    fingerprint: (row['fingerprint'] as string | null) ?? '',
    principalId: row['principal_id'] as string,
    ...head,
    submittedAt,
    ...(startedAt === null ? {} : { startedAt }),
    ...(finishedAt === null ? {} : { finishedAt }),
    ...(row['expires_at'] === null ? {} : { expiresAt: row['expires_at'] as number }),
    ...factsOf({ submittedAt, startedAt, finishedAt }, outcome),
    ...(row['error'] === null ? {} : { error: JSON.parse(row['error'] as string) }),
  };
}

/** What times and the outcome of its work say of a statement. */
export function factsOf(
  times: {
    readonly submittedAt: number;
    readonly startedAt: number | null;
    readonly finishedAt: number | null;
  },
  outcome: Omit<Outcome, 'name'> | undefined,
): Pick<Statement, 'stats' | 'columns' | 'rowCount' | 'isTruncated' | 'dataVersion'> {
  return {
    stats: statsOf(times, outcome),
    ...(outcome === undefined ? {} : { columns: outcome.columns, rowCount: outcome.rowCount }),
    ...(outcome?.dataVersion === undefined ? {} : { dataVersion: outcome.dataVersion }),
    isTruncated: outcome?.isTruncated ?? false,
  };
}

function statsOf(
  { submittedAt, startedAt, finishedAt }: Parameters<typeof factsOf>[0],
  outcome: Parameters<typeof factsOf>[1],
): StatementStats {
  return {
    ...(startedAt === null ? {} : { queuedMs: Math.max(0, startedAt - submittedAt) }),
    ...(startedAt === null || finishedAt === null ? {} : { execMs: Math.max(0, finishedAt - startedAt) }),
    ...(outcome === undefined ? {} : { rows: outcome.rowCount, bytes: outcome.bytes }),
    ...(outcome?.total === undefined ? {} : { total: outcome.total }),
    ...(outcome?.rollup === undefined ? {} : { rollup: outcome.rollup }),
  };
}

export function* readResult(
  state: StateSql,
  statementId: string,
  now: number,
): Steps<ExecutionResult | undefined> {
  const row = yield* state.row(
    "SELECT execution_id FROM statements WHERE id = ? AND status = 'SUCCESS' AND expires_at > ?",
    statementId,
    now,
  );
  return row === undefined ? undefined : yield* keptResult(state, row['execution_id'] as string);
}

/** What an execution left, while it is there. */
function* keptResult(state: StateSql, executionId: string): Steps<ExecutionResult | undefined> {
  const row = yield* state.row(
    "SELECT outcome, lines FROM executions WHERE id = ? AND status = 'SUCCESS'",
    executionId,
  );
  if (row === undefined) return undefined;
  return resultOf(row['outcome'] as string, row['lines'] as Uint8Array);
}

/** The result that is stored as JSON and, when it has no file, lines. */
export function resultOf(outcome: string, lines: Uint8Array): ExecutionResult {
  const { name, ...facts } = JSON.parse(outcome) as Outcome;
  return { ...facts, place: name === undefined ? { kind: 'inline', lines } : { kind: 'file', name } };
}

export function* readWantedResults(state: StateSql, names: readonly string[]): Steps<readonly string[]> {
  const wanted: string[] = [];
  for (const name of names) {
    const dot = name.lastIndexOf('.');
    const row = yield* state.row(
      'SELECT status, attempt, outcome FROM executions WHERE id = ?',
      name.slice(0, Math.max(dot, 0)),
    );
    if (row !== undefined && belongsTo(row, { name, attempt: Number(name.slice(dot + 1)) }))
      wanted.push(name);
  }
  return wanted;
}

function belongsTo(
  row: Row,
  { name, attempt }: { readonly name: string; readonly attempt: number },
): boolean {
  if (row['status'] === 'SUCCESS') return (JSON.parse(row['outcome'] as string) as Outcome).name === name;
  return (row['status'] === 'QUEUED' || row['status'] === 'IN_PROGRESS') && row['attempt'] === attempt;
}
