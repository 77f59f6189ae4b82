import type { StateStore, SubmitOutcome, SubmitRequest } from '../../src/domain/state-store.ts';
import type {
  Execution,
  ExecutionEnd,
  ExecutionTask,
  NewStatement,
  ResultPlace,
} from '../../src/domain/statement.ts';
import { environmentOf } from './state-store-fixtures.ts';

export const KEPT_MS = 1_000_000;

/** A promotion that statements are compiled for. */
export async function promote(state: StateStore, promotionId = 'v1'): Promise<void> {
  await state.snapshots.finishPromotion(environmentOf([], { name: 'prod', promotionId }), 1, []);
}

export function statementOf(id: string, changed: Partial<NewStatement> = {}): NewStatement {
  return {
    id,
    queryType: 'sql',
    sql: 'SELECT 1',
    environment: 'prod',
    principalId: 'ann',
    tenant: 'acme',
    tags: ['a'],
    submittedAt: 100,
    dependsOn: ['sales.orders'],
    trust: { promotionId: 'v1', promotedAt: 1 },
    notes: [],
    ...changed,
  };
}

const TASK: ExecutionTask = { texts: [{ sql: 'SELECT 1' }], timeoutMs: 1_000, onLimit: 'truncate' };

export function requestOf(changed: Partial<SubmitRequest> = {}): SubmitRequest {
  return {
    task: TASK,
    question: 'q',
    versions: [],
    isShared: true,
    cachedSince: 0,
    worker: 'w1',
    room: 'start',
    now: 100,
    keptMs: KEPT_MS,
    ...changed,
  };
}

const successWith = (lines: string, place: ResultPlace): ExecutionEnd => ({
  kind: 'success',
  result: {
    place,
    columns: [{ name: 'one', type: 'integer', engineType: 'INTEGER' }],
    rowCount: lines.split('\n').length - 1,
    isTruncated: false,
    bytes: lines.length,
  },
});

export const success = (lines = '[1]\n'): ExecutionEnd =>
  successWith(lines, { kind: 'inline', lines: Buffer.from(lines) });

/** The same end, of rows that were read from the data that the work was submitted for. */
export function sharedAs({ fingerprint }: Pick<Execution, 'fingerprint'>, end: ExecutionEnd): ExecutionEnd {
  return end.kind === 'success' ? { ...end, fingerprint } : end;
}

/** With its one row in a file. */
export const successIn = (name: string): ExecutionEnd => successWith('[1]\n', { kind: 'file', name });

export const failed = (refuseUntil?: number): ExecutionEnd => ({
  kind: 'failed',
  error: { code: 'engine.statement-failed', message: 'No.' },
  ...(refuseUntil === undefined ? {} : { refuseUntil }),
});

/** The accepted one; anything else is a failure of the test. */
export function accepted(outcome: SubmitOutcome): Extract<SubmitOutcome, { kind: 'accepted' }> {
  if (outcome.kind !== 'accepted') throw new Error(`not accepted: ${outcome.kind}`);
  return outcome;
}
