/** Tokens, and who has which role on a product. */
import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { permits, permitsTenant } from '../../../domain/permissions.ts';
import {
  type Identity,
  PRODUCT_ROLES,
  type Principal,
  type ProductRole,
  SCOPES,
  type Scope,
  type Token,
} from '../../../domain/principal.ts';
import { isoInstant } from '../../../foundation/time/iso.ts';
import type { KnownGrant } from '../../../operations/directory.ts';
import type { Product } from '../../../operations/platform.ts';
import { listOf } from '../list-schema.ts';
import { PAGE_QUERY, page } from '../page.ts';
import { Problem } from '../problem.ts';
import type { Call, JsonSchema, Route } from '../route.ts';
import { directoryOf, forbidden, NAME } from './directory-routes.ts';

const TOKEN_FIELDS: Readonly<Record<string, JsonSchema>> = {
  id: { type: 'string' },
  principal: { type: ['string', 'null'] },
  name: { type: 'string' },
  scopes: { type: ['array', 'null'], items: { type: 'string' } },
  created_at: { type: 'string' },
  expires_at: { type: ['string', 'null'] },
  last_used_at: { type: ['string', 'null'] },
  revoked_at: { type: ['string', 'null'] },
};
const TOKEN: JsonSchema = { type: 'object', required: Object.keys(TOKEN_FIELDS), properties: TOKEN_FIELDS };
const NEW_TOKEN: JsonSchema = {
  type: 'object',
  required: [...Object.keys(TOKEN_FIELDS), 'token'],
  properties: { ...TOKEN_FIELDS, token: { type: 'string', description: 'shown this once' } },
};

const GRANT: JsonSchema = {
  type: 'object',
  required: ['principal', 'role', 'source', 'created_at'],
  properties: {
    principal: { type: 'string' },
    role: { type: 'string' },
    source: { type: 'string', enum: ['config', 'granted'] },
    created_at: { type: ['string', 'null'] },
  },
};

const timeOf = (at: number | undefined): string | null => (at === undefined ? null : isoInstant(at));

const tokenBody = (token: Token, principal: string | undefined) => ({
  id: token.id,
  principal: principal ?? null,
  name: token.name,
  scopes: token.scopes ?? null,
  created_at: isoInstant(token.createdAt),
  expires_at: timeOf(token.expiresAt),
  last_used_at: timeOf(token.lastUsedAt),
  revoked_at: timeOf(token.revokedAt),
});

/** Oneself, or an administrator of the tenant; for a platform administrator only another. */
function mayManageTokensOf({ identity }: Call, { id, tenant, isPlatformAdmin }: Principal): boolean {
  if (identity.principalId === id) return true;
  if (isPlatformAdmin && !identity.isPlatformAdmin) return false;
  return permitsTenant(identity, tenant, 'admin');
}

/** A token that is limited makes no token that is less so. */
function exceeds({ scopes: own }: Identity, asked: readonly Scope[] | undefined): boolean {
  if (own === undefined || own.includes('admin')) return false;
  return asked === undefined || asked.some((scope) => !own.includes(scope));
}

