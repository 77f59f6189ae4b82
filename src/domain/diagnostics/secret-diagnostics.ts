import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

/** Secrets that callers entrust to the product, sealed in the state. */
export const secretDiagnostics = {
  'secret.bad-key': {
    severity: 'error',
    message: 'The key in {place} is not 32 bytes in base64.',
    hint: 'make one with openssl rand -base64 32; several have commas between them, and the first one seals',
    explain:
      'Secrets of channels are sealed with AES-256-GCM, whose key has 32 bytes. It comes from PLINTH_SECRET_KEY, or from .plinth/secret.key when that is not set.',
  },
  'secret.no-key': {
    severity: 'error',
    message:
      'There is a sealed secret, and no key to open it: PLINTH_SECRET_KEY is not set, and {place} does not exist.',
    hint: 'give this server the key with which the secret was sealed, or enter the secret again',
    explain:
      'A key is made when a secret is first sealed, and never when one is opened. Servers that share a state must have the same key. A restored backup needs the key of the server that it was made on.',
  },
  'secret.wrong-key': {
    severity: 'error',
    message: 'The secret was sealed with the key {sealed}, and this server has {known}.',
    hint: 'set PLINTH_SECRET_KEY to the same key on all servers that share the state, or enter the secret again',
    explain:
      'Each sealed secret names its key by a short hash. Servers that share a state on PostgreSQL must have the same key, or they cannot send what another one sealed.',
  },
  'secret.altered': {
    severity: 'error',
    message: 'A sealed secret was altered, or belongs to something else.',
    hint: 'enter the secret again',
    explain:
      'A sealed secret is bound to what it belongs to, such as one channel, and cannot be opened after a change of a single bit or in another place.',
  },
} as const satisfies Catalog;
