import { PERSPECTIVE_EVIDENCE } from './evidence-perspectives.ts';

/** A request with and without a parameter or field, the test that shows what it does, or the words by which the document says that it does nothing. */
export type HttpEvidence =
  | {
      /** Both requests have this; the second the field as well. */
      readonly base?: {
        readonly query?: Readonly<Record<string, string>>;
        readonly body?: Readonly<Record<string, unknown>>;
        readonly path?: Readonly<Record<string, string>>;
      };
      readonly query?: Readonly<Record<string, string>>;
      readonly body?: Readonly<Record<string, unknown>>;
    }
  | { readonly file: string; readonly test: string }
  | { readonly documented: string }
  /** The same code reads it as there. */
  | { readonly sameAs: string }
  /** The page behind the first. */
  | { readonly isCursor: true };

type All = Readonly<Record<string, HttpEvidence>>;

const query = (name: string, value: string, base: Readonly<Record<string, string>> = {}): HttpEvidence => ({
  base: { query: base },
  query: { [name]: value },
});
const body = (
  name: string,
  value: unknown,
  base: Readonly<Record<string, unknown>> = {},
  path: Readonly<Record<string, string>> = {},
): HttpEvidence => ({ base: { body: base, path }, body: { [name]: value } });
const by = (file: string, test: string): HttpEvidence => ({ file, test });

const each = (operations: readonly string[], evidence: All): All =>
  Object.fromEntries(
    operations.flatMap((operation) =>
      Object.entries(evidence).map(([field, found]) => [`${operation} ${field}`, found]),
    ),
  );

/** One test asks each of them, and looks at what it changes. */
const notified = (operation: string, fields: string): All =>
  Object.fromEntries(
    fields
      .split(' ')
      .map((field) => [
        `${operation} ${field}`,
        by('tests/delivery/fields.test.ts', 'every field of notifications and followers does what it says'),
      ]),
  );

const NOTIFICATIONS: All = {
  ...notified('listChannels', 'limit cursor'),
  ...notified('listNotificationRules', 'limit cursor'),
  ...notified('listEventTypes', 'limit cursor'),
  ...notified('listFollowing', 'limit cursor'),
  ...notified('pullEvents', 'limit cursor'),
  ...notified('createChannel', 'name kind enabled config'),
  ...notified('putChannel', 'name enabled config'),
  ...notified('changeChannel', 'name enabled config'),
  ...notified('rotateChannelKey', 'overlap_hours'),
  ...notified('createNotificationRule', 'name enabled filter audience timing quiet_hours'),
  ...notified('putNotificationRule', 'name enabled filter audience timing quiet_hours'),
  ...notified('changeNotificationRule', 'name enabled filter audience timing quiet_hours'),
  ...notified('previewNotificationRule', 'filter audience events'),
  ...notified('listDeliveries', 'limit cursor status channel_id source'),
  ...notified('listDeadLetters', 'limit cursor channel_id source'),
  ...notified('redriveDeadLetters', 'ids'),
  ...notified('listInbox', 'limit cursor unread'),
  ...notified('markInboxRead', 'ids up_to'),
  ...notified('putPreferences', 'min_severity muted channels timing quiet_hours'),
  ...notified('listFollowers', 'target'),
  ...notified('follow', 'target events channels min_severity follower'),
  ...notified('getFollow', 'target'),
  ...notified('putFollow', 'target events channels min_severity'),
  ...notified('unfollow', 'target'),
};

const LISTS = [
  'listTenants',
  'listUsers',
  'listServiceAccounts',
  'listAuditLog',
  'listGroups',
  'listTokens',
  'listGrants',
  'listModels',
  'listPlans',
  'listRuns',
  'listModelActivity',
  'listQueryActivity',
  'listStatements',
  'listEvents',
  'listChanges',
];
const PAGES = by(
  'tests/hostile/http-twice.test.ts',
  'a cursor is good for its own list of its own tenant with its own filters, and 400 elsewhere',
);
const REQUESTS = 'tests/platform/platform-access.test.ts';
const PAGED = by(REQUESTS, 'comes in pages that lose and repeat nothing, filters included');

