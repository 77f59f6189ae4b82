import type { Dialect } from '../../foundation/sql/dialect.ts';
import { frozenClock } from '../../foundation/sql/functions/frozen-clock.ts';
import { parseExpression, parseQuery } from '../../foundation/sql/parse/parse-query.ts';
import { splice } from '../../foundation/sql/splice.ts';

/** The SQL of an author whose clock says `now`: all queries of a check look at one moment. Text that cannot be read keeps the engine's clock. */
export function atMoment(
  { kind, sql }: { readonly kind: 'query' | 'condition'; readonly sql: string },
  now: number,
  dialect: Dialect,
): string {
  const parsed = kind === 'query' ? parseQuery(sql, dialect) : parseExpression(sql, dialect);
  return parsed.ok ? splice(sql, frozenClock(parsed.value, now, dialect)) : sql;
}
