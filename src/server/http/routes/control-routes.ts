/** The dq group beside checks: profiles, audits, quarantine, freshness. */

import { profileJson } from '../../../domain/profile-json.ts';
import { knownAudits } from '../../../operations/quality/known-audits.ts';
import { knownFreshness } from '../../../operations/quality/known-freshness.ts';
import { knownProfiles } from '../../../operations/quality/known-profiles.ts';
import { type KnownHeld, knownQuarantine } from '../../../operations/quality/known-quarantine.ts';
import { oneQuarantine } from '../../../operations/quality/one-quarantine.ts';
import { listSchemaOf } from '../answers/list-schema.ts';
import { environmentIn } from '../answers/metadata-reader.ts';
import { newestFirst, pageOf } from '../answers/newest-first.ts';
import { limitOf, PAGE_QUERY, page } from '../answers/page.ts';
import {
  auditBody,
  freshnessOfProduct,
  heldBody,
  heldRowsBody,
  modelFreshnessBody,
} from '../answers/quality-body.ts';
import { ASKED, MODEL, qualityReader, textsIn, viewFor } from '../answers/quality-reader.ts';
import type { ProductCall, Route } from '../route.ts';
import { AUDIT, FRESHNESS, HELD, PROFILE, WHOLE_HELD } from '../schemas/quality-schemas.ts';

/** A profile of a wide table is long. */
const PROFILES = { limit: 10, max: 100 } as const;
const profileRoute = qualityReader('/dq/profiles', {
  operationId: 'listProfiles',
  summary: 'What tables look like, newest first, with how they differ from before',
  query: {
    ...PAGE_QUERY,
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: PROFILES.max,
      description: `${PROFILES.limit} when absent`,
    },
    environment: ASKED,
    model: MODEL,
  },
  description: 'profiles',
  schema: listSchemaOf(PROFILE),
  handle: async (call) => {
    const query = { ...call.query, limit: call.query['limit'] ?? PROFILES.limit };
    const found = await knownProfiles(call.product, await viewFor(call), {
      ...pageOf(query),
      ...textsIn(query, { model: 'model' }),
    });
    const { shown, next } = newestFirst(found, query);
    const items = shown.map((each) => ({ ...profileJson(each), withheld: each.isWithheld === true }));
    return { items, next_cursor: next };
  },
});

const auditRoute = qualityReader('/dq/audits', {
  operationId: 'listAudits',
  summary: 'Audits as they were applied, with what became of each when it last ran',
  query: {
    ...PAGE_QUERY,
    environment: ASKED,
    model: MODEL,
    status: { type: 'string', enum: ['passed', 'failed', 'warned', 'quarantined', 'skipped'] },
  },
  description: 'audits',
  schema: listSchemaOf(AUDIT),
  handle: async (call) => {
    const { model, status } = call.query;
    const audits = (await knownAudits(call.product, call.identity, await viewFor(call))).filter(
      ({ models, last }) =>
        (model === undefined || models.some((each) => each === model)) &&
        (status === undefined || last?.result.status === status),
    );
    const { items, next_cursor } = page(audits, { query: call.query, keyOf: ({ key }) => key });
    return { items: items.map(auditBody), next_cursor };
  },
});

const FAR_FUTURE = 1e16;

/** The newest first. */
const heldKey = ({ since, id }: KnownHeld): string =>
  `${String(FAR_FUTURE - since).padStart(17, '0')}\0${id}`;

const quarantineRoutes: readonly Route<ProductCall>[] = [
  qualityReader('/dq/quarantine', {
    operationId: 'listQuarantine',
    summary: 'Rows that audits hold back, by model, run, interval and reasons',
    query: { ...PAGE_QUERY, environment: ASKED, model: MODEL },
    description: 'rows that are held back together',
    schema: listSchemaOf(HELD),
    handle: async (call) => {
      const { model } = call.query as { readonly model?: string };
      const found = await knownQuarantine(call.product, await viewFor(call), model);
      const ordered = found.toSorted((a, b) => (heldKey(a) < heldKey(b) ? -1 : 1));
      const { items, next_cursor } = page(ordered, { query: call.query, keyOf: heldKey });
      return { items: items.map(heldBody), next_cursor };
    },
  }),
  qualityReader('/dq/quarantine/{id}', {
    operationId: 'getQuarantine',
    summary: 'Rows that are held back together, as far as policies let the caller see them',
    query: {
      limit: { type: 'integer', minimum: 1, maximum: 1000, description: 'of rows; 100 when absent' },
      environment: ASKED,
    },
    description: 'the rows',
    schema: WHOLE_HELD,
    handle: async (call) => {
      const asked = { id: call.path['id'] ?? '', limit: limitOf(call.query) };
      return heldRowsBody(await oneQuarantine(call.product, await viewFor(call), asked));
    },
  }),
];

const freshnessRoute = qualityReader('/dq/freshness', {
  operationId: 'getFreshness',
  summary: 'How new the data is, of the product and of each model, against what is promised',
  isRestless: true,
  query: { ...PAGE_QUERY, environment: ASKED, model: MODEL },
  description: 'freshness',
  schema: FRESHNESS,
  handle: async (call) => {
    const found = await knownFreshness(call.product, call.identity, environmentIn(call));
    const { model } = call.query;
    const models = found.models.filter((each) => model === undefined || each.model === model);
    const { items, next_cursor } = page(models, { query: call.query, keyOf: (each) => each.model });
    return {
      ...freshnessOfProduct(found),
      items: items.map((each) => modelFreshnessBody(each, found.at)),
      next_cursor,
    };
  },
});

export const controlRoutes: readonly Route<ProductCall>[] = [
  profileRoute,
  auditRoute,
  ...quarantineRoutes,
  freshnessRoute,
];
