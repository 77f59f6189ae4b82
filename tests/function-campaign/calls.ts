/** Calls of one function with extreme values, in the forms in which a query can call it. */
import { seededNumbers } from '../support/seeded-bits.ts';
import { PLAIN_CALLS } from './plain-calls.ts';
import { plainValue, valuesOf } from './values.ts';

/** One way to call a function, as `duckdb_functions()` tells it. */
export interface Overload {
  readonly name: string;
  readonly kind: 'scalar' | 'aggregate' | 'macro' | 'table' | 'operator';
  readonly types: readonly (string | null)[];
  readonly varargs: string | null;
}

export interface Call {
  readonly name: string;
  readonly sql: string;
}

const ROWS = [0, 1, 5, 3_000];
const FEW_ROWS = [0, 1, 5];
const isLarge = (value: string): boolean => value.length > 40 || /\d{5}/.test(value);
/** Arguments beyond the named ones of a function that takes any number. */
const MORE = [0, 1, 2, 3];
/** Of the calls of a function so many change one argument only; the others change all. */
const SINGLE_SHARE = 0.6;

const WINDOWS = [
  'OVER ()',
  'OVER (ORDER BY i ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING)',
  'OVER (PARTITION BY i % 2 ORDER BY i DESC RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW)',
  'OVER (ORDER BY i ROWS BETWEEN 2000000000 PRECEDING AND 2000000000 FOLLOWING EXCLUDE TIES)',
  'OVER (ORDER BY i GROUPS BETWEEN 1 FOLLOWING AND 0 FOLLOWING)',
];

/** `count` different calls, the same for the same seed; fewer when the function has not as many. */
export function callsOf(
  name: string,
  overloads: readonly Overload[],
  { seed, count }: { readonly seed: number; readonly count: number },
): readonly Call[] {
  const number = seededNumbers(seed ^ hashOf(name));
  const pick = <Item>(among: readonly Item[]): Item => among[Math.floor(number() * among.length)] as Item;
  const texts = new Set<string>();
  for (const args of PLAIN_CALLS[name] ?? [])
    for (const overload of overloads.slice(0, 1)) texts.add(written(overload, args, { pick, round: 0 }));
  const wanted = texts.size + count;
  // Extreme values in their order for each argument in its turn, so that few calls are those that hurt.
  for (let turn = 0; texts.size < wanted && turn < count * 4; turn++) {
    const overload = overloads[turn % overloads.length] as Overload;
    const types = [
      ...overload.types,
      ...Array.from({ length: overload.varargs === null ? 0 : pick(MORE) }, () => overload.varargs),
    ];
    const round = Math.floor(turn / overloads.length);
    const isSingle = number() < SINGLE_SHARE;
    const at = round % Math.max(1, types.length);
    const rank = Math.floor(round / Math.max(1, types.length));
    const generic = new Map<string, string>();
    const args = types.map((type, index) => {
      const chosen = (among: readonly string[]): string => {
        if (type === null || !/[TKV]/.test(type)) return pick(among);
        const known = generic.get(type) ?? pick(among);
        generic.set(type, known);
        return known;
      };
      if (isSingle && index !== at && number() < 0.8) return plainValue(type);
      const values = valuesOf(type, chosen);
      return index === at && rank < values.length ? (values[rank] as string) : pick(values);
    });
    texts.add(written(overload, args, { pick, round }));
  }
  return [...texts].map((sql) => ({ name, sql }));
}

function written(
  { name, kind }: Overload,
  args: readonly string[],
  { pick, round }: { readonly pick: <Item>(among: readonly Item[]) => Item; readonly round: number },
): string {
  if (kind === 'table') return `SELECT count(*) FROM ${name}(${args.join(', ')})`;
  if (kind === 'aggregate') return aggregate(name, args, { pick, round });
  const call = (some: readonly string[]): string => called(name, kind, some);
  if (round % 2 === 0 || args.some((arg) => arg.startsWith('lambda'))) return `SELECT ${call(args)} AS r`;
  // Values of a table are not known while the query is planned; every third is NULL.
  const fixed = pick([-1, -1, 0, 1]);
  const columns = args.map((arg, index) => (index === fixed ? arg : `c${index}`));
  const cells = args.map((arg, index) => `CASE WHEN i % 3 <> 2 THEN ${arg} END AS c${index}`);
  const rows = pick(args.some(isLarge) ? FEW_ROWS : ROWS);
  return `SELECT ${call(columns)} AS r FROM (SELECT ${['i', ...cells].join(', ')} FROM range(${rows}) AS t(i)) AS s`;
}

function called(name: string, kind: Overload['kind'], args: readonly string[]): string {
  const [first = '', second] = args.map((arg) => `(${arg})`);
  // `position(` begins a syntax of its own.
  if (kind !== 'operator') return `${name === 'position' ? '"position"' : name}(${args.join(', ')})`;
  if (name === '!__postfix') return `${first} !`;
  return second === undefined ? `${name === '@' ? '@' : name} ${first}` : `${first} ${name} ${second}`;
}

function aggregate(
  name: string,
  args: readonly string[],
  { pick, round }: { readonly pick: <Item>(among: readonly Item[]) => Item; readonly round: number },
): string {
  const isFixed = round % 3 !== 2;
  const columns = args.map((arg, index) => (index === 0 || !isFixed ? `c${index}` : arg));
  const cells = args.map((arg, index) => `CASE WHEN i % 3 <> 2 THEN ${arg} END AS c${index}`);
  const rows = pick(args.some(isLarge) ? FEW_ROWS : ROWS);
  const form = pick(['plain', 'plain', 'distinct', 'ordered', 'filtered', 'window', 'grouped', 'ignoring']);
  const inner = columns.join(', ');
  const from = `FROM (SELECT ${['i', ...cells].join(', ')} FROM range(${rows}) AS t(i)) AS s`;
  switch (form) {
    case 'distinct':
      return `SELECT ${name}(DISTINCT ${inner}) AS r ${from}`;
    case 'ordered':
      return `SELECT ${name}(${inner} ORDER BY i DESC) AS r ${from}`;
    case 'filtered':
      return `SELECT ${name}(${inner}) FILTER (WHERE i % 2 = 0) AS r ${from}`;
    case 'window':
      return `SELECT ${name}(${inner}) ${pick(WINDOWS)} AS r ${from}`;
    case 'ignoring':
      return `SELECT ${name}(${inner} IGNORE NULLS) ${pick(WINDOWS)} AS r ${from}`;
    case 'grouped':
      return `SELECT ${name}(${inner}) AS r ${from} GROUP BY i % 7`;
    default:
      return WINDOW_ONLY.has(name)
        ? `SELECT ${name}(${inner}) ${pick(WINDOWS)} AS r ${from}`
        : `SELECT ${name}(${inner}) AS r ${from}`;
  }
}

/** Need a window to be called at all. */
const WINDOW_ONLY = new Set(
  'cume_dist dense_rank fill first_value lag last_value lead nth_value ntile percent_rank rank rank_dense row_number'.split(
    ' ',
  ),
);

function hashOf(name: string): number {
  let hash = 0;
  for (const letter of name) hash = (Math.imul(hash, 31) + letter.charCodeAt(0)) | 0;
  return hash;
}
