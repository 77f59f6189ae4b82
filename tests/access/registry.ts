/*
 * Every way into the product, taken from the product itself. One that is neither asked by a cell nor listed here with the
 * reason why it cannot carry rows fails the matrix.
 */
import { type Operation, operationsOf } from '../e2e/served-twins.ts';
import { KEPT_DOORS } from './kept-answers.ts';
import { NAME_PLACES } from './name-places.ts';
import { PASSIVE_DOORS } from './passive-doors.ts';
import { QUESTION_DOORS } from './question-doors.ts';
import type { ServedWorld } from './served-world.ts';

/** Operations that no cell asks. */
export const ROWLESS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      'listApps getApp listTenants createTenant getTenant deleteTenant listUsers getUser createUser changeUser deleteUser',
      'listServiceAccounts getServiceAccount createServiceAccount changeServiceAccount deleteServiceAccount',
      'listGroups createGroup getGroup putGroup changeGroup deleteGroup listAuditLog listTokens createToken revokeToken',
      'listGrants getGrants putGrant deleteGrant listAccessRequests requestAccess getAccessRequest approveAccessRequest denyAccessRequest',
      'getKeys getMe getLimits getVersion',
    ]
      .flatMap((names) => names.split(' '))
      .map((name) => [name, 'the Platform API knows people and products, and reads no warehouse']),
  ),
  ...Object.fromEntries(
    ['getRule', 'getResultSample', 'getIncident', 'getQuarantine', 'runChecks', 'getCheckRun'].map((name) => [
      name,
      'worlds have no dq packs and hold nothing back; tests/access/canary-doors.test.ts looks for masked values in them',
    ]),
  ),
  ...Object.fromEntries(
    [
      'listChannels createChannel getChannel putChannel changeChannel deleteChannel testChannel rotateChannelKey',
      'listNotificationRules createNotificationRule getNotificationRule putNotificationRule changeNotificationRule deleteNotificationRule previewNotificationRule',
      'listDeliveries getDelivery resendDelivery listDeadLetters redriveDeadLetters listInbox markInboxRead getPreferences putPreferences',
      'listEventTypes pullEvents listFollowers follow getFollow putFollow unfollow listFollowing',
    ]
      .flatMap((names) => names.split(' '))
      .map((name) => [
        name,
        'events as listEvents shows them, by the same view; tests/delivery/private.test.ts asks what is visible to whom',
      ]),
  ),
  ...Object.fromEntries(
    'listPerspectives getPerspective createPerspective putPerspective changePerspective deletePerspective listPerspectiveVersions getPerspectiveResult'
      .split(' ')
      .map((name) => [
        name,
        'worlds have no perspectives; tests/perspectives compares what readers with other policies get of them',
      ]),
  ),
  listTests:
    'rows of tests are not of the warehouse; tests/access/canary-doors.test.ts looks for masked values in them',
  lint: 'it is about files, for those who may plan',
  applyPlan: 'the run that it answers with has only begun; getRun has what comes of it',
  startRun: 'the run that it answers with has only begun; getRun has what comes of it',
};

/** Operations with at least one cell. */
export const ASKED: ReadonlySet<string> = new Set([
  ...QUESTION_DOORS.flatMap(({ operations }) => operations),
  ...PASSIVE_DOORS.map(({ operation }) => operation),
  ...KEPT_DOORS.map(({ operation }) => operation),
  ...NAME_PLACES.map(({ operation }) => operation),
]);

/** Commands that a cell runs. */
export const ASKED_COMMANDS: ReadonlySet<string> = new Set(['query']);

/** Commands without groups: who has the folder and the warehouse's file may see everything in them. */
export const OWNERS_COMMANDS: ReadonlySet<string> = new Set(
  [
    'perspective notify follow events init sample info plan apply run rollback diff status plans runs environments invalidate janitor clean destroy check-intervals worker transpile metrics validate',
    'test create-test serve tenant user token grant access auth evaluate table-diff table-name audit quarantine check profile state render lineage impact lint format external schema import',
    'doctor explain completion help',
  ].flatMap((names) => names.split(' ')),
);

/** Methods of the client that are not called as the operation that they ask. */
export const CLIENT_METHODS: Readonly<Record<string, string>> = {
  run: 'submitStatement',
  iterStatementResult: 'getStatementResult',
  downloadStatementResult: 'getStatementResult',
  exportReport: 'exportProduct',
  downloadPerspectiveResult: 'getPerspectiveResult',
};

/** Arguments of a root field of GraphQL: which cell has them, or why none needs to. */
export const GRAPHQL_ARGUMENTS: Readonly<Record<string, string>> = {
  where: 'name in graphql: where',
  orderBy: 'name in graphql: order',
  segments: 'name in graphql: segments',
  joinHints: 'name in graphql: join hints',
  limit: 'it is a number',
  offset: 'it is a number',
  timezone: 'it names a time zone',
  total: 'it is a flag',
  ungrouped: 'it is a flag',
  unreachableFilters: 'it chooses between two words',
  granularity: 'it names a unit of time',
  dateRange: 'it is a time',
  compareDateRange: 'its names are those of `where`, by the same types',
};

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;
}

/** The documents of both APIs. */
export async function documents(served: ServedWorld): Promise<readonly Document[]> {
  return Promise.all(
    ['/platform-api/openapi.json', '/openapi.json'].map(async (path) => {
      const got = await served.send('root', { method: 'GET', path });
      return JSON.parse(got.body) as Document;
    }),
  );
}

/** Operations of both APIs, and of the address beside them. */
export async function everyOperation(served: ServedWorld): Promise<readonly string[]> {
  const listed = (await documents(served)).flatMap((document): readonly Operation[] =>
    operationsOf(document),
  );
  return [...listed.map(({ id }) => id), 'graphql', 'graphqlPage'];
}

/** Operations that can be asked about an environment by those who may not ask every one. */
export async function environmentOperations(served: ServedWorld): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { paths } of await documents(served))
    for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
      const parameters = (operation['parameters'] ?? []) as readonly { readonly name: string }[];
      const body = JSON.stringify(operation['requestBody'] ?? {});
      if (parameters.some(({ name }) => name === 'environment') || body.includes('"environment":{'))
        found.push(String(operation['operationId']));
    }
  const isForConsumers = (id: string): boolean => ROWLESS[id] === undefined && id !== 'previewPlan';
  return [...found.filter(isForConsumers), 'graphql', 'graphqlPage'];
}
