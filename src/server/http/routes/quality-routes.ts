/** The dq group: rules, what checks found, incidents. */

import { incidentJson } from '../../../domain/check-json.ts';
import { CHECK_OUTCOMES, type CheckOutcome } from '../../../domain/check-result.ts';
import { DQ_DIMENSIONS } from '../../../domain/dq-pack.ts';
import { gate } from '../../../operations/quality/gate.ts';
import { knownIncidents } from '../../../operations/quality/known-incidents.ts';
import { knownResults } from '../../../operations/quality/known-results.ts';
import { knownRules, ruleKey } from '../../../operations/quality/known-rules.ts';
import { oneIncident } from '../../../operations/quality/one-incident.ts';
import { oneRule } from '../../../operations/quality/one-rule.ts';
import { qualitySummary } from '../../../operations/quality/quality-summary.ts';
import { resultSample } from '../../../operations/quality/result-sample.ts';
import { listSchemaOf } from '../answers/list-schema.ts';
import { newestFirst, pageOf } from '../answers/newest-first.ts';
import { PAGE_QUERY, page } from '../answers/page.ts';
import { refused } from '../answers/problem.ts';
import { resultBody, ruleBody, sampleBody, summaryBody } from '../answers/quality-body.ts';
import { ASKED, MODEL, qualityReader, textsIn, viewFor } from '../answers/quality-reader.ts';
import { timeIn } from '../arrival/time-in.ts';
import type { JsonSchema, ProductCall, Route } from '../route.ts';
import {
  CHECK_RESULT,
  GATE,
  INCIDENT,
  QUALITY_SUMMARY,
  RULE,
  SAMPLE,
  WHOLE_INCIDENT,
  WHOLE_RULE,
} from '../schemas/quality-schemas.ts';

const CHECK: JsonSchema = { type: 'string', minLength: 1, maxLength: 1000, description: '`pack/rule`' };
const SINCE: JsonSchema = {
  type: 'string',
  maxLength: 40,
  description: 'an RFC 3339 time: found then or later',
};

const summaryRoute = qualityReader('/dq', {
  operationId: 'getSummary',
  summary: 'How the data is, by dimension: the newest result of each check that packs define',
  query: {
    environment: ASKED,
    as_of: {
      type: 'string',
      maxLength: 40,
      description: 'an RFC 3339 time: what was found by then; now when absent',
    },
  },
  description: 'the summary',
  schema: QUALITY_SUMMARY,
  handle: async (call) => {
    const view = await viewFor(call);
    const at = timeIn(call.query, 'as_of');
    const asked = at === undefined ? {} : { at };
    return summaryBody(view.environment.name, await qualitySummary(call.product, view, asked));
  },
});

const ruleRoutes: readonly Route<ProductCall>[] = [
  qualityReader('/dq/rules', {
    operationId: 'listRules',
    summary: 'The rules of dq packs as they were applied, with what was found last',
    query: {
      ...PAGE_QUERY,
      environment: ASKED,
      model: MODEL,
      dimension: { type: 'string', enum: DQ_DIMENSIONS },
      outcome: { type: 'string', enum: CHECK_OUTCOMES },
    },
    description: 'rules',
    schema: listSchemaOf(RULE),
    handle: async (call) => {
      const { model, dimension, outcome } = call.query;
      const rules = (await knownRules(call.product, await viewFor(call))).filter(
        (each) =>
          (model === undefined || each.model === model) &&
          (dimension === undefined || each.rule.dimension === dimension) &&
          (outcome === undefined || each.outcome === outcome),
      );
      const { items, next_cursor } = page(rules, { query: call.query, keyOf: ruleKey });
      return { items: items.map(ruleBody), next_cursor };
    },
  }),
  qualityReader('/dq/rules/{id}', {
    operationId: 'getRule',
    summary: 'One rule with recent results',
    query: { environment: ASKED },
    description: 'the rule',
    schema: WHOLE_RULE,
    handle: async (call) => {
      const { rule, results } = await oneRule(call.product, await viewFor(call), call.path['id'] ?? '');
      return { ...ruleBody(rule), results: results.map(resultBody) };
    },
  }),
];

