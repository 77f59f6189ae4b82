import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { AccessStore } from '../../../domain/access-store.ts';
import type { AnswerStore } from '../../../domain/answer-store.ts';
import type { Environment } from '../../../domain/environment.ts';
import { failure } from '../../../domain/failure.ts';
import type { PlanOutline } from '../../../domain/plan.ts';
import type { PrincipalStore } from '../../../domain/principal-store.ts';
import { type TableId, tableKey } from '../../../domain/relation.ts';
import type { Run } from '../../../domain/run.ts';
import type { Snapshot } from '../../../domain/snapshot.ts';
import type { JournalStore, SnapshotStore, StatementStore, StateStore } from '../../../domain/state-store.ts';
import type { Statement } from '../../../domain/statement.ts';
import type { StoredEnvironment } from './environment-operations.ts';
import { unpackContents } from './pack-content.ts';
import { packPlan, unpackPlan } from './pack-plan.ts';
import { asFailure, type ConnectionOptions, connectState, type StateConnection } from './state-connection.ts';
import { endedStatement } from './statement-operations.ts';
import { rangesOf } from './stored-ranges.ts';
import { outcomeOf } from './submit-statement.ts';

/** Opens the state in one SQLite file, or makes it; several processes may have it open. */
export async function sqliteStateStore(options: ConnectionOptions): Promise<StateStore> {
  const connection = await connectState(options);
  let warehouseId = await connection.ask('warehouseId');
  const opened = fileIdentity(options.file);
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
    get warehouseId() {
      return warehouseId;
    },
    isEmpty: () => connection.ask('isEmpty'),
    checkUsable: async () => {
      // A file that was deleted stays open: what is written to it would be lost.
      if (fileIdentity(options.file) !== opened)
        throw failure('state.cannot-open', { file: options.file, detail: 'it is gone, or another file' });
      const { bavail, bsize } = statfsSync(dirname(options.file));
      if (bavail * bsize < FREE_BYTES_MIN)
        throw failure('state.write-failed', { file: options.file, detail: 'its disk is full' });
      await connection.ask('checkWritable');
    },
    trim: (bounds) => connection.ask('trimHistory', bounds),
    compact: async () => {
      const { bytes, part } = await connection.ask('emptyPart');
      if (bytes < COMPACT_BYTES_MIN || part < COMPACT_PART_MIN) return;
      const { compactFile } = await import('./transfer.ts');
      await asFailure(compactFile(options));
    },
    adopt: async ({ plans, ...adoption }) => {
      const packed = plans.map(({ plan, isShown }) => ({
        plan: packPlan(plan),
        ...(isShown ? { target: plan.target } : {}),
      }));
      await connection.ask('adopt', { ...adoption, plans: packed });
      warehouseId = await connection.ask('warehouseId');
    },
    exportAll: () => exported(options),
    importAll: async (lines) => {
      const { importLines } = await import('./transfer.ts');
      await asFailure(importLines(options, lines));
      warehouseId = await connection.ask('warehouseId');
    },
    close: () => connection.close(),
  };
}

/** Less, and the next commits may find no room. */
const FREE_BYTES_MIN = 1024 ** 2;

/** Less is soon used again. */
const COMPACT_BYTES_MIN = 1024 ** 2;
const COMPACT_PART_MIN = 0.25;

function fileIdentity(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev}:${found.ino}`;
}

async function* exported(options: ConnectionOptions): AsyncGenerator<string, void, undefined> {
  const { exportLines } = await import('./transfer.ts');
  const iterator = exportLines(options);
  try {
    for (
      let next = await asFailure(iterator.next());
      next.done !== true;
      next = await asFailure(iterator.next())
    ) {
      yield next.value;
    }
  } finally {
    await iterator.return();
  }
}

function snapshotStore(connection: StateConnection): SnapshotStore {
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
        environment: JSON.parse(body) as Environment,
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

function journalStore(connection: StateConnection): JournalStore {
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

function statementStore(connection: StateConnection): StatementStore {
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

function principalStore(connection: StateConnection): PrincipalStore {
  return {
    tenants: () => connection.ask('tenants'),
    principals: (request) => connection.ask('principals', request),
    tokens: (request) => connection.ask('tokens', request),
    token: (id) => connection.ask('token', id),
    grants: (request) => connection.ask('grants', request),
    tokenOwner: (hash) => connection.ask('tokenOwner', hash),
    principalNamed: (tenant, name) => connection.ask('principalNamed', tenant, name),
    auditLog: (request) => connection.ask('auditLog', request),
    createTenant: (tenant, audit) => connection.ask('createTenant', tenant, audit),
    removeTenant: (name, audit) => connection.ask('removeTenant', name, audit),
    createPrincipal: (principal, audit) => connection.ask('createPrincipal', principal, audit),
    changePrincipal: (id, change, audit) => connection.ask('changePrincipal', id, { change, audit }),
    removePrincipal: (id, audit, expected) => connection.ask('removePrincipal', id, { audit, expected }),
    createToken: (token, audit, events) => connection.ask('createToken', token, { audit, events }),
    revokeToken: (request, audit, events) => connection.ask('revokeToken', request, { audit, events }),
    touchTokens: (used) => connection.ask('touchTokens', used),
    grant: (grant, told, expected) => connection.ask('grant', grant, { told, expected }),
    revokeGrant: (grant, told, expected) => connection.ask('revokeGrant', grant, { told, expected }),
    appendAudit: (entries) => connection.ask('appendAudit', entries),
  };
}

function accessStore(connection: StateConnection): AccessStore {
  return {
    groups: (request) => connection.ask('groups', request),
    putGroup: (group, change, audit) => connection.ask('putGroup', group, { ...change, audit }),
    removeGroup: (group, expected, audit) => connection.ask('removeGroup', group, { expected, audit }),
    requests: (filter) => connection.ask('accessRequests', filter),
    request: (id) => connection.ask('accessRequest', id),
    createRequest: (request, told) => connection.ask('createAccessRequest', request, told),
    decideRequest: (decided, request) => connection.ask('decideAccessRequest', decided, request),
  };
}

function answerStore(connection: StateConnection): AnswerStore {
  return {
    begin: (request, how) => connection.ask('beginAnswer', request, how),
    keep: (name, worker, answer) => connection.ask('keepAnswer', { name, worker }, answer),
    drop: (name, worker) => connection.ask('dropAnswer', { name, worker }),
    sweep: (request) => connection.ask('sweepAnswers', request),
  };
}

function keysOf(tables: readonly TableId[] | undefined): readonly string[] | undefined {
  return tables?.map(tableKey);
}

function environmentOf({ body, expiresAt }: StoredEnvironment): Environment {
  const { expiresAt: _then, ...environment } = JSON.parse(body) as Environment;
  return { ...environment, ...(expiresAt === null ? {} : { expiresAt }) };
}
