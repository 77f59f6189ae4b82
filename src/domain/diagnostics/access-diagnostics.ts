import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const accessDiagnostics = {
  'auth.missing': {
    severity: 'error',
    message: 'The request has no credential.',
    hint: 'send Authorization: Bearer <token>, to the Platform API apikey: <token>; plinth token create makes one',
    explain: 'The server was started with --auth required, so every request needs a credential.',
  },
  'auth.invalid': {
    severity: 'error',
    message: 'The credential is not valid.',
    hint: 'it may be mistyped, expired or revoked, or be a token that the Platform API takes as apikey only; plinth token create makes a new one',
    explain:
      'The credential is unknown, has expired, was revoked, or is of a kind that this address does not take. The Platform API takes a JWT as Bearer and a token as apikey; the Data Product API takes both as Bearer.',
  },
  'auth.too-many': {
    severity: 'error',
    message: 'This address sent more than {limit} unknown credentials in a minute.',
    hint: 'wait as long as Retry-After says; credentials that were valid within the last day need not wait',
    explain:
      'Each address may send a limited number of unknown credentials a minute, which /platform-api/v1/limits shows. Above the limit the server does not look up further ones, so guessing is slow. Credentials that were valid within the last day are not affected.',
  },
  'auth.ambiguous-credentials': {
    severity: 'error',
    message: 'The request has more than one credential.',
    hint: 'send either Authorization or apikey, once',
    explain: 'Choosing one of two credentials would be a guess about permissions, so the request is refused.',
  },
  'access.forbidden': {
    severity: 'error',
    message: 'Permission denied for this credential.',
    hint: 'check the tenant and the product in the address, ask an administrator of the tenant for a role, or use a token with the scope',
    explain:
      'The principal behind the credential has no role that allows it, or the token was made without the scope. The answer is the same for things that do not exist.',
  },
  'access.bad-name': {
    severity: 'error',
    message: '{what} cannot be named {name}.',
    hint: 'letters, digits, dots, underscores and @ (and dashes, except in tenants), at most 64, beginning with a letter or digit',
    explain:
      'Names of tenants and principals stand in addresses and logs. A tenant has no dash, so that the address {tenant}-{product} reads one way.',
  },
  'access.exists': {
    severity: 'error',
    message: '{what} {name} exists already.',
    explain: 'The names of tenants are unique, and so are the names of principals within a tenant.',
  },
  'access.not-found': {
    severity: 'error',
    message: 'There is no {what} {name}.',
    explain: 'The server has nothing with this name or id.',
  },
  'access.admin-elsewhere': {
    severity: 'error',
    message: 'A principal of the tenant {tenant} cannot be an administrator of the platform.',
    hint: 'make one in the tenant of the first folder that the server serves',
    explain:
      'In a server of several folders only the first folder names administrators of the platform. The owner of another folder can write its state, so that state must not grant rights over the whole platform.',
  },
  'access.changed': {
    severity: 'error',
    message: 'The {what} {name} is not as the request expects it.',
    hint: 'read it again, look whether the change is still right, and send its new ETag as If-Match',
    explain:
      'The request came with If-Match or If-None-Match, and another request has changed, created or removed the resource since its ETag was read. This request changed nothing.',
  },
  'access.decided': {
    severity: 'error',
    message: 'The access request {id} was {status} already.',
    hint: 'change the grant itself, or let it be asked again',
    explain:
      'A request is decided once. Deciding is idempotent: the same decision again changes nothing, a different one is refused.',
  },
  'access.has-role': {
    severity: 'error',
    message: '{principal} is {role} of {product} already.',
    explain: 'The principal already has this role without an end, so a request for it would change nothing.',
  },
  'access.from-config': {
    severity: 'error',
    message: 'The {what} {name} comes from config.yaml.',
    hint: 'change the file and start the server again',
    explain:
      'Users, groups and access that config.yaml declares are changed in that file, not through the server.',
  },
  'access.unknown-members': {
    severity: 'error',
    message: 'The group {group} cannot have these members: {names}.',
    hint: 'make the users first',
    explain: 'Members of a group are users or service accounts of its tenant.',
  },
  'access.has-principals': {
    severity: 'error',
    message: 'The tenant {name} has users or service accounts.',
    hint: 'remove them first',
    explain: 'A tenant can be removed only when no user or service account belongs to it.',
  },
} as const satisfies Catalog;
