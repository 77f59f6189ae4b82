/**
 * What design/http-api.md says of addresses, span by span: the first column is the text between two backticks, in the order of the page,
 * the second what it stands for. A path may have the parameters behind its `?` that the page names, with the values it lists.
 */
export type WrittenSpan = readonly [span: string, means: readonly string[] | { readonly other: string }];

const other = (words: string): { readonly other: string } => ({ other: words });
const TENANT = '/tenants/{t}';
const APP = `${TENANT}/resources/apps/{name}`;
const WANTED = `${TENANT}/access-requests`;

const APP_FIELDS =
  '{items:[{name, type: data-product|app, tenant, display_name, description, owner, version, state: active|deploying|failed|stopped, endpoints{rest, graphql, sql, mcp, ui}, tags, created_at, updated_at, health, links}], next_cursor}';

/** Section "Platform API". */
export const PLATFORM_SPANS: readonly WrittenSpan[] = [
  ['/platform-api/v1', other('the base')],
  ['GET /tenants/{t}/resources/apps', [`GET ${TENANT}/resources/apps?type=&state=&tag=&owner=&q=`]],
  [APP_FIELDS, other('fields, see WRITTEN_FIELDS')],
  ['type, state, tag, owner, q', other('parameters, see above')],
  ['GET PUT DELETE …/apps/{name}', [`GET ${APP}`, `PUT ${APP}`, `DELETE ${APP}`]],
  ['POST …/apps', [`POST ${TENANT}/resources/apps`]],
  ['plinth deploy', other('a command')],
  ['GET POST DELETE /tenants', ['GET /tenants', 'POST /tenants']],
  ['/tenants/{t}', [`GET ${TENANT}`, `DELETE ${TENANT}`]],
  [
    '/tenants/{t}/users',
    [
      `GET ${TENANT}/users`,
      `POST ${TENANT}/users`,
      `GET ${TENANT}/users/{name}`,
      `DELETE ${TENANT}/users/{name}`,
    ],
  ],
  [
    '/service-accounts',
    [
      `GET ${TENANT}/service-accounts`,
      `POST ${TENANT}/service-accounts`,
      `GET ${TENANT}/service-accounts/{name}`,
      `DELETE ${TENANT}/service-accounts/{name}`,
    ],
  ],
  [
    '/groups',
    [
      `GET ${TENANT}/groups`,
      `POST ${TENANT}/groups`,
      `GET ${TENANT}/groups/{name}`,
      `DELETE ${TENANT}/groups/{name}`,
    ],
  ],
  ['/tokens', [`GET ${TENANT}/tokens`, `POST ${TENANT}/tokens`, `DELETE ${TENANT}/tokens/{id}`]],
  ['/audit-log', [`GET ${TENANT}/audit-log`]],
  ['GET /me', ['GET /me']],
  ['/limits', ['GET /limits']],
  ['/version', ['GET /version']],
  ['GET /tenants/{t}/resources/apps/{name}/grants', [`GET ${APP}/grants`]],
  ['PUT DELETE …/grants/{principal}', [`PUT ${APP}/grants/{principal}`, `DELETE ${APP}/grants/{principal}`]],
  ['GET POST /tenants/{t}/access-requests', [`GET ${WANTED}`, `POST ${WANTED}`]],
  ['POST …/{id}/approve', [`POST ${WANTED}/{id}/approve`]],
  ['…/{id}/deny', [`POST ${WANTED}/{id}/deny`]],
];

const owned = (path: string): readonly string[] => [
  `GET ${path}`,
  `POST ${path}`,
  `GET ${path}/{id}`,
  `PUT ${path}/{id}`,
  `PATCH ${path}/{id}`,
  `DELETE ${path}/{id}`,
];

