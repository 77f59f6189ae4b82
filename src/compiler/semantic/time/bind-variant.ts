/*
 * Windows, shifts and stocks bound to a part of a query: along which time they move, and what the query says about that time.
 *
 *   keys and ranges of the query ── those on the fact, else those it reaches to-one ──▶ the first bucket, else the first range
 */
import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { Behavior, RollingWindow } from '../../../domain/semantic-model.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import type { Expression } from '../../../foundation/sql/tree.ts';
import { DAY_MS } from '../../../foundation/time/civil.ts';
import { edgeKey } from '../../load/yaml/join-graph.ts';
import type { MemberRef } from '../asked-members.ts';
import type { Path } from '../indexed-model.ts';
import type { BoundTime, PartKey, TimeBounds, Variant, WindowTime } from '../logical-query.ts';
import { bindConversion } from '../metrics/bind-conversion.ts';
import type { PartBuilder, Surroundings } from '../part-builder.ts';
import type { VariantSpec } from '../part-set.ts';
import { granularityOf, type TimeType, timeTypeOf } from './granularity.ts';

/** A place where the query speaks of a time: a bucket to group by, or a range. */
export interface TimeUse {
  readonly ref: MemberRef;
  /** Index of the key. */
  readonly key?: number;
  /** Reads the range for a column of that type; undefined when it cannot be read, which is reported elsewhere. */
  readonly bounds?: (type: TimeType) => TimeBounds | undefined;
}

/** A variant, and the time whose ranges it has taken over. */
export interface BoundVariant {
  readonly variant: Variant;
  /** Of `timeIdentity`. */
  readonly takes?: string;
}

/** What a variant is bound to. */
export interface VariantPlace {
  readonly around: Surroundings;
  readonly part: PartBuilder;
  readonly uses: readonly TimeUse[];
  /** For messages. */
  readonly measure: string;
}

/** Equal for the same dimension reached over the same path. */
export function timeIdentity(part: PartBuilder, ref: MemberRef): string | undefined {
  const path = part.path(ref.named);
  return 'code' in path ? undefined : identityOf(path, ref);
}

function identityOf(path: Path, { member }: MemberRef): string {
  return `${path.map(edgeKey).join('')}.${member.name.toLowerCase()}`;
}

export function bindVariant(spec: VariantSpec, place: VariantPlace): BoundVariant | Diagnostic {
  switch (spec.kind) {
    case 'plain':
      return { variant: spec };
    case 'stock': {
      const variant = bindStock(spec.behavior, place);
      return 'code' in variant ? variant : { variant };
    }
    case 'conversion': {
      const variant = bindConversion(spec, place.part, place.around);
      return 'code' in variant ? variant : { variant };
    }
    case 'rolling': {
      const found = windowTime(place, spec.over);
      if ('code' in found) return found;
      if (found.time.key === undefined && isOpen(spec.window, found.time.range))
        return diagnostic('semantic.needs-time', { name: place.measure, fact: place.part.fact.name });
      return { variant: { kind: 'rolling', window: spec.window, time: found.time }, takes: found.takes };
    }
    case 'shift': {
      const of = bindVariant(spec.of, place);
      if ('code' in of) return of;
      const found = windowTime(place, overOf(spec.of));
      if ('code' in found) return found;
      const { by, direction } = spec;
      return {
        variant: { kind: 'shift', by, direction, time: found.time, of: of.variant },
        takes: found.takes,
      };
    }
  }
}

/** Whether a range that stands for the bucket has no end there where the window is counted from. */
function isOpen(window: RollingWindow, { start, end }: TimeBounds = {}): boolean {
  return (window.kind === 'trailing' && window.offset === 'end' ? end : start) === undefined;
}

function overOf(spec: VariantSpec): string | undefined {
  if (spec.kind === 'shift') return overOf(spec.of);
  return spec.kind === 'rolling' ? spec.over : undefined;
}

/** The time of the query that a window moves along; `over` allows only that one. */
function windowTime(
  place: VariantPlace,
  over: string | undefined,
): { readonly time: WindowTime; readonly takes: string } | Diagnostic {
  const { part, measure } = place;
  const reached = place.uses.flatMap((use) => {
    const path = part.path(use.ref.named);
    if ('code' in path || !path.every(({ isToOne }) => isToOne)) return [];
    const identity = identityOf(path, use.ref);
    const isAllowed = over === undefined || use.ref.word.toLowerCase() === over.toLowerCase();
    return isAllowed ? [{ use, identity, isOwn: path.length === 0 }] : [];
  });
  const buckets = reached.filter(({ use }) => use.key !== undefined);
  const candidates = buckets.length > 0 ? buckets : reached.filter(({ use }) => use.bounds !== undefined);
  const chosen = candidates.find(({ isOwn }) => isOwn) ?? candidates[0];
  if (chosen === undefined) return diagnostic('semantic.needs-time', { name: measure, fact: part.fact.name });
  const time = part.time(chosen.use.ref);
  if ('code' in time) return time;
  const type = timeTypeOf(time.type);
  const ranges = reached
    .filter(({ identity }) => identity === chosen.identity)
    .flatMap(({ use }) => use.bounds?.(type) ?? []);
  const { key } = chosen.use;
  const range = ranges.length === 0 ? undefined : ranges.reduce(intersection);
  const count = bucketCount(part.keys[key ?? -1], range);
  if (count > BUCKETS_MAX)
    return diagnostic('semantic.too-many-buckets', { name: measure, count: count.toLocaleString('en-US') });
  return {
    takes: chosen.identity,
    time: {
      ...time,
      ...(key === undefined ? {} : { key }),
      ...(range === undefined ? {} : { range }),
    },
  };
}

const BUCKETS_MAX = 1_000_000;

/** About how many buckets a range has; none when it is open. */
function bucketCount(key: PartKey | undefined, { start, end }: TimeBounds = {}): number {
  const granularity = key?.bucket && granularityOf(key.bucket.grain);
  if (granularity === undefined || start === undefined || end === undefined) return 0;
  const { step } = granularity;
  return Math.ceil((end - start) / (step.kind === 'fixed' ? step.ms : step.count * 28 * DAY_MS));
}

function intersection(a: TimeBounds, b: TimeBounds): TimeBounds {
  const start = Math.max(a.start ?? Number.NEGATIVE_INFINITY, b.start ?? Number.NEGATIVE_INFINITY);
  const end = Math.min(a.end ?? Number.POSITIVE_INFINITY, b.end ?? Number.POSITIVE_INFINITY);
  return {
    ...(Number.isFinite(start) ? { start } : {}),
    ...(Number.isFinite(end) ? { end } : {}),
  };
}

function bindStock(behavior: Behavior, { part, around, measure }: VariantPlace): Variant | Diagnostic {
  const { timeDimension, periodTreatment = 'last', per } = behavior;
  if (timeDimension === undefined)
    return diagnostic('semantic.needs-time', { name: measure, fact: part.fact.name });
  const own = (name: string): (BoundTime & { readonly value: Expression }) | Diagnostic => {
    const row = around.reader.dimension(part.fact, name);
    const value = part.bindRow(row, []);
    return 'code' in value ? value : { value, type: row.type };
  };
  // Its own model may be named before it; another one is refused when it is loaded.
  const time = own(timeDimension.value.replace(/^.*\./, ''));
  if ('code' in time) return time;
  const values: Expression[] = [];
  for (const { value: name } of per) {
    const bound = own(name);
    if ('code' in bound) return bound;
    values.push(bound.value);
  }
  return { kind: 'stock', treatment: periodTreatment, time, per: values };
}
