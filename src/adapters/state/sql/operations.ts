/** Every question and every change that the store knows, as rules over the connection; each is one transaction. */
import type { StateVersions } from '../../../domain/state-store.ts';
import * as access from './access-operations.ts';
import { adopt, isEmpty } from './adopt.ts';
import * as answer from './answer-operations.ts';
import { appendAudit, readAuditLog } from './audit-operations.ts';
import * as environment from './environment-operations.ts';
import { readEvents, readLastSequence } from './event-operations.ts';
import { readDataVersions, readIntervals, readRestatements } from './interval-operations.ts';
import * as journal from './journal-operations.ts';
import { grantLeases, heldLeases, raiseTokens, readBehind, releaseLeases } from './lease-operations.ts';
import { makeRoom } from './make-room.ts';
import * as notification from './notification-operations.ts';
import * as notificationReading from './notification-reading.ts';
import * as perspective from './perspective-operations.ts';
import * as perspectiveReading from './perspective-reading.ts';
import * as plan from './plan-operations.ts';
import * as principal from './principal-operations.ts';
import * as quality from './quality-operations.ts';
import * as qualityReading from './quality-reading.ts';
import { readContents, readSnapshots } from './snapshot-operations.ts';
import type { StateSql, Steps } from './state-sql.ts';
import * as statement from './statement-operations.ts';
import {
  readResult,
  readStatement,
  readStatements,
  readUsage,
  readWantedResults,
} from './statement-reading.ts';
import { submitStatement } from './submit-statement.ts';
import { trimHistory } from './trim-history.ts';

export const reads = {
  environment: environment.readEnvironment,
  currentPromotion: environment.readCurrentPromotion,
  environments: environment.readEnvironments,
  promotions: environment.readPromotions,
  promotionIntents: environment.readPromotionIntents,
  snapshots: readSnapshots,
  contents: readContents,
  plan: plan.readPlan,
  planOutline: plan.readPlanOutline,
  plans: plan.readPlans,
  intervals: readIntervals,
  dataVersions: readDataVersions,
  restatements: readRestatements,
  intents: journal.readIntents,
  leases: heldLeases,
  tokensBehind: readBehind,
  run: journal.readRun,
  runs: journal.readRuns,
  events: readEvents,
  lastSequence: readLastSequence,
  statement: readStatement,
  statements: readStatements,
  usage: readUsage,
  result: readResult,
  wantedResults: readWantedResults,
  tenants: principal.readTenants,
  principals: principal.readPrincipals,
  tokens: principal.readTokens,
  token: principal.readToken,
  grants: principal.readGrants,
  tokenOwner: principal.readTokenOwner,
  principalNamed: principal.readPrincipalNamed,
  auditLog: readAuditLog,
  groups: access.readGroups,
  accessRequests: access.readRequests,
  accessRequest: access.readRequest,
  latestResults: qualityReading.readLatestResults,
  outcomesSince: qualityReading.readOutcomesSince,
  troubles: qualityReading.readTroubles,
  checkResults: qualityReading.readResults,
  checkResult: qualityReading.readResult,
  checkHistory: qualityReading.readHistory,
  incidents: qualityReading.readIncidents,
  incident: qualityReading.readIncident,
  profiles: qualityReading.readProfiles,
  profile: qualityReading.readProfile,
  baselineProfile: qualityReading.readBaseline,
  notificationSettings: notificationReading.readSettings,
  deliveries: notificationReading.readDeliveries,
  inbox: notificationReading.readInbox,
  notificationBacklog: notificationReading.readBacklog,
  perspective: perspectiveReading.readPerspective,
  perspectivesNamed: perspectiveReading.readPerspectivesNamed,
  perspectives: perspectiveReading.readPerspectives,
  perspectiveVersions: perspectiveReading.readPerspectiveVersions,
  takenSlugs: perspectiveReading.readTakenSlugs,
  everyPerspective: perspectiveReading.readEveryPerspective,
  warehouseId: function* (state: StateSql): Steps<string> {
    return (yield* state.row("SELECT value FROM meta WHERE key = 'warehouse-id'"))?.['value'] as string;
  },
  about: function* ({ row, dialect }: StateSql): Steps<StateVersions> {
    return (yield* row(dialect.about)) as unknown as StateVersions;
  },
  isEmpty,
} as const;

