/** Tokens: made, listed and revoked. */

import { permitsTenant } from '../../../domain/permissions.ts';
import { type Identity, type Principal, SCOPES, type Scope, type Token } from '../../../domain/principal.ts';
import { isoInstant, isoInstantOrNull } from '../../../foundation/time/iso.ts';
import { createTokenAtHome } from '../../../operations/access/create-token.ts';
import { listPrincipals } from '../../../operations/access/list-principals.ts';
import { listTokens } from '../../../operations/access/list-tokens.ts';
import { revokeTokenAtHome } from '../../../operations/access/revoke-token.ts';
import { listSchemaOf } from '../answers/list-schema.ts';
import { PAGE_QUERY, page } from '../answers/page.ts';
import type { JsonSchema, Route, RouteCall } from '../route.ts';
import { NAME } from '../schemas/name-schemas.ts';
import { directoryOf, forbidden } from './directory-routes.ts';

const TOKEN_FIELDS: Readonly<Record<string, JsonSchema>> = {
  id: { type: 'string' },
  principal: { type: ['string', 'null'] },
  parent_id: {
    type: ['string', 'null'],
    description: 'the token that created it, and with which it ends',
  },
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
  properties: { ...TOKEN_FIELDS, token: { type: 'string', description: 'shown only once' } },
};

const tokenBody = (token: Token, principal: string | undefined) => ({
  id: token.id,
  principal: principal ?? null,
  parent_id: token.parentId ?? null,
  name: token.name,
  scopes: token.scopes ?? null,
  created_at: isoInstant(token.createdAt),
  expires_at: isoInstantOrNull(token.expiresAt),
  last_used_at: isoInstantOrNull(token.lastUsedAt),
  revoked_at: isoInstantOrNull(token.revokedAt),
});

/** Oneself, or an administrator of the tenant; for a platform administrator only another. */
function mayManageTokensOf({ identity }: RouteCall, { id, tenant, isPlatformAdmin }: Principal): boolean {
  if (identity.principalId === id) return true;
  if (isPlatformAdmin && !identity.isPlatformAdmin) return false;
  return permitsTenant(identity, tenant, 'admin');
}

/** Scopes of what a token makes: those asked for, at most its own; undefined when they would be more. */
function scopesFor(
  { scopes: own }: Identity,
  asked: readonly Scope[] | undefined,
): { readonly scopes?: readonly Scope[] | undefined } | undefined {
  if (own === undefined) return { scopes: asked };
  if (own.includes('admin')) return { scopes: asked ?? own };
  return asked?.every((scope) => own.includes(scope)) === true ? { scopes: asked } : undefined;
}

/** The earlier of two ends, of which either may be none. */
const earlier = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);

export const tokenRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/tenants/{tenant}/tokens',
    operationId: 'listTokens',
    summary: "The caller's own tokens; all of the tenant for its administrators",
    tag: 'tokens',
    access: 'tenant-viewer',
    scope: 'tokens:manage',
    query: PAGE_QUERY,
    answers: { 200: { description: 'tokens, never their text', schema: listSchemaOf(TOKEN) } },
    handle: async (call) => {
      const { tenant = '' } = call.path;
      const directory = directoryOf(call);
      const isAdmin = permitsTenant(call.identity, tenant, 'admin');
      const names = new Map((await listPrincipals(directory, tenant)).map(({ id, name }) => [id, name]));
      const tokens = await listTokens(directory, tenant, isAdmin ? undefined : call.identity.principalId);
      const { items, next_cursor } = page(tokens, { query: call.query, keyOf: ({ id }) => id });
      return { items: items.map((token) => tokenBody(token, names.get(token.principalId))), next_cursor };
    },
  },
  {
    method: 'POST',
    path: '/tenants/{tenant}/tokens',
    operationId: 'createToken',
    summary:
      'A new token for the caller or, by an administrator, for another principal. Only this answer has its text. It ends with the token or JWT that created it',
    tag: 'tokens',
    access: 'tenant-viewer',
    scope: 'tokens:manage',
    hasSecret: true,
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
      const { principal } = await directory.located(tenant, given.principal ?? call.identity.principalId);
      const limits = scopesFor(call.identity, given.scopes);
      if (!mayManageTokensOf(call, principal) || limits === undefined) throw forbidden();
      const asked = given.expires_in === undefined ? undefined : Date.now() + given.expires_in * 1000;
      const { token, text } = await createTokenAtHome(directory, {
        principal,
        name: given.name ?? `${principal.name}'s token`,
        ...limits,
        expiresAt: earlier(asked, call.identity.expiresAt),
        parentId: call.identity.tokenId,
      });
      call.reply
        .code(201)
        .header('location', `/platform-api/v1/tenants/${encodeURIComponent(tenant)}/tokens/${token.id}`);
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
    scope: 'tokens:manage',
    answers: { 204: { description: 'it is no longer valid' } },
    handle: async (call) => {
      const { tenant = '', id = '' } = call.path;
      const directory = directoryOf(call);
      const isAdmin = permitsTenant(call.identity, tenant, 'admin');
      const token = (await listTokens(directory, tenant)).find((each) => each.id === id);
      if (!isAdmin && token?.principalId !== call.identity.principalId) throw forbidden();
      if (token !== undefined) {
        const { principal: owner } = await directory.located(tenant, token.principalId);
        if (!mayManageTokensOf(call, owner)) throw forbidden();
      }
      await revokeTokenAtHome(directory, tenant, id);
      return call.reply.code(204).send();
    },
  },
];
