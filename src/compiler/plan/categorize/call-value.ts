/**
 * The value term of a function call.
 *
 *   abs(x)                    scalar(abs, x)                     a function of the row
 *   sum(x)                    aggregate(rows, sum, x)            of the rows it folds, so these are part of it
 *   rank() OVER (…)           window(rows, rank, …)              of the rows it looks at
 *   random(), row_number() with ties, first(x)                   chosen(n, …): the engine may choose differently each time
 */
import { outputName } from '../../../foundation/sql/resolve/output-name.ts';
import type { Call, Expression, OrderItem, WindowSpec } from '../../../foundation/sql/tree.ts';
import { callResult } from '../../../foundation/sql/types/functions.ts';
import type { SqlType } from '../../../foundation/sql/types/sql-type.ts';
import { type FunctionKind, functionKind } from './function-facts.ts';
import { isExactNumber } from './is-exact-number.ts';
import { isLooselyEqual } from './loose-equality.ts';
import { folded } from './query-change.ts';
import { arrivalsAt, type ClauseTerms, type TermSession } from './table-terms.ts';
import type { Term, TermPart } from './terms.ts';
import { Unsure } from './unsure.ts';

export function valueOfCall(session: TermSession, clause: ClauseTerms, call: Call): Term {
  const name = folded(call.name.name);
  if (name === 'columns' && call.qualifiers.length === 0) return columnsCall(session, clause, call);
  const known = call.qualifiers.length === 0 ? functionKind(name, session.dialect) : 'unknown';
  // age(t) counts from today.
  const kind = name === 'age' && call.arguments.length === 1 ? 'volatile' : known;
  if (kind === 'unknown')
    throw new Unsure(`${name}() is not a function Plinth knows, so it may do anything with rows`);
  if (call.over !== undefined) return windowed(session, clause, { call, name, kind });
  switch (kind) {
    case 'aggregate':
    case 'ordered-aggregate':
    case 'sum':
      return aggregated(session, clause, { call, name, kind });
    case 'window':
    case 'peer-window':
      throw new Unsure(`${name}() stands without OVER`);
    case 'set-returning':
      return expanded(session, clause, call);
    case 'volatile':
      return session.chosen(`${name}() gives another value each time`, scalar(session, clause, call, name));
    case 'plain':
      return scalar(session, clause, call, name);
  }
}

interface NamedCall {
  readonly call: Call;
  readonly name: string;
  readonly kind: FunctionKind;
}

function scalar(session: TermSession, clause: ClauseTerms, call: Call, name: string): Term {
  if (call.filter !== undefined || call.isDistinct || call.orderBy.length > 0 || call.withinGroup.length > 0)
    throw new Unsure(`${name}() is used like an aggregate and is none`);
  const made = session.terms.make(
    'scalar',
    'call',
    name,
    ...details(call),
    ...parameters(session, clause, call),
  );
  remember(session, made, call, name);
  return made;
}

function details(call: Call): string[] {
  return [
    call.syntax,
    call.modifier ?? '',
    call.isStar ? '*' : '',
    call.isDistinct ? 'distinct' : '',
    call.nulls ?? '',
  ];
}

/** Arguments with their names, which can be data (`struct_pack(a := 1)`). */
function parameters(session: TermSession, clause: ClauseTerms, call: Call): TermPart[] {
  // … also where they are those of columns: struct_pack(a) has a field a.
  const isNaming = folded(call.name.name).startsWith('struct_');
  return call.arguments.flatMap((argument) => [
    argument.name?.name ?? (isNaming ? outputName(argument.value) : ''),
    session.value(session, clause, argument.value),
  ]);
}

/** Types of calls on values of known types, so that a cast to them is seen to do nothing. */
function remember(session: TermSession, made: Term, call: Call, name: string): void {
  if (session.dialect !== 'duckdb' || call.syntax !== 'plain' || session.types.has(made)) return;
  const types: SqlType[] = [];
  for (const part of session.terms.children(made)) {
    const type = session.types.get(part);
    if (type !== undefined) types.push(type);
  }
  if (types.length < call.arguments.length) return;
  const result = callResult({
    name,
    types: types.slice(-call.arguments.length),
    names: [],
    constantAt: () => undefined,
  });
  if (!result.text.includes('UNKNOWN') && call.arguments.length > 0) session.types.set(made, result);
}