const DQ = 'tests/e2e/server-quality.test.ts';
const DQ_PAGES = by(DQ, 'come in pages by limit and cursor, newest first');
const DQ_FILTERS = by(DQ, 'are filtered');
const DQ_ONE = by(DQ, 'of another environment are others');
const CONTROLS = 'tests/platform/quality-controls.test.ts';
const CONTROL_PAGES = by(CONTROLS, 'come in pages by limit and cursor that lose and repeat nothing');
const CHECKS_NAMED = by(CONTROLS, 'are of the models and packs that are named');
const FOLDER_TESTS = by(CONTROLS, 'have tests, whose rows are for those from whom nothing is hidden');
const FOLDER_LINT = by(CONTROLS, 'are linted as they are now, for those who may plan them');
const CONTROL_FILTERS = by(CONTROLS, 'are filtered by model and status');

const SQL = { sql: 'SELECT id, day FROM m.a ORDER BY day', wait: 20, cache: false };
const SEMANTIC = {
  query: { measures: ['a.total'], dimensions: ['a.day.day'], order: [['a.day.day', 'asc']] },
  wait: 20,
  cache: false,
};
const SEMANTIC_SQL = {
  sql: 'SELECT day, MEASURE(total) FROM a GROUP BY 1 ORDER BY 1',
  wait: 20,
  cache: false,
};
const METRIC = { granularity: 'day', wait: 20, cache: false };
const OF_METRIC = { name: 'sales' };
const WAITS = by(
  'tests/statements/statements.test.ts',
  'waiting ends with the wait, and may take the statement with it',
);

/** What a submission may say beside its question, over a question with several rows. */
const submission = (
  operation: string,
  base: Readonly<Record<string, unknown>>,
  path: Readonly<Record<string, string>> = {},
): All =>
  each([operation], {
    environment: body('environment', 'nowhere', base, path),
    tags: body('tags', ['gold'], base, path),
    row_limit: body('row_limit', 1, base, path),
    on_limit: body('on_limit', 'fail', { ...base, row_limit: 1 }, path),
    cache: body('cache', false, { ...base, cache: true }, path),
    wait: body('wait', 0, base, path),
    ttl: by('tests/statements/statement-ttl.test.ts', 'is kept with one, for those who have one'),
    timeout: by(
      'tests/platform/platform-answers.test.ts',
      'hold: body, SQL, parameters, timeout and rows of a page',
    ),
    on_wait_timeout: WAITS,
  });

const FILTERS: All = {
  environment: query('environment', 'nowhere'),
  run_id: query('run_id', 'none'),
  model: query('model', 'm.none'),
  type: query('type', 'plan.failed'),
};

