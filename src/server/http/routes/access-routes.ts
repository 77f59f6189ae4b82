/** Asking for a role on a product, and deciding about it. */

import type { AccessDecision } from '../../../domain/access-decision.ts';
import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { entityTag } from '../../../domain/entity-tag.ts';
import { permits, permitsTenant } from '../../../domain/permissions.ts';
import {
  type AccessRequest,
  PRODUCT_ROLES,
  type ProductRole,
  REQUEST_STATUSES,
} from '../../../domain/principal.ts';
import { isoInstant, isoInstantOrNull } from '../../../foundation/time/iso.ts';
import { decideRequest } from '../../../operations/access/decide-request.ts';
import { findRequest, listRequests } from '../../../operations/access/list-requests.ts';
import { mayFind } from '../../../operations/access/may-find.ts';
import { requestAccess } from '../../../operations/access/request-access.ts';
import type { Product } from '../../../operations/platform.ts';
import { showTag } from '../answers/conditional.ts';
import { listSchemaOf } from '../answers/list-schema.ts';
import { afterOf, cursorOf, limitOf, PAGE_QUERY } from '../answers/page.ts';
import { Problem } from '../answers/problem.ts';
import type { JsonSchema, Route, RouteCall } from '../route.ts';
import { NAME } from '../schemas/name-schemas.ts';
import { directoryOf, forbidden } from './directory-routes.ts';
import { EXPIRES_IN } from './grant-routes.ts';

const nullable = (type: string): JsonSchema => ({ type: [type, 'null'] });
const FIELDS: Readonly<Record<string, JsonSchema>> = {
  id: { type: 'string' },
  tenant: { type: 'string' },
  app: { type: 'string', description: "the product's name" },
  principal: { type: 'string' },
  role: { type: 'string', enum: PRODUCT_ROLES },
  reason: nullable('string'),
  expires_in: { ...nullable('number'), description: 'seconds, asked for or given' },
  status: { type: 'string', enum: REQUEST_STATUSES },
  created_at: { type: 'string' },
  decided_at: nullable('string'),
  decided_by: { ...nullable('string'), description: 'id of a principal' },
  note: nullable('string'),
  granted_role: nullable('string'),
  expires_at: { ...nullable('string'), description: 'when the role that was given ends' },
};
const REQUEST: JsonSchema = { type: 'object', required: Object.keys(FIELDS), properties: FIELDS };

const requestBody = (request: AccessRequest) => ({
  id: request.id,
  tenant: request.tenant,
  app: request.product.slice(request.tenant.length + 1),
  principal: request.principal,
  role: request.role,
  reason: request.reason ?? null,
  expires_in: request.durationMs === undefined ? null : request.durationMs / 1000,
  status: request.status,
  created_at: isoInstant(request.createdAt),
  decided_at: isoInstantOrNull(request.decidedAt),
  decided_by: request.decidedBy ?? null,
  note: request.note ?? null,
  granted_role: request.grantedRole ?? null,
  expires_at: isoInstantOrNull(request.expiresAt),
});

function shown(call: RouteCall, request: AccessRequest): unknown {
  showTag(call, entityTag(request.id, request.status));
  return requestBody(request);
}

const managedBy = ({ platform, identity, path }: RouteCall): readonly Product[] =>
  platform.products.filter(
    (product) => product.tenant === path['tenant'] && permits(identity, 'admin', product),
  );

const isAdmin = ({ identity, path }: RouteCall): boolean =>
  permitsTenant(identity, path['tenant'] ?? '', 'admin');

/** One that the caller may see, and whether they may decide; what they may not see is as forbidden as what is not there. */
async function requestIn(call: RouteCall) {
  const { tenant = '', id = '' } = call.path;
  const found = await findRequest(directoryOf(call), tenant, id);
  const canDecide =
    isAdmin(call) ||
    managedBy(call).some(({ slug }) => found !== undefined && slug === found.request.product);
  const isOwn = found?.request.principalId === call.identity.principalId;
  if (found !== undefined && (canDecide || isOwn)) return { found, canDecide };
  if (isAdmin(call))
    throw new Problem(404, diagnostic('access.not-found', { what: 'access request', name: id }));
  throw forbidden();
}

/** A product that the caller may ask for: one that may be found, or is known to them anyway. */
function wantedProduct({ platform, identity, path }: RouteCall, name: string): Product {
  const found = platform.products.find(
    (product) => product.tenant === path['tenant'] && product.name === name,
  );
  if (found !== undefined && mayFind(identity, found)) return found;
  if (identity.isPlatformAdmin) throw new Problem(404, diagnostic('access.not-found', { what: 'app', name }));
  throw forbidden();
}

