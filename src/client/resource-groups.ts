import { requiredSegment } from './data-product-error.ts';
import { type AnyRecord, type Page, pageOf } from './records.ts';
import { type ClientRequest, objectOf, type Transport } from './transport.ts';

/** Which part of a list is wanted. */
export interface PageOptions {
  readonly limit?: number;
  readonly cursor?: string;
  readonly environment?: string;
}

export interface RunListOptions extends PageOptions {
  readonly status?: string;
}

export interface EventListOptions extends PageOptions {
  readonly runId?: string;
  readonly type?: string;
  /** A sequence: only events behind it. */
  readonly since?: number;
}

/** What happened to the data product. */
export class ActivityGroup {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** A plan by its id: its changes, what is missing, its stages. */
  async getPlan(id: string): Promise<AnyRecord> {
    return this.#transport.send(one('activity', 'plans', requiredSegment('id', id)));
  }

  /** One page of the plans, newest first. */
  async listPlans(options: PageOptions = {}): Promise<Page<AnyRecord>> {
    return this.#transport.send(many(['activity', 'plans'], options));
  }

  iterPlans(options: Omit<PageOptions, 'cursor'> = {}): AsyncGenerator<AnyRecord> {
    return everyItem((cursor) => this.listPlans({ ...options, ...cursor }));
  }

  /** A run by its id, model by model. */
  async getRun(id: string): Promise<AnyRecord> {
    return this.#transport.send(one('activity', 'runs', requiredSegment('id', id)));
  }

  /** One page of the runs, newest first; applying a plan is one. */
  async listRuns(options: RunListOptions = {}): Promise<Page<AnyRecord>> {
    return this.#transport.send(many(['activity', 'runs'], options));
  }

  iterRuns(options: Omit<RunListOptions, 'cursor'> = {}): AsyncGenerator<AnyRecord> {
    return everyItem((cursor) => this.listRuns({ ...options, ...cursor }));
  }

  /** What became of each model when it was last built. */
  async listModelActivity(options: PageOptions = {}): Promise<Page<AnyRecord>> {
    return this.#transport.send(many(['activity', 'models'], options));
  }

  /** One page of the event log, oldest first. */
  async listEvents({ runId, ...options }: EventListOptions = {}): Promise<Page<AnyRecord>> {
    return this.#transport.send(many(['activity'], { ...options, run_id: runId }));
  }

  iterEvents(options: Omit<EventListOptions, 'cursor'> = {}): AsyncGenerator<AnyRecord> {
    return everyItem((cursor) => this.listEvents({ ...options, ...cursor }));
  }

  /** Events as they happen, from now on or behind the sequence `since`; ends when the loop over it is left. After a broken connection go on with the sequence of the last event. */
  async *streamEvents({
    since,
    signal,
  }: {
    readonly since?: number;
    readonly signal?: AbortSignal;
  } = {}): AsyncGenerator<AnyRecord> {
    const chunks = this.#transport.stream(['activity', 'stream'], { since }, signal);
    let rest = '';
    for await (const chunk of chunks) {
      const blocks = (rest + chunk).replaceAll('\r\n', '\n').split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const data = block.split('\n').filter((line) => line.startsWith('data:'));
        if (data.length > 0) yield JSON.parse(data.map((line) => line.slice(5)).join('\n')) as AnyRecord;
      }
    }
  }
}

const one = (...path: readonly string[]): ClientRequest<AnyRecord> => ({
  method: 'GET',
  path,
  read: (answer) => objectOf(answer),
});

const many = (path: readonly string[], params: object): ClientRequest<Page<AnyRecord>> => ({
  method: 'GET',
  path,
  params: { ...params },
  read: (answer) => pageOf<AnyRecord>(objectOf(answer, ['items'])),
});

/** The items of all pages; a page is asked for when the one before is used up. */
export async function* everyItem<Item>(
  pageAt: (cursor: { readonly cursor?: string }) => Promise<Page<Item>>,
): AsyncGenerator<Item> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Page<Item> = await pageAt(cursor === undefined ? {} : { cursor });
    yield* page.items;
    cursor = page.next_cursor;
  }
}
