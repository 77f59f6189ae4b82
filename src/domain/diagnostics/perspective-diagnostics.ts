import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const perspectiveDiagnostics = {
  'perspective.unknown': {
    severity: 'error',
    message: 'There is no perspective {slug}.',
    hint: 'list the perspectives; those that are not shared with the caller are not shown',
    explain:
      'There never was such a perspective, it was removed, or it is not shared with the caller. The answer is the same in all three cases.',
  },
  'perspective.ambiguous': {
    severity: 'error',
    message: 'Several perspectives named {slug} are shared with you: {ids}.',
    hint: 'use the id in place of the slug',
    explain:
      'A slug is unique among the perspectives of one owner, and among those of the product. Several owners can share perspectives with the same slug, and an id means the same to every caller.',
  },
  'perspective.taken': {
    severity: 'error',
    message: 'The slug {slug} is taken.',
    explain:
      'A slug is unique among the private and shared perspectives of one owner, and among those of the product.',
  },
  'perspective.changed': {
    severity: 'error',
    message: 'The perspective {slug} is not as the request expects it.',
    hint: 'read it again, look whether the change is still right, and send its new ETag as If-Match',
    explain:
      'Another request has changed, created or removed the perspective since its ETag was read. This request changed nothing.',
  },
  'perspective.too-many': {
    severity: 'error',
    message: '{owner} has {max} perspectives, which is the most that one principal may own.',
    hint: 'remove some that are not needed',
    explain: 'The number of perspectives of each principal is bounded.',
  },
  'perspective.bad-definition': {
    severity: 'error',
    message: 'The perspective cannot be kept: {detail}.',
    explain:
      'A perspective is checked when it is written: its slug, its parameters, and whether its author can ask its question now.',
  },
  'perspective.bad-parameters': {
    severity: 'error',
    message: 'The perspective cannot be asked: {detail}.',
    hint: 'the field params of the perspective lists its parameters with their types and allowed values',
    explain:
      'Values of parameters are given as a JSON object. Each has the type of its parameter and, where the perspective lists allowed values, is one of them.',
  },
  'perspective.withheld': {
    severity: 'error',
    message: 'You cannot ask the perspective {slug} now.',
    hint: 'ask its owner what it reads, and for access to that',
    explain:
      'A perspective is answered under the policies of its reader. They hide something that it asks for, or it asks for something that is no longer there. The answer is the same in both cases, because the words of the question are for readers who can ask it.',
  },
  'perspective.no-question': {
    severity: 'error',
    message: 'The question of the statement {id} was not kept.',
    hint: 'send the question as `query`',
    explain:
      'A perspective can be created from a statement whose question was kept with it. Questions longer than 20,000 characters, and those of statements from before version 0.2, are not.',
  },
  'perspective.unknown-principals': {
    severity: 'error',
    message: 'The tenant has no such users: {names}.',
    hint: 'write the name of a user or service account, or group:NAME',
    explain:
      'A perspective is shared with users, service accounts and groups of the tenant of the product, and is transferred to a user or a service account.',
  },
  'perspective.not-broken': {
    severity: 'error',
    message: 'No rename explains why {slug} cannot be asked.',
    hint: 'change its query by hand',
    explain:
      'A rewrite is offered when each member that is gone has exactly one member of the same definition in its place.',
  },
} as const satisfies Catalog;
