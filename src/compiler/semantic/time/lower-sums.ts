/*
 * Windows over sums: rows are first summed up per day, so that a window of a year reads 365 lines and not every row of the year.
 *
 *   WITH facts AS (SELECT day, status, SUM(amount) AS amount FROM orders GROUP BY 1, 2)
 *   SELECT bucket, status, SUM(amount) FROM facts JOIN buckets ON day >= … AND day < … GROUP BY 1, 2
 *
 * It is the same wherever windows begin and end at midnight and the aggregates are made of partial ones.
 */
import type { Expression, Query } from '../../../foundation/sql/tree.ts';
import { isWholeType } from '../../../foundation/sql/types/type-names.ts';
import { DAY_MS } from '../../../foundation/time/civil.ts';
import { freshName } from '../lift-inputs.ts';
import type { Component, Part, Variant } from '../logical-query.ts';
import { plainPart, type Tables } from '../lower-part.ts';
import { call, cast, column, derived, join, projection, query, select } from '../tree-nodes.ts';
import { bucketOf } from './bucket-of.ts';
import { isWholeDays, type TimeGranularity, timeTypeOf } from './granularity.ts';
import { durationOf } from './window-bounds.ts';
import { granularitiesOf, withoutWindow } from './without-window.ts';

type Rolling = Extract<Variant, { readonly kind: 'rolling' }>;

/** How a whole is made of parts; counts are added up. */
const WHOLE: Readonly<Record<string, string>> = { sum: 'SUM', count: 'SUM', min: 'MIN', max: 'MAX' };

/** Whether the part can be computed from sums per day. */
export function isSummable(part: Part): part is Part & { readonly variant: Rolling } {
  const { variant, components } = part;
  if (variant.kind !== 'rolling' || variant.time.shown.length === 0 || part.periodic.length > 0) return false;
  // An expression over a bucket may need the row, too.
  if (variant.time.shown.some(({ members }) => members !== undefined)) return false;
  if (!granularitiesOf({ ...part, variant }).every(({ step }) => isWholeDays(step))) return false;
  const isOfDays = durationsOf(variant).every((text) => durationOf(text).ms % DAY_MS === 0);
  return isOfDays && components.length > 0 && components.every(isMadeOfParts);
}

function durationsOf({ window }: Rolling): readonly string[] {
  if (window.kind === 'to-date') return [];
  return [window.trailing?.value, window.leading?.value].filter(
    (text) => text !== undefined && text !== 'unbounded',
  ) as readonly string[];
}

function isMadeOfParts({ call: { name, isDistinct, orderBy, withinGroup } }: Component): boolean {
  const isOrdered = orderBy.length + withinGroup.length > 0;
  return !isDistinct && !isOrdered && Object.hasOwn(WHOLE, name.name.toLowerCase());
}

/** The SELECT of a part whose rows are summed up per day before the window gathers them. */
export function lowerSums(
  part: Part & { readonly variant: Rolling },
  { tables, zone }: { readonly tables: Tables; readonly zone: string },
): Query {
  const { time } = part.variant;
  const names = new Set([...part.keys, ...part.components].map(({ name }) => name.toLowerCase()));
  const day = freshName('day_of_row', names);
  const { keys, where, buckets } = withoutWindow(part, { tables, zone, wall: column(FACTS, day) });
  if (buckets === undefined) throw new Error('a window over sums has no buckets');
  const type = timeTypeOf(time.type);
  const value = bucketOf(time.value, { type, granularity: DAY, timezone: zone });
  const shown = new Set(time.shown.map(({ key }) => key));
  const others = part.keys.filter((_, i) => !shown.has(i));
  const perDay = plainPart(
    { ...part, where, keys: [...others, { name: day, value, type: 'DATE' }], variant: { kind: 'plain' } },
    tables,
  );
  return query(
    select({
      projections: [
        ...keys.map((key, i) => projection(shown.has(i) ? key.value : column(FACTS, key.name), key.name)),
        ...part.components.map((component) => projection(whole(component), component.name)),
      ],
      from: join(derived(perDay, FACTS), buckets.table, { type: 'inner', on: buckets.on }),
      groupByFirst: keys.length,
    }),
  );
}

const FACTS = 'facts';
const DAY: TimeGranularity = { unit: 'day', step: { kind: 'fixed', ms: DAY_MS, origin: 0 } };

function whole({ name, call: { name: aggregate }, type, isCount }: Component): Expression {
  const added = call(WHOLE[aggregate.name.toLowerCase()] ?? 'SUM', [column(FACTS, name)]);
  // Sums of counts are wider than counts.
  return isCount && isWholeType(type) ? cast(added, type) : added;
}