function aggregated(session: TermSession, clause: ClauseTerms, { call, name, kind }: NamedCall): Term {
  const { terms } = session;
  const rows = clause.aggregateOver;
  if (rows === undefined) throw new Unsure(`${name}() stands where no aggregate can`);
  const inside: ClauseTerms = { scope: clause.scope };
  const values = parameters(session, inside, call);
  const order = orderOf(session, inside, [...call.orderBy, ...call.withinGroup]);
  const filter = call.filter === undefined ? [] : [session.value(session, inside, call.filter)];
  const isOuter = (part: TermPart): boolean =>
    typeof part === 'number' && terms.some(part, (at) => terms.op(at) === 'outer');
  if ([...values, ...order.values, ...filter].some(isOuter))
    throw new Unsure(`${name}() takes a value from the query around it`);
  const made = terms.make(
    'aggregate',
    rows,
    name,
    ...details(call),
    ...values,
    'order',
    ...order.parts,
    'filter',
    ...filter,
  );
  const isLoose = isLooselyEqual(session, [
    ...values.filter((part) => typeof part === 'number'),
    ...order.values,
  ]);
  const isInAnyOrder =
    (kind === 'aggregate' && !takesCountOfFirst(session, name, values)) ||
    (kind === 'sum' && isSumOfExact(session, values));
  if (isInAnyOrder && !isLoose) return made;
  // Rows that differ in nothing the aggregate sees may come in any order.
  const by = new Set([...order.values, ...(clause.groupKeys ?? [])]);
  const isSettled = values.every((part) => typeof part === 'string' || terms.isDetermined(part, by));
  const dependsOnChance = name.startsWith('approx_') || name === 'reservoir_quantile' || name === 'mode' || name.startsWith('arg') || name.endsWith('_by'); // biome-ignore format: one thought
  if (isSettled && !dependsOnChance && !isLoose) return made;
  return session.chosen(`${name}() depends on the order in which rows come`, made, ...arrivalsAt(clause));
}

/** `max(x, n)` takes as many as the first row says. */
function takesCountOfFirst({ terms }: TermSession, name: string, values: readonly TermPart[]): boolean {
  const [, count] = values.filter((part) => typeof part === 'number');
  return (name === 'max' || name === 'min') && count !== undefined && terms.op(count) !== 'literal';
}

/** Whether the sum is the same in any order: floating-point numbers round as they are added. */
function isSumOfExact(session: TermSession, values: readonly TermPart[]): boolean {
  const numbers = values.filter((part) => typeof part === 'number');
  return numbers.every((part) => isExactNumber(session, part));
}

function windowed(session: TermSession, clause: ClauseTerms, { call, name, kind }: NamedCall): Term {
  const { terms } = session;
  const rows = clause.windowOver;
  if (rows === undefined) throw new Unsure(`${name}() OVER stands where no window function can`);
  if (kind === 'plain' || kind === 'volatile' || kind === 'set-returning')
    throw new Unsure(`${name}() is used like a window function and is none`);
  const spec = windowSpec(clause, call.over as NonNullable<Call['over']>);
  const values = parameters(session, clause, call);
  const filter = call.filter === undefined ? [] : [session.value(session, clause, call.filter)];
  const partition = spec.partitionBy.map((part) => session.value(session, clause, part));
  const order = orderOf(session, clause, spec.orderBy);
  const own = orderOf(session, clause, [...call.orderBy, ...call.withinGroup]);
  const made = terms.make(
    'window', rows, name, ...details(call), ...values, 'filter', ...filter, 'partition', terms.make('set', ...partition),
    'order', ...order.parts, 'own', ...own.parts, ...frameParts(session, clause, spec),
  ); // biome-ignore format: one term
  // Only what shows one of the values it compares shows which of the equal ones it took.
  const isLoose = !COUNTING.has(name) && isLooselyEqual(session, [...values.filter((part) => typeof part === 'number'), ...order.values]); // biome-ignore format: one question
  const fold = kind !== 'sum' ? kind : isSumOfExact(session, values) ? 'aggregate' : 'ordered-aggregate';
  if (!isLoose && isSettledWindow(fold, spec, order.parts.length > 0)) return made;
  const keys = isLoose ? undefined : terms.uniqueKeys(rows);
  const seen = new Set([...partition, ...order.values]);
  if (fold !== 'ordered-aggregate' && keys?.every((key) => terms.isDetermined(key, seen)) === true)
    return made;
  return session.chosen(
    `${name}() OVER chooses among rows that its ORDER BY leaves equal`,
    made,
    ...arrivalsAt(clause),
  );
}

