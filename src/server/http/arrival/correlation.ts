import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

const WELL_FORMED = /^[\w.:+/=@-]{1,128}$/;

/** The caller's id for the request: written in every log line and echoed. What could break a log or a header is replaced by a new one. */
export function correlationIdOf({ headers }: { readonly headers: IncomingHttpHeaders }): string {
  for (const name of ['platform-correlation-id', 'x-request-id']) {
    const value = headers[name];
    if (typeof value === 'string' && WELL_FORMED.test(value)) return value;
  }
  return randomUUID();
}

export const genReqId = (request: IncomingMessage): string => correlationIdOf(request);
