/** Tenants, those who belong to them, and what was decided about them. */

import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { principalTag } from '../../../domain/entity-tag.ts';
import { permitsTenant } from '../../../domain/permissions.ts';
import { type Principal, TENANT_ROLES, type Tenant, type TenantRole } from '../../../domain/principal.ts';
import { isoInstant } from '../../../foundation/time/iso.ts';
import { changePrincipalAtHome } from '../../../operations/access/change-principal.ts';
import { createPrincipalAtHome } from '../../../operations/access/create-principal.ts';
import { createTenantAtHome } from '../../../operations/access/create-tenant.ts';
import { Directory } from '../../../operations/access/directory.ts';
import { listPrincipals } from '../../../operations/access/list-principals.ts';
import { listTenants } from '../../../operations/access/list-tenants.ts';
import { readAuditLog } from '../../../operations/access/read-audit-log.ts';
import { removePrincipalAtHome } from '../../../operations/access/remove-principal.ts';
import { removeTenantAtHome } from '../../../operations/access/remove-tenant.ts';
import { expectedOf, showTag } from '../answers/conditional.ts';
import { listSchemaOf } from '../answers/list-schema.ts';
import { afterOf, cursorOf, limitOf, PAGE_QUERY, page } from '../answers/page.ts';
import { Problem } from '../answers/problem.ts';
import { timeIn } from '../arrival/time-in.ts';
import type { JsonSchema, Route, RouteCall } from '../route.ts';
import { NAME, TENANT_NAMED } from '../schemas/name-schemas.ts';

/** Changes are made in the name of the caller. */
export const directoryOf = ({ platform, identity, correlationId }: RouteCall): Directory =>
  new Directory(platform, { principalId: identity.principalId, correlationId, now: Date.now() });

/** A denial that depends on more than the address; the door writes it into the audit log as any other. */
export const forbidden = (): Problem => new Problem(403, diagnostic('access.forbidden', {}));

const TIME: JsonSchema = { type: 'string' };

const TENANT: JsonSchema = {
  type: 'object',
  required: ['name', 'created_at'],
  properties: { name: { type: 'string' }, created_at: { type: ['string', 'null'] } },
};

const PRINCIPAL: JsonSchema = {
  type: 'object',
  required: ['id', 'name', 'tenant', 'kind', 'role', 'groups', 'is_platform_admin', 'created_at'],
  properties: {
    id: { type: 'string' },
    name: { type: 'string' },
    tenant: { type: 'string' },
    kind: { type: 'string', enum: ['user', 'service-account'] },
    role: { type: ['string', 'null'] },
    groups: { type: 'array', items: { type: 'string' } },
    is_platform_admin: { type: 'boolean' },
    created_at: TIME,
  },
};

const AUDIT_ENTRY: JsonSchema = {
  type: 'object',
  required: ['at', 'actor', 'action', 'target', 'outcome', 'correlation_id'],
  properties: {
    at: TIME,
    actor: { type: 'string' },
    action: { type: 'string' },
    target: { type: 'string' },
    outcome: { type: 'string', enum: ['done', 'denied'] },
    correlation_id: { type: ['string', 'null'] },
  },
};

const tenantBody = ({
  name,
  createdAt,
}: Tenant): { readonly name: string; readonly created_at: string | null } => ({
  name,
  created_at: createdAt === 0 ? null : isoInstant(createdAt),
});

const principalBody = (principal: Principal): unknown => ({
  id: principal.id,
  name: principal.name,
  tenant: principal.tenant,
  kind: principal.kind,
  role: principal.role ?? null,
  groups: principal.groups,
  is_platform_admin: principal.isPlatformAdmin,
  created_at: isoInstant(principal.createdAt),
});

const notFound = ({ request }: RouteCall): Problem =>
  new Problem(404, diagnostic('http.not-found', { path: (request.url.split('?')[0] ?? '').slice(0, 200) }));

const tenantRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/tenants',
    operationId: 'listTenants',
    summary: 'The tenants that the caller may see',
    tag: 'tenants',
    access: 'known',
    query: PAGE_QUERY,
    answers: { 200: { description: 'tenants', schema: listSchemaOf(TENANT) } },
    handle: async (call) => {
      const seen = (await listTenants(directoryOf(call))).filter(({ name }) =>
        permitsTenant(call.identity, name, 'viewer'),
      );
      return page(seen.map(tenantBody), { query: call.query, keyOf: ({ name }) => name });
    },
  },
  {
    method: 'POST',
    path: '/tenants',
    operationId: 'createTenant',
    summary: 'A new tenant',
    tag: 'tenants',
    access: 'platform-admin',
    body: {
      type: 'object',
      additionalProperties: false,
      required: ['name'],
      properties: { name: TENANT_NAMED },
    },
    answers: { 201: { description: 'the tenant', schema: TENANT } },
    handle: async (call) => {
      const { name } = call.body as { readonly name: string };
      call.reply.code(201);
      return tenantBody(await createTenantAtHome(directoryOf(call), name));
    },
  },
  {
    method: 'GET',
    path: '/tenants/{tenant}',
    operationId: 'getTenant',
    summary: 'One tenant',
    tag: 'tenants',
    access: 'tenant-viewer',
    answers: { 200: { description: 'the tenant', schema: TENANT } },
    handle: async (call) => {
      const found = (await listTenants(directoryOf(call))).find(({ name }) => name === call.path['tenant']);
      if (found === undefined) throw notFound(call);
      return tenantBody(found);
    },
  },
  {
    method: 'DELETE',
    path: '/tenants/{tenant}',
    operationId: 'deleteTenant',
    summary: 'Remove a tenant without users and service accounts',
    tag: 'tenants',
    access: 'platform-admin',
    answers: { 204: { description: 'it is removed' } },
    handle: async (call) => {
      await removeTenantAtHome(directoryOf(call), call.path['tenant'] ?? '');
      return call.reply.code(204).send();
    },
  },
];

/** Users and service accounts have the same verbs. */
function principalRoutes(
  kind: Principal['kind'],
  { at, one, many }: { readonly at: string; readonly one: string; readonly many: string },
): readonly Route[] {
  const base = `/tenants/{tenant}/${at}`;
  return [
    {
      method: 'GET',
      path: base,
      operationId: `list${many}`,
      summary: `Those of a tenant that are of the kind ${kind}`,
      tag: 'principals',
      access: 'tenant-admin',
      query: PAGE_QUERY,
      answers: { 200: { description: at, schema: listSchemaOf(PRINCIPAL) } },
      handle: async (call) => {
        const all = await listPrincipals(directoryOf(call), call.path['tenant'] ?? '');
        const { items, next_cursor } = page(
          all.filter((each) => each.kind === kind),
          { query: call.query, keyOf: ({ name }) => name },
        );
        return { items: items.map(principalBody), next_cursor };
      },
    },
    {
      method: 'POST',
      path: base,
      operationId: `create${one}`,
      summary: `A new principal of the kind ${kind}`,
      tag: 'principals',
      access: 'tenant-admin',
      body: {
        type: 'object',
        additionalProperties: false,
        required: ['name'],
        properties: {
          name: NAME,
          role: { type: 'string', enum: TENANT_ROLES },
          groups: { type: 'array', maxItems: 100, items: NAME },
          is_platform_admin: { type: 'boolean', description: 'only platform admins may give it' },
        },
      },
      answers: { 201: { description: 'the principal', schema: PRINCIPAL } },
      handle: async (call) => {
        const given = call.body as {
          readonly name: string;
          readonly role?: TenantRole;
          readonly groups?: readonly string[];
          readonly is_platform_admin?: boolean;
        };
        if (given.is_platform_admin === true && !call.identity.isPlatformAdmin) throw forbidden();
        const tenants = await listTenants(directoryOf(call));
        if (!tenants.some((each) => each.name === call.path['tenant'])) throw notFound(call);
        const made = await createPrincipalAtHome(directoryOf(call), {
          tenant: call.path['tenant'] ?? '',
          name: given.name,
          kind,
          role: given.role,
          isPlatformAdmin: given.is_platform_admin ?? false,
          groups: [...new Set(given.groups ?? [])],
        });
        call.reply.code(201).header('location', addressOf(at, made));
        showTag(call, principalTag(made));
        return principalBody(made);
      },
    },
    {
      method: 'GET',
      path: `${base}/{name}`,
      operationId: `get${one}`,
      summary: `One principal of the kind ${kind}`,
      tag: 'principals',
      access: 'tenant-admin',
      answers: { 200: { description: 'the principal', schema: PRINCIPAL } },
      handle: async (call) => {
        const found = await principalIn(call, kind);
        showTag(call, principalTag(found));
        return principalBody(found);
      },
    },
    {
      method: 'PATCH',
      path: `${base}/{name}`,
      operationId: `change${one}`,
      summary: 'Change role or groups, from the next request on; what is absent stays',
      tag: 'principals',
      access: 'tenant-admin',
      isConditional: true,
      body: {
        type: 'object',
        additionalProperties: false,
        minProperties: 1,
        properties: {
          role: {
            type: ['string', 'null'],
            enum: [...TENANT_ROLES, null],
            description: 'null removes it',
          },
          groups: { type: 'array', maxItems: 100, uniqueItems: true, items: NAME },
          is_platform_admin: { type: 'boolean', description: 'only platform admins may give or take it' },
        },
      },
      answers: { 200: { description: 'the principal after the change', schema: PRINCIPAL } },
      handle: async (call) => {
        const found = await principalIn(call, kind);
        const given = call.body as {
          readonly role?: TenantRole | null;
          readonly groups?: readonly string[];
          readonly is_platform_admin?: boolean;
        };
        const isAboutPlatform = found.isPlatformAdmin || given.is_platform_admin !== undefined;
        if (isAboutPlatform && !call.identity.isPlatformAdmin) throw forbidden();
        const changed = await changePrincipalAtHome(directoryOf(call), found, {
          role: given.role,
          groups: given.groups,
          isPlatformAdmin: given.is_platform_admin,
          expected: expectedOf(call),
        });
        showTag(call, principalTag(changed));
        return principalBody(changed);
      },
    },
    {
      method: 'DELETE',
      path: `${base}/{name}`,
      operationId: `delete${one}`,
      summary: 'Remove a principal with its tokens and grants',
      tag: 'principals',
      access: 'tenant-admin',
      isConditional: true,
      answers: { 204: { description: 'it is removed' } },
      handle: async (call) => {
        const found = await principalIn(call, kind);
        if (found.isPlatformAdmin && !call.identity.isPlatformAdmin) throw forbidden();
        await removePrincipalAtHome(directoryOf(call), found, expectedOf(call));
        return call.reply.code(204).send();
      },
    },
  ];
}

