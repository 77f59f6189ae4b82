import { answerVersion } from '../../domain/data-version.ts';
import { diskFull, isDiskFull } from '../../domain/disk-full.ts';
import type { EngineReader, ReadOptions } from '../../domain/engine.ts';
import { Failure, failure } from '../../domain/failure.ts';
import type { ResultStore } from '../../domain/result-store.ts';
import type { StatementLimits } from '../../domain/server-limits.ts';
import {
  answerFingerprint,
  type Execution,
  type ExecutionResult,
  resultName,
  type StatementError,
  statementColumn,
} from '../../domain/statement.ts';
import { collectResult } from './collect-result.ts';
import type { ResultRoom } from './result-room.ts';

/** What the work is done with. */
export interface WorkPorts {
  readonly engine: EngineReader;
  readonly results: ResultStore;
  readonly limits: StatementLimits;
}

/** What work came to. */
export interface DoneWork {
  readonly result: ExecutionResult;
  /** Of the data that all of it was read from; absent when the answer may not be shared. */
  readonly fingerprint?: string;
}

/** Asks the engine, one text after another until one has rows, within `leftMs`, what is left of the time of the task; failures are thrown. */
export async function executeWork(
  { engine, results, limits }: WorkPorts,
  work: Execution,
  {
    signal,
    leftMs,
    room,
  }: {
    readonly signal: AbortSignal;
    readonly leftMs: number;
    readonly room: Pick<ResultRoom, 'claim'>;
  },
): Promise<DoneWork> {
  const { texts, timeoutMs, semantic, rowLimit, onLimit, isInspected = false, shared } = work.task;
  const isTimeless = shared?.tables.length === 0;
  const tables = shared?.tables ?? work.task.tables ?? [];
  const versionsOf = tables.length === 0 ? {} : { versionsOf: tables };
  const name = resultName(work);
  const deadline = performance.now() + leftMs;
  for (const [index, { sql, totalSql, rollup }] of texts.entries()) {
    const left = Math.ceil(deadline - performance.now());
    if (left <= 0) throw failure('statement.timed-out', { seconds: timeoutMs / 1000 });
    const how = { signal, timeoutMs: left, ...versionsOf };
    const counter = totalSql === undefined ? undefined : count(engine, totalSql, how);
    try {
      const reading = await engine.read(sql, { ...how, isInspected });
      const task = { onLimit, ...(rowLimit === undefined ? {} : { rowLimit }) };
      const collected = await collectResult(reading, {
        ...{ task, name, results, limits },
        claim: (bytes) => room.claim(work, bytes),
      });
      const counted = await counter?.counted;
      const total = counted?.total;
      const isLast = index === texts.length - 1;
      if (!isLast && (collected.rowCount === 0 || total === 0)) {
        if (collected.place.kind === 'file') await results.remove([name]);
        continue;
      }
      const versions = isTimeless ? [] : reading.versions;
      const isOne = counted === undefined || isTimeless || isSame(counted.versions, versions);
      const dataVersion = isOne ? answerVersion(tables, versions) : undefined;
      return {
        result: {
          ...collected,
          columns: reading.columns.map((column, at) => statementColumn(column, semantic?.[at])),
          ...(total === undefined ? {} : { total }),
          ...(rollup === undefined ? {} : { rollup }),
          ...(dataVersion === undefined ? {} : { dataVersion }),
        },
        ...(shared === undefined || versions === undefined || !isOne
          ? {}
          : { fingerprint: answerFingerprint(shared.question, versions) }),
      };
    } finally {
      counter?.stop();
    }
  }
  throw new Error('a task has at least one text');
}

/** Counts beside the reading, which ends it when it fails itself. */
function count(
  engine: EngineReader,
  sql: string,
  { signal, ...how }: ReadOptions & { readonly signal: AbortSignal },
): { readonly counted: Promise<Counted>; readonly stop: () => void } {
  const own = new AbortController();
  const read = async (): Promise<Counted> => {
    const { lines, versions } = await engine.read(sql, {
      ...how,
      signal: AbortSignal.any([signal, own.signal]),
    });
    const pieces: Buffer[] = [];
    for await (const piece of lines) pieces.push(piece);
    const [total] = JSON.parse(Buffer.concat(pieces).toString('utf8')) as readonly unknown[];
    return { total: Number(total), versions };
  };
  const counted = read();
  // The caller that awaits it gets the failure; without one it is not unhandled.
  counted.catch(() => undefined);
  return { counted, stop: () => own.abort() };
}

interface Counted {
  readonly total: number;
  readonly versions: readonly string[] | undefined;
}

/** Rows and their total are read beside one another: a write may have come between. */
function isSame(one: readonly string[] | undefined, other: readonly string[] | undefined): boolean {
  return one !== undefined && other !== undefined && one.every((version, i) => version === other[i]);
}

/** A failure as its owner sees it: codes of the engine that mean a limit of ours get our words. */
export function statementErrorOf(
  thrown: unknown,
  {
    timeoutMs,
    hide = (text) => text,
  }: { readonly timeoutMs: number; readonly hide?: (text: string) => string },
): StatementError {
  const reported = wordsOf(thrown, timeoutMs);
  if (!(reported instanceof Failure))
    return {
      code: 'statement.bug',
      message: failure('statement.bug', { detail: hide(String(thrown)) }).message,
    };
  const { code, message, hint } = reported.diagnostic;
  return { code, message: hide(message), ...(hint === undefined ? {} : { hint: hide(hint) }) };
}

function wordsOf(thrown: unknown, timeoutMs: number): unknown {
  if (isDiskFull(thrown)) return diskFull(thrown);
  if (!(thrown instanceof Failure)) return thrown;
  if (thrown.diagnostic.code === 'engine.timed-out')
    return failure('statement.timed-out', { seconds: timeoutMs / 1000 }, { cause: thrown });
  if (thrown.code !== 'engine.out-of-memory') return thrown;
  const detail = thrown.message.replace(/^.*?: /, '').replace(/\.$/, '');
  return failure('statement.out-of-resources', { detail }, { cause: thrown });
}
