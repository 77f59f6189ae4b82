import { badParameter, requiredSegment, requiredText } from './data-product-error.ts';
import { FORMATS, resultOf } from './query-group.ts';
import type { AnyRecord, Page, StatementResult } from './records.ts';
import { everyItem, many, one, type PageOptions } from './resource-requests.ts';
import { objectOf, type Transport } from './transport.ts';
import { expect } from './unexpected.ts';

/** What is written of a perspective. */
export interface PerspectiveFields {
  /** Made of the name when absent. */
  readonly slug?: string;
  readonly name?: string;
  /** Null takes it away. */
  readonly description?: string | null;
  /** A semantic query, or SQL. */
  readonly query?: AnyRecord | string;
  readonly params?: readonly AnyRecord[];
  readonly visibility?: 'private' | 'shared' | 'product';
  /** For `shared`: names of users, `group:NAME`. */
  readonly principals?: readonly string[];
  readonly tags?: readonly string[];
  readonly autoRefresh?: boolean;
}

export interface PerspectiveListOptions extends Omit<PageOptions, 'environment'> {
  readonly owner?: string;
  readonly visibility?: 'private' | 'shared' | 'product';
  readonly tag?: string;
  /** A part of slug, name or description. */
  readonly q?: string;
}

export interface PerspectiveResultOptions {
  /** Values of its parameters. */
  readonly params?: AnyRecord;
  readonly limit?: number;
  readonly offset?: number;
  readonly columns?: readonly string[];
  /** Seconds to wait for the answer; 25 when absent. */
  readonly wait?: number;
  readonly cache?: boolean;
  readonly environment?: string;
}

/** The `etag` that a perspective had when it was read: a change of another version is refused with status 412. */
export interface IfMatch {
  readonly ifMatch?: string;
}

/** Questions with a name, which their owners share. A perspective is found by its slug or id. */
export class PerspectivesGroup {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** One page of those that the caller may see, newest first, without their questions. */
  async listPerspectives(options: PerspectiveListOptions = {}): Promise<Page<AnyRecord>> {
    return this.#transport.send(many(['perspectives'], options));
  }

  iterPerspectives(options: Omit<PerspectiveListOptions, 'cursor'> = {}): AsyncGenerator<AnyRecord> {
    return everyItem((cursor) => this.listPerspectives({ ...options, ...cursor }));
  }

  async getPerspective(slug: string): Promise<AnyRecord> {
    return this.#transport.send(one(at(slug)));
  }

  /** From a question, or from a statement of the caller. */
  async createPerspective({
    statementId,
    ...fields
  }: PerspectiveFields & {
    readonly name: string;
    readonly statementId?: string;
    readonly idempotencyKey?: string;
  }): Promise<AnyRecord> {
    requiredText('name', fields.name);
    const { idempotencyKey, ...given } = fields;
    return this.#transport.send({
      method: 'POST',
      path: ['perspectives'],
      accepted: [201],
      body: { ...written(given), ...(statementId === undefined ? {} : { statement_id: statementId }) },
      idempotencyKey,
      read: (answer) => objectOf(answer),
    });
  }

  /** All of it; fields that are absent become as those of a new one. One is made when there is none. */
  async putPerspective(
    slug: string,
    { ifMatch, ...fields }: PerspectiveFields & { readonly name: string } & IfMatch,
  ): Promise<AnyRecord> {
    return this.#transport.send({
      method: 'PUT',
      path: at(slug),
      accepted: [200, 201],
      ifMatch,
      body: written(fields),
      read: (answer) => objectOf(answer),
    });
  }

  /** Some fields; `owner` transfers it. */
  async changePerspective(
    slug: string,
    { ifMatch, owner, ...fields }: PerspectiveFields & IfMatch & { readonly owner?: string },
  ): Promise<AnyRecord> {
    return this.#transport.send({
      method: 'PATCH',
      path: at(slug),
      ifMatch,
      body: { ...written(fields), ...(owner === undefined ? {} : { owner }) },
      read: (answer) => objectOf(answer),
    });
  }

  async deletePerspective(slug: string, { ifMatch }: IfMatch = {}): Promise<void> {
    return this.#transport.send({
      method: 'DELETE',
      path: at(slug),
      accepted: [204],
      ifMatch,
      read: () => undefined,
    });
  }

  /** One page of its versions, newest first. */
  async listPerspectiveVersions(
    slug: string,
    options: Omit<PageOptions, 'environment'> = {},
  ): Promise<Page<AnyRecord>> {
    return this.#transport.send(many([...at(slug), 'versions'], options));
  }

  /** Asks it under the caller's policies; one page of rows. An answer that takes longer than `wait` is an error of status 202. */
  async getPerspectiveResult(slug: string, options: PerspectiveResultOptions = {}): Promise<StatementResult> {
    return this.#transport.send({
      method: 'GET',
      path: [...at(slug), 'result'],
      params: asked(options),
      read: (answer) => resultOf(objectOf(answer, ['cols', 'rows'])),
    });
  }

  /** The bytes of its result as a file. */
  async downloadPerspectiveResult(
    slug: string,
    format: 'csv' | 'ndjson' | 'arrow' | 'parquet',
    options: PerspectiveResultOptions = {},
  ): Promise<Uint8Array> {
    const expected = FORMATS[format];
    if (expected === undefined)
      throw badParameter('format', `must be one of ${Object.keys(FORMATS).join(', ')}`);
    return this.#transport.send({
      method: 'GET',
      path: [...at(slug), 'result'],
      params: { format, ...asked(options) },
      read: ({ contentType, bytes }) => {
        expect(contentType === expected, `it is ${contentType || 'of no type'}, not ${format}`);
        return bytes;
      },
    });
  }
}

const at = (slug: string): readonly string[] => ['perspectives', requiredSegment('slug', slug)];

const asked = ({ params, ...options }: PerspectiveResultOptions): Readonly<Record<string, unknown>> => ({
  ...options,
  ...(params === undefined ? {} : { params: JSON.stringify(params) }),
});

const written = ({ autoRefresh, ...fields }: PerspectiveFields): Readonly<Record<string, unknown>> => ({
  ...fields,
  ...(autoRefresh === undefined ? {} : { auto_refresh: autoRefresh }),
});
