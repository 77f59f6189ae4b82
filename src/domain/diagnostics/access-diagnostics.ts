import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const accessDiagnostics = {
  'auth.missing': {
    severity: 'error',
    message: 'The request has no credential.',
    hint: 'send Authorization: Bearer <token>, to the Platform API apikey: <token>; plinth token create makes one',
    explain: 'The server was started with --auth required, so every request must say whose it is.',
  },
  'auth.invalid': {
    severity: 'error',
    message: 'The credential is not valid.',
    hint: 'it may be mistyped, expired or revoked, or be a token that the Platform API takes as apikey only; plinth token create makes a new one',
    explain:
      'Nobody has this credential, or it has expired or was revoked, or it is of a kind that this address does not take: the Platform API takes a JWT as Bearer and a token as apikey, the Data Product API takes both as Bearer.',
  },
  'auth.too-many': {
    severity: 'error',
    message: 'There were more than {limit} credentials in a minute from this address that nobody has.',
    hint: 'wait as long as Retry-After says; credentials that were right before need not wait',
    explain:
      'Who guesses credentials is slowed down: each address has a limit of wrong ones, which /platform-api/v1/limits shows, and above it further ones are not looked up. Those that the server has found right within a day are not affected.',
  },
  'auth.ambiguous-credentials': {
    severity: 'error',
    message: 'The request has more than one credential.',
    hint: 'send either Authorization or apikey, once',
    explain: 'Which of two credentials counts would be a guess, and a guess about rights is unsafe.',
  },
  'access.forbidden': {
    severity: 'error',
    message: 'This credential may not do this.',
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
    explain: 'Tenants, and principals within a tenant, have names of their own.',
  },
  'access.not-found': {
    severity: 'error',
    message: 'There is no {what} {name}.',
    explain: 'Nothing of this name or id is known here.',
  },
  'access.admin-elsewhere': {
    severity: 'error',
    message: 'Somebody of {tenant} cannot be an administrator of the platform.',
    hint: 'make one in the tenant of the first folder that the server serves',
    explain:
      'A server of several folders takes the word of the first about administrators of the platform: whoever owns another folder owns what is kept in it, and could make himself one.',
  },
  'access.changed': {
    severity: 'error',
    message: 'The {what} {name} is not as the request expects it.',
    hint: 'read it again, look whether the change is still right, and send its new ETag as If-Match',
    explain:
      'The request came with If-Match or If-None-Match, and somebody has changed, made or removed the thing since its ETag was read. Nothing was changed.',
  },
  'access.decided': {
    severity: 'error',
    message: 'The access request {id} was {status} already.',
    hint: 'change the grant itself, or let it be asked again',
    explain:
      'A request is decided once. To repeat the same decision changes nothing; another one is refused.',
  },
  'access.has-role': {
    severity: 'error',
    message: '{principal} is {role} of {product} already.',
    explain: 'Nobody needs to ask for what they have without an end.',
  },
  'access.from-config': {
    severity: 'error',
    message: 'The {what} {name} comes from config.yaml.',
    hint: 'change the file and start the server again',
    explain:
      'What config.yaml says of users, groups and access is changed there, and not through the server.',
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
    explain: 'A tenant is removed when nobody belongs to it any more.',
  },
} as const satisfies Catalog;
