import type { AccessStore } from '../../../domain/access-store.ts';
import type { AnswerStore } from '../../../domain/answer-store.ts';
import type { PrincipalStore } from '../../../domain/principal-store.ts';
import type { StateOperations } from './operations.ts';

/** Who may what. */
export function principalStore(connection: StateOperations): PrincipalStore {
  return {
    tenants: () => connection.ask('tenants'),
    principals: (request) => connection.ask('principals', request),
    tokens: (request) => connection.ask('tokens', request),
    token: (id) => connection.ask('token', id),
    grants: (request) => connection.ask('grants', request),
    tokenOwner: (hash) => connection.ask('tokenOwner', hash),
    principalNamed: (tenant, name) => connection.ask('principalNamed', tenant, name),
    auditLog: (request) => connection.ask('auditLog', request),
    createTenant: (tenant, audit) => connection.ask('createTenant', tenant, audit),
    removeTenant: (name, audit) => connection.ask('removeTenant', name, audit),
    createPrincipal: (principal, audit) => connection.ask('createPrincipal', principal, audit),
    changePrincipal: (id, change, audit) => connection.ask('changePrincipal', id, { change, audit }),
    removePrincipal: (id, audit, expected) => connection.ask('removePrincipal', id, { audit, expected }),
    createToken: (token, audit, events) => connection.ask('createToken', token, { audit, events }),
    revokeToken: (request, audit, events) => connection.ask('revokeToken', request, { audit, events }),
    touchTokens: (used) => connection.ask('touchTokens', used),
    grant: (grant, log, expected) => connection.ask('grant', grant, { log, expected }),
    revokeGrant: (grant, log, expected) => connection.ask('revokeGrant', grant, { log, expected }),
    appendAudit: (entries) => connection.ask('appendAudit', entries),
  };
}

/** Groups and requests for access. */
export function accessStore(connection: StateOperations): AccessStore {
  return {
    groups: (request) => connection.ask('groups', request),
    putGroup: (group, change, audit) => connection.ask('putGroup', group, { ...change, audit }),
    removeGroup: (group, expected, audit) => connection.ask('removeGroup', group, { expected, audit }),
    requests: (filter) => connection.ask('accessRequests', filter),
    request: (id) => connection.ask('accessRequest', id),
    createRequest: (request, log) => connection.ask('createAccessRequest', request, log),
    decideRequest: (decided, request) => connection.ask('decideAccessRequest', decided, request),
  };
}

/** First answers by idempotency key. */
export function answerStore(connection: StateOperations): AnswerStore {
  return {
    begin: (request, how) => connection.ask('beginAnswer', request, how),
    keep: (name, worker, answer) => connection.ask('keepAnswer', { name, worker }, answer),
    drop: (name, worker) => connection.ask('dropAnswer', { name, worker }),
    sweep: (request) => connection.ask('sweepAnswers', request),
  };
}
