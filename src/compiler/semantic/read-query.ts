/*
 * Untrusted JSON → SemanticQuery: Cube's form, every deviation reported at once with its place (`filters[2].or[0].values`).
 * What members mean is not looked at here.
 */
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import { FILTER_OPERATORS, type FilterOperator } from '../../domain/semantic-model.ts';
import type {
  DateRange,
  QueryFilter,
  QueryTime,
  QueryValue,
  SemanticQuery,
} from '../../domain/semantic-query.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { didYouMean } from '../../foundation/diagnostics/nearest.ts';

export type ReadQuery =
  | { readonly ok: true; readonly query: SemanticQuery }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

const MEMBERS_MAX = 500;
const FILTERS_MAX = 10_000;
const DEPTH_MAX = 100;
const VALUES_MAX = 100_000;
const TEXT_MAX = 100_000;
const NAME_MAX = 300;
const PROBLEMS_MAX = 20;
const KEYS = [
  'measures',
  'dimensions',
  'segments',
  'filters',
  'timeDimensions',
  'order',
  'limit',
  'offset',
  'timezone',
  'total',
  'ungrouped',
  'joinHints',
  'unreachableFilters',
];
const FILTER_KEYS = ['member', 'dimension', 'operator', 'values', 'and', 'or'];
const TIME_KEYS = ['dimension', 'granularity', 'dateRange', 'compareDateRange'];
const VALUELESS: ReadonlySet<string> = new Set(['set', 'notSet', 'measureFilter']);

type Json = Readonly<Record<string, unknown>>;

/** Reads a query as clients send it. Limits: 500 members of a sort, 10,000 filters, 100 levels of and/or, 100,000 values. */
export function readSemanticQuery(data: unknown): ReadQuery {
  const reader = new QueryReader();
  const query = reader.query(data);
  return query === undefined || reader.problems.length > 0
    ? { ok: false, diagnostics: reader.problems }
    : { ok: true, query };
}

class QueryReader {
  readonly problems: Diagnostic[] = [];
  #filters = 0;
  #values = 0;

  query(data: unknown): SemanticQuery | undefined {
    if (!isRecord(data)) return this.#wrong('the query', data, 'an object');
    this.#unknownKeys('', data, KEYS);
    const { limit, offset, timezone, total, ungrouped, unreachableFilters } = data;
    return {
      measures: this.#names('measures', data['measures']),
      dimensions: this.#names('dimensions', data['dimensions']),
      ...present(
        'segments',
        this.#optional(data['segments'], (value) => this.#names('segments', value)),
      ),
      ...present(
        'filters',
        this.#optional(data['filters'], (value) => this.#filterList('filters', value, 0)),
      ),
      ...present(
        'timeDimensions',
        this.#optional(data['timeDimensions'], (value) => this.#times(value)),
      ),
      ...present(
        'order',
        this.#optional(data['order'], (value) => this.#order(value)),
      ),
      ...present(
        'limit',
        this.#optional(limit, (value) => this.#count('limit', value)),
      ),
      ...present(
        'offset',
        this.#optional(offset, (value) => this.#count('offset', value)),
      ),
      ...present(
        'timezone',
        this.#optional(timezone, (value) => this.#text('timezone', value)),
      ),
      ...present(
        'total',
        this.#optional(total, (value) => this.#flag('total', value)),
      ),
      ...present(
        'ungrouped',
        this.#optional(ungrouped, (value) => this.#flag('ungrouped', value)),
      ),
      ...present(
        'joinHints',
        this.#optional(data['joinHints'], (value) => this.#hints(value)),
      ),
      ...present(
        'unreachableFilters',
        this.#optional(unreachableFilters, (value) => this.#unreachable(value)),
      ),
    };
  }

