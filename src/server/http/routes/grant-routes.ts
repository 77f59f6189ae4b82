/** Who has which role on a product. */

import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { grantsTag } from '../../../domain/entity-tag.ts';
import { permits } from '../../../domain/permissions.ts';
import { isActive, PRODUCT_ROLES, type ProductRole } from '../../../domain/principal.ts';
import { isoInstantOrNull } from '../../../foundation/time/iso.ts';
import { grantRoleAtHome } from '../../../operations/access/grant-role.ts';
import type { KnownGrant } from '../../../operations/access/list-grants.ts';
import { listGrants } from '../../../operations/access/list-grants.ts';
import { revokeGrant } from '../../../operations/access/revoke-grant.ts';
import type { Product } from '../../../operations/platform.ts';
import { expectedOf, isOnlyNew, showTag } from '../answers/conditional.ts';
import { listSchemaOf } from '../answers/list-schema.ts';
import { PAGE_QUERY, page } from '../answers/page.ts';
import { Problem } from '../answers/problem.ts';
import type { JsonSchema, Route, RouteCall } from '../route.ts';
import { directoryOf, forbidden } from './directory-routes.ts';

const GRANT: JsonSchema = {
  type: 'object',
  required: ['principal', 'role', 'source', 'created_at', 'expires_at', 'is_active', 'request_id'],
  properties: {
    principal: { type: 'string', description: 'a name, or `group:NAME`' },
    role: { type: 'string' },
    source: { type: 'string', enum: ['config', 'granted'] },
    created_at: { type: ['string', 'null'] },
    expires_at: { type: ['string', 'null'], description: 'from then on it is not valid' },
    is_active: { type: 'boolean' },
    request_id: { type: ['string', 'null'], description: 'the access request that it was given for' },
  },
};

/** How long a role is given for. */
export const EXPIRES_IN: JsonSchema = {
  type: 'integer',
  minimum: 1,
  maximum: 315_360_000,
  description: 'seconds; without an end when absent',
};

/** The product of the address; like one that does not exist for callers who may not manage it. */
function managedProduct({ platform, identity, path }: RouteCall): Product {
  const found = platform.products.find(
    ({ tenant, name }) => tenant === path['tenant'] && name === path['name'],
  );
  if (found !== undefined && permits(identity, 'admin', found)) return found;
  if (identity.isPlatformAdmin)
    throw new Problem(404, diagnostic('access.not-found', { what: 'app', name: path['name'] ?? '' }));
  throw forbidden();
}

const grantBody = ({ principal, role, source, createdAt, ...rest }: KnownGrant) => ({
  principal,
  role,
  source,
  created_at: isoInstantOrNull(createdAt),
  expires_at: isoInstantOrNull(rest.expiresAt),
  is_active: isActive(rest, Date.now()),
  request_id: rest.requestId ?? null,
});

const about = { tag: 'grants', access: 'tenant-viewer' } as const;
const ALL = '/tenants/{tenant}/resources/apps/{name}/grants';
const ONE = `${ALL}/{principal}`;

export const grantRoutes: readonly Route[] = [
  {
    ...about,
    method: 'GET',
    path: ALL,
    operationId: 'listGrants',
    summary: 'Who has which role on a product, by config.yaml or by grant',
    query: PAGE_QUERY,
    answers: { 200: { description: 'grants', schema: listSchemaOf(GRANT) } },
    handle: async (call) => {
      const grants = await listGrants(directoryOf(call), managedProduct(call));
      return page(grants.map(grantBody), { query: call.query, keyOf });
    },
  },
  {
    ...about,
    method: 'GET',
    path: ONE,
    operationId: 'getGrants',
    summary: 'All that one principal, or group:NAME, has on a product',
    answers: { 200: { description: 'grants', schema: listSchemaOf(GRANT) } },
    handle: async (call) => {
      const principal = call.path['principal'] ?? '';
      const all = await listGrants(directoryOf(call), managedProduct(call));
      const own = all.filter((each) => each.principal === principal);
      if (own.length === 0)
        throw new Problem(404, diagnostic('access.not-found', { what: 'grant to', name: principal }));
      showTag(call, grantsTag(own.filter(({ source }) => source === 'granted')));
      return { items: own.map(grantBody), next_cursor: null };
    },
  },
  {
    ...about,
    method: 'PUT',
    path: ONE,
    operationId: 'putGrant',
    summary: 'Grant a principal, or group:NAME, a role on a product; it replaces the granted one',
    isConditional: true,
    body: {
      type: 'object',
      additionalProperties: false,
      required: ['role'],
      properties: { role: { type: 'string', enum: PRODUCT_ROLES }, expires_in: EXPIRES_IN },
    },
    answers: { 200: { description: 'the grant', schema: GRANT } },
    handle: async (call) => {
      const product = managedProduct(call);
      const { role, expires_in: seconds } = call.body as {
        readonly role: ProductRole;
        readonly expires_in?: number;
      };
      const made = await grantRoleAtHome(directoryOf(call), product, {
        principal: call.path['principal'] ?? '',
        role,
        expiresAt: seconds === undefined ? undefined : Date.now() + seconds * 1000,
        expected: isOnlyNew(call) ? 'none' : expectedOf(call),
      });
      return grantBody({ ...made, source: 'granted' });
    },
  },
  {
    ...about,
    method: 'DELETE',
    path: ONE,
    operationId: 'deleteGrant',
    summary: 'Revoke all granted roles; those of config.yaml stay',
    isConditional: true,
    answers: { 204: { description: 'it is removed' } },
    handle: async (call) => {
      const principal = call.path['principal'] ?? '';
      await revokeGrant(directoryOf(call), managedProduct(call), principal, expectedOf(call));
      return call.reply.code(204).send();
    },
  },
];

const keyOf = ({ principal, source, request_id }: ReturnType<typeof grantBody>): string =>
  `${principal} ${source} ${request_id ?? ''}`;
