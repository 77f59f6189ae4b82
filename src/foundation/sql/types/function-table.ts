/**
 * DuckDB's own list of functions, decoded when a name is first asked for.
 *
 *   'round'  ──▶  [ (DECIMAL, INTEGER) → DECIMAL, (DOUBLE, INTEGER) → DOUBLE, … ]  ──cheapest casts──▶  the overload DuckDB calls
 */

import { DUCKDB_FUNCTIONS, DUCKDB_TYPES } from '../functions/generated/duckdb-functions.ts';
import { castCost, IMPOSSIBLE } from './casts.ts';
import {
  arrayType,
  decimalType,
  listType,
  mapType,
  NULL,
  type SqlType,
  settle,
  structType,
  UNKNOWN,
} from './sql-type.ts';
import { parseType } from './type-names.ts';
import { unify } from './unify.ts';

/** A parameter or result in the table: a type, a type variable, or a shape whose details only a rule of ours knows. */
type Pattern =
  | { readonly kind: 'type'; readonly type: SqlType }
  | { readonly kind: 'any' }
  | { readonly kind: 'decimal' }
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'list'; readonly element: Pattern }
  | { readonly kind: 'map'; readonly key: Pattern; readonly value: Pattern }
  | { readonly kind: 'struct'; readonly fields: readonly { readonly name: string; readonly type: Pattern }[] }
  | { readonly kind: 'shape'; readonly shape: string };

interface Overload {
  readonly parameters: readonly Pattern[];
  readonly varargs: Pattern | undefined;
  readonly result: Pattern;
}

interface Entry {
  readonly isAggregate: boolean;
  readonly packed: string;
  overloads: readonly Overload[] | undefined;
}

let entries: Map<string, Entry> | undefined;
const patterns: (Pattern | undefined)[] = [];

function table(): Map<string, Entry> {
  if (entries !== undefined) return entries;
  entries = new Map();
  for (const line of DUCKDB_FUNCTIONS) {
    const [names, kind, packed] = line.split('\t') as [string, string, string];
    const entry: Entry = { isAggregate: kind === 'a', packed, overloads: undefined };
    for (const name of names.split(' ')) {
      // first and last are listed twice, as aggregate and as window function, with the same results.
      if (!entries.has(name)) entries.set(name, entry);
    }
  }
  return entries;
}

const texts = DUCKDB_TYPES.split('|');

function patternAt(code: string): Pattern {
  const at = Number.parseInt(code, 36);
  let pattern = patterns[at];
  if (pattern === undefined) {
    pattern = patternOf(texts[at] as string);
    patterns[at] = pattern;
  }
  return pattern;
}

function patternOf(text: string): Pattern {
  if (text === 'ANY') return { kind: 'any' };
  if (text === 'DECIMAL') return { kind: 'decimal' };
  if (/^[TKV]$/.test(text)) return { kind: 'variable', name: text };
  if (text.endsWith('[]')) return { kind: 'list', element: patternOf(text.slice(0, -2)) };
  if (text === 'MAP(K, V)') return { kind: 'map', key: patternOf('K'), value: patternOf('V') };
  if (text === 'STRUCT(K, V)')
    return {
      kind: 'struct',
      fields: [
        { name: '', type: patternOf('K') },
        { name: '', type: patternOf('V') },
      ],
    };
  if (text === 'STRUCT("key" K, "value" V)')
    return {
      kind: 'struct',
      fields: [
        { name: 'key', type: patternOf('K') },
        { name: 'value', type: patternOf('V') },
      ],
    };
  const type = text === 'NULL' ? NULL : parseType(text);
  return type === UNKNOWN || /^(STRUCT\(\)|.*\[ANY\])$/.test(text)
    ? { kind: 'shape', shape: text }
    : { kind: 'type', type };
}

function overloadsOf(entry: Entry): readonly Overload[] {
  if (entry.overloads === undefined) {
    entry.overloads = entry.packed.split(';').map((signature) => {
      const [left, result] = signature.split('>') as [string, string];
      const [parameters, varargs] = left.split('*') as [string, string | undefined];
      return {
        parameters: parameters === '' ? [] : parameters.split(',').map(patternAt),
        varargs: varargs === undefined ? undefined : patternAt(varargs),
        result: patternAt(result),
      };
    });
  }
  return entry.overloads;
}

/** Whether DuckDB has a function of this (lower-case) name. */
export function isKnownFunction(name: string): boolean {
  return table().has(name);
}

const SHAPES: Readonly<Record<string, (type: SqlType) => boolean>> = {
  STRUCT: (type) => type.kind === 'struct',
  MAP: (type) => type.kind === 'map',
  LIST: (type) => type.kind === 'list',
  ARRAY: (type) => type.kind === 'array',
  UNION: (type) => type.kind === 'union',
};