const resultRoutes: readonly Route<ProductCall>[] = [
  qualityReader('/dq/results', {
    operationId: 'listResults',
    summary: 'What checks found, newest first',
    query: {
      ...PAGE_QUERY,
      environment: ASKED,
      model: MODEL,
      check: CHECK,
      run_id: { type: 'string', minLength: 1, maxLength: 100, description: 'the check run' },
      outcome: { type: 'string', enum: CHECK_OUTCOMES },
      since: SINCE,
    },
    description: 'results',
    schema: listSchemaOf(CHECK_RESULT),
    handle: async (call) => {
      const { product, query } = call;
      const since = timeIn(query, 'since');
      const found = await knownResults(product, await viewFor(call), {
        ...pageOf(query),
        ...textsIn(query, { model: 'model', check: 'check', run_id: 'runId' }),
        ...(query['outcome'] === undefined ? {} : { outcomes: [query['outcome'] as CheckOutcome] }),
        ...(since === undefined ? {} : { since }),
      });
      const { shown, next } = newestFirst(found, query);
      return { items: shown.map(resultBody), next_cursor: next };
    },
  }),
  qualityReader('/dq/results/{id}/sample', {
    operationId: 'getResultSample',
    summary: 'Rows that a rule found wrong, as far as policies let the caller see them',
    description: 'the rows',
    schema: SAMPLE,
    handle: async ({ product, identity, path }) =>
      sampleBody(await resultSample(product, identity, path['id'] ?? '')),
  }),
];

const incidentRoutes: readonly Route<ProductCall>[] = [
  qualityReader('/dq/incidents', {
    operationId: 'listIncidents',
    summary: 'Incidents, newest first: opened by the first failure of a check, closed by its next pass',
    query: {
      ...PAGE_QUERY,
      environment: ASKED,
      model: MODEL,
      check: CHECK,
      state: { type: 'string', enum: ['open', 'closed'] },
    },
    description: 'incidents',
    schema: listSchemaOf(INCIDENT),
    handle: async (call) => {
      const { product, query } = call;
      const found = await knownIncidents(product, await viewFor(call), {
        ...pageOf(query),
        ...textsIn(query, { model: 'model', check: 'check' }),
        ...(query['state'] === undefined ? {} : { isOpen: query['state'] === 'open' }),
      });
      const { shown, next } = newestFirst(found, query);
      return { items: shown.map(incidentJson), next_cursor: next };
    },
  }),
  qualityReader('/dq/incidents/{id}', {
    operationId: 'getIncident',
    summary: 'One incident with recent results of its check',
    description: 'the incident',
    schema: WHOLE_INCIDENT,
    handle: async ({ product, identity, path }) => {
      const { incident, results } = await oneIncident(product, identity, path['id'] ?? '');
      return { ...incidentJson(incident), results: results.map(resultBody) };
    },
  }),
];

const gateRoute: Route<ProductCall> = {
  method: 'POST',
  path: '/dq/gate',
  operationId: 'decideGate',
  summary: 'Whether to go on with data: a circuit breaker for other orchestrators',
  tag: 'dq',
  access: 'activity:read',
  body: {
    type: 'object',
    additionalProperties: false,
    required: ['refs'],
    properties: {
      refs: {
        type: 'array',
        minItems: 1,
        maxItems: 100,
        items: { type: 'string', minLength: 1, maxLength: 500 },
        description: 'models, `semantic:NAME`, `metric:NAME`; all that they are made of counts',
      },
      environment: ASKED,
    },
    examples: [{ refs: ['marts.orders', 'metric:monthly_revenue'] }],
  },
  answers: { 200: { description: 'the decision, and what speaks against', schema: GATE } },
  canRepeat: true,
  // What was decided before is not what holds now.
  mayRepeat: async () => false,
  handle: async ({ product, identity, body }) => {
    const asked = body as { readonly refs: readonly string[]; readonly environment?: string };
    const decided = await gate(product, identity, asked);
    if (!decided.ok) throw refused(decided.diagnostics, 422);
    const { environment, decision, reasons, models } = decided;
    return { environment, decision, reasons, models };
  },
};

export const qualityRoutes: readonly Route<ProductCall>[] = [
  summaryRoute,
  ...ruleRoutes,
  ...resultRoutes,
  ...incidentRoutes,
  gateRoute,
];
