/** The dq group beside checks: profiles, audits, quarantine, freshness, tests, lint, and checks on demand. */

import { failure } from '../../../domain/failure.ts';
import { permits } from '../../../domain/permissions.ts';
import { profileJson } from '../../../domain/profile-json.ts';
import type { AskedChecks } from '../../../operations/ongoing-work.ts';
import { askedChecks } from '../../../operations/quality/asked-checks.ts';
import { knownAudits } from '../../../operations/quality/known-audits.ts';
import { knownFreshness } from '../../../operations/quality/known-freshness.ts';
import { knownProfiles } from '../../../operations/quality/known-profiles.ts';
import { type KnownHeld, knownQuarantine } from '../../../operations/quality/known-quarantine.ts';
import { oneQuarantine } from '../../../operations/quality/one-quarantine.ts';
import { seesAll } from '../../../operations/quality/sees-all.ts';
import { lookAtFolder } from '../../../operations/serve/look-at-folder.ts';
import { startChecks } from '../../../operations/serve/start-checks.ts';
import { listSchemaOf } from '../answers/list-schema.ts';
import { environmentIn } from '../answers/metadata-reader.ts';
import { newestFirst, pageOf } from '../answers/newest-first.ts';
import { limitOf, PAGE_QUERY, type Page, page } from '../answers/page.ts';
import { refused } from '../answers/problem.ts';
import {
  auditBody,
  checkRunBody,
  freshnessOfProduct,
  heldBody,
  heldRowsBody,
  modelFreshnessBody,
} from '../answers/quality-body.ts';
import { ASKED, MODEL, qualityReader, textsIn, viewFor } from '../answers/quality-reader.ts';
import type { JsonSchema, ProductCall, Route } from '../route.ts';
import {
  AUDIT,
  CHECK_RUN,
  FRESHNESS,
  HELD,
  LINT,
  PROFILE,
  TEST,
  WHOLE_HELD,
} from '../schemas/quality-schemas.ts';
import { addressBelow, askerAfterWait, seconds } from './statement-routes.ts';

/** A profile of a wide table is long. */
const PROFILES = { limit: 10, max: 100 } as const;
const WAIT: JsonSchema = {
  type: 'number',
  minimum: 0,
  maximum: 50,
  description: 'seconds to wait for the end',
};

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

type Item = Readonly<Record<string, unknown>>;

/** What the folder has now, in the order in which it was found. */
async function folderItems(
  call: ProductCall,
  kind: 'lint' | 'tests',
): Promise<Item & { readonly items: readonly Item[] }> {
  const answer = await lookAtFolder(call.product, kind, call.signal);
  if (answer.kind === 'refused') throw refused(answer.diagnostics, 422);
  return JSON.parse(answer.body) as Item & { readonly items: readonly Item[] };
}

function pageOfItems(items: readonly Item[], query: ProductCall['query']): Page<Item> {
  const numbered = items.map((item, index) => ({ item, key: String(index).padStart(8, '0') }));
  const { items: shown, next_cursor } = page(numbered, { query, keyOf: ({ key }) => key });
  return { items: shown.map(({ item }) => item), next_cursor };
}

/** Rows of a test may be those of a database that its query reads; so are the words of its errors. */
function withoutRows({ differences: _, error, ...test }: Item): Item {
  const { code } = (error ?? {}) as { readonly code?: string };
  return {
    ...test,
    error:
      code === undefined ? null : { code, message: 'The words are for callers from whom nothing is hidden.' },
  };
}

