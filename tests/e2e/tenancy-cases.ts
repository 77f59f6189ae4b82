/** How each operation of both APIs names things: what a test must know of it to ask for what is another's, or nobody's. */
import type { Ids } from './tenancy-world.ts';

/** Parameters of the path besides the tenant and the product, those behind the `?`, and the body. */
export interface OperationCase {
  readonly path?: (ids: Ids) => Readonly<Record<string, string>>;
  readonly query?: (ids: Ids) => Readonly<Record<string, string>>;
  readonly body?: (ids: Ids) => unknown;
  /** Why it cannot be asked like the others. */
  readonly isApart?: string;
}

const none: OperationCase = {};
const sql = ({ model }: Ids): unknown => ({ sql: `SELECT * FROM ${model}`, wait: 20 });
const byId = (kind: keyof Ids): OperationCase => ({ path: (ids) => ({ id: ids[kind] }) });
const byName = (kind: keyof Ids): OperationCase => ({ path: (ids) => ({ name: ids[kind] }) });
const named = { path: ({ app }: Ids) => ({ name: app }) };
const viewed = { path: ({ word }: Ids) => ({ perspective: `${word}_view` }) };
const notified = { path: ({ word }: Ids) => ({ id: `${word}_notified` }) };
const followed = { query: ({ model }: Ids) => ({ target: `model:${model}` }) };
const granted = { path: ({ app, user }: Ids) => ({ name: app, principal: user }) };
const graphql = { body: ({ semantic, word }: Ids) => ({ query: `{ ${semantic} { ${word}_column } }` }) };

