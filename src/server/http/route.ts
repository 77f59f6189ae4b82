import type { FastifyReply, FastifyRequest } from 'fastify';
import type { KeptAnswer } from '../../domain/answer-store.ts';
import type { Identity, Scope } from '../../domain/principal.ts';
import type { JsonSchema } from '../../foundation/yaml/schema.ts';
import type { Platform, Product } from '../../operations/platform.ts';

/** What validates a request and what its OpenAPI document says are one. */
export type { JsonSchema };

/** One address with one method. The table of these is the API: it is served, validated and documented from it. */
export interface Route<Asked extends RouteCall = RouteCall> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the base of its API, with `{names}`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly tag: string;
  /** The permission it needs: none, any credential, reader or administrator of the tenant in the path, administrator of the platform, or a scope on the product. */
  readonly access: 'public' | 'known' | 'tenant-viewer' | 'tenant-admin' | 'platform-admin' | Scope;
  /** What a token that is limited must have been given beside. */
  readonly scope?: Scope;
  /** Requests that need no credential and learn nothing of the product: a page that is the same for all. */
  readonly isOpenTo?: (request: FastifyRequest) => boolean;
  /** Parameters behind the `?`, by name. */
  readonly query?: Readonly<Record<string, JsonSchema>>;
  readonly body?: JsonSchema;
  /** Without a body it is asked as with an empty object. */
  readonly hasOptionalBody?: true;
  /** Answers besides errors, by status. */
  readonly answers: Readonly<Record<number, RouteAnswer>>;
  /** Its answer has an ETag, and 304 when the caller has it. */
  readonly hasTag?: true;
  /** `If-Match` counts. */
  readonly isConditional?: true;
  /** Its answer shows something this once: it is not kept for those who repeat the request. */
  readonly hasSecret?: true;
  /** To do it a second time changes nothing that counts. */
  readonly canRepeat?: true;
  /** Whether a kept answer may be given again; false: it is asked again. Throws the refusal for a caller who may not ask it now. */
  readonly mayRepeat?: (call: Asked, answer: KeptAnswer) => Promise<boolean>;
  /** What a later version will do: until then it answers 405 `http.not-yet` to callers with permission, and is in no document. */
  readonly notYet?: string;
  readonly handle: (call: Asked) => Promise<unknown>;
}

export interface RouteAnswer {
  readonly description: string;
  readonly schema?: JsonSchema;
  /** `application/json` when absent. */
  readonly types?: readonly string[];
}

/** A request whose caller is known and allowed. */
export interface RouteCall {
  readonly platform: Platform;
  readonly identity: Identity;
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly correlationId: string;
  /** Aborted when the caller goes. */
  readonly signal: AbortSignal;
  /** Aborted when the server is about to end: what has no end of its own ends. */
  readonly draining: AbortSignal;
  /** The caller with their present rights; undefined when the credential is no longer valid. Long answers check again. */
  readonly again: () => Promise<Identity | undefined>;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** A request to an address below a product. */
export interface ProductCall extends RouteCall {
  readonly product: Product;
}

/** The routes of one API. */
export interface Api<Asked extends RouteCall = RouteCall> {
  readonly title: string;
  readonly description: string;
  readonly base: string;
  /** Takes a token as `apikey` too, and not only as Bearer. */
  readonly takesApikey?: true;
  readonly routes: readonly Route<Asked>[];
}
