/** What a server accepts; those of the first folder apply to all folders. `server.limits` of config.yaml changes each. */
export interface ServerLimits {
  readonly bodyBytes: number;
  /** For each token, and each principal who shows JWTs; in bursts of as many. */
  readonly requestsPerSecond: number;
  /** Unknown credentials from one address, in bursts of as many; further ones are not looked up. */
  readonly failedCredentialsPerMinute: number;
  /** From the first byte to the last one of the body; slower ones are 408. */
  readonly requestMsMax: number;
  /** Further ones are closed before anything is read from them. */
  readonly connectionsMax: number;
  /** Memory of all large answers under way; half of it for one caller. */
  readonly answerBytesMax: number;
  /** For each product by itself. */
  readonly statements: StatementLimits;
}

/** Bounds of statements; a product's configuration may set others. */
export interface StatementLimits {
  readonly sqlBytesMax: number;
  readonly parametersMax: number;
  readonly tagsMax: number;
  readonly timeoutMs: number;
  readonly timeoutMsMax: number;
  readonly pageRowsMax: number;
  readonly pageBytesMax: number;
  readonly inlineBytesMax: number;
  readonly resultBytesMax: number;
  /** Of all results of a product together, and of those of one principal: above it, the oldest are deleted. */
  readonly resultsBytesMax: number;
  readonly resultsBytesMaxEach: number;
  readonly keptMs: number;
  readonly runningMax: number;
  readonly queuedMax: number;
  /** How long a fingerprint that brought the engine down is refused. */
  readonly refusedMs: number;
}

export const STATEMENT_LIMITS: StatementLimits = {
  sqlBytesMax: 1_048_576,
  parametersMax: 1_000,
  tagsMax: 20,
  timeoutMs: 300_000,
  timeoutMsMax: 3_600_000,
  pageRowsMax: 50_000,
  pageBytesMax: 8_388_608,
  inlineBytesMax: 65_536,
  resultBytesMax: 17_179_869_184,
  resultsBytesMax: 68_719_476_736,
  resultsBytesMaxEach: 17_179_869_184,
  keptMs: 86_400_000,
  runningMax: 4,
  queuedMax: 1_000,
  refusedMs: 3_600_000,
};

const REQUESTS_PER_SECOND = 100;

export const SERVER_LIMITS: ServerLimits = {
  bodyBytes: 4 * 1_048_576,
  requestsPerSecond: REQUESTS_PER_SECOND,
  // As many as a caller may ask. It bounds the work of looking them up, not the guesses: a token has 160 random bits and a JWT a
  // signature, so no rate brings a guess nearer. With fewer, one client with an expired token locks out newcomers behind its address.
  failedCredentialsPerMinute: 60 * REQUESTS_PER_SECOND,
  requestMsMax: 30_000,
  connectionsMax: 10_000,
  answerBytesMax: 192 * 1_048_576,
  statements: STATEMENT_LIMITS,
};
