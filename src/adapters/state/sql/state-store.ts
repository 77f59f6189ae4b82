/** The stores of the port, over operations that some database performs. */
import { type Environment, storedEnvironment } from '../../../domain/environment.ts';
import type { PlanOutline } from '../../../domain/plan.ts';
import { type TableId, tableKey } from '../../../domain/relation.ts';
import type { Run } from '../../../domain/run.ts';
import type { Snapshot } from '../../../domain/snapshot.ts';
import type { JournalStore, SnapshotStore, StatementStore, StateStore } from '../../../domain/state-store.ts';
import type { Statement } from '../../../domain/statement.ts';
import { accessStore, answerStore, principalStore } from './access-stores.ts';
import type { StoredEnvironment } from './environment-operations.ts';
import { notificationStore } from './notification-store.ts';
import type { StateOperations } from './operations.ts';
import { unpackContents } from './pack-content.ts';
import { packPlan, unpackPlan } from './pack-plan.ts';
import { perspectiveStore } from './perspective-store.ts';
import { qualityStore } from './quality-store.ts';
import { endedStatement } from './statement-operations.ts';
import { rangesOf } from './stored-ranges.ts';
import { outcomeOf } from './submit-statement.ts';

/** What each database does in its own way. */
export interface DatabaseMethods extends Pick<StateStore, 'compact' | 'exportAll' | 'importAll' | 'close'> {
  /** Before a write is tried: what the database itself would not notice. */
  checkPlace?(): void;
  /** Of a database whose clock is not this machine's. */
  aheadMs?(): number;
}

export async function stateStoreOver(connection: StateOperations, own: DatabaseMethods): Promise<StateStore> {
  let warehouseId = await connection.ask('warehouseId');
  return {
    snapshots: snapshotStore(connection),
    journal: journalStore(connection),
    events: {
      events: (request) => connection.ask('events', request),
      lastSequence: () => connection.ask('lastSequence'),
    },
    statements: statementStore(connection),
    principals: principalStore(connection),
    access: accessStore(connection),
    answers: answerStore(connection),
    quality: qualityStore(connection),
    notifications: notificationStore(connection),
    perspectives: perspectiveStore(connection),
    get warehouseId() {
      return warehouseId;
    },
    get aheadMs() {
      return own.aheadMs?.() ?? 0;
    },
    isEmpty: () => connection.ask('isEmpty'),
    checkUsable: async () => {
      own.checkPlace?.();
      await connection.ask('checkWritable');
    },
    about: () => connection.ask('about'),
    trim: (bounds) => connection.ask('trimHistory', bounds),
    compact: () => own.compact(),
    adopt: async ({ plans, ...adoption }) => {
      const packed = plans.map(({ plan, isShown }) => ({
        plan: packPlan(plan),
        ...(isShown ? { target: plan.target } : {}),
      }));
      await connection.ask('adopt', { ...adoption, plans: packed });
      warehouseId = await connection.ask('warehouseId');
    },
    exportAll: () => own.exportAll(),
    importAll: async (lines) => {
      await own.importAll(lines);
      warehouseId = await connection.ask('warehouseId');
    },
    close: () => own.close(),
  };
}

function snapshotStore(connection: StateOperations): SnapshotStore {
  /** As each was last read: what was promoted never changes, only which promotion is the last. */
  const promoted = new Map<string, Environment>();
  return {
    environment: async (name) => {
      const known = promoted.get(name);
      const current = known && (await connection.ask('currentPromotion', name));
      if (known !== undefined && current !== undefined && known.promotionId === current.id) {
        if ((known.expiresAt ?? null) === current.expiresAt) return known;
        const { expiresAt: _then, ...environment } = known;
        return { ...environment, ...(current.expiresAt === null ? {} : { expiresAt: current.expiresAt }) };
      }
      const stored = await connection.ask('environment', name);
      const environment = stored && environmentOf(stored);
      if (environment === undefined) promoted.delete(name);
      else promoted.set(name, environment);
      return environment;
    },
    environments: async () => (await connection.ask('environments')).map(environmentOf),
    promotions: async (environment, limit) =>
      (await connection.ask('promotions', environment, limit)).map(({ body, at }) => ({
        environment: storedEnvironment(JSON.parse(body)),
        at,
      })),
    snapshots: async (fingerprints) =>
      JSON.parse(await connection.ask('snapshots', fingerprints)) as readonly Snapshot[],
    contents: async (fingerprints) => unpackContents(await connection.ask('contents', fingerprints)),
    planOutline: async (id) => {
      const body = await connection.ask('planOutline', id);
      return body === undefined ? undefined : (JSON.parse(body) as PlanOutline);
    },
    plan: async (id) => {
      const stored = await connection.ask('plan', id);
      return stored === undefined ? undefined : unpackPlan(stored.body, stored.contents);
    },
    plans: (request) => connection.ask('plans', request),
    savePlan: (plan, who, events) => connection.ask('savePlan', packPlan(plan), { who, events }),
    beginPlan: (plan, run, events) => connection.ask('beginPlan', packPlan(plan), { run, events }),
    beginPromotion: (intent) => connection.ask('beginPromotion', intent),
    finishPromotion: (target, at, events) => connection.ask('finishPromotion', target, { at, events }),
    dropPromotion: (environment, runId) => connection.ask('dropPromotion', environment, runId),
    invalidate: (environment, _at, events) => connection.ask('invalidate', environment, events),
    forget: (gone, events) => connection.ask('forget', gone, events),
  };
}

