/** The perspectives group: questions with a name, which their owners share. */

import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { perspectiveTag } from '../../../domain/entity-tag.ts';
import { VISIBILITIES } from '../../../domain/perspective.ts';
import type { PerspectiveFilter } from '../../../domain/perspective-store.ts';
import { changePerspective } from '../../../operations/perspectives/change-perspective.ts';
import { createPerspective } from '../../../operations/perspectives/create-perspective.ts';
import { perspectiveIfAny } from '../../../operations/perspectives/find-perspective.ts';
import {
  getPerspective,
  listPerspectives,
  perspectiveVersions,
} from '../../../operations/perspectives/list-perspectives.ts';
import type { PerspectiveAnswer } from '../../../operations/perspectives/perspective-fields.ts';
import { removePerspective } from '../../../operations/perspectives/remove-perspective.ts';
import {
  type ShownPerspective,
  shownPerspective,
} from '../../../operations/perspectives/shown-perspective.ts';
import { viewerOf } from '../../../operations/perspectives/viewer-of.ts';
import { expectedOf, isOnlyNew, showTag } from '../answers/conditional.ts';
import { listSchemaOf } from '../answers/list-schema.ts';
import { newestFirst, pageOf } from '../answers/newest-first.ts';
import { afterOf, cursorOf, limitOf, PAGE_QUERY } from '../answers/page.ts';
import {
  perspectiveBody,
  perspectiveFields,
  perspectiveHead,
  wholeFields,
} from '../answers/perspective-body.ts';
import { Problem, refused } from '../answers/problem.ts';
import type { JsonSchema, ProductCall, Route } from '../route.ts';
import { PERSPECTIVE, PERSPECTIVE_FIELDS, PERSPECTIVE_HEAD } from '../schemas/perspective-schemas.ts';
import { directoryOf } from './directory-routes.ts';
import { perspectiveResultRoute } from './perspective-result-route.ts';
import { addressBelow } from './statement-routes.ts';

type Json = Readonly<Record<string, unknown>>;

const about = { tag: 'perspectives' } as const;
const reading = { ...about, method: 'GET', access: 'query:read' } as const;
const writing = { ...about, access: 'perspectives:write' } as const;
const ALL = '/perspectives';
const ONE = `${ALL}/{perspective}`;
const OWNER: JsonSchema = { type: 'string', minLength: 1, maxLength: 64 };
const { slug: SLUG_FIELD, ...OTHER_FIELDS } = PERSPECTIVE_FIELDS;
const MADE = { 201: { description: 'the perspective', schema: PERSPECTIVE } } as const;
const CONFLICT = { description: 'the slug is taken; `errors` names slugs that are free' } as const;

const addressOf = (call: ProductCall, id: string): string => addressBelow(call, `${ALL}/${id}`);
const slugOf = ({ path }: ProductCall): string => path['perspective'] ?? '';

/** The tag says more than the version where two readers, or one at two times, get different things. */
function shown(call: ProductCall, perspective: ShownPerspective): Json {
  const tag = perspectiveTag(perspective);
  const sight = `${perspective.question === undefined ? 'w' : ''}${perspective.canChange ? '' : 'r'}`;
  const etag = sight === '' ? tag : `${tag}-${sight}`;
  showTag(call, etag);
  return { ...perspectiveBody(perspective, addressOf(call, perspective.id)), etag };
}

/** `If-Match` with what a reader of any sight was shown. */
const expectedIn = (call: ProductCall): readonly string[] | undefined =>
  expectedOf(call)?.map((tag) => tag.replace(/-[wr]+$/, ''));

async function settled(call: ProductCall, answer: PerspectiveAnswer): Promise<Json> {
  if (answer.kind === 'refused') throw refused(answer.diagnostics);
  if (answer.kind === 'taken') {
    const { slug, free } = answer;
    const hint = free.length === 0 ? {} : { hint: `free are ${free.join(', ')}` };
    throw new Problem(409, diagnostic('perspective.taken', { slug }, hint), {
      errors: free.map((each) => ({ path: 'slug', message: `${each} is free`, hint: each })),
    });
  }
  const { product, identity } = call;
  const { perspective } = answer;
  const viewer = viewerOf(product, identity);
  return shown(call, await shownPerspective(product, identity, { perspective, viewer }));
}

async function create(call: ProductCall, body: Json): Promise<unknown> {
  const { product, identity } = call;
  const answer = await createPerspective(
    directoryOf(call),
    { product, asker: identity },
    {
      ...perspectiveFields(body),
      name: String(body['name']),
      statementId: body['statement_id'] as string | undefined,
    },
  );
  const made = await settled(call, answer);
  call.reply.code(201).header('location', addressOf(call, String(made['id'])));
  return made;
}

