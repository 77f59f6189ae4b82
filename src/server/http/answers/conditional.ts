/** `ETag`, `If-Match` and `If-None-Match` (RFC 9110): what a caller has seen, and what may be changed on that ground. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { hash128 } from '../../../foundation/hash128.ts';
import type { JsonSchema, Route, RouteCall } from '../route.ts';
import { Problem } from './problem.ts';

const LIST = /^\s*(?:W\/)?"[\x21\x23-\x7e]{0,200}"(?:\s*,\s*(?:W\/)?"[\x21\x23-\x7e]{0,200}")*\s*$/;

/** Tags without their quotes; weak ones keep their `W/`, and so are never those of a change. */
function tagsOf(name: string, value: string | undefined): readonly string[] | undefined {
  if (value === undefined) return undefined;
  if (value.trim() === '*') return ['*'];
  if (!LIST.test(value))
    throw new Problem(400, diagnostic('http.bad-request', { detail: `its ${name} is not a list of ETags` }));
  return [...value.matchAll(/(W\/)?"([^"]*)"/g)].map(([, weak, tag]) => `${weak ?? ''}${tag}`);
}

/** What `If-Match` asks of the thing that is about to change; undefined without one. */
export const expectedOf = ({ request }: Pick<RouteCall, 'request'>): readonly string[] | undefined =>
  tagsOf('If-Match', request.headers['if-match']);

/** `If-None-Match: *`: only when it is not there yet. */
export const isOnlyNew = ({ request }: Pick<RouteCall, 'request'>): boolean =>
  tagsOf('If-None-Match', request.headers['if-none-match'])?.includes('*') ?? false;

/** The tag of what is sent; the bytes of the answer may be older, so it is not computed from them. */
export const showTag = ({ reply }: Pick<RouteCall, 'reply'>, tag: string | undefined): void => {
  if (tag !== undefined) reply.header('etag', `"${tag}"`);
};

/** A GET whose answer has a tag, so that a caller who has it already gets 304 and no body. */
export const tagged = <Asked extends RouteCall>(route: Route<Asked>): Route<Asked> =>
  route.method !== 'GET' || route.answers[304] !== undefined
    ? route
    : {
        ...route,
        hasTag: true,
        answers: { ...route.answers, 304: { description: 'it is as If-None-Match says' } },
      };

/** Gives an answer its tag, and takes its body away when the caller has it. */
export function answerOnce(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  if (reply.statusCode !== 200 || typeof payload !== 'string') return payload;
  const own = reply.getHeader('etag');
  const tag = typeof own === 'string' ? own : `"${hash128(payload)}"`;
  reply.header('etag', tag);
  const written = request.headers['if-none-match'];
  // A read that names only tags which no answer has is a read like any other.
  const seen =
    written === '*' || (written !== undefined && LIST.test(written)) ? tagsOf('', written) : undefined;
  const bare = tag.slice(1, -1);
  // A read compares weakly: what a proxy made of a tag is still the tag.
  if (!(seen?.some((each) => each === '*' || each.replace(/^W\//, '') === bare) ?? false)) return payload;
  reply.code(304).removeHeader('content-type').removeHeader('content-length');
  return null;
}

/** Parameters for the document of an API. */
export function conditionParameters({
  hasTag,
  isConditional,
}: Pick<Route, 'hasTag' | 'isConditional'>): readonly {
  readonly name: string;
  readonly in: 'header';
  readonly description: string;
  readonly schema: JsonSchema;
}[] {
  const schema = { type: 'string', maxLength: 1000, pattern: '^(\\*|"[!#-~]*")$' } as const;
  return [
    ...(hasTag === true
      ? [
          {
            name: 'If-None-Match',
            in: 'header' as const,
            description: 'ETags of this address; 304 when it is as one of them',
            schema: { type: 'string' },
          },
        ]
      : []),
    ...(isConditional === true
      ? [
          {
            name: 'If-Match',
            in: 'header' as const,
            description: 'the ETag that the caller has seen; 412 when it has changed since',
            schema,
          },
        ]
      : []),
  ];
}
