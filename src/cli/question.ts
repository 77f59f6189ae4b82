/*
 * The options of `plinth query` as a semantic query in JSON (Cube's form), which is read like one that came from outside.
 *
 *   --measures orders.revenue --time orders.order_date:month:2025-01-01..2025-12-31 --filter 'orders.status = completed'
 *   --metric revenue_by_month --granularity quarter --dimensions region       names without a dot are columns of the metric
 */
import { readFileSync } from 'node:fs';
import { diagnostic } from '../domain/diagnostics/catalog.ts';
import { Failure, failure } from '../domain/failure.ts';
import { FILTER_OPERATORS } from '../domain/semantic-model.ts';
import type { Invocation } from './command.ts';
import { badValue, countOption } from './times.ts';

/** A semantic query as JSON carries it; not checked yet. */
export type QuestionJson = Readonly<Record<string, unknown>>;

const SYMBOLS: Readonly<Record<string, string>> = {
  '=': 'equals',
  '!=': 'notEquals',
  '<>': 'notEquals',
  '>': 'gt',
  '>=': 'gte',
  '<': 'lt',
  '<=': 'lte',
};
const MEMBER_OPTIONS = [
  'measures',
  'dimensions',
  'segments',
  'time',
  'filter',
  'order',
  'metric',
  'granularity',
];

/** What the options ask for; undefined when they ask nothing. */
export function questionOf(invocation: Invocation): QuestionJson | undefined {
  const { values, lists } = invocation;
  const given = MEMBER_OPTIONS.filter((name) => values.has(name));
  const json = values.get('query');
  if (json !== undefined) {
    if (given[0] !== undefined) throw conflict('--query', `--${given[0]}`);
    return { ...jsonQuestion(json), ...rest(invocation) };
  }
  if (given.length === 0) return undefined;
  const metrics = words(lists.get('metric'));
  const [metric] = metrics;
  const measure = metrics.find((name) => name.includes('.'));
  if (measure !== undefined)
    throw badValue(
      'metric',
      measure,
      `the name of a metric; a measure is asked for by --measures ${measure}`,
    );
  if (metric === undefined && values.has('granularity'))
    throw badValue('granularity', values.get('granularity') as string, 'a metric beside it (--metric NAME)');
  const named = (name: string): string =>
    metric === undefined || name.includes('.') || metrics.includes(name) ? name : `${metric}.${name}`;
  const times = (lists.get('time') ?? []).map((text) => timeOf(text, named));
  const dimensions = words(lists.get('dimensions')).map(named);
  const ts = metric === undefined ? undefined : `${metric}.ts`;
  const granularity = values.get('granularity');
  const hasBucket = times.some(({ dimension, granularity: own }) => dimension === ts && own !== undefined);
  const withTime = ts === undefined || hasBucket || granularity === 'none';
  return {
    measures: [...metrics, ...words(lists.get('measures'))],
    dimensions: withTime
      ? dimensions
      : [granularity === undefined ? ts : `${ts}.${granularity}`, ...dimensions],
    ...(times.length === 0 ? {} : { timeDimensions: times }),
    ...(lists.has('segments') ? { segments: words(lists.get('segments')) } : {}),
    ...(lists.has('filter')
      ? { filters: (lists.get('filter') ?? []).map((text) => filterOf(text, named)) }
      : {}),
    ...(lists.has('order') ? { order: words(lists.get('order')).map((text) => orderOf(text, named)) } : {}),
    ...rest(invocation),
  };
}

/** JSON in the option itself, in a file (`@path`) or on stdin (`-`). */
export function jsonQuestion(given: string): QuestionJson {
  const text = textOf(given);
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    throw badValue('query', text.trim().slice(0, 60), `JSON; it cannot be read: ${(error as Error).message}`);
  }
  // Clients of HTTP wrap the query; the same text is good here.
  const record = typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : undefined;
  const inner = record !== undefined && Object.keys(record).length === 1 ? record['query'] : undefined;
  return (inner ?? data) as QuestionJson;
}

/** The text itself, or that of the file behind `@`, or of stdin for `-`. */
export function textOf(given: string): string {
  if (given !== '-' && !given.startsWith('@')) return given;
  const path = given === '-' ? 0 : given.slice(1);
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const detail = (cause as Error).message;
    throw failure('cli.cannot-read', { path: given === '-' ? 'stdin' : String(path), detail }, { cause });
  }
}

