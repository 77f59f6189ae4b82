import { SERVER_LIMITS, type ServerLimits } from '../../../domain/server-limits.ts';
import {
  list,
  object,
  optional,
  required,
  withoutEffect,
} from '../../../foundation/yaml/collection-schemas.ts';
import { data, flag, located, number, text } from '../../../foundation/yaml/scalar-schemas.ts';
import type { ValueOf } from '../../../foundation/yaml/schema.ts';

const count = (max: number) => number({ isInteger: true, min: 1, max });
const MEBIBYTE = 1_048_576;
const bytes = number({ isInteger: true, min: 1024, max: 2 ** 50 });

/** Named as `GET /platform-api/v1/limits` names them. */
const limits = object(
  {
    requests_per_second: optional(
      count(1_000_000),
      'Requests a second of each caller, in bursts of as many; 100.',
    ),
    failed_credentials_per_minute: optional(
      count(1_000_000),
      'Unknown credentials a minute from one address, in bursts of as many; further ones are not looked up; 6000.',
    ),
    body_bytes: optional(
      number({ isInteger: true, min: 1024, max: 64 * MEBIBYTE }),
      'The largest body of a request; 4194304.',
    ),
    request_seconds: optional(
      number({ min: 0.1, max: 3600 }),
      'How long a request may take to arrive, headers and body; 30.',
    ),
    connections: optional(count(1_000_000), 'How many connections are open at the same time; 10000.'),
    answer_bytes: optional(
      number({ isInteger: true, min: MEBIBYTE, max: 65_536 * MEBIBYTE }),
      'Memory of all large answers under way, half of it for one caller; 201326592.',
    ),
    sql_bytes: optional(count(64 * MEBIBYTE), 'The longest SQL text of a statement; 1048576.'),
    parameters: optional(count(65_536), 'How many parameters a statement may have; 1000.'),
    statement_seconds_default: optional(
      located(number({ min: 0.001, max: 604_800 })),
      'How long a statement may run that names no timeout; 300, or the longest where that is less.',
    ),
    statement_seconds_max: optional(
      number({ min: 0.001, max: 604_800 }),
      'The longest timeout that a statement may ask for; 3600.',
    ),
    statements_running: optional(count(256), 'How many statements of a product run at the same time; 4.'),
    statements_queued: optional(count(1_000_000), 'How many statements of a product wait; 1000.'),
    page_rows: optional(count(1_000_000), 'Rows of a page of a result in JSON; 50000.'),
    results_bytes: optional(
      bytes,
      'How many bytes all results of a product may have together; above, the oldest go; 68719476736.',
    ),
    results_bytes_each: optional(
      bytes,
      'How many bytes the results of one caller may have, and one result; above, the oldest of theirs go; 17179869184.',
    ),
    result_hours: optional(number({ min: 0.001, max: 8760 }), 'How long results are kept; 24.'),
  },
  { name: 'server.limits' },
);

/** Keys that come unprotected over a network could come from any host. */
const KEY_ADDRESS =
  /^(?:https:\/\/[^\s/]|http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?\/)\S*$/;

const issuer = object(
  {
    issuer: required(text(), 'What the claim iss says.'),
    audience: required(text(), 'What the claim aud says, or one of what it says.'),
    jwks_url: required(
      text({
        pattern: KEY_ADDRESS,
        expected: 'an address that begins with https:// (http:// on this machine)',
      }),
      'Where the issuer publishes its keys; nothing else is ever asked for them.',
    ),
  },
  { name: 'server.jwt' },
);

const HOST = String.raw`(?:[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_])?|\[[\da-f:.]+\])(?::\d{1,5})?`;

const cors = object(
  {
    origins: required(
      list(
        text({
          pattern: new RegExp(`^https?://${HOST}$`),
          expected:
            'a scheme and a host in lower case, and a port where it has one, such as https://app.example',
        }),
      ),
      'Sites whose pages may ask: each is named, because a page asks with the rights of its reader.',
    ),
  },
  { name: 'server.cors' },
);

