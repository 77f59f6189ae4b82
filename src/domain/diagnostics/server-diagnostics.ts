import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const serverDiagnostics = {
  'server.same-product': {
    severity: 'error',
    message: 'The folders {first} and {second} are both the product {product}.',
    hint: 'give one of them another name or tenant in config.yaml',
    explain:
      'A server finds a product by its tenant and name, which config.yaml gives. Two folders with the same pair would have one address.',
  },
  'server.same-state': {
    severity: 'error',
    message: 'The folders {first} and {second} have the same state.',
    hint: 'give each a state of its own: state_connection of its gateway in config.yaml',
    explain:
      'Statements, events, users and tokens of a product are in its state. Two products with one state would see those of each other.',
  },
  'server.not-served': {
    severity: 'error',
    message: 'The product {product} is not served: {reason}.',
    hint: 'run plinth status in its folder; when that works again, start the server again',
    explain:
      'A server of several folders starts without those whose state is damaged, locked or cannot be written, and says so. Only the first folder must be whole: it keeps those who administer the platform.',
  },
  'server.unsafe-bind': {
    severity: 'error',
    message: 'Without authentication a server listens on this machine only, not on {host}.',
    hint: 'use --auth required, or --force and server.hosts when only trusted clients can reach the network',
    explain:
      'With --auth disabled every request is that of the local administrator. On any address but loopback, every client in the network could read and change everything.',
  },
  'server.cannot-listen': {
    severity: 'error',
    message: 'The server cannot listen on {host}:{port}: {detail}.',
    hint: 'choose another --port; 0 takes a free one',
    explain: 'Another process has the port, or this user may not use it.',
  },
  'server.cannot-read-tls': {
    severity: 'error',
    message: 'The file {path} cannot be used for TLS: {detail}.',
    hint: '--tls-cert and --tls-key name PEM files, and belong together',
    explain: 'TLS needs a certificate and its private key, both as PEM files that this user can read.',
  },
  'http.not-found': {
    severity: 'error',
    message: 'There is nothing at {path}.',
    hint: '/platform-api/reference and /reference below the address of a product show all there are',
    explain: 'No address of the server has this path, or nothing of this name is there for this caller.',
  },
  'http.wrong-method': {
    severity: 'error',
    message: '{method} is not answered at {path}.',
    hint: 'the header Allow lists the allowed methods',
    explain: 'The address exists and has other methods.',
  },
  'http.bad-request': {
    severity: 'error',
    message: 'The request cannot be read: {detail}.',
    explain: 'The body is not JSON, is cut off, or its length or encoding is not what its headers say.',
  },
  'http.foreign-host': {
    severity: 'error',
    message: 'This server does not answer under the name {host}.',
    hint: 'ask it as localhost or 127.0.0.1, list the name in server.hosts of config.yaml, or start it with --auth required',
    explain:
      'Without authentication every client that reaches the server has all rights. A web page can make its own host name resolve to this machine (DNS rebinding), so the server answers only loopback names and addresses and those in `server.hosts`.',
  },
  'http.foreign-origin': {
    severity: 'error',
    message: 'A page of {origin} may not change anything here.',
    hint: 'use a page of this server or a program, or start the server with --auth required',
    explain:
      'Without authentication every client that reaches the server has all rights, including a web page of another site in a browser on this machine. Browsers send the origin of a request (`Origin`, `Sec-Fetch-Site`); requests from other origins may only read.',
  },
  'http.invalid': {
    severity: 'error',
    message: 'The request has {count} wrong.',
    explain:
      'Fields of the body or parameters of the address are missing, unknown or of another kind than the API says; `errors` lists all of them.',
  },
  'http.too-large': {
    severity: 'error',
    message: 'The body is larger than {limit} bytes.',
    explain: 'Bodies have a limit, which /platform-api/v1/limits shows.',
  },
  'http.too-deep': {
    severity: 'error',
    message: 'The body is nested deeper than {limit} levels.',
    hint: 'no question needs as many: filters have 100 levels of and/or, which are two of JSON each',
    explain:
      'Nested brackets are counted before a body is parsed, so that one request cannot exhaust the parser.',
  },
  'http.wrong-content': {
    severity: 'error',
    message: 'A body of type {found} cannot be read here.',
    hint: 'send application/json',
    explain: 'The APIs read JSON bodies only, and the header Content-Type must say so.',
  },
  'http.not-acceptable': {
    severity: 'error',
    message: 'The answer cannot be {accept}: here it is {types}.',
    hint: 'accept one of these types, or leave the header Accept out',
    explain:
      'The header Accept names none of the types that the address answers with, or refuses all of them.',
  },
  'http.too-many': {
    severity: 'error',
    message: 'There were more than {limit} requests a second.',
    hint: 'wait as long as Retry-After says',
    explain: 'Each token has a limit of requests a second, which /platform-api/v1/limits shows.',
  },
  'http.too-many-answers': {
    severity: 'error',
    message: 'Answers that are under way {what} of server.limits.answer_bytes ({limit}).',
    hint: 'read the earlier answers first, or wait as long as Retry-After says',
    explain:
      'Large answers share a fixed amount of server memory until clients have read them. One caller gets at most half of it. An answer that does not fit is not begun (back-pressure).',
  },
  'http.draining': {
    severity: 'error',
    message: 'The server is shutting down and accepts no new requests.',
    hint: 'repeat the request in a moment',
    explain:
      'The server was asked to shut down. It finishes the requests that it has begun and refuses new ones.',
  },
  'http.bad-cursor': {
    severity: 'error',
    message: 'The cursor cannot be read.',
    hint: 'take it from next_cursor of the page before, unchanged, with the same filters',
    explain: 'Cursors come from the server and are good for one list with one set of filters.',
  },
  'http.key-reused': {
    severity: 'error',
    message: 'The Idempotency-Key was used with another request.',
    hint: 'use a new key for a new request; the same one only to repeat a request as it was',
    explain:
      'For 24 hours a key stands for the first request that came with it: the same request gets the same answer, and a different request under the same key is refused.',
  },
  'http.key-unfinished': {
    severity: 'error',
    message: 'The request with this Idempotency-Key was begun and has no answer yet.',
    hint: 'check whether it was done; if not, send it with a new key',
    explain:
      'Another server process is working on it, or that process ended before it stored the answer. Repeating the request could do the work twice, so the caller has to check first.',
  },
  'http.secret-shown': {
    severity: 'error',
    message: 'The request under this Idempotency-Key was answered with a secret, which is shown once.',
    hint: 'revoke the token that the header Location names, and create another with a new key',
    explain:
      'The server does not store secrets such as the text of a token, so it cannot repeat the first answer.',
  },
  'http.not-ready': {
    severity: 'error',
    message: 'The server cannot use the {what} of a product.',
    hint: 'check that the files exist and their disk has free space; then start the server again',
    explain:
      'The server runs, but no product, or not the state of the first folder, can be used. The warehouse or the state cannot be read or written: a file was deleted or replaced, its disk is full, or it does not answer within two seconds.',
  },
  'http.not-yet': {
    severity: 'error',
    message: '{what} is not possible yet.',
    explain: 'The address is reserved for something that this version of the server cannot do.',
  },
  'activity.run-elsewhere': {
    severity: 'error',
    message: 'The run {id} goes on in another process and cannot be cancelled here.',
    hint: 'end it where it was started: {who}',
    explain:
      'A server can cancel the runs that were started through it and those of its own scheduler. Cancel a run of the command line, of `plinth worker` or of another server there, with Ctrl-C.',
  },
  'http.bug': {
    severity: 'error',
    message: 'The server met an internal error.',
    hint: 'report it with the correlation id; the log has the details',
    explain:
      'An unexpected error. Its text is in the server log only, since it may name things a caller must not see.',
  },
} as const satisfies Catalog;
