import type { Expression, Query } from '../../../foundation/sql/tree.ts';
import { freshName } from '../lift-inputs.ts';
import type { Part, Variant } from '../logical-query.ts';
import { joinedNodes, partSource, type Tables } from '../lower-part.ts';
import {
  allOf,
  binary,
  booleanLiteral,
  call,
  column,
  derived,
  NOWHERE,
  numberLiteral,
  projection,
  query,
  select,
} from '../tree-nodes.ts';
import { durationOf, sqlTimes, timeSql } from './window-bounds.ts';

type Conversion = Extract<Variant, { readonly kind: 'conversion' }>;

/** Counts rows of the base, and those that a row of the conversion follows in time. */
export function lowerConversion(part: Part & { readonly variant: Conversion }, tables: Tables): Query {
  const { variant } = part;
  const keys = part.keys.map(({ name }) => name);
  const names = new Set([...keys, variant.base, variant.converted].map((name) => name.toLowerCase()));
  const counted = freshName('counted', names);
  const entity = freshName('entity', names);
  const time = freshName('occurred_at', names);
  const followed = freshName('has_converted', names);
  const source = partSource(
    { ...part, components: [] },
    tables,
    new Map([
      [counted, variant.rows ?? booleanLiteral(true)],
      [entity, variant.entity],
      [time, variant.time.value],
    ]),
  );
  const own = (name: string): Expression => source.extra.get(name) as Expression;
  const exists: Expression = {
    kind: 'exists',
    query: follower(variant, { entity: own(entity), time: own(time) }, tables),
    span: NOWHERE,
  };
  const marked = select({
    projections: [
      ...keys.map((name, i) => projection(source.keys[i] as Expression, name)),
      projection(own(counted), counted),
      projection(exists, followed),
    ],
    from: source.from,
    where: source.where,
  });
  const flag = (name: string): Expression => column(undefined, name);
  const count = (filter: Expression): Expression => call('COUNT', [], { isStar: true, filter });
  return query(
    select({
      projections: [
        ...keys.map((name) => projection(flag(name), name)),
        projection(count(flag(counted)), variant.base),
        projection(count(binary('AND', flag(counted), flag(followed))), variant.converted),
      ],
      from: derived(query(marked), 'conversions'),
      groupByFirst: keys.length,
    }),
  );
}

/** Rows of the conversion with the same entity, not before the base and within the window. */
function follower(
  { other, window }: Conversion,
  base: { readonly entity: Expression; readonly time: Expression },
  tables: Tables,
): Query {
  const end =
    window === undefined
      ? undefined
      : sqlTimes('TIMESTAMP', false).plus({ base: base.time, terms: [] }, durationOf(window), 1);
  return query(
    select({
      projections: [projection(numberLiteral(1))],
      from: joinedNodes(other, tables),
      where: allOf([
        ...other.where,
        binary('=', other.entity, base.entity),
        binary('>=', other.time.value, base.time),
        ...(end === undefined ? [] : [binary('<', other.time.value, timeSql(end))]),
      ]),
    }),
  );
}