/** Every operation has a case: one without fails the test. */
export const CASES: Readonly<Record<string, OperationCase>> = {
  // Platform API
  listApps: { query: ({ word }) => ({ q: word }) },
  getApp: named,
  listTenants: none,
  createTenant: { body: ({ tenant }) => ({ name: tenant }) },
  getTenant: none,
  deleteTenant: none,
  listUsers: none,
  getUser: byName('user'),
  createUser: { body: () => ({ name: 'made_here' }) },
  changeUser: { ...byName('user'), body: () => ({ groups: ['made_here'] }) },
  deleteUser: byName('user'),
  listServiceAccounts: none,
  getServiceAccount: byName('account'),
  createServiceAccount: { body: () => ({ name: 'made_bot' }) },
  changeServiceAccount: { ...byName('account'), body: () => ({ groups: ['made_here'] }) },
  deleteServiceAccount: byName('account'),
  listGroups: none,
  createGroup: { body: ({ userId }) => ({ name: 'made_group', members: [userId] }) },
  getGroup: byName('group'),
  putGroup: { ...byName('group'), body: ({ userId }) => ({ members: [userId] }) },
  changeGroup: { ...byName('group'), body: ({ userId }) => ({ add: [userId] }) },
  deleteGroup: byName('group'),
  listAuditLog: none,
  listTokens: none,
  createToken: { body: ({ userId }) => ({ principal: userId }) },
  revokeToken: byId('token'),
  listGrants: named,
  getGrants: granted,
  putGrant: { ...granted, body: () => ({ role: 'consumer' }) },
  deleteGrant: granted,
  listAccessRequests: none,
  requestAccess: { body: ({ app }) => ({ app, role: 'owner' }) },
  getAccessRequest: byId('request'),
  approveAccessRequest: { ...byId('request'), body: () => ({}) },
  denyAccessRequest: { ...byId('request'), body: () => ({}) },
  getKeys: none,
  getMe: none,
  getLimits: none,
  getVersion: none,
  // Data Product API
  getProduct: none,
  listModels: { query: ({ word }) => ({ tag: `${word}_tag` }) },
  getModel: byName('model'),
  getSemantics: none,
  getLineage: { query: ({ model }) => ({ ref: model }) },
  getImpact: { query: ({ model }) => ({ ref: model }) },
  search: { query: ({ word }) => ({ q: word }) },
  listChanges: none,
  exportProduct: { query: () => ({ format: 'odcs' }) },
  listStatements: { query: ({ word }) => ({ tag: `${word}_statement`, all: 'true' }) },
  submitStatement: { body: sql },
  getStatement: byId('statement'),
  getStatementResult: byId('statement'),
  cancelStatement: byId('statement'),
  querySemantic: {
    body: ({ semantic, word }) => ({ query: { dimensions: [`${semantic}.${word}_column`] } }),
  },
  querySemanticSql: { body: ({ semantic, word }) => ({ sql: `SELECT ${word}_column FROM ${semantic}` }) },
  queryGraphql: graphql,
  queryMetric: { ...byName('metric'), body: () => ({}) },
  getMetric: byName('metric'),
  transpile: { body: ({ model }) => ({ sql: `SELECT * FROM ${model}` }) },
  listEvents: { query: ({ run }) => ({ run_id: run }) },
  streamEvents: { isApart: 'it has no end; the events of the other are looked for in a test of their own' },
  listPlans: { query: ({ word }) => ({ environment: `${word}_env` }) },
  getPlan: byId('plan'),
  listRuns: { query: ({ word }) => ({ environment: `${word}_env` }) },
  getRun: byId('run'),
  listModelActivity: none,
  listQueryActivity: none,
  previewPlan: { body: ({ model }) => ({ environment: 'tried', restate_models: [model] }) },
  applyPlan: byId('plan'),
  startRun: { body: ({ word }) => ({ environment: `${word}_env` }) },
  cancelRun: byId('run'),
  getSummary: none,
  listRules: none,
  getRule: byId('rule'),
  listResults: none,
  getResultSample: byId('result'),
  listIncidents: none,
  getIncident: byId('incident'),
  listProfiles: none,
  listAudits: none,
  listQuarantine: none,
  getQuarantine: byId('held'),
  getFreshness: none,
  decideGate: { body: ({ model }) => ({ refs: [model] }) },
  listPerspectives: { query: ({ word }) => ({ q: word }) },
  createPerspective: {
    body: ({ semantic, word }) => ({ name: word, query: { dimensions: [`${semantic}.${word}_column`] } }),
  },
  getPerspective: viewed,
  getPerspectiveResult: viewed,
  listPerspectiveVersions: viewed,
  putPerspective: {
    ...viewed,
    body: ({ semantic, word }) => ({ name: word, query: { dimensions: [`${semantic}.${word}_column`] } }),
  },
  changePerspective: { ...viewed, body: ({ word }) => ({ name: word }) },
  deletePerspective: viewed,
  listChannels: none,
  createChannel: { body: ({ word }) => ({ name: word, kind: 'inbox' }) },
  getChannel: notified,
  putChannel: { ...notified, body: ({ word }) => ({ name: word }) },
  changeChannel: { ...notified, body: ({ word }) => ({ name: word }) },
  deleteChannel: notified,
  testChannel: { ...notified, body: () => ({}) },
  rotateChannelKey: { ...notified, body: () => ({}) },
  listNotificationRules: none,
  createNotificationRule: { body: ({ word }) => ({ name: word, audience: { channels: [word] } }) },
  previewNotificationRule: { body: () => ({ audience: { owners: true } }) },
  getNotificationRule: notified,
  putNotificationRule: { ...notified, body: ({ word }) => ({ name: word }) },
  changeNotificationRule: { ...notified, body: ({ word }) => ({ name: word }) },
  deleteNotificationRule: notified,
  listDeliveries: { query: ({ word }) => ({ channel_id: word }) },
  getDelivery: notified,
  resendDelivery: { ...notified, body: () => ({}) },
  listDeadLetters: none,
  redriveDeadLetters: { body: ({ word }) => ({ ids: [word] }) },
  listInbox: none,
  markInboxRead: { body: ({ word }) => ({ ids: [word] }) },
  getPreferences: none,
  putPreferences: { body: ({ word }) => ({ channels: [word] }) },
  listEventTypes: none,
  pullEvents: none,
  listFollowers: followed,
  follow: { body: ({ model }) => ({ target: `model:${model}` }) },
  getFollow: followed,
  putFollow: { ...followed, body: () => ({}) },
  unfollow: followed,
  listFollowing: none,
  // Beside the Data Product API
  graphql,
  graphqlPage: { query: ({ semantic, word }) => ({ query: `{ ${semantic} { ${word}_column } }` }) },
};