function journalStore(connection: StateOperations): JournalStore {
  return {
    intervals: async (tables) => {
      const flat = JSON.parse(await connection.ask('intervals', keysOf(tables))) as Record<string, number[]>;
      return new Map(Object.entries(flat).map(([key, list]) => [key, rangesOf(list)]));
    },
    dataVersions: async (tables) => new Map(await connection.ask('dataVersions', keysOf(tables))),
    restatements: () => connection.ask('restatements'),
    intents: () => connection.ask('intents'),
    promotionIntents: () => connection.ask('promotionIntents'),
    leases: () => connection.ask('leases'),
    run: (id) => connection.ask('run', id),
    runs: async (request) => JSON.parse(await connection.ask('runs', request)) as readonly Run[],
    startRun: (run, request) => {
      connection.expectWork();
      return connection.ask('startRun', run, request);
    },
    startBackfill: (intent, request) => connection.ask('startBackfill', intent, request),
    finishBackfill: (intentId, request) => connection.ask('finishBackfill', intentId, request),
    dropIntent: (intentId, events) => connection.ask('dropIntent', intentId, events),
    releaseTables: (runId, tables) => connection.ask('releaseTables', runId, tables),
    heartbeat: (runId, now) => connection.ask('heartbeat', runId, now),
    takeLease: ({ name, ...request }) => connection.ask('takeLease', { names: [name], ...request }),
    releaseLease: (name, holder) => connection.ask('releaseLease', holder, [name]),
    finishRun: (run, events) => connection.ask('finishRun', run, events),
    async raiseTokens(tokens) {
      const behind = await connection.ask('tokensBehind', [...tokens]);
      if (behind.length > 0) await connection.ask('raiseTokens', behind);
      return behind.length;
    },
    reconcile: (summaries, interruptedRuns, now) =>
      connection.ask('reconcile', summaries, { interruptedRuns, now }),
  };
}

/** More statements than can be under way in one process. */
const BEGUN_MAX = 10_000;

function statementStore(connection: StateOperations): StatementStore {
  /** Statements that work of this process was begun for: what their end adds is all that the thread has to tell. */
  const begun = new Map<string, Statement>();
  const remember = (statement: Statement): void => {
    begun.set(statement.id, statement);
    const [oldest] = begun.keys();
    if (begun.size > BEGUN_MAX && oldest !== undefined) begun.delete(oldest);
  };
  return {
    statement: (id, principalId) => connection.ask('statement', id, principalId),
    statements: (request) => connection.ask('statements', request),
    usage: (since) => connection.ask('usage', since),
    result: (statementId, now) => connection.ask('result', statementId, now),
    wantedResults: (ids) => connection.ask('wantedResults', ids),
    submit: async (statement, request) => {
      const stored = await connection.ask('submitStatement', statement, request);
      const outcome = outcomeOf(stored, statement, request);
      if (outcome.kind === 'accepted' && outcome.work !== undefined) remember(outcome.statement);
      return outcome;
    },
    // Without the task, which the store has: what goes to the thread is copied.
    start: ({ id, attempt }, worker, now) =>
      connection.ask('startExecution', { id, attempt }, { worker, now }),
    finish: async ({ id, attempt }, request) => {
      // Work has the id of the statement that it was begun for.
      const before = begun.get(id);
      const isKnown = before !== undefined;
      const ended = await connection.ask('finishExecution', { id, attempt, isKnown }, request);
      begun.delete(id);
      return ended.map((each) =>
        'sql' in each || before === undefined ? (each as Statement) : endedStatement(before, each, request),
      );
    },
    retry: (work, worker) => connection.ask('retryExecution', work, worker),
    cancel: (id, request) => {
      begun.delete(id);
      return connection.ask('cancelStatement', id, request);
    },
    beat: (worker, request) => {
      connection.expectWork();
      return connection.ask('beatWorker', worker, request);
    },
    refuse: (fingerprint, until) => connection.ask('refuseFingerprint', fingerprint, until),
    leave: (worker) => connection.ask('leaveWorker', worker),
    expire: (request) => connection.ask('expireStatements', request),
    makeRoom: (request) => connection.ask('makeRoom', request),
  };
}

function keysOf(tables: readonly TableId[] | undefined): readonly string[] | undefined {
  return tables?.map(tableKey);
}

function environmentOf({ body, expiresAt }: StoredEnvironment): Environment {
  const { expiresAt: _then, ...environment } = storedEnvironment(JSON.parse(body));
  return { ...environment, ...(expiresAt === null ? {} : { expiresAt }) };
}
