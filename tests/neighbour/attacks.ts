/*
 * What a hostile caller sends, drawn from a seed: every function that is allowed, every production of the grammar at its limits,
 * every operation of both APIs with values at the limits of their schemas, and the known ways to ask for much.
 */
import { PRODUCTIONS } from '../costly-texts/productions.ts';
import { callsOf, type Overload } from '../function-campaign/calls.ts';
import { seededNumbers } from '../support/seeded-bits.ts';
import type { HttpQuestion } from './ask-http.ts';
import { extremeValue, type Schema } from './extreme-values.ts';

/** One request. `what` says which function, production or operation it is. */
export interface Attack extends Pick<HttpQuestion, 'path' | 'method' | 'body' | 'reading'> {
  readonly kind: (typeof KINDS)[number];
  readonly what: string;
}

/** Functions are the most, so they come most often. */
const KINDS = ['function', 'production', 'operation', 'function', 'graphql', 'function', 'production', 'operation', 'function', 'download', 'function', 'production', 'long', 'function', 'operation', 'function', 'queue'] as const; // biome-ignore format: a rhythm

const SIZES = [10, 100, 1_000, 10_000, 100_000, 1_000_000];
const TEXT_MAX = 1_048_576;
const FORMATS = ['csv', 'ndjson', 'arrow', 'parquet', 'json'] as const;

interface Operation {
  readonly id: string;
  readonly method: string;
  /** With `{names}`, below the server. */
  readonly path: string;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
  readonly body?: Schema;
}

interface Document {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;
}

export function operationsOf(document: Document): readonly Operation[] {
  const base = document.servers[0]?.url ?? '';
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Operation => {
      const body = operation['requestBody'] as
        | { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
        | undefined;
      return {
        id: String(operation['operationId']),
        method: method.toUpperCase(),
        path: `${base}${path}`,
        parameters: (operation['parameters'] ?? []) as Operation['parameters'],
        ...(body === undefined ? {} : { body: body.content['application/json']?.schema ?? {} }),
      };
    }),
  );
}

export interface Arsenal {
  readonly base: string;
  readonly functions: ReadonlyMap<string, readonly Overload[]>;
  readonly operations: readonly Operation[];
  /** A statement with a large result, for downloads. */
  readonly large: string;
}

export class Attacks {
  readonly #arsenal: Arsenal;
  readonly #number: () => number;
  readonly #names: readonly string[];
  #drawn = 0;
  readonly #counts = new Map<Attack['kind'], number>();

  constructor(arsenal: Arsenal, seed: number) {
    this.#arsenal = arsenal;
    this.#number = seededNumbers(seed);
    this.#names = [...arsenal.functions.keys()];
  }

  /** All that there is of what must be tried at least once. */
  get all(): Readonly<Record<'function' | 'production' | 'operation', number>> {
    return {
      function: this.#names.length,
      production: Object.keys(PRODUCTIONS).length,
      operation: this.#arsenal.operations.length,
    };
  }

