import { badParameter, requiredSegment } from './data-product-error.ts';
import type { AnyRecord, Page } from './records.ts';
import { change, everyItem, type InEnvironment, many, one, type PageOptions } from './resource-requests.ts';
import type { Transport } from './transport.ts';

/** Which rules. */
export interface RuleListOptions extends PageOptions {
  readonly model?: string;
  readonly dimension?: string;
  /** The worst of what its checks found last. */
  readonly outcome?: CheckOutcome;
}

export type CheckOutcome = 'pass' | 'warn' | 'fail' | 'error' | 'not_evaluated';

/** Which results of checks. */
export interface ResultListOptions extends PageOptions {
  readonly model?: string;
  /** `pack/rule`. */
  readonly check?: string;
  readonly runId?: string;
  readonly outcome?: CheckOutcome;
  /** An RFC 3339 time. */
  readonly since?: string;
}

export interface IncidentListOptions extends PageOptions {
  readonly model?: string;
  /** `pack/rule`. */
  readonly check?: string;
  readonly state?: 'open' | 'closed';
}

/** Rules, what checks found, incidents. */
export class DqGroup {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** How the data is, by dimension: the newest result of each check. */
  async getSummary(options: InEnvironment = {}): Promise<AnyRecord> {
    return this.#transport.send(one(['dq'], options));
  }

  /** One page of the rules of dq packs, with what was found last. */
  async listRules(options: RuleListOptions = {}): Promise<Page<AnyRecord>> {
    return this.#transport.send(many(['dq', 'rules'], options));
  }

  iterRules(options: Omit<RuleListOptions, 'cursor'> = {}): AsyncGenerator<AnyRecord> {
    return everyItem((cursor) => this.listRules({ ...options, ...cursor }));
  }

  /** A rule by its id, with recent results. */
  async getRule(id: string, options: InEnvironment = {}): Promise<AnyRecord> {
    return this.#transport.send(one(['dq', 'rules', requiredSegment('id', id)], options));
  }

  /** One page of what checks found, newest first. */
  async listResults({ runId, ...options }: ResultListOptions = {}): Promise<Page<AnyRecord>> {
    return this.#transport.send(many(['dq', 'results'], { ...options, run_id: runId }));
  }

  iterResults(options: Omit<ResultListOptions, 'cursor'> = {}): AsyncGenerator<AnyRecord> {
    return everyItem((cursor) => this.listResults({ ...options, ...cursor }));
  }

  /** Rows that a rule found wrong, as far as policies let the caller see them. */
  async getResultSample(id: string): Promise<AnyRecord> {
    return this.#transport.send(one(['dq', 'results', requiredSegment('id', id), 'sample']));
  }

  /** One page of the incidents, newest first. */
  async listIncidents(options: IncidentListOptions = {}): Promise<Page<AnyRecord>> {
    return this.#transport.send(many(['dq', 'incidents'], options));
  }

  iterIncidents(options: Omit<IncidentListOptions, 'cursor'> = {}): AsyncGenerator<AnyRecord> {
    return everyItem((cursor) => this.listIncidents({ ...options, ...cursor }));
  }

  /** An incident by its id, with recent results of its check. */
  async getIncident(id: string): Promise<AnyRecord> {
    return this.#transport.send(one(['dq', 'incidents', requiredSegment('id', id)]));
  }

  /** Whether to go on with data: `decision` is `allow`, `warn` or `block`. A reference is a model, `semantic:NAME` or `metric:NAME`. */
  async decideGate(refs: readonly string[], options: InEnvironment = {}): Promise<AnyRecord> {
    if (!Array.isArray(refs) || refs.length === 0)
      throw badParameter('refs', 'is missing: give a list of names');
    return this.#transport.send(change(['dq', 'gate'], { accepted: 200, body: { refs, ...options } }));
  }
}