const addressOf = (at: string, { tenant, name }: Principal): string =>
  `/platform-api/v1/tenants/${tenant}/${at}/${encodeURIComponent(name)}`;

/** The one of the address, if it is of the kind. */
async function principalIn(call: RouteCall, kind: Principal['kind']): Promise<Principal> {
  const { tenant = '', name = '' } = call.path;
  const { principal: found } = await directoryOf(call).located(tenant, name);
  if (found.kind !== kind) throw notFound(call);
  return found;
}

const logRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/tenants/{tenant}/audit-log',
    operationId: 'listAuditLog',
    summary: 'Denied requests and changes of access, newest first',
    tag: 'audit',
    access: 'tenant-admin',
    query: {
      ...PAGE_QUERY,
      actor: { type: 'string', maxLength: 200, description: 'id of the principal who acted' },
      action: { type: 'string', maxLength: 200, description: '`token.create`, or `token` for all of them' },
      target: { type: 'string', maxLength: 500 },
      outcome: { type: 'string', enum: ['done', 'denied'] },
      correlation_id: { type: 'string', maxLength: 200 },
      since: { type: 'string', maxLength: 40, description: 'a time; entries from then on' },
      until: { type: 'string', maxLength: 40, description: 'a time; entries before it' },
    },
    answers: { 200: { description: 'entries', schema: listSchemaOf(AUDIT_ENTRY) } },
    handle: async (call) => {
      const { query } = call;
      const text = (name: string): string | undefined => query[name] as string | undefined;
      const { entries, next } = await readAuditLog(directoryOf(call), call.path['tenant'] ?? '', {
        before: placesOf(afterOf(query)),
        limit: limitOf(query),
        actor: text('actor'),
        action: text('action'),
        target: text('target'),
        outcome: query['outcome'] as 'done' | 'denied' | undefined,
        correlationId: text('correlation_id'),
        since: timeIn(query, 'since'),
        until: timeIn(query, 'until'),
      });
      return {
        items: entries.map(({ at, actor, action, target, outcome, correlationId }) => ({
          at: isoInstant(at),
          actor,
          action,
          target,
          outcome,
          correlation_id: correlationId ?? null,
        })),
        next_cursor: next === undefined ? null : cursorOf(next.join(',')),
      };
    },
  },
];

function placesOf(after: string | undefined): readonly number[] | undefined {
  if (after === undefined) return undefined;
  if (!/^\d{1,16}(?:,\d{1,16}){0,999}$/.test(after))
    throw new Problem(400, diagnostic('http.bad-cursor', {}));
  return after.split(',').map(Number);
}

export const directoryRoutes: readonly Route[] = [
  ...tenantRoutes,
  ...principalRoutes('user', { at: 'users', one: 'User', many: 'Users' }),
  ...principalRoutes('service-account', {
    at: 'service-accounts',
    one: 'ServiceAccount',
    many: 'ServiceAccounts',
  }),
  ...logRoutes,
];