const tokenRoutesOnly: readonly Route[] = [
  {
    method: 'GET',
    path: '/tenants/{tenant}/tokens',
    operationId: 'listTokens',
    summary: "The caller's own tokens; all of the tenant for its administrators",
    tag: 'tokens',
    access: 'tenant-viewer',
    query: PAGE_QUERY,
    answers: { 200: { description: 'tokens, never their text', schema: listOf(TOKEN) } },
    handle: async (call) => {
      const { tenant = '' } = call.path;
      const directory = directoryOf(call);
      const isAdmin = permitsTenant(call.identity, tenant, 'admin');
      const names = new Map((await directory.principals(tenant)).map(({ id, name }) => [id, name]));
      const tokens = await directory.tokens(tenant, isAdmin ? undefined : call.identity.principalId);
      const { items, next_cursor } = page(tokens, { query: call.query, keyOf: ({ id }) => id });
      return { items: items.map((token) => tokenBody(token, names.get(token.principalId))), next_cursor };
    },
  },
  {
    method: 'POST',
    path: '/tenants/{tenant}/tokens',
    operationId: 'createToken',
    summary:
      'A new token for the caller or, by an administrator, for another; its text is in this answer only',
    tag: 'tokens',
    access: 'tenant-viewer',
    body: {
      type: 'object',
      additionalProperties: false,
      properties: {
        principal: { ...NAME, description: 'a name; the caller when absent' },
        name: { type: 'string', minLength: 1, maxLength: 200 },
        scopes: {
          type: 'array',
          minItems: 1,
          maxItems: SCOPES.length,
          uniqueItems: true,
          items: { type: 'string', enum: SCOPES },
        },
        expires_in: { type: 'integer', minimum: 1, maximum: 315_360_000, description: 'seconds' },
      },
    },
    answers: { 201: { description: 'the token with its text', schema: NEW_TOKEN } },
    handle: async (call) => {
      const { tenant = '' } = call.path;
      const given = call.body as {
        readonly principal?: string;
        readonly name?: string;
        readonly scopes?: readonly Scope[];
        readonly expires_in?: number;
      };
      const directory = directoryOf(call);
      const isForOther = given.principal !== undefined && given.principal !== call.identity.name;
      // Who may make none for others must not learn who there is.
      if (isForOther && !permitsTenant(call.identity, tenant, 'admin')) throw forbidden();
      const principal = await directory.principal(tenant, given.principal ?? call.identity.principalId);
      if (!mayManageTokensOf(call, principal) || exceeds(call.identity, given.scopes)) throw forbidden();
      const { token, text } = await directory.createToken(principal, {
        name: given.name ?? `${principal.name}'s token`,
        scopes: given.scopes,
        expiresAt: given.expires_in === undefined ? undefined : Date.now() + given.expires_in * 1000,
      });
      call.reply.code(201);
      return { ...tokenBody(token, principal.name), token: text };
    },
  },
  {
    method: 'DELETE',
    path: '/tenants/{tenant}/tokens/{id}',
    operationId: 'revokeToken',
    summary: 'Revoke a token, at once',
    tag: 'tokens',
    access: 'tenant-viewer',
    answers: { 204: { description: 'it is valid no longer' } },
    handle: async (call) => {
      const { tenant = '', id = '' } = call.path;
      const directory = directoryOf(call);
      const isAdmin = permitsTenant(call.identity, tenant, 'admin');
      const token = (await directory.tokens(tenant)).find((each) => each.id === id);
      if (!isAdmin && token?.principalId !== call.identity.principalId) throw forbidden();
      if (token !== undefined) {
        const owner = await directory.principal(tenant, token.principalId);
        if (!mayManageTokensOf(call, owner)) throw forbidden();
      }
      await directory.revokeToken(tenant, id);
      return call.reply.code(204).send();
    },
  },
];

/** The product of the address; like one that does not exist for whoever may not manage it. */
function managedProduct({ platform, identity, path }: Call): Product {
  const found = platform.products.find(
    ({ tenant, name }) => tenant === path['tenant'] && name === path['name'],
  );
  if (found !== undefined && permits(identity, 'admin', found)) return found;
  if (identity.isPlatformAdmin)
    throw new Problem(404, diagnostic('access.not-found', { what: 'app', name: path['name'] ?? '' }));
  throw forbidden();
}

const grantBody = ({ principal, role, source, createdAt }: KnownGrant) => ({
  principal,
  role,
  source,
  created_at: timeOf(createdAt),
});

const GRANTS = '/tenants/{tenant}/resources/apps/{name}/grants';

const grantRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: GRANTS,
    operationId: 'listGrants',
    summary: 'Who has which role on a product, by config.yaml or by grant',
    tag: 'grants',
    access: 'tenant-viewer',
    query: PAGE_QUERY,
    answers: { 200: { description: 'grants', schema: listOf(GRANT) } },
    handle: async (call) => {
      const grants = await directoryOf(call).grants(managedProduct(call));
      return page(grants.map(grantBody), {
        query: call.query,
        keyOf: ({ principal, source }) => `${principal} ${source}`,
      });
    },
  },
  {
    method: 'PUT',
    path: `${GRANTS}/{principal}`,
    operationId: 'putGrant',
    summary: 'Give a principal, or group:NAME, a role on a product in the place of the one it had',
    tag: 'grants',
    access: 'tenant-viewer',
    body: {
      type: 'object',
      additionalProperties: false,
      required: ['role'],
      properties: { role: { type: 'string', enum: PRODUCT_ROLES } },
    },
    answers: { 200: { description: 'the grant', schema: GRANT } },
    handle: async (call) => {
      const product = managedProduct(call);
      const { role } = call.body as { readonly role: ProductRole };
      const made = await directoryOf(call).grant(product, call.path['principal'] ?? '', role);
      return grantBody({ ...made, source: 'granted' });
    },
  },
  {
    method: 'DELETE',
    path: `${GRANTS}/{principal}`,
    operationId: 'deleteGrant',
    summary: 'Take a granted role back; those of config.yaml stay',
    tag: 'grants',
    access: 'tenant-viewer',
    answers: { 204: { description: 'it is gone' } },
    handle: async (call) => {
      await directoryOf(call).revokeGrant(managedProduct(call), call.path['principal'] ?? '');
      return call.reply.code(204).send();
    },
  },
];

export const tokenRoutes: readonly Route[] = [...tokenRoutesOnly, ...grantRoutes];