function rest(invocation: Invocation): QuestionJson {
  const { values, switches } = invocation;
  const limit = countOption(invocation, 'limit');
  const timezone = values.get('timezone');
  return {
    ...(limit === undefined ? {} : { limit }),
    ...(timezone === undefined ? {} : { timezone }),
    ...(switches.has('total') ? { total: true } : {}),
  };
}

function words(lists: readonly string[] | undefined): readonly string[] {
  return (lists ?? []).flatMap((text) =>
    text
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== ''),
  );
}

/** `DIMENSION:GRANULARITY[:RANGE]`; an empty granularity only filters, a range is `A..B`, a day or words such as `last 7 days`. */
function timeOf(
  text: string,
  named: (name: string) => string,
): { readonly dimension: string; readonly granularity?: string; readonly dateRange?: unknown } {
  const [dimension = '', granularity = '', ...more] = text.split(':');
  const range = more.join(':').trim();
  if (dimension.trim() === '' || (granularity.trim() === '' && range === ''))
    throw badValue(
      'time',
      text,
      'DIMENSION:GRANULARITY[:RANGE], such as orders.order_date:month:last 6 months',
    );
  return {
    dimension: named(dimension.trim()),
    ...(granularity.trim() === '' ? {} : { granularity: granularity.trim() }),
    ...(range === '' ? {} : { dateRange: rangeOf(range) }),
  };
}

function rangeOf(text: string): unknown {
  const [from, to, ...more] = text.split('..');
  return to === undefined || more.length > 0 ? text : [from?.trim(), to.trim()];
}

const FILTER = /^\s*([^\s=<>!]+)\s*(?:(!=|<>|>=|<=|=|>|<)|\s([A-Za-z]+)(?=\s|$))\s*([\s\S]*)$/;

/** `MEMBER OPERATOR VALUES`, with words (`contains`) or signs (`>=`); or one JSON filter, for and/or. */
function filterOf(text: string, named: (name: string) => string): unknown {
  if (text.trimStart().startsWith('{'))
    try {
      return JSON.parse(text);
    } catch (error) {
      throw badValue('filter', text, `a filter; this JSON cannot be read: ${(error as Error).message}`);
    }
  const [, member, sign, word = '', values = ''] = FILTER.exec(text) ?? [];
  const operator =
    sign === undefined
      ? FILTER_OPERATORS.find((each) => each.toLowerCase() === word.toLowerCase())
      : SYMBOLS[sign];
  if (member === undefined || operator === undefined)
    throw badValue(
      'filter',
      text,
      `MEMBER OPERATOR VALUES, with one of = != > >= < <= ${FILTER_OPERATORS.join(' ')}`,
    );
  const list = valuesOf(values, operator);
  return { member: named(member), operator, ...(list.length === 0 ? {} : { values: list }) };
}

/** Values between commas; one in double quotes is taken as it stands, a bare `null` is NULL. */
function valuesOf(text: string, operator: string): readonly (string | null)[] {
  if (operator.endsWith('DateRange') && text.includes('..')) return rangeOf(text) as readonly string[];
  const values: (string | null)[] = [];
  for (const [, quoted, bare = ''] of text.matchAll(/\s*(?:"((?:[^"\\]|\\.)*)"|([^,]*))\s*(?:,|$)/g)) {
    if (quoted !== undefined) values.push(quoted.replaceAll(/\\(.)/g, '$1'));
    else if (bare.trim() !== '') values.push(bare.trim() === 'null' ? null : bare.trim());
  }
  return values;
}

function orderOf(text: string, named: (name: string) => string): readonly [string, string] {
  const [member = '', direction = 'asc', ...more] = text.split(':');
  if (more.length > 0 || !['asc', 'desc'].includes(direction))
    throw badValue('order', text, 'MEMBER or MEMBER:desc');
  return [named(member.trim()), direction];
}

/** Two options that ask for different things. */
export function conflict(one: string, other: string): Failure {
  return new Failure(diagnostic('cli.conflicting-options', { one, other }));
}
