import type { CheckOutcome, CheckResult, Incident } from './check-result.ts';
import type { NewEvent } from './event.ts';
import type { TableProfile } from './table-profile.ts';

/** A value that a check measured, as anomaly and change rules need it. */
export interface MeasuredValue {
  readonly at: number;
  readonly value: number | null;
  readonly outcome: CheckOutcome;
  readonly dataVersion: string;
}

/** Results of checks, incidents and profiles: reading half. */
export interface QualityReader {
  /** The newest result of each check, by `check`; results of checks that no pack defines any more are among them. With `at` those that were the newest then. */
  latestResults(request: {
    readonly environment: string;
    readonly models?: readonly string[];
    readonly at?: number;
  }): Promise<readonly CheckResult[]>;
  /** Since when each check that does not pass has had the outcome of its newest result, by `check`. */
  outcomesSince(request: { readonly environment: string }): Promise<ReadonlyMap<string, number>>;
  /** What speaks against the data of these models: newest results that do not pass, and incidents that are open; of checks that no pack defines any more, too. */
  troubles(request: { readonly environment: string; readonly models: readonly string[] }): Promise<{
    readonly results: readonly CheckResult[];
    readonly incidents: readonly Incident[];
  }>;
  /** Newest first. Ids sort by time. */
  results(request: {
    readonly environment: string;
    readonly check?: string;
    readonly model?: string;
    readonly runId?: string;
    readonly outcomes?: readonly CheckOutcome[];
    readonly since?: number;
    /** Older than this id. */
    readonly before?: string;
    /** Not older than this id. */
    readonly from?: string;
    /** Of any state of the data but this one. */
    readonly notOf?: string;
    readonly limit: number;
  }): Promise<readonly CheckResult[]>;
  result(id: string): Promise<CheckResult | undefined>;
  /** Newest last, at most `limit` of each check: results with a value, also of rules that were still learning. */
  history(request: {
    readonly environment: string;
    readonly checks: readonly string[];
    readonly limit: number;
  }): Promise<ReadonlyMap<string, readonly MeasuredValue[]>>;
  /** Newest first. */
  incidents(request: {
    readonly environment: string;
    readonly isOpen?: boolean;
    readonly check?: string;
    readonly model?: string;
    readonly before?: string;
    readonly limit: number;
  }): Promise<readonly Incident[]>;
  incident(id: string): Promise<Incident | undefined>;
  /** Newest first. */
  profiles(request: {
    readonly environment: string;
    readonly model?: string;
    readonly before?: string;
    readonly limit: number;
  }): Promise<readonly TableProfile[]>;
  profile(id: string): Promise<TableProfile | undefined>;
  /** The first profile of a model in an environment, which stays however old it is. */
  baseline(request: {
    readonly environment: string;
    readonly model: string;
  }): Promise<TableProfile | undefined>;
}

export interface QualityStore extends QualityReader {
  /**
   * Records what a check run found, in one transaction: results, incidents that open or close, and events of both
   * (`dq.failed`, `dq.warned`, `dq.recovered`, `incident.opened`, `incident.closed`), as `check-status.ts` says; then the events
   * that are given. A result with a known id changes nothing, and a call whose results are all known adds no events. What is too
   * long is cut (`bounded-result.ts`). Answers with the incidents that opened, closed or counted one more failure.
   */
  recordResults(results: readonly CheckResult[], events: readonly NewEvent[]): Promise<readonly Incident[]>;
  /**
   * Of checks that no pack has any more: they are not among the newest results, and their incidents close (`incident.closed`).
   * Their results stay in the history. Answers with the incidents that closed.
   */
  retireChecks(request: {
    readonly environment: string;
    readonly checks: readonly string[];
    readonly at: number;
  }): Promise<readonly Incident[]>;
  /** A profile with a known id changes nothing. */
  recordProfiles(profiles: readonly TableProfile[], events: readonly NewEvent[]): Promise<void>;
}
