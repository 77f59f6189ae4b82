import { DataProductError, requiredSegment, requiredText } from './data-product-error.ts';
import type { AnyRecord, Page } from './records.ts';
import {
  change,
  everyItem,
  type InEnvironment,
  type Keyed,
  many,
  one,
  type PageOptions,
} from './resource-requests.ts';
import type { Transport } from './transport.ts';
import { expect } from './unexpected.ts';

export interface RunListOptions extends PageOptions {
  readonly status?: string;
}

/** Which events. */
export interface EventFilters {
  readonly environment?: string;
  readonly runId?: string;
  readonly model?: string;
  /** One or several; `plan.*` are all that begin so. */
  readonly type?: string | readonly string[];
  /** A sequence: only events behind it. */
  readonly since?: number;
}

export interface EventListOptions extends PageOptions, EventFilters {}

/** Which questions. */
export interface QueryActivityOptions extends PageOptions {
  readonly status?: string;
  readonly queryType?: 'sql' | 'semantic-sql' | 'semantic-query' | 'metric';
  /** The id of who asked. */
  readonly principal?: string;
  /** One that was read. */
  readonly model?: string;
  readonly tag?: string;
  /** An RFC 3339 time. */
  readonly since?: string;
}

/** Documents that other tools read; the first four are JSON. */
export type ExportFormat = 'odcs' | 'odps' | 'openlineage' | 'openapi' | 'graphql' | 'llms.txt';

export interface ModelListOptions extends PageOptions {
  readonly tag?: string;
  readonly kind?: string;
}

/** Fields of a plan's preview, as on the wire. */
export interface PlanOptions {
  readonly environment?: string;
  readonly select?: string;
  readonly start?: string;
  readonly end?: string;
  readonly effective_from?: string;
  readonly restate_models?: readonly string[];
  readonly forward_only?: boolean;
  readonly skip_backfill?: boolean;
  readonly empty_backfill?: boolean;
  readonly no_gaps?: boolean;
  readonly allow_destructive_models?: readonly string[];
  readonly categories?: Readonly<Record<string, string>>;
  readonly run?: boolean;
  readonly shared?: boolean;
}

/** What the data product is made of. */
export class MetadataGroup {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The product on one page: identity, owners, health, freshness, ports, counts, readme, usage. */
  async getProduct(options: InEnvironment = {}): Promise<AnyRecord> {
    return this.#transport.send(one(['metadata'], options));
  }

  /** One page of the models, as they were applied. */
  async listModels(options: ModelListOptions = {}): Promise<Page<AnyRecord>> {
    return this.#transport.send(many(['metadata', 'models'], options));
  }

  iterModels(options: Omit<ModelListOptions, 'cursor'> = {}): AsyncGenerator<AnyRecord> {
    return everyItem((cursor) => this.listModels({ ...options, ...cursor }));
  }

  /** One model: columns, SQL, its view and how it is doing. */
  async getModel(name: string, options: InEnvironment = {}): Promise<AnyRecord> {
    return this.#transport.send(one(['metadata', 'models', requiredSegment('name', name)], options));
  }

  /** Semantic models and metrics that the caller may ask. */
  async getSemantics(options: InEnvironment = {}): Promise<AnyRecord> {
    return this.#transport.send(one(['metadata', 'semantic'], options));
  }

  /** Where data comes from and goes to; `ref` is a model, `model.column`, `semantic:NAME` or `metric:NAME`. */
  async getLineage(
    options: InEnvironment & {
      readonly ref?: string;
      readonly column?: string;
      readonly direction?: 'both' | 'upstream' | 'downstream';
      readonly depth?: number;
    } = {},
  ): Promise<AnyRecord> {
    return this.#transport.send(one(['metadata', 'lineage'], options));
  }

  /** What a change would reach, by columns, members and metrics; `ref` is a model, `model.column`, `semantic:NAME`, `semantic:NAME.member` or `metric:NAME`. */
  async getImpact(
    ref: string,
    options: InEnvironment & { readonly change?: 'values' | 'type' | 'rename' | 'drop' } = {},
  ): Promise<AnyRecord> {
    return this.#transport.send(one(['metadata', 'impact'], { ref: requiredText('ref', ref), ...options }));
  }

  /** Models, columns, members and metrics by their words, the nearest first. */
  async search(
    q: string,
    options: InEnvironment & { readonly limit?: number } = {},
  ): Promise<Page<AnyRecord>> {
    return this.#transport.send(many(['metadata', 'search'], { q: requiredText('q', q), ...options }));
  }

  /** One page of what was applied to an environment, newest first; `since` is an RFC 3339 time. */
  async listChanges(options: PageOptions & { readonly since?: string } = {}): Promise<Page<AnyRecord>> {
    return this.#transport.send(many(['metadata', 'changes'], options));
  }

  /** What `odcs`, `odps` or `openlineage` cannot say of this product. */
  async exportReport(
    format: Extract<ExportFormat, 'odcs' | 'odps' | 'openlineage'> = 'odcs',
    options: InEnvironment = {},
  ): Promise<AnyRecord> {
    const params = { format: requiredText('format', format), report: 'true', ...options };
    return this.#transport.send(one(['metadata', 'export'], params));
  }

