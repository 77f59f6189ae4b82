import type { Expression } from '../../../foundation/sql/tree.ts';
import type { PartKey } from '../logical-query.ts';
import { bucketOfWall } from '../time/bucket-of.ts';
import {
  bucketStart,
  granularityOf,
  isWholeDays,
  type TimeGranularity,
  timeTypeOf,
} from '../time/granularity.ts';
import { timeConstant } from '../time/time-nodes.ts';
import { binary, cast, column } from '../tree-nodes.ts';
import { canonicalExpression } from './canonical-expression.ts';
import type { RollupKey, RollupShape } from './rollup-shape.ts';

/** Expressions over rows of a fact, said over the columns of a rollup; undefined for what its groups do not decide. */
export class OverRollup {
  readonly #shape: RollupShape;
  readonly #alias: string;
  readonly #paths: ReadonlyMap<string, string>;
  readonly #zone: string;
  readonly #columns: ReadonlyMap<string, RollupKey>;

  constructor(
    shape: RollupShape,
    {
      alias,
      paths,
      zone,
    }: { readonly alias: string; readonly paths: ReadonlyMap<string, string>; readonly zone: string },
  ) {
    this.#shape = shape;
    this.#alias = alias;
    this.#paths = paths;
    this.#zone = zone;
    this.#columns = new Map(shape.keys.map((key) => [key.canonical, key]));
  }

  key({ value, bucket }: PartKey): Expression | undefined {
    if (bucket === undefined) return this.expression(value);
    const time = canonicalExpression(bucket.time.value, this.#paths);
    const isLocal = timeTypeOf(bucket.time.type) !== 'DATE' && this.#zone !== 'UTC';
    const asked = granularityOf(bucket.grain);
    for (const key of this.#shape.keys) {
      if (key.bucket?.canonicalTime !== time || isLocal || asked === undefined) continue;
      const kept = granularityOf(key.bucket.grain);
      if (kept === undefined || !isNested(kept, asked)) continue;
      if (JSON.stringify(kept.step) === JSON.stringify(asked.step)) return this.#column(key);
      // Hours of a DATE are TIMESTAMPs, but its days are not.
      const isDate = timeTypeOf(bucket.time.type) === 'DATE' && !SHORT.includes(asked.unit ?? '');
      if (isDate && wallType(key) !== 'DATE')
        return bucketOfWall(cast(this.#column(key), 'DATE'), 'DATE', asked);
      return bucketOfWall(this.#column(key), wallType(key), asked);
    }
    return this.expression(value);
  }

  expression(node: Expression): Expression | undefined {
    let isLost = false;
    const map = (value: unknown): unknown => {
      if (isLost || value === null || typeof value !== 'object') return value;
      if (Array.isArray(value)) return value.map(map);
      if ('kind' in value) {
        const found = this.#known(value as Expression);
        if (found !== undefined) return found;
        if (value.kind === 'column' || value.kind === 'query' || value.kind === 'star') {
          isLost = true;
          return value;
        }
      }
      return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, map(part)]));
    };
    const mapped = map(node) as Expression;
    return isLost ? undefined : mapped;
  }

  #column({ column: name }: RollupKey): Expression {
    return column(this.#alias, name);
  }

  #known(node: Expression): Expression | undefined {
    const key = this.#columns.get(canonicalExpression(node, this.#paths));
    if (key !== undefined) return this.#column(key);
    if (node.kind === 'is' && node.test === 'NULL') {
      const time = this.#bucketOf(node.operand);
      return time && { ...node, operand: this.#column(time) };
    }
    if (node.kind !== 'binary' || (node.operator !== '>=' && node.operator !== '<')) return undefined;
    const time = this.#bucketOf(node.left);
    const at = time && instantOf(node.right);
    const kept = time?.bucket && granularityOf(time.bucket.grain);
    if (time === undefined || at === undefined || kept === undefined) return undefined;
    // Between the ends of a bucket the rollup does not know which rows are before the bound.
    if (bucketStart(kept.step, at) !== at) return undefined;
    return binary(node.operator, this.#column(time), timeConstant(at, wallType(time)));
  }

  #bucketOf(node: Expression): RollupKey | undefined {
    if (!this.#shape.keys.some(({ bucket }) => bucket !== undefined)) return undefined;
    const canonical = canonicalExpression(node, this.#paths);
    return this.#shape.keys.find(({ bucket }) => bucket?.canonicalTime === canonical);
  }
}

const wallType = ({ type }: RollupKey): 'DATE' | 'TIMESTAMP' => (type === 'DATE' ? 'DATE' : 'TIMESTAMP');

/** A constant that `timeConstant` made, as milliseconds in UTC. */
function instantOf(node: Expression): number | undefined {
  if (node.kind !== 'cast' || node.form !== 'literal' || node.operand.kind !== 'literal') return undefined;
  const { text } = node.operand;
  const found = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d:\d\d(?:\.\d{1,3})?))?(?:\+00:00)?$/.exec(text);
  if (found === null) return undefined;
  const at = Date.parse(`${found[1]}T${found[2] ?? '00:00:00'}Z`);
  return Number.isNaN(at) ? undefined : at;
}

/** Whether every bucket of the longer one is made of whole buckets of the shorter one. */
function isNested({ unit, step }: TimeGranularity, asked: TimeGranularity): boolean {
  if (JSON.stringify(step) === JSON.stringify(asked.step)) return true;
  if (unit === undefined) return false;
  if (asked.unit !== undefined) return INSIDE[unit]?.includes(asked.unit) === true;
  // The user's own buckets begin at midnight, or at an unknown time.
  return (SHORT.includes(unit) || unit === 'day') && isWholeDays(asked.step);
}

const LONG = ['month', 'quarter', 'year'];
const SHORT = ['second', 'minute', 'hour'];
const INSIDE: Readonly<Record<string, readonly string[]>> = {
  second: ['minute', 'hour', 'day', 'week', ...LONG],
  minute: ['hour', 'day', 'week', ...LONG],
  hour: ['day', 'week', ...LONG],
  day: ['week', ...LONG],
  week: [],
  month: ['quarter', 'year'],
  quarter: ['year'],
  year: [],
};
