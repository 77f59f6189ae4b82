/*
 * Whether a query can return only rows of one interval, as far as its text proves it: the usual model says
 *
 *   SELECT …, o.day FROM orders AS o WHERE o.day BETWEEN '2024-01-01' AND '2024-01-31'
 *
 * and then nothing has to be counted to know that no row lies outside. The proof follows the time column from the last SELECT
 * through common tables and subqueries to a WHERE that bounds it. What is not understood is not proven; that costs time, never rows.
 */
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { parseQuery } from '../../foundation/sql/parse/parse-query.ts';
import { printExpression } from '../../foundation/sql/print/print-query.ts';
import type {
  ColumnReference,
  CommonTable,
  Expression,
  Query,
  QueryBody,
  Select,
  TableExpression,
} from '../../foundation/sql/tree.ts';
import type { TimeRange } from '../../foundation/time/ranges.ts';

/** A time column whose values are instants, not texts that only look like them. */
export interface ProvenColumn {
  readonly column: string;
  readonly type: 'date' | 'timestamp' | 'timestamptz';
}

/** True only when every row of the query has a time of the interval. */
export function isProvenInside(
  text: string,
  dialect: Dialect,
  { column, type }: ProvenColumn,
  range: TimeRange,
): boolean {
  // Microseconds are counted in plain numbers, which are exact until the year 2255.
  if (Math.abs(range.start) > EXACT_MS || Math.abs(range.end) > EXACT_MS) return false;
  const parsed = parseQuery(text, dialect);
  if (!parsed.ok) return false;
  const proof: Proof = { dialect, type, low: range.start * 1000, high: range.end * 1000, steps: 0 };
  return queryIsInside(parsed.value, column.toLowerCase(), undefined, proof);
}

const EXACT_MS = 9_000_000_000_000;
const STEPS_MAX = 200;

interface Proof {
  readonly dialect: Dialect;
  readonly type: ProvenColumn['type'];
  /** Microseconds, half-open. */
  readonly low: number;
  readonly high: number;
  steps: number;
}

/** Common tables that a place sees, innermost last definition first. */
interface NameScope {
  readonly table: CommonTable;
  readonly outer: NameScope | undefined;
}

function queryIsInside(query: Query, column: string, scope: NameScope | undefined, proof: Proof): boolean {
  proof.steps++;
  if (proof.steps > STEPS_MAX || query.with?.recursive === true) return false;
  let inner = scope;
  for (const table of query.with?.tables ?? []) inner = { table, outer: inner };
  return bodyIsInside(query.body, column, inner, proof);
}

function bodyIsInside(body: QueryBody, column: string, scope: NameScope | undefined, proof: Proof): boolean {
  switch (body.kind) {
    case 'select':
      return selectIsInside(body, column, scope, proof);
    case 'nested':
      return queryIsInside(body.query, column, scope, proof);
    case 'set-operation': {
      // Sides are matched by place, so both must have the column there under its name.
      const isSame = body.byName || placeOf(body.left, column) === placeOf(body.right, column);
      if (!isSame || (placeOf(body.left, column) ?? -1) < 0) return false;
      return (
        bodyIsInside(body.left, column, scope, proof) &&
        (body.operator === 'EXCEPT' || bodyIsInside(body.right, column, scope, proof))
      );
    }
    default:
      return false;
  }
}

/** At which place a body has the column; undefined when a star or something else hides it. */
function placeOf(body: QueryBody, column: string): number | undefined {
  if (body.kind === 'set-operation') return placeOf(body.left, column);
  if (body.kind === 'nested') return placeOf(body.query.body, column);
  if (body.kind !== 'select' || body.projections.some(({ expression }) => expression.kind === 'star'))
    return undefined;
  return body.projections.findIndex((projection) => nameOf(projection) === column);
}

function nameOf({ expression, alias }: Select['projections'][number]): string | undefined {
  if (alias !== undefined) return alias.name.toLowerCase();
  return expression.kind === 'column' ? expression.name.name.toLowerCase() : undefined;
}

function selectIsInside(select: Select, column: string, scope: NameScope | undefined, proof: Proof): boolean {
  const expression = projectedAs(select, column);
  if (expression === undefined) return false;
  const inner = expression.kind === 'cast' && !expression.isTry ? expression.operand : expression;
  if (inner.kind !== 'column') return false;
  // A grouping set gives rows in which the column is NULL.
  if (select.groupBy?.items.some(({ kind }) => kind !== 'expression')) return false;
  if (select.where !== undefined && isBounded(expression, select.where, proof)) return true;
  return expression.kind === 'column' && sourceIsInside(expression, select, scope, proof);
}

/** What the select gives under a name: a plain column or cast of one; through a star the column itself. */
function projectedAs(select: Select, column: string): Expression | undefined {
  const named = select.projections.filter((projection) => nameOf(projection) === column);
  const stars = select.projections.filter(({ expression }) => expression.kind === 'star');
  if (named.length === 1 && stars.length === 0) return named[0]?.expression;
  const [star] = stars;
  if (named.length > 0 || stars.length !== 1 || star?.expression.kind !== 'star') return undefined;
  const { qualifiers, exclude, replace, rename } = star.expression;
  if (exclude.length + replace.length + rename.length > 0 || qualifiers.length > 1) return undefined;
  // Only of one table is it known whose column a star gives.
  if (qualifiers.length === 0 && (select.from.length !== 1 || select.from[0]?.kind === 'join'))
    return undefined;
  return {
    kind: 'column',
    name: { name: column, quoted: false, span: star.span },
    qualifiers,
    span: star.span,
  };
}

