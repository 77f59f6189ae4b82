/*
 * All buckets of a stretch of time, also those in which nothing happened: numbers from 1 to n, each turned into the beginning of
 * a bucket. Whole numbers are what every dialect can make a table of (`series` in foundation/sql/print).
 */
import type { Expression, Query, Select, TableExpression } from '../../../foundation/sql/tree.ts';
import { DAY_MS } from '../../../foundation/time/civil.ts';
import {
  binary,
  booleanLiteral,
  call,
  cast,
  column,
  identifier,
  NOWHERE,
  numberLiteral,
  textLiteral,
} from '../tree-nodes.ts';
import { unitOf } from './bucket-of.ts';
import { type BucketStep, bucketStart, moveBuckets } from './granularity.ts';
import { interval, timeConstant } from './time-nodes.ts';

/** The one column of a spine. */
export const BUCKET = 'bucket';

const NUMBER = 'i';

/** Beginnings of buckets from one to another, both included; `type` is that of the bucket. */
export interface BucketSpan {
  readonly step: BucketStep;
  readonly type: 'DATE' | 'TIMESTAMP';
}

/** Buckets that begin in a range of wall times, or contain its first instant. */
export function spineOfRange(
  { step, type }: BucketSpan,
  range: { readonly start: number; readonly end: number },
): Query {
  const first = bucketStart(step, range.start);
  const last = bucketStart(step, range.end - 1);
  if (range.start >= range.end) return noBuckets({ step, type });
  const count = numberLiteral(bucketsBetween(step, first, last) + 1);
  return spine({ step, type }, { from: timeConstant(first, type), count });
}

/** A table of buckets without any. */
export function noBuckets({ step, type }: BucketSpan): Query {
  // Some dialects count down from 1 to 0.
  return spine({ step, type }, { from: timeConstant(0, type), count: numberLiteral(1), isEmpty: true });
}

function bucketsBetween(step: BucketStep, first: number, last: number): number {
  if (step.kind === 'fixed') return (last - first) / step.ms;
  // An estimate from the mean length of a month is off by less than one.
  const about = Math.round((last - first) / (step.count * 30.436875 * DAY_MS));
  return [about - 1, about, about + 1].find((count) => moveBuckets(step, first, count) === last) as number;
}

/** Buckets from the least to the greatest that a query of one row knows; its columns are beginnings of buckets. No row: no buckets. */
export function spineOfQuery(
  { step, type }: BucketSpan,
  known: { readonly query: Query; readonly first: string; readonly last: string },
): Query {
  const bounds = 'bounds';
  const first = column(bounds, known.first);
  const last = column(bounds, known.last);
  const distance = distanceOf(step, first, last);
  return spine(
    { step, type },
    {
      from: first,
      count: binary('+', distance, numberLiteral(1)),
      bounds: {
        kind: 'derived',
        query: known.query,
        lateral: false,
        alias: { name: identifier(bounds), columns: [] },
        span: NOWHERE,
      },
    },
  );
}

/** How many buckets one beginning is after another; both are beginnings, so that nothing is left over. */
function distanceOf(step: BucketStep, first: Expression, last: Expression): Expression {
  const [unit, size] = step.kind === 'months' ? ['month', step.count] : unitAndCount(step);
  const distance = call('date_diff', [textLiteral(unit), first, last]);
  return size === 1 ? distance : cast(binary('/', distance, numberLiteral(size)), 'BIGINT');
}

function unitAndCount(step: BucketStep & { readonly kind: 'fixed' }): readonly [unit: string, count: number] {
  const [unit, ms] = unitOf(step.ms);
  return [unit, step.ms / ms];
}

function spine(
  { step, type }: BucketSpan,
  made: {
    readonly from: Expression;
    readonly count: Expression;
    readonly bounds?: TableExpression;
    readonly isEmpty?: boolean;
  },
): Query {
  const numbers: TableExpression = {
    kind: 'table-function',
    call: call('generate_series', [numberLiteral(1), made.count]),
    lateral: made.bounds !== undefined,
    withOrdinality: false,
    alias: { name: identifier('numbers'), columns: [identifier(NUMBER)] },
    span: NOWHERE,
  };
  const table: TableExpression =
    made.bounds === undefined
      ? numbers
      : {
          kind: 'join',
          type: 'cross',
          natural: false,
          asof: false,
          left: made.bounds,
          right: numbers,
          span: NOWHERE,
        };
  const start = nthBucket(step, made.from);
  const select: Select = {
    kind: 'select',
    distinct: 'none',
    projections: [
      { expression: type === 'DATE' ? cast(start, 'DATE') : start, alias: identifier(BUCKET), span: NOWHERE },
    ],
    from: [table],
    ...(made.isEmpty === true ? { where: booleanLiteral(false) } : {}),
    windows: [],
    span: NOWHERE,
  };
  return { kind: 'query', body: select, orderBy: [], span: NOWHERE };
}

function nthBucket(step: BucketStep, from: Expression): Expression {
  const before = binary('-', column(undefined, NUMBER), numberLiteral(1));
  const times = (count: number): Expression =>
    count === 1 ? before : binary('*', before, numberLiteral(count));
  if (step.kind === 'fixed') {
    const [unit, count] = unitAndCount(step);
    return binary('+', from, interval(times(count), unit));
  }
  return binary('+', from, interval(times(step.count), 'month'));
}