  /** Absent and null are the same in what clients send. */
  #optional<Value>(data: unknown, read: (data: unknown) => Value): Value | undefined {
    return data === undefined || data === null ? undefined : read(data);
  }

  #names(path: string, data: unknown): readonly string[] {
    return this.#list(path, data ?? [], MEMBERS_MAX).flatMap(
      (item, i) => this.#text(`${path}[${i}]`, item) ?? [],
    );
  }

  #text(path: string, data: unknown): string | undefined {
    if (typeof data === 'string' && data.length > 0 && data.length <= NAME_MAX) return data;
    return this.#wrong(path, data, `text of 1 to ${NAME_MAX} characters`);
  }

  #flag(path: string, data: unknown): boolean | undefined {
    return typeof data === 'boolean' ? data : this.#wrong(path, data, 'true or false');
  }

  #count(path: string, data: unknown): number | undefined {
    const isCount = typeof data === 'number' && Number.isSafeInteger(data) && data >= 0;
    return isCount ? data : this.#wrong(path, data, 'a whole number from 0 on');
  }

  #unreachable(data: unknown): 'refuse' | 'ignore' | undefined {
    if (data === 'refuse' || data === 'ignore') return data;
    return this.#wrong('unreachableFilters', data, 'refuse or ignore');
  }

  #hints(data: unknown): readonly (readonly string[])[] {
    return this.#list('joinHints', data, MEMBERS_MAX).map((item, i) => this.#names(`joinHints[${i}]`, item));
  }

  #filterList(path: string, data: unknown, depth: number): readonly QueryFilter[] {
    return this.#list(path, data, FILTERS_MAX).flatMap(
      (item, i) => this.#filter(`${path}[${i}]`, item, depth) ?? [],
    );
  }

  #filter(path: string, data: unknown, depth: number): QueryFilter | undefined {
    this.#filters += 1;
    if (this.#filters > FILTERS_MAX) return this.#tooMany('filters', FILTERS_MAX);
    if (depth >= DEPTH_MAX) return this.#tooMany('levels of and/or', DEPTH_MAX);
    if (!isRecord(data)) return this.#wrong(path, data, 'an object');
    this.#unknownKeys(path, data, FILTER_KEYS);
    for (const kind of ['and', 'or'] as const) {
      if (data[kind] === undefined) continue;
      if (Object.keys(data).length > 1) this.#wrong(path, data, `${kind} alone`);
      return { kind, filters: this.#filterList(`${path}.${kind}`, data[kind], depth + 1) };
    }
    const member = this.#text(`${path}.member`, data['member'] ?? data['dimension']);
    const operator = data['operator'];
    if (!isOperator(operator)) {
      const hint = typeof operator === 'string' ? didYouMean(operator, FILTER_OPERATORS) : undefined;
      return this.#wrong(`${path}.operator`, operator, 'a filter operator', hint);
    }
    const values = this.#valueList(`${path}.values`, data['values'] ?? []);
    if (values.length === 0 && !VALUELESS.has(operator))
      return this.#wrong(`${path}.values`, data['values'], `at least one value for ${operator}`);
    return member === undefined ? undefined : { kind: 'member', member, operator, values };
  }

  #valueList(path: string, data: unknown): readonly QueryValue[] {
    const values = Array.isArray(data) ? this.#list(path, data, VALUES_MAX) : [data];
    this.#values += values.length;
    if (this.#values > VALUES_MAX) {
      this.#tooMany('values', VALUES_MAX);
      return [];
    }
    return values.flatMap((value, i) => {
      const isShort = typeof value !== 'string' || value.length <= TEXT_MAX;
      const isCountable = typeof value !== 'number' || Number.isFinite(value);
      // The engine would read the text of the query no further.
      const hasZero = typeof value === 'string' && value.includes('\0');
      if (hasZero) this.#wrong(`${path}[${i}]`, value, 'text without the character U+0000');
      else if (isValue(value) && isShort && isCountable) return [value];
      else this.#wrong(`${path}[${i}]`, value, 'text, a number, true, false or null');
      return [];
    });
  }

  #times(data: unknown): readonly QueryTime[] {
    return this.#list('timeDimensions', data, MEMBERS_MAX).flatMap(
      (item, i) => this.#time(`timeDimensions[${i}]`, item) ?? [],
    );
  }

  #time(path: string, data: unknown): QueryTime | undefined {
    if (!isRecord(data)) return this.#wrong(path, data, 'an object');
    this.#unknownKeys(path, data, TIME_KEYS);
    const dimension = this.#text(`${path}.dimension`, data['dimension']);
    const compared = this.#optional(data['compareDateRange'], (value) =>
      this.#list(`${path}.compareDateRange`, value, 20).flatMap((range, i) => {
        const read = this.#range(`${path}.compareDateRange[${i}]`, range);
        return read === undefined ? [] : [read];
      }),
    );
    const range = this.#optional(data['dateRange'], (value) => this.#range(`${path}.dateRange`, value));
    if (compared !== undefined && range !== undefined)
      this.#wrong(path, data, 'either dateRange or compareDateRange');
    if (compared?.length === 0) this.#wrong(`${path}.compareDateRange`, [], 'at least one range');
    if (dimension === undefined) return undefined;
    return {
      dimension,
      ...present(
        'granularity',
        this.#optional(data['granularity'], (value) => this.#text(`${path}.granularity`, value)),
      ),
      ...present('dateRange', range),
      ...present('compareDateRange', compared),
    };
  }

  #range(path: string, data: unknown): DateRange | undefined {
    if (typeof data === 'string') return this.#text(path, data);
    const [from, to, ...more] = Array.isArray(data) ? (data as readonly unknown[]) : [];
    if (typeof from === 'string' && to === undefined && Array.isArray(data)) return this.#text(path, from);
    if (typeof from !== 'string' || typeof to !== 'string' || more.length > 0)
      return this.#wrong(path, data, "two dates, or text such as 'last 7 days'");
    const [first, last] = [this.#text(`${path}[0]`, from), this.#text(`${path}[1]`, to)];
    return first === undefined || last === undefined ? undefined : [first, last];
  }

  /** `{"orders.revenue": "desc"}` or `[["orders.revenue", "desc"]]`. */
  #order(data: unknown): NonNullable<SemanticQuery['order']> {
    const isPairs = Array.isArray(data);
    if (!isPairs && !isRecord(data)) {
      this.#wrong('order', data, 'an object or a list of pairs');
      return [];
    }
    const pairs: readonly unknown[] = isPairs ? this.#list('order', data, MEMBERS_MAX) : Object.entries(data);
    return pairs.flatMap((pair, i) => {
      const path = `order[${i}]`;
      if (!Array.isArray(pair) || pair.length !== 2) {
        this.#wrong(path, pair, 'a member and asc or desc');
        return [];
      }
      const member = this.#text(`${path}[0]`, pair[0]);
      const direction: unknown = pair[1];
      if (direction !== 'asc' && direction !== 'desc') {
        this.#wrong(`${path}[1]`, direction, 'asc or desc');
        return [];
      }
      return member === undefined ? [] : [{ member, direction } as const];
    });
  }

  #list(path: string, data: unknown, max: number): readonly unknown[] {
    if (!Array.isArray(data)) {
      this.#wrong(path, data, 'a list');
      return [];
    }
    if (data.length <= max) return data as readonly unknown[];
    this.#tooMany(path, max);
    return [];
  }

  #unknownKeys(path: string, data: Json, known: readonly string[]): void {
    for (const key of Object.keys(data))
      if (!known.includes(key))
        this.#report(
          diagnostic(
            'query.unknown-key',
            { key: path === '' ? shown(key) : `${path}.${shown(key)}` },
            { hint: didYouMean(key, known) ?? `known are ${known.join(', ')}` },
          ),
        );
  }

  #wrong(path: string, found: unknown, expected: string, hint?: string): undefined {
    const given = hint === undefined ? {} : { hint };
    this.#report(diagnostic('query.bad-shape', { path, found: describe(found), expected }, given));
  }

  #tooMany(what: string, max: number): undefined {
    this.#report(diagnostic('query.too-large', { what, max: String(max) }));
  }

  /** The first ones say enough about a query that is wrong in thousands of places. */
  #report(problem: Diagnostic): void {
    const isReported = this.problems.some((reported) => reported.message === problem.message);
    if (!isReported && this.problems.length < PROBLEMS_MAX) this.problems.push(problem);
  }
}

function present<Key extends string, Value>(
  key: Key,
  value: Value | undefined,
): { readonly [K in Key]?: Exclude<Value, undefined> } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [K in Key]?: Exclude<Value, undefined> };
}

function isRecord(data: unknown): data is Json {
  return typeof data === 'object' && data !== null && !Array.isArray(data);
}

function isOperator(data: unknown): data is FilterOperator {
  return typeof data === 'string' && (FILTER_OPERATORS as readonly string[]).includes(data);
}

function isValue(data: unknown): data is QueryValue {
  return data === null || typeof data === 'string' || typeof data === 'number' || typeof data === 'boolean';
}

function describe(data: unknown): string {
  if (data === undefined) return 'missing';
  if (Array.isArray(data)) return data.length === 0 ? 'an empty list' : 'a list';
  if (typeof data === 'object' && data !== null) return 'an object';
  return shown(typeof data === 'string' ? JSON.stringify(data) : String(data));
}

function shown(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
