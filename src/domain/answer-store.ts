/** An answer, without secrets. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** A request that came with an `Idempotency-Key`. */
export interface KeyedRequest {
  /** Hash of principal, address and key. */
  readonly name: string;
  /** Hash of what was asked. */
  readonly asked: string;
  /** The process that works on it. */
  readonly worker: string;
  readonly at: number;
}

/**
 * `begun`: the caller has to answer it. `kept`: the first answer. `unfinished`: another process began it and has not answered
 * yet, or died before it stored the answer. `other`: the key was used for another request.
 */
export type KeyOutcome =
  | { readonly kind: 'begun' }
  | { readonly kind: 'kept'; readonly answer: KeptAnswer }
  | { readonly kind: 'unfinished' }
  | { readonly kind: 'other' };

/** First answers by idempotency key; each method is one transaction. */
export interface AnswerStore {
  /** Takes an unfinished one over when `canRepeat`, and one that is older than `since` in any case. */
  begin(
    request: KeyedRequest,
    how: { readonly canRepeat: boolean; readonly since: number },
  ): Promise<KeyOutcome>;
  keep(name: string, worker: string, answer: KeptAnswer): Promise<void>;
  /** The request failed, or its answer is not kept: the key may be used again. */
  drop(name: string, worker: string): Promise<void>;
  /** Forgets what is older, then the oldest until all fit. */
  sweep(request: { readonly since: number; readonly bytesMax: number }): Promise<void>;
}
