import type { Values } from '../tree.ts';
import { type SqlType, settle, UNKNOWN } from '../types/sql-type.ts';
import { unify, unifyForced } from '../types/unify.ts';
import { Flow, type ScopeColumn } from './columns.ts';
import { type NameScope, type ResolveSession, type ReturnedColumns, report } from './name-scope.ts';

/** `VALUES (1, 'a'), (2, NULL)`: columns col0, col1, … with the type that holds every row. */
export function bindValues(session: ResolveSession, scope: NameScope, values: Values): ReturnedColumns {
  const types: SqlType[] = [];
  const flows: Flow[] = [];
  const width = values.rows[0]?.length ?? 0;
  values.rows.forEach((row, at) => {
    if (row.length !== width)
      report(session, 'column-count', `${width} and ${row.length}`, { span: values.span, isCertain: true });
    row.forEach((cell, column) => {
      const flow = flows[column] ?? new Flow();
      flows[column] = flow;
      const type = session.typeExpression(session, scope, cell, flow);
      const before = types[column];
      types[column] =
        at === 0 || before === undefined ? type : (unify(before, type) ?? unifyForced(before, type));
    });
  });
  const columns = types.slice(0, width).map((type, at): ScopeColumn => {
    const flow = flows[at] as Flow;
    const transformation = flow.isAggregated ? 'aggregated' : 'derived';
    return {
      name: `col${at}`,
      key: `col${at}`,
      type: settle(type ?? UNKNOWN),
      sources: flow.sources,
      transformation,
      span: values.span,
    };
  });
  return { columns, open: undefined };
}
