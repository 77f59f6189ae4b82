import { STATEMENT_LIMITS, type StatementLimits } from './statement.ts';

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
