/** UNION, EXCEPT and INTERSECT: columns meet by position or by name, and take a type that holds both. */
import type { QueryBody, SetOperation } from '../tree.ts';
import { unifyForced } from '../types/unify.ts';
import { mergeSources, type ScopeColumn, stronger, type TableReads } from './columns.ts';
import { type ResolveSession, type ReturnedColumns, report } from './name-scope.ts';

/** A chain of set operations hangs down to the left: its branches, first to last, with the operation before each. */
export function branchesOf(body: SetOperation): {
  readonly first: QueryBody;
  readonly rest: readonly SetOperation[];
} {
  const rest: SetOperation[] = [];
  let first: QueryBody = body;
  while (first.kind === 'set-operation') {
    rest.push(first);
    first = first.left;
  }
  return { first, rest: rest.reverse() };
}

/** The columns of `left OP right`. EXCEPT and INTERSECT return rows of the left side, but both sides' types matter. */
export function combine(
  session: ResolveSession,
  operation: SetOperation,
  left: ReturnedColumns,
  right: ReturnedColumns,
): ReturnedColumns {
  const open = mergeOpen(left.open, right.open);
  if (comparesRows(operation))
    for (const column of [...left.columns, ...right.columns]) session.deciders.add(column);
  if (operation.byName) return { columns: byName(left.columns, right.columns), open };
  if (open === undefined && left.columns.length !== right.columns.length) {
    const name = `${left.columns.length} and ${right.columns.length}`;
    report(session, 'column-count', name, { span: operation.right.span, isCertain: true });
  }
  const columns = left.columns.map((column, at) => {
    const other = right.columns[at];
    return other === undefined ? column : joined(column, other, operation.operator === 'UNION');
  });
  return { columns, open };
}

/** Whether values of both sides decide which rows are left: all but UNION ALL do. */
export function comparesRows({ operator, isAll }: SetOperation): boolean {
  return operator !== 'UNION' || !isAll;
}

export function mergeOpen(
  a: readonly TableReads[] | undefined,
  b: readonly TableReads[] | undefined,
): readonly TableReads[] | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return [...new Set([...a, ...b])];
}

/** One column made of two; only a UNION lets values of the right side through. */
function joined(left: ScopeColumn, right: ScopeColumn, isUnion: boolean): ScopeColumn {
  const type = left.type === right.type ? left.type : unifyForced(left.type, right.type);
  if (!isUnion) return type === left.type ? left : { ...left, type };
  const sources = mergeSources(left.sources, right.sources);
  const transformation = stronger(left.transformation, right.transformation);
  if (type === left.type && sources === left.sources && transformation === left.transformation) return left;
  return {
    name: left.name,
    key: left.key,
    type,
    sources,
    transformation,
    ...(left.span !== undefined && { span: left.span }),
  };
}

function byName(left: readonly ScopeColumn[], right: readonly ScopeColumn[]): ScopeColumn[] {
  const rest = new Map(right.map((column) => [column.key, column]));
  const columns = left.map((column) => {
    const other = rest.get(column.key);
    rest.delete(column.key);
    return other === undefined ? column : joined(column, other, true);
  });
  return [...columns, ...rest.values()];
}