function matchCost(argument: SqlType, pattern: Pattern): number {
  switch (pattern.kind) {
    case 'type':
      return castCost(argument, pattern.type);
    case 'any':
      return 5;
    case 'variable':
      return 5;
    case 'decimal':
      return argument.kind === 'decimal' ? 0 : castCost(argument, decimalType(18, 3));
    case 'list':
      if (argument === NULL || argument === UNKNOWN || argument.kind === 'string-literal') return 160;
      if (argument.kind !== 'list' && argument.kind !== 'array') return IMPOSSIBLE;
      return (
        Math.max(0, matchCost(argument.element, pattern.element) - 1) + (argument.kind === 'array' ? 1 : 0)
      );
    case 'map':
      return argument.kind === 'map' || argument === NULL ? 5 : IMPOSSIBLE;
    case 'struct':
      return argument.kind === 'struct' || argument === NULL ? 5 : IMPOSSIBLE;
    case 'shape':
      return SHAPES[pattern.shape]?.(argument) === true ? 5 : IMPOSSIBLE;
  }
}

function fits(overload: Overload, count: number): boolean {
  return overload.varargs === undefined
    ? overload.parameters.length === count
    : overload.parameters.length <= count;
}

/** The type the function returns for these arguments: UNKNOWN when no overload settles it, undefined when there is no such function. */
export function tableResult(name: string, args: readonly SqlType[]): SqlType | undefined {
  const entry = table().get(name);
  if (entry === undefined) return undefined;
  const possible = overloadsOf(entry).filter((overload) => fits(overload, args.length));
  if (possible.length === 0) return UNKNOWN;
  if (args.includes(UNKNOWN)) return unanimous(possible);
  let best: Overload | undefined;
  let bestCost = IMPOSSIBLE;
  for (const overload of possible) {
    let cost = 0;
    for (let at = 0; at < args.length && cost < IMPOSSIBLE; at++) {
      cost += matchCost(args[at] as SqlType, overload.parameters[at] ?? (overload.varargs as Pattern));
    }
    if (cost < bestCost) {
      best = overload;
      bestCost = cost;
    }
  }
  if (best === undefined) return unanimous(possible);
  if (!entry.isAggregate && best.result.kind !== 'type' && args.includes(NULL)) return NULL;
  return resultOf(best, args);
}

/** With an argument of unknown type the answer is known only when every overload gives the same. */
function unanimous(possible: readonly Overload[]): SqlType {
  const first = (possible[0] as Overload).result;
  if (first.kind !== 'type') return UNKNOWN;
  return possible.every((overload) => overload.result.kind === 'type' && overload.result.type === first.type)
    ? first.type
    : UNKNOWN;
}

function resultOf(overload: Overload, args: readonly SqlType[]): SqlType {
  const bound = new Map<string, SqlType>();
  args.forEach((argument, at) => {
    const pattern = overload.parameters[at] ?? overload.varargs;
    if (pattern !== undefined) bind(pattern, argument, bound);
  });
  const decimal = args.find((argument) => argument.kind === 'decimal');
  const build = (pattern: Pattern): SqlType => {
    switch (pattern.kind) {
      case 'type':
        return pattern.type;
      case 'decimal':
        return decimal ?? UNKNOWN;
      case 'variable':
        return bound.get(pattern.name) ?? UNKNOWN;
      case 'list':
        return listType(build(pattern.element));
      case 'map':
        return mapType(build(pattern.key), build(pattern.value));
      case 'struct':
        return structType(pattern.fields.map((field) => ({ name: field.name, type: build(field.type) })));
      default:
        return UNKNOWN;
    }
  };
  return build(overload.result);
}

function bind(pattern: Pattern, argument: SqlType, bound: Map<string, SqlType>): void {
  switch (pattern.kind) {
    case 'variable': {
      const before = bound.get(pattern.name);
      bound.set(pattern.name, before === undefined ? settle(argument) : (unify(before, argument) ?? before));
      return;
    }
    case 'list':
      if (argument.kind === 'list' || argument.kind === 'array')
        bind(pattern.element, argument.element, bound);
      return;
    case 'map':
      if (argument.kind === 'map') {
        bind(pattern.key, argument.key, bound);
        bind(pattern.value, argument.value, bound);
      }
      return;
    case 'struct':
      if (argument.kind === 'struct') {
        for (const [at, field] of pattern.fields.entries())
          bind(field.type, argument.fields[at]?.type ?? UNKNOWN, bound);
      }
      return;
    default:
      return;
  }
}

/** A fixed-size array keeps its size through the functions that only rearrange it. */
export function withElement(container: SqlType, element: SqlType): SqlType {
  return container.kind === 'array' ? arrayType(element, container.size) : listType(element);
}