/** Section "Data Product API". */
export const PRODUCT_SPANS: readonly WrittenSpan[] = [
  ['GET /metadata', ['GET /metadata']],
  ['/metadata/models[/{name}]', ['GET /metadata/models', 'GET /metadata/models/{name}']],
  ['/metadata/semantic', ['GET /metadata/semantic']],
  [
    '/metadata/lineage?ref=&direction=&depth=&column=',
    ['GET /metadata/lineage?ref=&direction=&depth=&column='],
  ],
  ['/metadata/impact?ref=&change=', ['GET /metadata/impact?ref=&change=']],
  ['/metadata/search?q=', ['GET /metadata/search?q=']],
  ['/metadata/changes?since=', ['GET /metadata/changes?since=']],
  [
    '/metadata/export?format=odcs|odps|openlineage|openapi|graphql|llms.txt',
    ['GET /metadata/export?format=odcs|odps|openlineage|openapi|graphql|llms.txt'],
  ],
  ['POST /query/statement', ['POST /query/statement']],
  ['POST /query/semantic/rest', ['POST /query/semantic/rest']],
  ['/query/semantic/sql', ['POST /query/semantic/sql']],
  ['/query/semantic/graphql', ['POST /query/semantic/graphql']],
  ['GET|POST /query/metric/{name}', ['GET /query/metric/{name}', 'POST /query/metric/{name}']],
  ['POST /query/transpile', ['POST /query/transpile']],
  ['GET /query/statement', ['GET /query/statement']],
  ['query:read-all', other('a scope')],
  ['GET /query/statement/{id}', ['GET /query/statement/{id}?wait=']],
  ['?wait=0..50', other('a parameter, see above')],
  [
    'GET /query/statement/{id}/result?format=json|csv|ndjson|arrow|parquet&limit&offset&columns',
    ['GET /query/statement/{id}/result?format=json|csv|ndjson|arrow|parquet&limit=&offset=&columns='],
  ],
  ['POST /query/statement/{id}/cancel', ['POST /query/statement/{id}/cancel']],
  ['GET /activity', ['GET /activity']],
  ['/activity/stream', ['GET /activity/stream']],
  ['Last-Event-ID', other('a header')],
  ['/activity/plans[/{id}]', ['GET /activity/plans', 'GET /activity/plans/{id}']],
  ['/activity/runs[/{id}]', ['GET /activity/runs', 'GET /activity/runs/{id}']],
  ['/activity/models', ['GET /activity/models']],
  ['/activity/queries', ['GET /activity/queries']],
  ['POST /activity/plans', ['POST /activity/plans']],
  ['/activity/plans/{id}/apply', ['POST /activity/plans/{id}/apply']],
  ['/activity/runs', ['POST /activity/runs']],
  ['/activity/runs/{id}/cancel', ['POST /activity/runs/{id}/cancel']],
  ['GET /dq', ['GET /dq']],
  ['as_of', other('a field of the answer')],
  ['/dq/rules[/{id}]', ['GET /dq/rules', 'GET /dq/rules/{id}']],
  ['/dq/results', ['GET /dq/results']],
  ['/dq/results/{id}/sample', ['GET /dq/results/{id}/sample']],
  ['/dq/profiles?model=', ['GET /dq/profiles?model=']],
  ['/dq/audits', ['GET /dq/audits']],
  ['/dq/quarantine[/{id}]', ['GET /dq/quarantine', 'GET /dq/quarantine/{id}']],
  ['/dq/incidents[/{id}]', ['GET /dq/incidents', 'GET /dq/incidents/{id}']],
  ['/dq/freshness', ['GET /dq/freshness']],
  ['/dq/tests', ['GET /dq/tests']],
  ['/dq/lint', ['GET /dq/lint']],
  ['POST /dq/run {select}', ['POST /dq/run']],
  ['POST /dq/gate {refs}', ['POST /dq/gate']],
  ['GET POST /perspectives', ['GET /perspectives', 'POST /perspectives']],
  [
    'GET PUT PATCH DELETE HEAD /perspectives/{slug}',
    ['GET', 'PUT', 'PATCH', 'DELETE', 'HEAD'].map((method) => `${method} /perspectives/{slug}`),
  ],
  ['GET /perspectives/{slug}/result', ['GET /perspectives/{slug}/result']],
  ['/versions', ['GET /perspectives/{slug}/versions']],
  ['/notifications/channels', owned('/notifications/channels')],
  ['/test', ['POST /notifications/channels/{id}/test']],
  ['/notifications/rules', owned('/notifications/rules')],
  ['/preview', ['POST /notifications/rules/preview']],
  [
    '/notifications/deliveries[/{id}]',
    ['GET /notifications/deliveries', 'GET /notifications/deliveries/{id}'],
  ],
  ['/resend', ['POST /notifications/deliveries/{id}/resend']],
  ['/notifications/dead-letter', ['GET /notifications/dead-letter']],
  ['/redrive', ['POST /notifications/dead-letter/redrive']],
  ['/notifications/events?cursor=', ['GET /notifications/events?cursor=']],
  ['/notifications/inbox', ['GET /notifications/inbox']],
  ['/read', ['POST /notifications/inbox/read']],
  ['/notifications/preferences', ['GET /notifications/preferences', 'PUT /notifications/preferences']],
  ['/notifications/event-types', ['GET /notifications/event-types']],
  ['GET POST /followers', ['GET /followers', 'POST /followers']],
  [
    'GET PUT DELETE /followers/me?target=',
    ['GET', 'PUT', 'DELETE'].map((method) => `${method} /followers/me?target=`),
  ],
  ['GET /following', ['GET /following']],
];