const COUNTING: ReadonlySet<string> = new Set(['count', 'sum', 'avg', 'rank', 'dense_rank', 'percent_rank', 'cume_dist']); // biome-ignore format: a list

/** Whether rows that the ORDER BY leaves equal get the same answer, whatever their order. */
function isSettledWindow(kind: FunctionKind, spec: WindowSpec, isOrdered: boolean): boolean {
  if (kind === 'peer-window') return true;
  if (kind !== 'aggregate') return false;
  const { frame } = spec;
  if (frame === undefined) return true;
  if (frame.exclude !== undefined) return false;
  if (frame.start.kind === 'unbounded-preceding' && frame.end?.kind === 'unbounded-following') return true;
  return isOrdered && frame.unit !== 'ROWS';
}

function windowSpec(clause: ClauseTerms, over: NonNullable<Call['over']>, steps = 0): WindowSpec {
  const name = 'partitionBy' in over ? over.base : over;
  if (name === undefined) return over as WindowSpec;
  const base = clause.windows?.get(folded(name.name));
  if (base === undefined || steps > 20) throw new Unsure(`there is no window ${name.name}`);
  const under = windowSpec(clause, base, steps + 1);
  if (!('partitionBy' in over)) return under;
  const frame = over.frame ?? under.frame;
  return {
    partitionBy: under.partitionBy,
    orderBy: over.orderBy.length > 0 ? over.orderBy : under.orderBy,
    ...(frame !== undefined && { frame }),
  };
}

function frameParts(session: TermSession, clause: ClauseTerms, { frame }: WindowSpec): TermPart[] {
  if (frame === undefined) return [];
  const offset = (expression: Expression | undefined): TermPart =>
    expression === undefined ? '' : session.value(session, clause, expression);
  const { unit, start, end, exclude } = frame;
  return [unit, start.kind, offset(start.offset), end?.kind ?? '', offset(end?.offset), exclude ?? ''];
}

/** ORDER BY inside a call, or of a query: its values, and the parts that say how. */
export function orderOf(
  session: TermSession,
  clause: ClauseTerms,
  items: readonly OrderItem[],
): { readonly values: readonly Term[]; readonly parts: readonly TermPart[] } {
  const values = items.map((item) => session.value(session, clause, item.expression));
  const parts = items.flatMap((item, at) => [
    values[at] as Term,
    item.direction === 'DESC' ? 'DESC' : '',
    item.nulls ?? '',
  ]);
  return { values, parts };
}

/** unnest() in a select list: each row becomes as many as it returns, so what it returns belongs to the rows. */
function expanded(session: TermSession, clause: ClauseTerms, call: Call): Term {
  if (clause.expanded === undefined) throw new Unsure('unnest() makes rows where Plinth cannot follow them');
  const made = session.terms.make('unnested', ...parameters(session, { ...clause, expanded: [] }, call));
  clause.expanded.push(made);
  return made;
}

/** COLUMNS(…) stands for some of all columns: it changes with each of them. */
function columnsCall(session: TermSession, clause: ClauseTerms, call: Call): Term {
  const star: Expression = {
    kind: 'star',
    qualifiers: [],
    exclude: [],
    replace: [],
    rename: [],
    span: call.span,
  };
  return session.terms.make(
    'scalar',
    'columns',
    session.value(session, clause, star),
    ...call.arguments.map((argument) => session.value(session, clause, argument.value)),
  );
}