/** The column comes from a subquery or common table that is itself inside, and no outer join can make it NULL. */
function sourceIsInside(
  { name, qualifiers }: ColumnReference,
  { from }: Select,
  scope: NameScope | undefined,
  proof: Proof,
): boolean {
  if (qualifiers.length > 1) return false;
  const tables = from.flatMap((table) => certainTables(table));
  const wanted = qualifiers[0]?.name.toLowerCase();
  const isOnly = from.length === 1 && from[0]?.kind !== 'join';
  const found = tables.filter((table) => (wanted === undefined ? isOnly : aliasOf(table) === wanted));
  const [table] = found;
  if (found.length !== 1 || table === undefined) return false;
  const column = name.name.toLowerCase();
  if (table.kind === 'derived')
    return (table.alias?.columns.length ?? 0) === 0 && queryIsInside(table.query, column, scope, proof);
  if (table.kind !== 'table' || table.parts.length !== 1 || (table.alias?.columns.length ?? 0) > 0)
    return false;
  for (let at = scope; at !== undefined; at = at.outer)
    if (at.table.name.name.toLowerCase() === table.parts[0]?.name.toLowerCase())
      // A common table sees those before it.
      return at.table.columns.length === 0 && queryIsInside(at.table.query, column, at.outer, proof);
  return false;
}

/** Tables of a FROM whose rows are in the result as they are, never filled up with NULL. */
function certainTables(table: TableExpression): readonly TableExpression[] {
  if (table.kind !== 'join') return [table];
  const left =
    table.type === 'right' || table.type === 'full' || table.type === 'positional'
      ? []
      : certainTables(table.left);
  const right =
    table.type === 'inner' || table.type === 'cross' || table.type === 'right'
      ? certainTables(table.right)
      : [];
  return [...left, ...right];
}

function aliasOf(table: TableExpression): string | undefined {
  if (table.kind === 'table') return (table.alias?.name ?? table.parts.at(-1))?.name.toLowerCase();
  return table.kind === 'derived' ? table.alias?.name.name.toLowerCase() : undefined;
}

/** The conjuncts of a WHERE keep the expression within the interval; a comparison is never true for NULL. */
function isBounded(expression: Expression, where: Expression, proof: Proof): boolean {
  const { dialect } = proof;
  const own = printExpression(expression, dialect).toLowerCase();
  const isOwn = (other: Expression): boolean => printExpression(other, dialect).toLowerCase() === own;
  let low = Number.NEGATIVE_INFINITY;
  let high = Number.POSITIVE_INFINITY;
  const narrow = (operator: string, limit: Expression): void => {
    const at = instantOf(limit);
    if (at === undefined) return;
    if (operator === '>=' || operator === '=') low = Math.max(low, at);
    if (operator === '>') low = Math.max(low, at + 1);
    if (operator === '<') high = Math.min(high, at);
    if (operator === '<=' || operator === '=') high = Math.min(high, lastOf(at, proof.type));
  };
  const queue: Expression[] = [where];
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    if (at.kind === 'binary' && at.operator === 'AND') queue.push(at.left, at.right);
    else if (at.kind === 'between' && !at.negated && !at.symmetric && isOwn(at.operand)) {
      narrow('>=', at.low);
      narrow('<=', at.high);
    } else if (at.kind === 'binary' && isOwn(at.left)) narrow(at.operator, at.right);
    else if (at.kind === 'binary' && isOwn(at.right)) narrow(TURNED[at.operator] ?? '', at.left);
  }
  return low >= proof.low && high <= proof.high;
}

const TURNED: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=', '=': '=' };
const DAY = 86_400_000_000;

/** The first instant after a limit that is part of the range: a date is the instant its day begins. */
const lastOf = (at: number, type: ProvenColumn['type']): number =>
  type === 'date' ? (Math.floor(at / DAY) + 1) * DAY : at + 1;

/** Types that keep every microsecond of a constant. */
const EXACT_TYPES = new Set(['DATE', 'TIMESTAMP', 'TIMESTAMPTZ', 'TIMESTAMP WITH TIME ZONE', 'DATETIME']);
const INSTANT = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}:\d{2})(?:\.(\d{1,6}))?)?(?:\+00(?::?00)?|Z)?$/;

/** Microseconds of a constant in UTC, written as text or as a typed constant. */
function instantOf(expression: Expression): number | undefined {
  const literal =
    expression.kind === 'cast' && !expression.isTry && EXACT_TYPES.has(expression.type.name)
      ? expression.operand
      : expression;
  if (literal.kind !== 'literal' || literal.type !== 'string') return undefined;
  const match = INSTANT.exec(literal.text);
  if (match === null) return undefined;
  const [, date, clock = '00:00:00', fraction = ''] = match;
  const hasClock = match[2] !== undefined;
  // Cast to a date, the clock is lost.
  const isDate = expression.kind === 'cast' && expression.type.name === 'DATE';
  if (isDate && hasClock) return undefined;
  const ms = Date.parse(`${date}T${clock}Z`);
  return Number.isNaN(ms) ? undefined : ms * 1000 + Number(fraction.padEnd(6, '0'));
}