const folderRoutes: readonly Route<ProductCall>[] = [
  qualityReader('/dq/tests', {
    operationId: 'listTests',
    summary: 'Tests in the folder of the product: runs them and says how each ended',
    access: 'quality:run',
    isRestless: true,
    query: {
      ...PAGE_QUERY,
      model: MODEL,
      status: { type: 'string', enum: ['passed', 'failed', 'broken', 'not-run'] },
    },
    description: 'tests',
    schema: listSchemaOf(TEST),
    handle: async (call) => {
      const { model, status } = call.query;
      const { items } = await folderItems(call, 'tests');
      const wanted = items.filter(
        (item) =>
          (model === undefined || item['model'] === model) &&
          (status === undefined || item['status'] === status),
      );
      const shown = pageOfItems(wanted, call.query);
      if (await seesAll(call.product, call.identity)) return shown;
      return { ...shown, items: shown.items.map(withoutRows) };
    },
  }),
  qualityReader('/dq/lint', {
    operationId: 'lint',
    summary: 'What lint finds in the files of the product as they are now',
    access: 'quality:run',
    query: { ...PAGE_QUERY, severity: { type: 'string', enum: ['error', 'warning', 'note'] } },
    description: 'findings',
    schema: LINT,
    handle: async (call) => {
      const { severity } = call.query;
      const { items, ...about } = await folderItems(call, 'lint');
      const wanted = items.filter((item) => severity === undefined || item['severity'] === severity);
      return { ...about, ...pageOfItems(wanted, call.query) };
    },
  }),
];

/** The run as the caller may know it when the wait is over: what they may see is decided then. */
async function askedWithin(call: ProductCall, id: string, wait: number | undefined): Promise<AskedChecks> {
  const { product, identity } = call;
  const waitMs = seconds(wait) ?? 0;
  const asked = await askedChecks(product, identity, { id, waitMs });
  if (waitMs === 0) return asked;
  const asker = await askerAfterWait(call);
  if (asker === identity) return asked;
  if (!permits(asker, 'quality:run', product)) throw failure('access.forbidden', {});
  return askedChecks(product, asker, { id, waitMs: 0 });
}

const runRoutes: readonly Route<ProductCall>[] = [
  {
    method: 'POST',
    path: '/dq/run',
    operationId: 'runChecks',
    summary: 'Evaluate the rules of dq packs now',
    tag: 'dq',
    access: 'quality:run',
    hasOptionalBody: true,
    body: {
      type: 'object',
      additionalProperties: false,
      properties: {
        select: {
          type: 'string',
          minLength: 1,
          maxLength: 10_000,
          description: 'models, as for a plan; all that have packs when absent',
        },
        packs: {
          type: 'array',
          minItems: 1,
          maxItems: 1000,
          items: { type: 'string', minLength: 1, maxLength: 500 },
          description: 'only packs of these names',
        },
        environment: ASKED,
        wait: WAIT,
      },
      examples: [{ select: 'marts.*', wait: 25 }],
    },
    answers: {
      200: { description: 'the check run has ended', schema: CHECK_RUN },
      202: { description: 'it has begun; Location says where to ask for it', schema: CHECK_RUN },
    },
    handle: async (call) => {
      const { select, packs, environment, wait } = call.body as {
        readonly select?: string;
        readonly packs?: readonly string[];
        readonly environment?: string;
        readonly wait?: number;
      };
      const { id } = await startChecks(call.product, { environment, selection: select, packs });
      const asked = await askedWithin(call, id, wait);
      call.reply
        .code(asked.end === undefined ? 202 : 200)
        .header('location', addressBelow(call, `/dq/run/${id}`));
      return checkRunBody(asked);
    },
  },
  qualityReader('/dq/run/{id}', {
    operationId: 'getCheckRun',
    summary: 'A check run that a caller of this server has asked for; with wait, as soon as it has ended',
    access: 'quality:run',
    isRestless: true,
    query: { wait: WAIT },
    description: 'the check run',
    schema: CHECK_RUN,
    handle: async (call) => {
      const wait = call.query['wait'] as number | undefined;
      return checkRunBody(await askedWithin(call, call.path['id'] ?? '', wait));
    },
  }),
];

export const controlRoutes: readonly Route<ProductCall>[] = [
  profileRoute,
  auditRoute,
  ...quarantineRoutes,
  freshnessRoute,
  ...folderRoutes,
  ...runRoutes,
];
