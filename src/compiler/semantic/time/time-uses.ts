import type { QueryFilter, DateRange as WrittenRange } from '../../../domain/semantic-query.ts';
import type { AskedMember, AskedMembers, MemberRef } from '../asked-members.ts';
import type { TimeBounds } from '../logical-query.ts';
import type { Surroundings } from '../part-builder.ts';
import type { AskedQuery } from '../read-asked.ts';
import type { TimeUse } from './bind-variant.ts';
import { type DateOperator, operatorBounds, readRange } from './date-conditions.ts';
import type { TimeType } from './granularity.ts';

/** Everything a query says about times: buckets in the order of its columns, then ranges. `refOf` says what a member means in the part. */
export function timeUses(
  asked: AskedQuery,
  around: Surroundings,
  refOf: (asked: AskedMember) => MemberRef,
): readonly TimeUse[] {
  const reader =
    (operator: DateOperator, range: WrittenRange) =>
    (type: TimeType): TimeBounds | undefined => {
      const read = readRange(range, type, { timezone: around.zone, now: around.now });
      return read.kind === 'problem' ? undefined : operatorBounds(operator, read);
    };
  return [
    ...asked.keys.flatMap((key, i) =>
      key.asked.grain === undefined ? [] : [{ ref: refOf(key.asked), key: i }],
    ),
    ...asked.ranges.map(({ asked: member, time }) => ({
      ref: refOf(member),
      bounds: reader('inDateRange', time.dateRange ?? ''),
    })),
    ...asked.filters.flatMap((filter) => {
      const found = dateFilter(filter, asked.members);
      return found === undefined
        ? []
        : [{ ref: refOf(found.asked), bounds: reader(found.operator, found.range) }];
    }),
  ];
}

const OPERATORS: ReadonlySet<string> = new Set([
  'inDateRange',
  'onTheDate',
  'beforeDate',
  'beforeOrOnDate',
  'afterDate',
  'afterOrOnDate',
]);

/** A filter that is a range of one time dimension; undefined for all others. */
export function dateFilter(
  filter: QueryFilter,
  members: AskedMembers,
):
  | { readonly asked: AskedMember; readonly operator: DateOperator; readonly range: WrittenRange }
  | undefined {
  if (filter.kind !== 'member' || !OPERATORS.has(filter.operator)) return undefined;
  const [from, to] = filter.values;
  if (typeof from !== 'string' || (to !== undefined && typeof to !== 'string') || filter.values.length > 2)
    return undefined;
  const asked = members.dimension(filter.member);
  // The time of a metric has its own granularity when none is asked for; a range means the time itself.
  if (!asked.ok || (asked.value.grain !== undefined && asked.value.metricColumn === undefined))
    return undefined;
  return {
    asked: asked.value,
    operator: filter.operator as DateOperator,
    range: to === undefined ? from : [from, to],
  };
}