/** `server` of config.yaml. */
export const serverSchema = object(
  {
    service: optional(
      text({ pattern: /^[a-z][a-z0-9-]{0,59}$/, expected: 'lower-case letters, digits and dashes' }),
      'The first segment of the addresses of products; plinth.',
    ),
    hosts: optional(
      list(
        text({
          pattern: /^(?:[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_])?|[\da-f:.]*:[\da-f:.]*)$/i,
          expected: 'a host name or an address, without a port',
        }),
      ),
      'Names under which a server without authentication is asked, beside localhost and other loopback ones.',
    ),
    public_url: optional(
      text({
        pattern: new RegExp(`^https?://${HOST}(?:/[\\w.~-]+)*$`, 'i'),
        expected:
          'an address such as https://data.example or https://example.com/data, without a slash at its end',
      }),
      'How callers reach the server, through a proxy for example: links and endpoints begin with it. Otherwise with the Host of each request.',
    ),
    cors: optional(cors, 'Which web pages may send requests to the server; none otherwise.'),
    host: withoutEffect(data('nothing inside is read'), 'plinth serve takes --host'),
    port: withoutEffect(data('nothing inside is read'), 'plinth serve takes --port'),
    jwt: optional(list(issuer), 'Issuers whose JWTs are accepted for the users of this tenant.'),
    webhooks: optional(
      object(
        {
          allow_private: optional(
            flag(),
            'Whether channels of callers may reach addresses inside the network, and without encryption; false.',
          ),
        },
        { name: 'server.webhooks' },
      ),
      'What channels of notifications may reach.',
    ),
    limits: optional(
      limits,
      'What the server accepts; of several folders in one server those of the first count.',
    ),
  },
  { name: 'server' },
);

type ServerValue = ValueOf<typeof serverSchema>;

/** Every limit, with what is not written at its default. */
export function serverLimits(value: ServerValue['limits']): ServerLimits {
  const before = SERVER_LIMITS.statements;
  const ms = (seconds: number | undefined): number | undefined =>
    seconds === undefined ? undefined : Math.ceil(seconds * 1000);
  const timeoutMsMax = ms(value?.statement_seconds_max) ?? before.timeoutMsMax;
  return {
    bodyBytes: value?.body_bytes ?? SERVER_LIMITS.bodyBytes,
    requestsPerSecond: value?.requests_per_second ?? SERVER_LIMITS.requestsPerSecond,
    failedCredentialsPerMinute:
      value?.failed_credentials_per_minute ?? SERVER_LIMITS.failedCredentialsPerMinute,
    requestMsMax: ms(value?.request_seconds) ?? SERVER_LIMITS.requestMsMax,
    connectionsMax: value?.connections ?? SERVER_LIMITS.connectionsMax,
    answerBytesMax: value?.answer_bytes ?? SERVER_LIMITS.answerBytesMax,
    statements: {
      ...before,
      sqlBytesMax: value?.sql_bytes ?? before.sqlBytesMax,
      parametersMax: value?.parameters ?? before.parametersMax,
      // A default above the longest would be refused with every statement that names none.
      timeoutMs: Math.min(ms(value?.statement_seconds_default?.value) ?? before.timeoutMs, timeoutMsMax),
      timeoutMsMax,
      runningMax: value?.statements_running ?? before.runningMax,
      queuedMax: value?.statements_queued ?? before.queuedMax,
      resultsBytesMax: value?.results_bytes ?? before.resultsBytesMax,
      resultsBytesMaxEach: value?.results_bytes_each ?? before.resultsBytesMaxEach,
      pageRowsMax: value?.page_rows ?? before.pageRowsMax,
      keptMs: ms(value?.result_hours === undefined ? undefined : value.result_hours * 3600) ?? before.keptMs,
    },
  };
}