export const writes = {
  /** A write that changes nothing: it finds a full disk and a file that cannot be written. */
  checkWritable: function* (state: StateSql): Steps<void> {
    yield* state.run("UPDATE meta SET value = value WHERE key = 'warehouse-id'");
  },
  adopt,
  savePlan: plan.savePlan,
  beginPlan: plan.beginPlan,
  beginPromotion: environment.beginPromotion,
  finishPromotion: environment.finishPromotion,
  dropPromotion: environment.dropPromotion,
  invalidate: environment.invalidate,
  forget: environment.forget,
  startRun: journal.startRun,
  startBackfill: journal.startBackfill,
  finishBackfill: journal.finishBackfill,
  dropIntent: journal.dropIntent,
  releaseTables: journal.releaseTables,
  heartbeat: journal.heartbeat,
  takeLease: grantLeases,
  releaseLease: releaseLeases,
  raiseTokens,
  finishRun: journal.finishRun,
  reconcile: journal.reconcile,
  trimHistory,
  submitStatement,
  startExecution: statement.startExecution,
  finishExecution: statement.finishExecution,
  retryExecution: statement.retryExecution,
  cancelStatement: statement.cancelStatement,
  beatWorker: statement.beatWorker,
  refuseFingerprint: statement.refuseFingerprint,
  leaveWorker: statement.leaveWorker,
  expireStatements: statement.expireStatements,
  makeRoom,
  createTenant: principal.createTenant,
  removeTenant: principal.removeTenant,
  createPrincipal: principal.createPrincipal,
  changePrincipal: principal.changePrincipal,
  removePrincipal: principal.removePrincipal,
  createToken: principal.createToken,
  revokeToken: principal.revokeToken,
  touchTokens: principal.touchTokens,
  grant: principal.grantRole,
  revokeGrant: principal.revokeGrant,
  appendAudit: appendAudit,
  putGroup: access.putGroup,
  removeGroup: access.removeGroup,
  createAccessRequest: access.createRequest,
  decideAccessRequest: access.decideRequest,
  beginAnswer: answer.beginAnswer,
  keepAnswer: answer.keepAnswer,
  dropAnswer: answer.dropAnswer,
  sweepAnswers: answer.sweepAnswers,
  recordResults: quality.recordResults,
  retireChecks: quality.retireChecks,
  recordProfiles: quality.recordProfiles,
  putNotificationSetting: notification.putSetting,
  removeNotificationSetting: notification.removeSetting,
  attendNotifications: notification.attendNotifications,
  fanOut: notification.fanOut,
  claimDeliveries: notification.claimDeliveries,
  settleDeliveries: notification.settleDeliveries,
  reviveDeliveries: notification.reviveDeliveries,
  markInboxRead: notification.markInboxRead,
  createPerspective: perspective.createPerspective,
  changePerspective: perspective.changePerspective,
  removePerspective: perspective.removePerspective,
} as const;

type Operations = typeof reads & typeof writes;
const operations: Operations = { ...reads, ...writes };
export type OperationName = keyof Operations;
type WithoutState<Operation> = Operation extends (state: StateSql, ...rest: infer Rest) => unknown
  ? Rest
  : never;
type ResultOf<Rule> = Rule extends Steps<infer Result> ? Result : never;
export type OperationArguments<Name extends OperationName> = WithoutState<Operations[Name]>;
export type OperationResult<Name extends OperationName> = ResultOf<ReturnType<Operations[Name]>>;

/** One operation by name, to be driven inside whatever transaction is open. */
export function operationSteps(
  state: StateSql,
  name: OperationName,
  given: readonly unknown[],
): Steps<unknown> {
  const operation = operations[name] as (state: StateSql, ...rest: unknown[]) => Steps<unknown>;
  return operation(state, ...given);
}

export function isWrite(name: OperationName): boolean {
  return name in writes;
}

/** Performs operations, each as one transaction; refusals are thrown as failures with the catalog's words. */
export interface StateOperations {
  ask<Name extends OperationName>(
    name: Name,
    ...given: OperationArguments<Name>
  ): Promise<OperationResult<Name>>;
  /** A promise of work is coming, for databases that prepare for it. */
  expectWork(): void;
}