const about = { tag: 'access', access: 'tenant-viewer' } as const;
const ALL = '/tenants/{tenant}/access-requests';
const ONE = `${ALL}/{id}`;
const NOTE: JsonSchema = { type: 'string', minLength: 1, maxLength: 2000 };
const text = (value: unknown): string | undefined => value as string | undefined;
const ms = (value: unknown): number | undefined => (typeof value === 'number' ? value * 1000 : undefined);
type Fields = Readonly<Record<string, unknown>>;

const deciding = (
  kind: AccessDecision['kind'],
  properties: Readonly<Record<string, JsonSchema>>,
  decisionOf: (fields: Fields) => AccessDecision,
): Route => ({
  ...about,
  method: 'POST',
  path: `${ONE}/${kind}`,
  operationId: `${kind}AccessRequest`,
  summary:
    kind === 'approve'
      ? 'Give what was asked for, or another role or time; it counts from the next request on'
      : 'Refuse what was asked for',
  body: { type: 'object', additionalProperties: false, properties: { ...properties, note: NOTE } },
  answers: {
    200: {
      description: 'the request after the decision; the same decision again changes nothing',
      schema: REQUEST,
    },
  },
  handle: async (call) => {
    const { found, canDecide } = await requestIn(call);
    if (!canDecide) throw forbidden();
    return shown(call, await decideRequest(directoryOf(call), found, decisionOf(call.body as Fields)));
  },
});

export const accessRoutes: readonly Route[] = [
  {
    ...about,
    method: 'GET',
    path: ALL,
    operationId: 'listAccessRequests',
    summary: "The caller's own requests and those for products that the caller manages, newest first",
    query: {
      ...PAGE_QUERY,
      status: { type: 'string', enum: REQUEST_STATUSES },
      app: { ...NAME, description: "a product's name" },
    },
    answers: { 200: { description: 'requests', schema: listSchemaOf(REQUEST) } },
    handle: async (call) => {
      const { identity, query, path } = call;
      const { tenant = '' } = path;
      const { items, next } = await listRequests(directoryOf(call), {
        tenant,
        limit: limitOf(query),
        before: afterOf(query),
        status: query['status'] as AccessRequest['status'] | undefined,
        product: query['app'] === undefined ? undefined : `${tenant}-${query['app']}`,
        ...(isAdmin(call)
          ? {}
          : {
              seenBy: {
                principalId: identity.principalId,
                products: managedBy(call).map(({ slug }) => slug),
              },
            }),
      });
      return { items: items.map(requestBody), next_cursor: next === undefined ? null : cursorOf(next) };
    },
  },
  {
    ...about,
    method: 'POST',
    path: ALL,
    operationId: 'requestAccess',
    summary: 'Request a role on a product; a pending request is not made twice',
    body: {
      type: 'object',
      additionalProperties: false,
      required: ['app'],
      properties: {
        app: { ...NAME, description: "the product's name" },
        role: { type: 'string', enum: PRODUCT_ROLES, description: 'consumer when absent' },
        reason: { type: 'string', minLength: 1, maxLength: 2000 },
        expires_in: EXPIRES_IN,
      },
    },
    answers: {
      200: { description: 'the same request, which is pending already', schema: REQUEST },
      201: { description: 'the request', schema: REQUEST },
    },
    handle: async (call) => {
      const { tenant = '' } = call.path;
      const given = call.body as Fields;
      const product = wantedProduct(call, String(given['app']));
      const { request, isNew } = await requestAccess(directoryOf(call), product, {
        principalId: call.identity.principalId,
        role: (given['role'] as ProductRole | undefined) ?? 'consumer',
        reason: text(given['reason']),
        durationMs: ms(given['expires_in']),
      });
      call.reply
        .code(isNew ? 201 : 200)
        .header(
          'location',
          `/platform-api/v1/tenants/${encodeURIComponent(tenant)}/access-requests/${request.id}`,
        );
      return shown(call, request);
    },
  },
  {
    ...about,
    method: 'GET',
    path: ONE,
    operationId: 'getAccessRequest',
    summary: 'One request',
    answers: { 200: { description: 'the request', schema: REQUEST } },
    handle: async (call) => shown(call, (await requestIn(call)).found.request),
  },
  deciding(
    'approve',
    {
      role: { type: 'string', enum: PRODUCT_ROLES, description: 'as asked when absent' },
      expires_in: EXPIRES_IN,
    },
    (fields) => ({
      kind: 'approve',
      role: fields['role'] as ProductRole | undefined,
      durationMs: ms(fields['expires_in']),
      note: text(fields['note']),
    }),
  ),
  deciding('deny', {}, (fields) => ({ kind: 'deny', note: text(fields['note']) })),
];
