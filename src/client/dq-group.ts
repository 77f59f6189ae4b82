import { badParameter, requiredSegment } from './data-product-error.ts';
import { type AnyRecord, type Page, pageOf } from './records.ts';
import {
  change,
  everyItem,
  type InEnvironment,
  type Keyed,
  many,
  one,
  type PageOptions,
} from './resource-requests.ts';
import { objectOf, type Transport } from './transport.ts';

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

export interface ModelPageOptions extends PageOptions {
  readonly model?: string;
}

export interface AuditListOptions extends ModelPageOptions {
  /** When it last ran. */
  readonly status?: 'passed' | 'failed' | 'warned' | 'quarantined' | 'skipped';
}

export interface TestListOptions extends Omit<ModelPageOptions, 'environment'> {
  readonly status?: 'passed' | 'failed' | 'broken' | 'not-run';
}

export interface LintOptions extends Omit<PageOptions, 'environment'> {
  readonly severity?: 'error' | 'warning' | 'note';
}

/** Which checks run. */
export interface CheckRunOptions extends InEnvironment, Keyed {
  /** Models, as for a plan. */
  readonly select?: string;
  readonly packs?: readonly string[];
  /** Seconds to wait for the end. */
  readonly wait?: number;
}

/** Rules, what checks found, incidents, profiles, audits, quarantine, freshness, tests and lint. */
export class DqGroup {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** How the data is, by dimension: the newest result of each check; with `asOf` (an RFC 3339 time) as it was then. */
  async getSummary({
    asOf,
    ...options
  }: InEnvironment & { readonly asOf?: string } = {}): Promise<AnyRecord> {
    return this.#transport.send(one(['dq'], { ...options, as_of: asOf }));
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

  /** One page of what tables look like, newest first, with how they differ from before. */
  async listProfiles(options: ModelPageOptions = {}): Promise<Page<AnyRecord>> {
    return this.#transport.send(many(['dq', 'profiles'], options));
  }

  iterProfiles(options: Omit<ModelPageOptions, 'cursor'> = {}): AsyncGenerator<AnyRecord> {
    return everyItem((cursor) => this.listProfiles({ ...options, ...cursor }));
  }

  /** One page of the audits, with what became of each when it last ran. */
  async listAudits(options: AuditListOptions = {}): Promise<Page<AnyRecord>> {
    return this.#transport.send(many(['dq', 'audits'], options));
  }

  iterAudits(options: Omit<AuditListOptions, 'cursor'> = {}): AsyncGenerator<AnyRecord> {
    return everyItem((cursor) => this.listAudits({ ...options, ...cursor }));
  }

  /** One page of rows that audits hold back: by model, run, interval and reasons, newest first. */
  async listQuarantine(options: ModelPageOptions = {}): Promise<Page<AnyRecord>> {
    return this.#transport.send(many(['dq', 'quarantine'], options));
  }

  iterQuarantine(options: Omit<ModelPageOptions, 'cursor'> = {}): AsyncGenerator<AnyRecord> {
    return everyItem((cursor) => this.listQuarantine({ ...options, ...cursor }));
  }

  /** Rows that are held back together, as far as policies let the caller see them. */
  async getQuarantine(
    id: string,
    options: InEnvironment & { readonly limit?: number } = {},
  ): Promise<AnyRecord> {
    return this.#transport.send(one(['dq', 'quarantine', requiredSegment('id', id)], options));
  }

  /** How new the data is against what is promised: `product`, and one page of the models. */
  async getFreshness(options: ModelPageOptions = {}): Promise<Page<AnyRecord> & AnyRecord> {
    return this.#transport.send({
      ...many(['dq', 'freshness'], options),
      read: (answer) => {
        const body = objectOf(answer, ['items']);
        return { ...body, ...pageOf<AnyRecord>(body) };
      },
    });
  }

  /** Runs the tests in the folder of the product: one page of how they ended. */
  async listTests(options: TestListOptions = {}): Promise<Page<AnyRecord>> {
    return this.#transport.send(many(['dq', 'tests'], options));
  }

  /** One page of what lint finds in the files of the product. */
  async lint(options: LintOptions = {}): Promise<Page<AnyRecord>> {
    return this.#transport.send(many(['dq', 'lint'], options));
  }

  /** Evaluates the rules of dq packs now; its `status` is `running` when they have not ended within `wait` seconds. */
  async runChecks({ idempotencyKey, ...body }: CheckRunOptions = {}): Promise<AnyRecord> {
    return this.#transport.send(change(['dq', 'run'], { accepted: [200, 202], body, idempotencyKey }));
  }

  /** A check run that was asked for, within `wait` seconds as soon as it has ended. */
  async getCheckRun(id: string, options: { readonly wait?: number } = {}): Promise<AnyRecord> {
    return this.#transport.send(one(['dq', 'run', requiredSegment('id', id)], options));
  }
}