  /** The product for other tools: an object or list, or the text of `graphql` and `llms.txt`. */
  async exportProduct(format: ExportFormat = 'odcs', options: InEnvironment = {}): Promise<unknown> {
    const expected = TEXT_FORMATS.has(format) ? 'text/plain' : 'application/json';
    return this.#transport.send({
      method: 'GET',
      path: ['metadata', 'export'],
      params: { format: requiredText('format', format), ...options },
      accept: expected,
      read: ({ contentType, bytes }) => {
        expect(contentType === expected, `it is ${contentType || 'of no type'}, not ${expected}`);
        const text = new TextDecoder().decode(bytes);
        return expected === 'text/plain' ? text : documentOf(text);
      },
    });
  }
}

function documentOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return expect(false, 'it is not JSON');
  }
}

const TEXT_FORMATS: ReadonlySet<string> = new Set<ExportFormat>(['graphql', 'llms.txt']);

/** What happened to the data product. */
export class ActivityGroup {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** A plan by its id: its changes, what is missing, its stages. */
  async getPlan(id: string): Promise<AnyRecord> {
    return this.#transport.send(one(['activity', 'plans', requiredSegment('id', id)]));
  }

  /** One page of the plans, newest first. */
  async listPlans(options: RunListOptions = {}): Promise<Page<AnyRecord>> {
    return this.#transport.send(many(['activity', 'plans'], options));
  }

  iterPlans(options: Omit<RunListOptions, 'cursor'> = {}): AsyncGenerator<AnyRecord> {
    return everyItem((cursor) => this.listPlans({ ...options, ...cursor }));
  }

  /** What would change in an environment; nothing does until the plan is applied. */
  async previewPlan({ idempotencyKey, ...body }: PlanOptions & Keyed = {}): Promise<AnyRecord> {
    return this.#transport.send(change(['activity', 'plans'], { accepted: 201, body, idempotencyKey }));
  }

  /** Begins to apply a plan; the run that has begun. A plan with `wider_access` needs `allow_wider_access`. */
  async applyPlan(
    id: string,
    { idempotencyKey, ...body }: Keyed & { readonly allow_wider_access?: boolean } = {},
  ): Promise<AnyRecord> {
    const path = ['activity', 'plans', requiredSegment('id', id), 'apply'];
    return this.#transport.send(change(path, { accepted: 202, body, idempotencyKey }));
  }

  /** Begins to fill what is due; the run that has begun. */
  async startRun({
    idempotencyKey,
    ...body
  }: InEnvironment &
    Keyed & { readonly select?: string; readonly shared?: boolean } = {}): Promise<AnyRecord> {
    return this.#transport.send(change(['activity', 'runs'], { accepted: 202, body, idempotencyKey }));
  }

  /** Gives up a run of this server; one that has ended stays as it is. */
  async cancelRun(id: string): Promise<AnyRecord> {
    const path = ['activity', 'runs', requiredSegment('id', id), 'cancel'];
    return this.#transport.send(change(path, { accepted: 200 }));
  }

  /** A run by its id, model by model. */
  async getRun(id: string): Promise<AnyRecord> {
    return this.#transport.send(one(['activity', 'runs', requiredSegment('id', id)]));
  }

  /** One page of the runs, newest first; applying a plan is one. */
  async listRuns(options: RunListOptions = {}): Promise<Page<AnyRecord>> {
    return this.#transport.send(many(['activity', 'runs'], options));
  }

  iterRuns(options: Omit<RunListOptions, 'cursor'> = {}): AsyncGenerator<AnyRecord> {
    return everyItem((cursor) => this.listRuns({ ...options, ...cursor }));
  }

  /** What became of each model when it was last tried, and since when it stands. */
  async listModelActivity(options: RunListOptions = {}): Promise<Page<AnyRecord>> {
    return this.#transport.send(many(['activity', 'models'], options));
  }

  /** One page of what was asked, newest first; of others too with `query:read-all`. */
  async listQueryActivity({ queryType, ...options }: QueryActivityOptions = {}): Promise<Page<AnyRecord>> {
    return this.#transport.send(many(['activity', 'queries'], { ...options, query_type: queryType }));
  }

  /** One page of the event log, oldest first. */
  async listEvents({ runId, ...options }: EventListOptions = {}): Promise<Page<AnyRecord>> {
    return this.#transport.send(many(['activity'], { ...options, run_id: runId }));
  }

  iterEvents(options: Omit<EventListOptions, 'cursor'> = {}): AsyncGenerator<AnyRecord> {
    return everyItem((cursor) => this.listEvents({ ...options, ...cursor }));
  }

  /** Events as they happen, from now on or behind the sequence `since`; ends when the loop over it is left. After a broken connection go on with the sequence of the last event. A token that is revoked meanwhile is an error of status 401. */
  async *streamEvents({
    signal,
    runId,
    ...filters
  }: EventFilters & { readonly signal?: AbortSignal } = {}): AsyncGenerator<AnyRecord> {
    const chunks = this.#transport.stream(['activity', 'stream'], { ...filters, run_id: runId }, signal);
    let rest = '';
    for await (const chunk of chunks) {
      const blocks = (rest + chunk).replaceAll('\r\n', '\n').split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const lines = block.split('\n');
        const data = lines.filter((line) => line.startsWith('data:'));
        if (data.length === 0) continue;
        const event = JSON.parse(data.map((line) => line.slice(5)).join('\n')) as AnyRecord;
        if (lines.includes('event: end'))
          throw new DataProductError(401, `the stream has ended: ${event['reason']}`, {
            code: 'auth.invalid',
          });
        yield event;
      }
    }
  }
}
