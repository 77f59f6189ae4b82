/* Where an environment can be named. One that is not for the caller and one that does not exist get the same answer. */
import type { Sent } from './served-world.ts';

interface Beside {
  /** A semantic model that everybody may ask, one of its dimensions, and a metric. */
  readonly model: string;
  readonly dimension: string;
  readonly metric: string;
  readonly graphql: string;
}

type Place = (environment: string, beside: Beside) => Sent;

const get =
  (path: string, query: Readonly<Record<string, string>> = {}): Place =>
  (environment) => ({ method: 'GET', path: `${path}?${new URLSearchParams({ ...query, environment })}` });

const post =
  (path: string, body: (beside: Beside) => object): Place =>
  (environment, beside) => ({ method: 'POST', path, body: { ...body(beside), environment } });

const graphqlText = ({ model, dimension }: Beside): string => `{ ${model} { ${dimension} } }`;

/** By operation; the registry holds them against the documents. */
export const ENVIRONMENT_PLACES: Readonly<Record<string, Place>> = {
  getProduct: get('/metadata'),
  listModels: get('/metadata/models'),
  getModel: get('/metadata/models/free.h'),
  getSemantics: get('/metadata/semantic'),
  getLineage: get('/metadata/lineage', { ref: 'free.h' }),
  getImpact: get('/metadata/impact', { ref: 'free.h' }),
  search: get('/metadata/search', { q: 'free' }),
  listChanges: get('/metadata/changes'),
  exportProduct: get('/metadata/export', { format: 'odcs' }),
  listEvents: get('/activity'),
  streamEvents: get('/activity/stream', { since: '0' }),
  listPlans: get('/activity/plans'),
  listRuns: get('/activity/runs'),
  listModelActivity: get('/activity/models'),
  listQueryActivity: get('/activity/queries'),
  getSummary: get('/dq'),
  listRules: get('/dq/rules'),
  listResults: get('/dq/results'),
  listIncidents: get('/dq/incidents'),
  listProfiles: get('/dq/profiles'),
  listAudits: get('/dq/audits'),
  listQuarantine: get('/dq/quarantine'),
  getFreshness: get('/dq/freshness'),
  decideGate: post('/dq/gate', () => ({ refs: ['free.h'] })),
  submitStatement: post('/query/statement', () => ({ sql: 'SELECT note FROM free.h', wait: 20 })),
  querySemantic: post('/query/semantic/rest', ({ model, dimension }) => ({
    query: { dimensions: [`${model}.${dimension}`] },
  })),
  querySemanticSql: post('/query/semantic/sql', ({ model, dimension }) => ({
    sql: `SELECT ${dimension} FROM ${model}`,
  })),
  queryGraphql: post('/query/semantic/graphql', (beside) => ({ query: graphqlText(beside) })),
  queryMetric: (environment, { metric }) => ({
    method: 'POST',
    path: `/query/metric/${metric}`,
    body: { environment, wait: 20 },
  }),
  getMetric: (environment, { metric }) => ({
    method: 'GET',
    path: `/query/metric/${metric}?environment=${environment}`,
  }),
  transpile: post('/query/transpile', () => ({ sql: 'SELECT note FROM free.h' })),
  graphql: (environment, beside) => ({
    method: 'POST',
    path: beside.graphql,
    body: { query: graphqlText(beside), environment },
  }),
  graphqlPage: (environment, beside) => ({
    method: 'GET',
    path: `${beside.graphql}?${new URLSearchParams({ query: graphqlText(beside), environment })}`,
  }),
};
