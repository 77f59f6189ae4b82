/*
 * `compareDateRange: [r1, r2, …]`: the query once per range, the rows of all after one another, with a first column that says which.
 */
import type { DateRange, QueryTime, SemanticQuery } from '../../domain/semantic-query.ts';
import type { Query, QueryBody } from '../../foundation/sql/tree.ts';
import { answerName, type LogicalQuery } from './logical-query.ts';
import type { Tables } from './lower-part.ts';
import { lowerQuery } from './lower-query.ts';
import {
  column,
  derived,
  numberLiteral,
  projection,
  query as queryOf,
  select,
  textLiteral,
  unionAll,
} from './tree-nodes.ts';

/** The name of the first column. */
export const COMPARED = 'compareDateRange';
const NUMBER = 'range_number';

/** One query for each range that is compared; undefined when none are. */
export function comparedQueries(
  query: SemanticQuery,
): readonly { readonly label: string; readonly query: SemanticQuery }[] | undefined {
  const times = query.timeDimensions ?? [];
  const compared = times.find(({ compareDateRange }) => compareDateRange !== undefined);
  if (compared?.compareDateRange === undefined) return undefined;
  const { compareDateRange, ...time } = compared;
  return compareDateRange.map((dateRange) => ({
    label: labelOf(dateRange),
    query: {
      ...query,
      timeDimensions: times.map((each): QueryTime => (each === compared ? { ...time, dateRange } : each)),
    },
  }));
}

function labelOf(range: DateRange): string {
  return typeof range === 'string' ? range : range.join(' - ');
}

/** The answers one below the other, each in its own order and with its own limit. */
export function compareRanges(
  ranges: readonly { readonly label: string; readonly logical: LogicalQuery }[],
  tables: Tables,
  aliases: readonly string[],
): Query {
  const order: { readonly alias: string; readonly direction: 'ASC' | 'DESC' }[] = [];
  const branches = ranges.map(({ label, logical }, at): QueryBody => {
    const { extended, names } = withOrder(logical, aliases);
    if (at === 0) order.push(...names);
    const all = [...aliases, ...extended.outputs.slice(aliases.length).map((_, i) => hiddenAlias(i))];
    return select({
      projections: [
        projection(numberLiteral(at), NUMBER),
        projection(textLiteral(label), COMPARED),
        ...all.map((alias) => projection(column('answer', alias), alias)),
      ],
      from: derived(lowerQuery(extended, tables, all), 'answer'),
    });
  });
  const [first, ...rest] = branches;
  return queryOf(
    select({
      projections: [COMPARED, ...aliases].map((alias) => projection(column('ranges', alias), alias)),
      from: derived(queryOf(unionAll(first as QueryBody, ...rest)), 'ranges'),
    }),
    {
      orderBy: [{ alias: NUMBER, direction: 'ASC' as const }, ...order].map(({ alias, direction }) => ({
        expression: column('ranges', alias),
        direction,
        nulls: 'LAST' as const,
      })),
    },
  );
}

const hiddenAlias = (at: number): string => `order_${at + 1}`;

/** The query with everything it is ordered by among its columns. */
function withOrder(logical: LogicalQuery, aliases: readonly string[]) {
  const outputs = [...logical.outputs];
  const names = logical.order.map(({ value, direction }) => {
    const name = answerName(value);
    const found = outputs.findIndex(
      (output) => output.value === value || (name !== undefined && answerName(output.value) === name),
    );
    if (found >= 0 && found < aliases.length) return { alias: aliases[found] as string, direction };
    if (found < 0) outputs.push({ column: { name: '', kind: 'measure', type: 'UNKNOWN' }, value });
    const at = (found < 0 ? outputs.length - 1 : found) - aliases.length;
    return { alias: hiddenAlias(at), direction };
  });
  return { extended: { ...logical, outputs }, names };
}
