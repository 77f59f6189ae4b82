import type { Engine } from '../../domain/engine.ts';
import { Failure, failure } from '../../domain/failure.ts';
import type { ResultStore } from '../../domain/result-store.ts';
import {
  type Execution,
  type ExecutionResult,
  resultName,
  type StatementError,
  type StatementLimits,
  statementColumn,
} from '../../domain/statement.ts';
import { collectResult } from './collect-result.ts';

/** What the work is done with. */
export interface WorkPorts {
  readonly engine: Engine;
  readonly results: ResultStore;
  readonly limits: StatementLimits;
}

/** Asks the engine, one text after another until one has rows, within `leftMs`, what is left of the time of the task; failures are thrown. */
export async function executeWork(
  { engine, results, limits }: WorkPorts,
  work: Execution,
  { signal, leftMs }: { readonly signal: AbortSignal; readonly leftMs: number },
): Promise<ExecutionResult> {
  const { texts, timeoutMs, semantic, rowLimit, onLimit, isInspected = false } = work.task;
  const name = resultName(work);
  const deadline = performance.now() + leftMs;
  for (const [index, { sql, totalSql, rollup }] of texts.entries()) {
    const left = Math.ceil(deadline - performance.now());
    if (left <= 0) throw failure('statement.timed-out', { seconds: timeoutMs / 1000 });
    const counter = totalSql === undefined ? undefined : count(engine, totalSql, { signal, timeoutMs: left });
    try {
      const reading = await engine.read(sql, { signal, timeoutMs: left, isInspected });
      const task = { onLimit, ...(rowLimit === undefined ? {} : { rowLimit }) };
      const collected = await collectResult(reading, { task, name, results, limits });
      const total = await counter?.total;
      const isLast = index === texts.length - 1;
      if (!isLast && (collected.rowCount === 0 || total === 0)) {
        if (collected.place.kind === 'file') await results.remove([name]);
        continue;
      }
      return {
        ...collected,
        columns: reading.columns.map((column, at) => statementColumn(column, semantic?.[at])),
        ...(total === undefined ? {} : { total }),
        ...(rollup === undefined ? {} : { rollup }),
      };
    } finally {
      counter?.stop();
    }
  }
  throw new Error('a task has at least one text');
}

/** Counts beside the reading, which ends it when it fails itself. */
function count(
  engine: Engine,
  sql: string,
  { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
): { readonly total: Promise<number>; readonly stop: () => void } {
  const own = new AbortController();
  const any = AbortSignal.any([signal, own.signal, AbortSignal.timeout(timeoutMs)]);
  const total = engine.query(sql, { signal: any }).then(({ rows }) => Number(rows[0]?.[0]));
  // Whoever waits for it is told; when the reading fails nobody does.
  total.catch(() => undefined);
  return { total, stop: () => own.abort() };
}

/** What an owner is told of a failure: codes of the engine that mean a limit of ours get our words. */
export function statementErrorOf(
  thrown: unknown,
  {
    timeoutMs,
    hide = (text) => text,
  }: { readonly timeoutMs: number; readonly hide?: (text: string) => string },
): StatementError {
  const told = wordsOf(thrown, timeoutMs);
  if (!(told instanceof Failure))
    return {
      code: 'statement.bug',
      message: failure('statement.bug', { detail: hide(String(thrown)) }).message,
    };
  const { code, message, hint } = told.diagnostic;
  return { code, message: hide(message), ...(hint === undefined ? {} : { hint: hide(hint) }) };
}

function wordsOf(thrown: unknown, timeoutMs: number): unknown {
  if (!(thrown instanceof Failure)) return thrown;
  if (thrown.diagnostic.code === 'engine.timed-out')
    return failure('statement.timed-out', { seconds: timeoutMs / 1000 }, { cause: thrown });
  if (thrown.code !== 'engine.out-of-memory') return thrown;
  const detail = thrown.message.replace(/^.*?: /, '').replace(/\.$/, '');
  return failure('statement.out-of-resources', { detail }, { cause: thrown });
}
