/*
 * A perspective and values of its parameters → a question like any other.
 *
 *   {"member": …, "values": [{"param": "region"}]}   the value takes the place of the object: a value of the query, as data
 *   WHERE region = $region                           the place gets a number; the value goes beside the text, as a parameter
 *
 * A value never becomes a part of a text, and never names a member: where a query has no value, it has no parameter.
 */
import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { ParameterValue, Perspective } from '../../../domain/perspective.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import { splice } from '../../../foundation/sql/splice.ts';
import { placesOf } from './parameter-places.ts';
import { parameterValue } from './parameter-value.ts';

/** A question as statements take it. */
export type FilledQuestion =
  | { readonly kind: 'semantic-query'; readonly query: unknown }
  | { readonly kind: 'sql'; readonly sql: string; readonly parameters: readonly unknown[] };

export type FilledPerspective =
  | { readonly ok: true; readonly question: FilledQuestion }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

type Given = Readonly<Record<string, unknown>>;
type Value = ParameterValue | readonly ParameterValue[];

/** Values that are not given are the defaults. Says everything that is wrong with them at once. */
export function fillPerspective(
  { query, params }: Pick<Perspective, 'query' | 'params'>,
  given: Given,
): FilledPerspective {
  const problems: string[] = [];
  const known = new Set(params.map(({ name }) => name));
  for (const name of Object.keys(given))
    if (!known.has(name))
      problems.push(
        `it has no parameter ${name}${known.size === 0 ? '' : `, only ${[...known].join(', ')}`}`,
      );
  const values = new Map<string, Value>();
  for (const param of params) {
    const value = Object.hasOwn(given, param.name) ? given[param.name] : param.default;
    if (value === undefined) {
      problems.push(`${param.name} needs a value`);
      continue;
    }
    const checked = parameterValue(param, value);
    if (checked.ok) values.set(param.name, checked.value);
    else problems.push(`${param.name} must be ${checked.wanted}`);
  }
  if (problems.length > 0)
    return {
      ok: false,
      diagnostics: problems.map((detail) => diagnostic('perspective.bad-parameters', { detail })),
    };
  if (query.kind === 'semantic')
    return { ok: true, question: { kind: 'semantic-query', query: filledQuery(query.query, values) } };
  const order = [...new Set(placesOf(query.sql).map(({ name }) => name))];
  const edits = placesOf(query.sql).map(({ name, start, end }) => ({
    start,
    end,
    text: `$${order.indexOf(name) + 1}`,
  }));
  const parameters = order.map((name) => values.get(name) ?? null);
  return { ok: true, question: { kind: 'sql', sql: splice(query.sql, edits), parameters } };
}

type Json = Readonly<Record<string, unknown>>;
const isRecord = (data: unknown): data is Json =>
  typeof data === 'object' && data !== null && !Array.isArray(data);

/** The name in `{"param": "name"}`. */
const nameIn = (data: unknown): string | undefined =>
  isRecord(data) && Object.keys(data).length === 1 && typeof data['param'] === 'string'
    ? data['param']
    : undefined;

/** Where a query has values. Anything else stays as it is, and the reader of queries refuses an object there. */
function filledQuery(query: unknown, values: ReadonlyMap<string, Value>): unknown {
  const one = (data: unknown): unknown => {
    const name = nameIn(data);
    return name === undefined ? data : (values.get(name) ?? data);
  };
  return mapValues(query, one);
}

/** Names that a query asks values for, where it may. */
export function namesInQuery(query: unknown): readonly string[] {
  const names: string[] = [];
  mapValues(query, (data) => {
    const name = nameIn(data);
    if (name !== undefined) names.push(name);
    return data;
  });
  return [...new Set(names)];
}

/** Deeper filters are refused by the reader of queries. */
const DEPTH_MAX = 120;

function mapValues(query: unknown, one: (data: unknown) => unknown): unknown {
  const many = (data: unknown): unknown =>
    Array.isArray(data) ? data.flatMap((each): unknown => one(each)) : one(data);
  const range = (data: unknown): unknown => (Array.isArray(data) ? data.map(one) : one(data));
  const filter = (data: unknown, depth: number): unknown => {
    if (!isRecord(data) || depth > DEPTH_MAX) return data;
    return mapFields(data, (key, value) => {
      if (key === 'values') return many(value);
      const isTree = (key === 'and' || key === 'or') && Array.isArray(value);
      return isTree ? value.map((each) => filter(each, depth + 1)) : value;
    });
  };
  const time = (data: unknown): unknown =>
    isRecord(data)
      ? mapFields(data, (key, value) => {
          if (key === 'dateRange') return range(value);
          return key === 'compareDateRange' && Array.isArray(value) ? value.map(range) : value;
        })
      : data;
  if (!isRecord(query)) return query;
  return mapFields(query, (key, value) => {
    if (key === 'filters' && Array.isArray(value)) return value.map((each) => filter(each, 0));
    if (key === 'timeDimensions' && Array.isArray(value)) return value.map(time);
    return key === 'limit' || key === 'offset' || key === 'timezone' ? one(value) : value;
  });
}

const mapFields = (data: Json, map: (key: string, value: unknown) => unknown): Json =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, map(key, value)]));