  next(): Attack {
    const kind = KINDS[this.#drawn++ % KINDS.length] as Attack['kind'];
    const turn = this.#counts.get(kind) ?? 0;
    this.#counts.set(kind, turn + 1);
    switch (kind) {
      case 'function':
        return this.#function(turn);
      case 'production':
        return this.#production(turn);
      case 'operation':
        return this.#operation(turn);
      case 'graphql':
        return this.#graphql();
      case 'download':
        return this.#download(turn);
      case 'long':
        return this.#statement('long', 'a cross join', LONG[turn % LONG.length] as string, {
          wait: 0,
          timeout: 120,
        });
      case 'queue':
        return this.#statement(
          'queue',
          'one more',
          `SELECT ${turn} + sum(a.i * b.i) FROM s.m a, s.m b, s.m c`,
          { wait: 0, timeout: 2 },
        );
    }
  }

  #pick = (count: number): number => Math.floor(this.#number() * count);

  #statement(
    kind: Attack['kind'],
    what: string,
    sql: string,
    more: object = { wait: 1, timeout: 2 },
  ): Attack {
    const body = JSON.stringify({ sql, cache: false, ...more });
    return { kind, what, path: `${this.#arsenal.base}/query/statement`, body };
  }

  #function(turn: number): Attack {
    const name = this.#names[turn % this.#names.length] as string;
    const overloads = this.#arsenal.functions.get(name) ?? [];
    const calls = callsOf(name, overloads, { seed: turn, count: 8 });
    const call = calls[this.#pick(calls.length)];
    return this.#statement('function', name, call?.sql ?? `SELECT ${name}()`);
  }

  #production(turn: number): Attack {
    const all = Object.entries(PRODUCTIONS);
    const [what, write] = all[turn % all.length] as (typeof all)[number];
    const fitting = SIZES.filter((size) => write(Math.min(size, 10)).length * (size / 10) < 2 * TEXT_MAX);
    const size = fitting[this.#pick(fitting.length)] ?? 10;
    const text = write(size);
    return this.#statement('production', what, text.length > TEXT_MAX ? write(Math.floor(size / 8)) : text);
  }

  #operation(turn: number): Attack {
    const { operations } = this.#arsenal;
    const operation = operations[turn % operations.length] as Operation;
    const value = (schema: Schema): unknown => extremeValue(schema, this.#pick);
    const known: Readonly<Record<string, readonly string[]>> = {
      tenant: ['default', 'a'],
      slug: ['default-shared'],
      name: ['marts.orders', 'orders', 'shared', 'nobody'],
      id: [this.#arsenal.large, 'x'],
    };
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const names = known[name] ?? ['x'];
      return encodeURIComponent(names[this.#pick(names.length)] as string);
    });
    const query = operation.parameters
      .filter((each) => each.in === 'query' && this.#pick(2) === 0)
      .map(({ name, schema }) => `${name}=${encodeURIComponent(String(value(schema)).slice(0, 4_000))}`);
    return {
      kind: 'operation',
      what: operation.id,
      method: operation.method,
      path: query.length === 0 ? path : `${path}?${query.join('&')}`,
      ...(operation.body === undefined ? {} : { body: JSON.stringify(value(operation.body)) }),
    };
  }

  #graphql(): Attack {
    const columns = Array.from({ length: 95 }, (_, at) => `a${at}: status`).join(' ');
    const limit = [1_000, 20_000, 50_000][this.#pick(3)];
    const roots = Array.from(
      { length: 1 + this.#pick(10) },
      (_, at) => `r${at}: orders(ungrouped: true, limit: ${limit}, offset: ${at}) { ${columns} }`,
    );
    return {
      kind: 'graphql',
      what: `${roots.length} x ${limit}`,
      path: `${this.#arsenal.base}/query/semantic/graphql`,
      body: JSON.stringify({ query: `{ ${roots.join(' ')} }` }),
    };
  }

  #download(turn: number): Attack {
    const format = FORMATS[turn % FORMATS.length] as string;
    const readings = ['all', 'slow', 'hang up'] as const;
    return {
      kind: 'download',
      what: format,
      path: `${this.#arsenal.base}/query/statement/${this.#arsenal.large}/result?format=${format}`,
      reading: readings[this.#pick(readings.length)] ?? 'all',
    };
  }
}

const LONG = [
  'SELECT count(*) FROM range(1000000000) a, range(1000000000) b',
  'SELECT sum(a.i * b.i * c.i) FROM s.m a, s.m b, s.m c, s.m d',
  "SELECT max(repeat('x', 1000000) || a.range) FROM range(100000000) a",
  'SELECT list(a.range ORDER BY a.range % 977) FROM range(200000000) a',
  'SELECT count(DISTINCT hash(a.order_id, b.order_id)) FROM marts.orders a, marts.orders b',
];