/** By `operation field`. */
export const HTTP_EVIDENCE: All = {
  ...NOTIFICATIONS,
  ...each(LISTS, { limit: query('limit', '1'), cursor: { isCursor: true } }),
  ...each(['listApps'], { limit: PAGES, cursor: PAGES }),
  ...each(['listAccessRequests'], { limit: PAGED, cursor: PAGED, status: PAGED, app: PAGED }),

  'listApps type': query('type', 'app'),
  'listApps state': query('state', 'failed'),
  'listApps tag': query('tag', 'none'),
  'listApps owner': query('owner', 'nobody'),
  'listApps q': query('q', 'nothing'),
  'createTenant name': body('name', 'default', { name: '«new»' }),
  ...each(['createUser', 'createServiceAccount'], {
    name: body('name', 'ann', { name: '«new»' }),
    role: body('role', 'viewer', { name: '«new»' }),
    groups: body('groups', ['first'], { name: '«new»' }),
    is_platform_admin: body('is_platform_admin', true, { name: '«new»' }),
  }),
  ...each(['changeUser'], {
    role: body('role', 'viewer', {}, { name: 'ann' }),
    groups: body('groups', ['first'], {}, { name: 'ann' }),
    is_platform_admin: body('is_platform_admin', true, {}, { name: 'bob' }),
  }),
  ...each(['changeServiceAccount'], {
    role: body('role', 'viewer', {}, { name: 'one' }),
    groups: body('groups', ['first'], {}, { name: 'one' }),
    is_platform_admin: body('is_platform_admin', true, {}, { name: 'two' }),
  }),
  ...each(['listAuditLog'], {
    actor: query('actor', 'nobody'),
    action: query('action', 'none'),
    target: query('target', 'none'),
    outcome: query('outcome', 'denied'),
    correlation_id: query('correlation_id', 'none'),
    since: query('since', '2999-01-01T00:00:00Z'),
    until: query('until', '1999-01-01T00:00:00Z'),
  }),
  'createGroup name': body('name', 'first', { name: '«new»' }),
  'createGroup members': body('members', ['ann'], { name: '«new»' }),
  'putGroup members': body('members', ['ann', 'bob'], { members: [] }, { name: 'first' }),
  'changeGroup add': body('add', ['ann'], {}, { name: 'other' }),
  'changeGroup remove': body('remove', ['nobody'], {}, { name: 'other' }),
  'createToken principal': body('principal', 'ann', { principal: 'bob', name: '«new»' }),
  'createToken name': body('name', 'called so', { principal: 'ann' }),
  'createToken scopes': body('scopes', ['query:read'], { principal: 'ann', name: '«new»' }),
  'createToken expires_in': body('expires_in', 60, { principal: 'ann', name: '«new»' }),
  'putGrant role': body('role', 'owner', { role: 'consumer' }, { principal: 'ann' }),
  'putGrant expires_in': body('expires_in', 3600, { role: 'consumer' }, { principal: 'ann' }),
  ...each(['requestAccess'], {
    app: by(REQUESTS, 'is made once'),
    role: by(REQUESTS, 'is made once'),
    reason: by(REQUESTS, 'is made once'),
    expires_in: by(REQUESTS, 'is made once'),
  }),
  ...each(['approveAccessRequest'], {
    role: by(REQUESTS, 'is made once'),
    expires_in: by(REQUESTS, 'is made once'),
    note: by(REQUESTS, 'is made once'),
  }),
  'denyAccessRequest note': by(REQUESTS, 'is made once'),

  ...each(['getProduct', 'listModels', 'getModel', 'getSemantics', 'listChanges'], {
    environment: query('environment', 'nowhere'),
  }),
  'listModels tag': query('tag', 'none'),
  'listModels kind': query('kind', 'view'),
  'getLineage ref': query('ref', 'm.c'),
  'getLineage column': query('column', 'id', { ref: 'm.b' }),
  'getLineage direction': query('direction', 'upstream', { ref: 'm.b' }),
  'getLineage depth': query('depth', '1', { ref: 'm.c' }),
  'getLineage environment': query('environment', 'nowhere'),
  'getImpact ref': query('ref', 'm.c', { ref: 'm.a' }),
  'getImpact change': query('change', 'removed', { ref: 'm.a.id' }),
  'getImpact environment': query('environment', 'nowhere', { ref: 'm.a' }),
  'search q': query('q', 'total', { q: 'region' }),
  'search limit': query('limit', '1', { q: 'm' }),
  'search environment': query('environment', 'nowhere', { q: 'm' }),
  'listChanges since': query('since', '2999-01-01T00:00:00Z'),
  'exportProduct format': query('format', 'odps', { format: 'odcs' }),
  'exportProduct report': query('report', 'true', { format: 'odcs' }),
  'exportProduct environment': query('environment', 'nowhere', { format: 'odcs' }),

  ...submission('submitStatement', SQL),
  'submitStatement sql': body('sql', 'SELECT 1 AS one', SQL),
  'submitStatement statement': body('statement', 'SELECT 1 AS one', { wait: 20, cache: false }),
  'submitStatement parameters': body('parameters', [7], { sql: 'SELECT ? AS n', wait: 20 }),
  'submitStatement timezone': body('timezone', 'Europe/Berlin', SQL),
  ...submission('querySemantic', SEMANTIC),
  'querySemantic query': body('query', { measures: ['a.count'] }, SEMANTIC),
  'querySemantic timezone': body('timezone', 'nowhere', SEMANTIC),
  ...submission('querySemanticSql', SEMANTIC_SQL),
  'querySemanticSql sql': body('sql', 'SELECT MEASURE(count) FROM a', SEMANTIC_SQL),
  'querySemanticSql parameters': body('parameters', ['EU'], {
    sql: 'SELECT MEASURE(total) FROM a WHERE region = ?',
    wait: 20,
  }),
  'querySemanticSql timezone': body('timezone', 'Europe/Berlin', SEMANTIC_SQL),
  ...submission('queryMetric', METRIC, OF_METRIC),
  ...each(['queryMetric'], {
    granularity: body('granularity', 'month', METRIC, OF_METRIC),
    dimensions: body('dimensions', ['sales.region'], METRIC, OF_METRIC),
    filters: body('filters', [{ member: 'a.region', operator: 'equals', values: ['US'] }], METRIC, OF_METRIC),
    segments: body('segments', ['a.none'], METRIC, OF_METRIC),
    dateRange: body('dateRange', ['2024-01-01', '2024-01-02'], METRIC, OF_METRIC),
    order: body('order', [['sales.ts.day', 'desc']], METRIC, OF_METRIC),
    limit: body('limit', 1, METRIC, OF_METRIC),
    offset: body('offset', 3, METRIC, OF_METRIC),
    total: body('total', true, METRIC, OF_METRIC),
    timezone: body('timezone', 'nowhere', METRIC, OF_METRIC),
  }),
  ...each(['getMetric'], {
    granularity: {
      base: { path: OF_METRIC, query: { granularity: 'day' } },
      query: { granularity: 'month' },
    },
    dimensions: { base: { path: OF_METRIC }, query: { dimensions: 'sales.region' } },
    segments: { base: { path: OF_METRIC }, query: { segments: 'a.none' } },
    dateRange: { base: { path: OF_METRIC }, query: { dateRange: '2023-01-01,2023-01-02' } },
    filters: {
      base: { path: OF_METRIC },
      query: { filters: '[{"member":"a.region","operator":"equals","values":["US"]}]' },
    },
    order: {
      base: { path: OF_METRIC, query: { granularity: 'day' } },
      query: { order: '[["sales.ts","desc"]]' },
    },
    total: { base: { path: OF_METRIC }, query: { total: 'true' } },
    limit: { base: { path: OF_METRIC, query: { granularity: 'day' } }, query: { limit: '1' } },
    offset: { base: { path: OF_METRIC, query: { granularity: 'day' } }, query: { offset: '3' } },
    timezone: { base: { path: OF_METRIC }, query: { timezone: 'nowhere' } },
    wait: WAITS,
    environment: { base: { path: OF_METRIC }, query: { environment: 'nowhere' } },
  }),
  ...each(['transpile'], {
    sql: body('sql', 'SELECT MEASURE(total) FROM a'),
    query: body('query', { measures: ['a.total'] }),
    metric: body('metric', 'sales'),
    request: body('request', { granularity: 'year' }, { metric: 'sales' }),
    timezone: body('timezone', 'Asia/Tokyo', {
      query: { measures: ['a.total'], dimensions: ['a.moment.month'] },
    }),
    environment: body('environment', 'nowhere', { query: { measures: ['a.total'] } }),
  }),
  'listStatements status': query('status', 'FAILED'),
  'listStatements tag': query('tag', 't1'),
  'listStatements all': by(
    'tests/e2e/server-activity.test.ts',
    'is one’s own, or everybody’s for those who may see it',
  ),
  'getStatement wait': WAITS,
  ...each(['getStatementResult'], {
    format: by('tests/statements/statements.test.ts', 'come in pages, anywhere, with some of the columns'),
    limit: by('tests/statements/statements.test.ts', 'come in pages, anywhere, with some of the columns'),
    offset: by('tests/statements/statements.test.ts', 'come in pages, anywhere, with some of the columns'),
    columns: by('tests/statements/statements.test.ts', 'come in pages, anywhere, with some of the columns'),
  }),
  ...each(['listEvents'], { ...FILTERS, since: query('since', '999999') }),
  ...each(['streamEvents'], {
    environment: { sameAs: 'listEvents environment' },
    run_id: { sameAs: 'listEvents run_id' },
    model: { sameAs: 'listEvents model' },
    type: { sameAs: 'listEvents type' },
    since: by('tests/e2e/server-groups.test.ts', 'streams events, from where a stream broke off'),
  }),
  ...each(['listPlans'], { environment: query('environment', 'nowhere'), status: query('status', 'failed') }),
  ...each(['listRuns'], { environment: query('environment', 'nowhere'), status: query('status', 'failed') }),
  ...each(['listModelActivity'], {
    environment: query('environment', 'nowhere'),
    status: query('status', 'failed'),
  }),
  ...each(['listQueryActivity'], {
    environment: query('environment', 'nowhere'),
    status: query('status', 'FAILED'),
    query_type: query('query_type', 'metric'),
    principal: query('principal', 'nobody'),
    model: query('model', 'm.none'),
    tag: query('tag', 't1'),
    since: query('since', '2999-01-01T00:00:00Z'),
  }),
  ...each(['getSummary', 'listRules', 'listResults', 'listIncidents'], {
    environment: query('environment', 'nowhere'),
  }),
  'getSummary as_of': query('as_of', 'yesterday'),
  ...each(['listProfiles', 'listAudits', 'listQuarantine', 'getFreshness'], {
    limit: CONTROL_PAGES,
    cursor: CONTROL_PAGES,
    model: CONTROL_FILTERS,
    environment: query('environment', 'nowhere'),
  }),
  'listAudits status': CONTROL_FILTERS,
  'runChecks select': CHECKS_NAMED,
  'runChecks packs': CHECKS_NAMED,
  'runChecks environment': CHECKS_NAMED,
  'runChecks wait': by(CONTROLS, 'run now, and are found under their id'),
  'getCheckRun wait': by(CONTROLS, 'go on without the caller, who is told where to ask'),
  ...each(['listTests'], {
    ...{ limit: FOLDER_TESTS, cursor: FOLDER_TESTS, model: FOLDER_TESTS, status: FOLDER_TESTS },
  }),
  ...each(['lint'], { limit: FOLDER_LINT, cursor: FOLDER_LINT, severity: FOLDER_LINT }),
  'getQuarantine limit': by(CONTROLS, 'are as many as are asked for'),
  'getQuarantine environment': by(CONTROLS, 'are of the environment that is named'),
  ...each(['listRules'], {
    limit: DQ_PAGES,
    cursor: DQ_PAGES,
    model: DQ_FILTERS,
    dimension: DQ_FILTERS,
    outcome: DQ_FILTERS,
  }),
  'getRule environment': DQ_ONE,
  'decideGate refs': body('refs', ['m.none'], { refs: ['m.a'] }),
  'decideGate environment': body('environment', 'nowhere', { refs: ['m.a'] }),
  ...each(['listResults'], {
    limit: DQ_PAGES,
    cursor: DQ_PAGES,
    model: DQ_FILTERS,
    check: DQ_FILTERS,
    run_id: DQ_FILTERS,
    outcome: DQ_FILTERS,
    since: DQ_FILTERS,
  }),
  ...each(['listIncidents'], {
    limit: DQ_PAGES,
    cursor: DQ_PAGES,
    model: DQ_FILTERS,
    check: DQ_FILTERS,
    state: DQ_FILTERS,
  }),
  ...each(['previewPlan'], {
    environment: body('environment', 'dev'),
    select: body('select', 'm.none'),
    start: body('start', '2024-01-05', { restate_models: ['m.a'] }),
    end: body('end', '2024-01-05', { restate_models: ['m.a'] }),
    effective_from: body('effective_from', '2024-01-05'),
    restate_models: body('restate_models', ['m.a']),
    forward_only: body('forward_only', true, { effective_from: '2024-01-05' }),
    skip_backfill: body('skip_backfill', true, { environment: 'other', start: '2023-01-01' }),
    empty_backfill: body('empty_backfill', true, { environment: 'other', start: '2023-01-01', shared: true }),
    shared: body('shared', true, { environment: 'other', start: '2023-01-01' }),
    no_gaps: by('src/compiler/plan/plan-options.test.ts', 'noGaps'),
    allow_destructive_models: body('allow_destructive_models', ['m.none']),
    categories: body('categories', { 'm.none': 'breaking' }),
    run: body('run', true),
  }),
  'startRun environment': body('environment', 'nowhere', { select: '(m.a' }),
  'startRun shared': by(
    'src/compiler/plan/make-run.test.ts',
    'outside prod a table goes on from where a plan began, and one that prod has is left to it',
  ),
  'applyPlan allow_wider_access': by(
    'tests/e2e/wider-access.test.ts',
    'the plan says it, to those who may apply it; applying it is 409 without the field',
  ),
  'startRun select': body('select', 'm.nothing', { select: '(m.b' }),
  'queryGraphql query': body('query', '{ a { total } }', { query: '{ __typename }' }),
  'queryGraphql variables': body(
    'variables',
    { n: 1 },
    { query: 'query ($n: Int!) { a(limit: $n) { total } }' },
  ),
  'queryGraphql operationName': body('operationName', 'two', {
    query: 'query one { a { total } } query two { a { count } }',
  }),
  'queryGraphql extensions': { documented: 'ignored' },
  'queryGraphql environment': body('environment', 'nowhere', { query: '{ a { total } }' }),
  ...PERSPECTIVE_EVIDENCE,
};
