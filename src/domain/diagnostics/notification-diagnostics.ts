import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

/** Channels, rules, followers and what is sent to them. */
export const notificationDiagnostics = {
  'notification.bad-channel': {
    severity: 'error',
    message: 'The channel cannot work: {detail}.',
    explain:
      'What a channel needs depends on its kind: a webhook has a url, Slack a url or a token with a channel, Teams a url, email a host, a sender and recipients. Addresses inside a network are refused unless the server allows them.',
  },
  'notification.bad-rule': {
    severity: 'error',
    message: 'The rule cannot work: {detail}.',
    explain:
      'A rule names event types that exist, channels of its owner, and a time zone by its IANA name. It has an audience: channels, or, for owners of the product, owners and followers.',
  },
  'notification.no-target': {
    severity: 'error',
    message: 'There is no {target} to follow.',
    hint: 'product, model:NAME, metric:NAME or perspective:SLUG',
    explain: 'A target that the caller may not see is answered like one that does not exist.',
  },
  'notification.full': {
    severity: 'error',
    message: 'There are {most} already, and one principal may have no others.',
    hint: 'remove one that is not needed',
    explain:
      'The numbers of channels, rules and followers of one principal are limited, so that one of them cannot fill the state.',
  },
  'notification.not-testable': {
    severity: 'error',
    message: 'Nothing was sent to the channel {name}: {detail}.',
    explain: 'The inbox needs no test, and a channel that is not enabled sends nothing.',
  },
} as const satisfies Catalog;
