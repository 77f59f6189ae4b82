import { STATEMENT_LIMITS, type StatementLimits } from './statement.ts';

/** What a server accepts; those of the first folder it serves count for all. `server.limits` of config.yaml changes each. */
export interface ServerLimits {
  readonly bodyBytes: number;
  /** For each token, and each principal who shows JWTs; in bursts of as many. */
  readonly requestsPerSecond: number;
  /** Credentials that nobody has, from one address, in bursts of as many; further ones are not looked up. */
  readonly failedCredentialsPerMinute: number;
  /** From the first byte to the last one of the body; slower ones are 408. */
  readonly requestMsMax: number;
  /** Further ones are closed before anything is read from them. */
  readonly connectionsMax: number;
  /** For each product by itself. */
  readonly statements: StatementLimits;
}

export const SERVER_LIMITS: ServerLimits = {
  bodyBytes: 4 * 1_048_576,
  requestsPerSecond: 100,
  failedCredentialsPerMinute: 6_000,
  requestMsMax: 30_000,
  connectionsMax: 10_000,
  statements: STATEMENT_LIMITS,
};
