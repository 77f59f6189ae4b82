/*
 * Allowed functions with which a short text brings DuckDB down. A query from outside may call them within a bound that its text
 * shows, or not at all; models may. `tests/function-campaign` finds what belongs here.
 */
import { AGGREGATES } from './allowed-functions.ts';

type Node = Readonly<Record<string, unknown>>;

/** What a text must show. Arguments are counted from 0. */
export type Bound =
  | { readonly kind: 'refused' }
  /** Each argument is a text, or begins with `left(…, number)`, of at most so many characters. */
  | { readonly kind: 'short'; readonly max: number }
  | { readonly kind: 'text' | 'number'; readonly argument: number; readonly max: number }
  /** The name of an aggregate that has no bound. */
  | { readonly kind: 'aggregate'; readonly argument: number };

export interface BoundedFunctions {
  readonly names: readonly string[];
  readonly bound: Bound;
  /** What happens beyond the bound, for the reference. */
  readonly why: string;
  /** What to do instead. */
  readonly instead: string;
}

const REFUSED: Bound = { kind: 'refused' };
const NULLS = 'An array of NULLs is an INTERNAL error of DuckDB.';

/** The bounds are at most a quarter of where DuckDB 1.5.5 fails in a thread of the keeper. */
export const BOUNDED_FUNCTIONS: readonly BoundedFunctions[] = [
  {
    names: ['json_contains', 'json_group_structure', 'json_merge_patch', 'json_structure'],
    bound: { kind: 'short', max: 4_000 },
    why: 'JSON with more than 16,000 levels crashes DuckDB.',
    instead: 'write left(x, 4000) for an argument x, or put the call into a model',
  },
  {
    names: ['from_json', 'from_json_strict', 'json_transform', 'json_transform_strict'],
    bound: { kind: 'text', argument: 1, max: 2_000 },
    why: 'A structure with more than 8,000 levels crashes DuckDB; one with 4,000 takes seconds that nothing can interrupt.',
    instead: 'write the structure as a text, or put the call into a model',
  },
  {
    names: ['aggregate', 'array_aggr', 'array_aggregate', 'list_aggr', 'list_aggregate'],
    bound: { kind: 'aggregate', argument: 1 },
    why: 'It calls an aggregate by its name, which must not be one with a bound. A long name takes seconds that nothing can interrupt.',
    instead: "write the name as a text: list_aggregate(l, 'sum')",
  },
  {
    names: ['reservoir_quantile'],
    bound: { kind: 'number', argument: 2, max: 100_000 },
    why: 'A sample of 2,000,000,000 values is an INTERNAL error of DuckDB.',
    instead: 'write the size of the sample as a number, or use quantile_cont',
  },
  {
    names: ['damerau_levenshtein'],
    bound: { kind: 'short', max: 1_000 },
    why: 'Its memory grows with the product of both lengths, beyond every limit.',
    instead: 'write left(x, 1000) for an argument x, or use levenshtein',
  },
  {
    names: ['array_cosine_distance', 'array_cosine_similarity', 'array_distance'],
    bound: REFUSED,
    why: NULLS,
    instead: 'use list_cosine_distance, list_cosine_similarity or list_distance, which take arrays too',
  },
  {
    names: [
      'array_dot_product',
      'array_inner_product',
      'array_negative_dot_product',
      'array_negative_inner_product',
    ],
    bound: REFUSED,
    why: NULLS,
    instead: 'use list_inner_product or list_negative_inner_product, which take arrays too',
  },
  {
    names: ['array_cross_product'],
    bound: REFUSED,
    why: NULLS,
    instead: 'put the call into a model, or write the three differences of products',
  },
];

const byName: ReadonlyMap<string, BoundedFunctions> = new Map(
  BOUNDED_FUNCTIONS.flatMap((bounded) => bounded.names.map((name) => [name, bounded] as const)),
);

/** Only for tests that must bring the engine down, by a function or by a text. */
export const isUnbounded = process.env['PLINTH_TEST_UNBOUNDED'] === '1';

/** The bound that a call of this lower-case name breaks; undefined when it keeps it, or when there is none. */
export function brokenBound(name: string, node: Node): BoundedFunctions | undefined {
  const bounded = byName.get(name);
  return bounded === undefined || isUnbounded || keeps(bounded.bound, node) ? undefined : bounded;
}

/** What the bound asks of a query, in words: `a query must …`. */
export function ruleOf(bound: Bound): string {
  switch (bound.kind) {
    case 'refused':
      return 'must not call it';
    case 'short':
      return `must call it with texts, or with left(…), of at most ${counted(bound.max)} characters`;
    case 'aggregate':
      return `must write its argument ${bound.argument + 1} as the name of an aggregate that has no bound`;
    case 'text':
      return `must write its argument ${bound.argument + 1} as a text of at most ${counted(bound.max)} characters`;
    case 'number':
      return `must write its argument ${bound.argument + 1} as a number of at most ${counted(bound.max)}`;
  }
}

const counted = (count: number): string => count.toLocaleString('en-US');

function keeps(bound: Bound, node: Node): boolean {
  if (bound.kind === 'refused') return false;
  const children = (Array.isArray(node['children']) ? node['children'] : []) as readonly Node[];
  // It stands for any number of arguments.
  if (children.some(({ type }) => type === 'OPERATOR_UNPACK')) return false;
  // What stands in front may be a schema, or the first argument (`x.from_json('…')`): then the others move by one.
  const isQualified = node['schema'] !== undefined || node['catalog'] !== undefined;
  if (bound.kind === 'short')
    return (
      !isQualified &&
      children.every((child) => (isConstant(child) ? isWithin(bound, child) : isCut(child, bound.max)))
    );
  const argument = children[bound.argument];
  if (!isQualified) return argument === undefined || isWithin(bound, argument);
  const moved = children[bound.argument - 1];
  const mayFollow = bound.kind === 'aggregate' ? isConstant : (child: Node) => isWithin(bound, child);
  return (moved === undefined || isWithin(bound, moved)) && (argument === undefined || mayFollow(argument));
}

const isConstant = (node: Node): boolean => node['class'] === 'CONSTANT';
const writtenValue = (node: Node): unknown => (node['value'] as Node | undefined)?.['value'];

function isWithin(bound: Exclude<Bound, { readonly kind: 'refused' }>, argument: Node): boolean {
  if (!isConstant(argument)) return false;
  const value = writtenValue(argument);
  switch (bound.kind) {
    case 'short':
    case 'text':
      return typeof value !== 'string' || value.length <= bound.max;
    case 'number':
      return typeof value === 'number' && value <= bound.max;
    case 'aggregate':
      return (
        typeof value === 'string' && AGGREGATES.has(value.toLowerCase()) && !byName.has(value.toLowerCase())
      );
  }
}

/** `left(x, 100)`; a negative number would cut from the other end. */
function isCut(node: Node, max: number): boolean {
  if (node['class'] !== 'FUNCTION' || String(node['function_name']).toLowerCase() !== 'left') return false;
  if (node['schema'] !== undefined || node['catalog'] !== undefined) return false;
  const [, count, ...others] = (Array.isArray(node['children']) ? node['children'] : []) as readonly Node[];
  const value =
    count === undefined || others.length > 0 || !isConstant(count) ? undefined : writtenValue(count);
  return typeof value === 'number' && value >= 0 && value <= max;
}
