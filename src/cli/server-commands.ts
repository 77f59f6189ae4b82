import { SEVERITIES } from '../domain/event-types.ts';
import { PRODUCT_ROLES, TENANT_ROLES } from '../domain/principal.ts';
import type { Command } from './command.ts';

const TENANT = { name: 'tenant', value: 'NAME', summary: "the project's own by default" } as const;

/** Commands of the server and of who may use it. */
export const SERVER_COMMANDS: readonly Command[] = [
  {
    name: 'serve',
    summary: 'answer over HTTP: the platform and the data products of one or more folders',
    details: [
      'Without authentication (the default) it listens on this machine only and every request is that of the local administrator.',
      'It also runs what is due, like plinth worker. SIGTERM shuts it down after the requests under way; a second one at once.',
      'With TLS, SIGHUP reads the certificate and its key again, for connections from then on.',
    ],
    arguments: [
      {
        name: 'folders',
        summary: 'project folders; this one by default',
        isMany: true,
        completion: 'folders',
      },
    ],
    options: [
      { name: 'host', value: 'ADDRESS', summary: 'address to listen on (default: 127.0.0.1)' },
      { name: 'port', value: 'N', summary: 'port to listen on (default: 8088); 0 takes a free one' },
      {
        name: 'auth',
        value: 'MODE',
        choices: ['disabled', 'required'],
        summary: 'whether requests need a credential (default: disabled)',
      },
      { name: 'tls-cert', value: 'FILE', summary: 'certificate, as PEM', completion: 'files' },
      { name: 'tls-key', value: 'FILE', summary: 'its private key, as PEM', completion: 'files' },
      { name: 'no-scheduler', summary: 'run nothing' },
      {
        name: 'force',
        summary: 'listen on any address though authentication is disabled; server.hosts names it',
      },
    ],
    examples: [
      { line: 'plinth serve', does: 'this project at http://127.0.0.1:8088' },
      {
        line: 'plinth serve shop warehouse --port 0 --json',
        does: 'two projects, on a free port, for programs',
      },
      {
        line: 'plinth serve --auth required --host 0.0.0.0 --tls-cert c.pem --tls-key k.pem',
        does: 'for others',
      },
    ],
    load: () => import('./commands/serve.ts'),
  },
  {
    name: 'tenant',
    summary: 'make, list or remove tenants',
    arguments: [
      {
        name: 'action',
        summary: 'create, list or remove',
        isRequired: true,
        choices: ['create', 'list', 'remove'],
      },
      { name: 'name', summary: 'its name, without dashes' },
    ],
    options: [],
    examples: [
      { line: 'plinth tenant create acme', does: 'a new tenant' },
      { line: 'plinth tenant list', does: 'all of them' },
      { line: 'plinth tenant remove acme', does: 'when it has no users or service accounts' },
    ],
    load: () => import('./commands/tenant.ts'),
  },
  {
    name: 'user',
    summary: 'make, change, list or remove users and service accounts',
    arguments: [
      {
        name: 'action',
        summary: 'create, change, list or remove',
        isRequired: true,
        choices: ['create', 'change', 'list', 'remove'],
      },
      { name: 'name', summary: 'of the user' },
    ],
    options: [
      TENANT,
      {
        name: 'role',
        value: 'ROLE',
        choices: [...TENANT_ROLES, 'platform-admin', 'none'],
        summary: 'a role in the whole tenant; without one they have only their grants',
      },
      {
        name: 'group',
        value: 'NAME',
        summary: 'a group they belong to (repeatable); change: replaces all groups, none for no group',
      },
      { name: 'service-account', summary: 'a program, not a person' },
    ],
    examples: [
      { line: 'plinth user create ada --role developer', does: 'can change every product of the tenant' },
      { line: 'plinth user create bot --service-account --group finance', does: 'a program' },
      { line: 'plinth user change ada --role viewer --group none', does: 'from the next request on' },
    ],
    load: () => import('./commands/user.ts'),
  },
  {
    name: 'token',
    summary: 'make, list or revoke API tokens',
    details: ['The text of a token is shown once, when it is made; only a hash of it is kept.'],
    arguments: [
      {
        name: 'action',
        summary: 'create, list or revoke',
        isRequired: true,
        choices: ['create', 'list', 'revoke'],
      },
      { name: 'id', summary: 'of the token to revoke' },
    ],
    options: [
      { name: 'user', value: 'NAME', summary: 'whose token it is' },
      TENANT,
      { name: 'name', value: 'TEXT', summary: 'what it is for' },
      { name: 'scope', value: 'SCOPE', summary: 'limit it to this scope, such as query:read (repeatable)' },
      { name: 'expires', value: 'DURATION', summary: 'for how long it is valid: 90d, 12 hours' },
    ],
    examples: [
      { line: 'plinth token create --user ada', does: 'with all rights of ada' },
      { line: 'plinth token create --user bot --scope query:read --expires 90d', does: 'questions only' },
      { line: 'plinth token revoke k_01hxyz', does: 'from now on' },
    ],
    load: () => import('./commands/token.ts'),
  },
  {
    name: 'grant',
    summary: 'grant a role on a product or in the tenant',
    arguments: [
      { name: 'principal', summary: 'name of a user, or group:NAME', isRequired: true },
      {
        name: 'role',
        summary: 'owner, editor or consumer of a product; admin, developer or viewer of the tenant',
        isRequired: true,
        choices: [...PRODUCT_ROLES, ...TENANT_ROLES],
      },
    ],
    options: [
      { name: 'product', value: 'NAME', summary: 'this project by default' },
      TENANT,
      {
        name: 'expires',
        value: 'DURATION',
        summary: 'for how long a role on a product counts: 90d, 12 hours',
      },
    ],
    examples: [
      { line: 'plinth grant group:finance editor --product shop', does: 'a whole group' },
      { line: 'plinth grant bob editor --expires 8h', does: 'for a day of work' },
      { line: 'plinth grant ada admin', does: 'of the tenant' },
    ],
    load: () => import('./commands/grant.ts'),
  },
  {
    name: 'access',
    summary: 'see who has access to this product, request access, decide requests, revoke grants',
    arguments: [
      {
        name: 'action',
        summary: 'grants, requests, request, approve, deny or revoke',
        isRequired: true,
        choices: ['grants', 'requests', 'request', 'approve', 'deny', 'revoke'],
      },
      {
        name: 'name',
        summary: 'id of a request; to request, name of a user; to revoke, of a user or group:NAME',
      },
    ],
    options: [
      {
        name: 'status',
        value: 'STATUS',
        choices: ['pending', 'approved', 'denied', 'all'],
        summary: 'of requests (default: pending)',
      },
      {
        name: 'role',
        value: 'ROLE',
        choices: PRODUCT_ROLES,
        summary: 'the role that is requested (default: consumer), or approved in its place',
      },
      { name: 'expires', value: 'DURATION', summary: 'for this long: 90d, 12 hours' },
      { name: 'note', value: 'TEXT', summary: 'why, shown to those who decide and to the requester' },
    ],
    examples: [
      {
        line: 'plinth access request bob --role editor --expires 8h',
        does: 'asks for it in the name of bob',
      },
      { line: 'plinth access approve a_01hxyz --expires 90d', does: 'the requested role, for three months' },
      { line: 'plinth access revoke bob', does: 'revokes all grants, from the next request on' },
    ],
    load: () => import('./commands/access.ts'),
  },
  {
    name: 'follow',
    summary: 'hear of what happens to the product, a model or a metric, and to what it is made of',
    details: [
      'Without a target it lists what is followed. Events come into the inbox: plinth notify inbox. A server or plinth worker deals them out.',
    ],
    arguments: [{ name: 'target', summary: 'product, model:NAME, metric:NAME or perspective:SLUG' }],
    options: [
      { name: 'user', value: 'NAME', summary: 'in whose name (default: the local administrator)' },
      { name: 'group', value: 'NAME', summary: 'have all members of a group follow' },
      { name: 'event', value: 'TYPE', summary: 'only these events: audit.failed, dq.* (repeatable)' },
      {
        name: 'severity',
        value: 'SEVERITY',
        choices: SEVERITIES,
        summary: 'only from this severity on (default: warning)',
      },
      { name: 'remove', summary: 'follow it no longer' },
    ],
    examples: [
      { line: 'plinth follow product --group finance', does: 'all members of finance hear of everything' },
      { line: 'plinth follow model:marts.orders --user ada', does: 'ada hears of what happens to it' },
      {
        line: 'plinth follow metric:monthly_revenue --event audit.failed',
        does: 'also of audits of its models',
      },
    ],
    load: () => import('./commands/follow.ts'),
  },
  {
    name: 'notify',
    summary: 'the inbox, what was sent to channels, and the types of events',
    arguments: [
      {
        name: 'action',
        summary: 'inbox, deliveries, dead, redrive or types',
        isRequired: true,
        choices: ['inbox', 'deliveries', 'dead', 'redrive', 'types'],
      },
    ],
    options: [
      { name: 'user', value: 'NAME', summary: 'whose (default: the local administrator)' },
      { name: 'read', summary: 'marks the inbox as read' },
      { name: 'config', summary: 'what targets of config.yaml got' },
    ],
    examples: [
      { line: 'plinth notify inbox --user ada', does: 'what ada has heard of' },
      { line: 'plinth notify inbox --user ada --read', does: 'shows it and marks it as read' },
      { line: 'plinth notify dead', does: 'deliveries that were given up' },
    ],
    load: () => import('./commands/notify.ts'),
  },
  {
    name: 'events',
    summary: 'the event log of the product',
    arguments: [],
    options: [
      { name: 'user', value: 'NAME', summary: 'as this user may know it (default: the local administrator)' },
      { name: 'since', value: 'N', summary: 'a sequence: only events after it (default: the last 100)' },
      {
        name: 'type',
        value: 'TYPE',
        summary: 'only these types; plan.* are all that begin so (repeatable)',
      },
    ],
    examples: [
      { line: "plinth events --type 'dq.*'", does: 'what checks found' },
      { line: 'plinth events --since 1200', does: 'what happened after the event 1200' },
      { line: 'plinth events --user ada', does: 'what ada may know of' },
    ],
    load: () => import('./commands/events.ts'),
  },
  {
    name: 'auth',
    summary: 'sign a JWT for a user, valid for an hour',
    arguments: [
      { name: 'action', summary: 'jwt', isRequired: true, choices: ['jwt'] },
      { name: 'user', summary: 'whose it is', isRequired: true },
    ],
    options: [TENANT],
    examples: [
      { line: 'plinth auth jwt ada', does: 'for the Platform API' },
      { line: 'plinth auth jwt bot --tenant acme', does: 'of another tenant' },
      { line: 'plinth token create --user ada', does: 'a token instead' },
    ],
    load: () => import('./commands/auth.ts'),
  },
];