/** Bodies that the page lists field by field: each `{…}` with where it is sent or answered. */
export const WRITTEN_FIELDS: readonly {
  readonly written: string;
  readonly of: 'body' | 'answer' | 'item' | 'column';
  readonly api: 'platform' | 'product';
  readonly operation: string;
}[] = [
  {
    written: APP_FIELDS.slice('{items:['.length, APP_FIELDS.lastIndexOf(']')),
    of: 'item',
    api: 'platform',
    operation: `GET ${TENANT}/resources/apps`,
  },
  {
    written:
      '{id, status, version, strategy: execute|from_cache|await_primary, query_type, sql, fingerprint, submitted_at, started_at, finished_at, expires_at, progress, stats{queued_ms, exec_ms, rows, bytes}, columns, row_count, truncated, depends_on, trust, error, _links}',
    of: 'answer',
    api: 'product',
    operation: 'GET /query/statement/{id}',
  },
  {
    written:
      '{statement|sql, parameters, timezone, wait, on_wait_timeout: continue|cancel, timeout, row_limit, on_limit: truncate|fail, cache, ttl, tags, environment}',
    of: 'body',
    api: 'product',
    operation: 'POST /query/statement',
  },
  {
    written: '{name, type, engine_type, nullable, precision, scale, semantic{model, member, kind, format}}',
    of: 'column',
    api: 'product',
    operation: 'GET /query/statement/{id}/result',
  },
];

/** Operations that the page does not write, and why they are there. */
export const BESIDE_THE_PAGE: Readonly<Record<string, string>> = {
  'GET /jwks.json': 'section "Authentication" of the page: "whose JWKS is served"',
  'PATCH /tenants/{}/users/{}': 'roles and groups change',
  'PATCH /tenants/{}/service-accounts/{}': 'roles and groups change',
  'PUT /tenants/{}/groups/{}': 'members change',
  'PATCH /tenants/{}/groups/{}': 'members change',
  'GET /tenants/{}/resources/apps/{}/grants/{}': 'what was put can be read',
  'GET /tenants/{}/access-requests/{}': 'the Location of what was posted',
  'GET /dq/run/{}': 'the Location of what was posted',
  'POST /notifications/channels/{}/rotate': 'key rotation of issue 18',
};