const readRoutes: readonly Route<ProductCall>[] = [
  {
    ...reading,
    path: ALL,
    operationId: 'listPerspectives',
    summary: 'Perspectives that the caller may see, newest first, without their questions',
    query: {
      ...PAGE_QUERY,
      owner: { ...OWNER, description: 'the name of a user' },
      visibility: { type: 'string', enum: VISIBILITIES },
      tag: { type: 'string', minLength: 1, maxLength: 100 },
      q: { type: 'string', minLength: 1, maxLength: 200, description: 'a part of slug, name or description' },
    },
    answers: { 200: { description: 'perspectives', schema: listSchemaOf(PERSPECTIVE_HEAD) } },
    handle: async (call) => {
      const { product, identity, query } = call;
      const text = (name: string) => query[name] as string | undefined;
      const found = await listPerspectives(product, identity, {
        ...pageOf(query),
        owner: text('owner'),
        visibility: text('visibility') as PerspectiveFilter['visibility'],
        tag: text('tag'),
        text: text('q'),
      });
      const { shown: items, next } = newestFirst(found, query);
      return {
        items: items.map((each) => perspectiveHead(each, addressOf(call, each.id))),
        next_cursor: next,
      };
    },
  },
  {
    ...reading,
    path: ONE,
    operationId: 'getPerspective',
    summary: 'One perspective, by its slug or id',
    hasTag: true,
    answers: {
      200: { description: 'the perspective', schema: PERSPECTIVE },
      304: { description: 'it is as If-None-Match says' },
    },
    handle: async (call) => shown(call, await getPerspective(call.product, call.identity, slugOf(call))),
  },
  {
    ...reading,
    path: `${ONE}/versions`,
    operationId: 'listPerspectiveVersions',
    summary: 'Its versions, newest first: each as it was, for callers who could see it as it was',
    query: PAGE_QUERY,
    answers: { 200: { description: 'versions', schema: listSchemaOf(PERSPECTIVE) } },
    handle: async (call) => {
      const { product, identity, query } = call;
      const after = afterOf(query);
      const limit = limitOf(query);
      const found = await perspectiveVersions(product, identity, {
        slug: slugOf(call),
        before: after === undefined ? undefined : Number(after),
        limit: limit + 1,
      });
      const items = found.slice(0, limit);
      const last = items.at(-1);
      return {
        items: items.map((each) => perspectiveBody(each, addressOf(call, each.id))),
        next_cursor: found.length > limit && last !== undefined ? cursorOf(String(last.version)) : null,
      };
    },
  },
];

const writeRoutes: readonly Route<ProductCall>[] = [
  {
    ...writing,
    method: 'POST',
    path: ALL,
    operationId: 'createPerspective',
    summary: 'Give a question a name: one that is sent, or that of a statement',
    body: {
      type: 'object',
      additionalProperties: false,
      required: ['name'],
      properties: {
        ...PERSPECTIVE_FIELDS,
        statement_id: {
          type: 'string',
          minLength: 1,
          maxLength: 64,
          description: 'in place of `query`: the question of a statement of the caller',
        },
      },
      examples: [
        {
          name: 'Revenue by region',
          query: { measures: ['orders.revenue'], dimensions: ['orders.region'] },
          visibility: 'product',
        },
      ],
    },
    answers: { ...MADE, 409: CONFLICT },
    handle: (call) => create(call, call.body as Json),
  },
  {
    ...writing,
    method: 'PUT',
    path: ONE,
    operationId: 'putPerspective',
    summary: 'Replace a perspective; one of the caller is made when there is none',
    isConditional: true,
    body: {
      type: 'object',
      additionalProperties: false,
      required: ['name', 'query'],
      properties: OTHER_FIELDS,
    },
    answers: {
      200: { description: 'the perspective after the change', schema: PERSPECTIVE },
      ...MADE,
      409: CONFLICT,
    },
    handle: async (call) => {
      const { product, identity } = call;
      const body = call.body as Json;
      const slug = slugOf(call);
      const before = await perspectiveIfAny(product, viewerOf(product, identity), slug);
      const expected = expectedIn(call);
      if (before === undefined && expected === undefined) return create(call, { ...body, slug });
      if (before !== undefined && isOnlyNew(call))
        throw new Problem(412, diagnostic('perspective.changed', { slug }));
      const fields = wholeFields(perspectiveFields(body));
      const target = { product, asker: identity };
      return settled(call, await changePerspective(directoryOf(call), target, { slug, expected, fields }));
    },
  },
  {
    ...writing,
    method: 'PATCH',
    path: ONE,
    operationId: 'changePerspective',
    summary: 'Change some fields; `owner` transfers it to another user',
    isConditional: true,
    body: {
      type: 'object',
      additionalProperties: false,
      minProperties: 1,
      properties: {
        ...OTHER_FIELDS,
        slug: SLUG_FIELD,
        owner: { ...OWNER, description: 'the name of the new owner' },
      },
    },
    answers: { 200: { description: 'the perspective after the change', schema: PERSPECTIVE }, 409: CONFLICT },
    handle: async (call) => {
      const { product, identity } = call;
      const { owner, ...body } = call.body as Json;
      const answer = await changePerspective(
        directoryOf(call),
        { product, asker: identity },
        {
          slug: slugOf(call),
          expected: expectedIn(call),
          fields: perspectiveFields(body),
          owner: owner as string | undefined,
        },
      );
      return settled(call, answer);
    },
  },
  {
    ...writing,
    method: 'DELETE',
    path: ONE,
    operationId: 'deletePerspective',
    summary: 'Remove a perspective with its versions',
    isConditional: true,
    answers: { 204: { description: 'it is removed' } },
    handle: async (call) => {
      const { product, identity, reply } = call;
      await removePerspective(product, identity, { slug: slugOf(call), expected: expectedIn(call) });
      return reply.code(204).send();
    },
  },
];

export const perspectiveRoutes: readonly Route<ProductCall>[] = [
  ...readRoutes,
  perspectiveResultRoute,
  ...writeRoutes,
];
