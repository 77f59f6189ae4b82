/*
 * Windows, shifts and stocks bound to a part of a query: along which time they move, and what the query says about that time.
 *
 *   columns and conditions of the query ── those on the fact, else those it reaches to-one ──▶ the first bucket, else the first condition
 */
import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { Behavior, RollingWindow } from '../../../domain/semantic-model.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import type { Expression } from '../../../foundation/sql/tree.ts';
import { DAY_MS } from '../../../foundation/time/civil.ts';
import { edgeKey } from '../../load/yaml/join-graph.ts';
import type { Path } from '../indexed-model.ts';
import type {
  BoundTime,
  PartKey,
  ShownTime,
  TimeBounds,
  TimeSet,
  Variant,
  WindowTime,
} from '../logical-query.ts';
import type { MemberRef } from '../member-lookup.ts';
import { bindConversion } from '../metrics/bind-conversion.ts';
import type { PartBuilder } from '../part-builder.ts';
import type { QuestionContext } from '../question-context.ts';
import { granularityOf, type TimeGranularity, type TimeType, timeTypeOf } from './granularity.ts';
import { commonUnit, isMadeOf, periodsOf } from './periods.ts';
import { intersection } from './time-set.ts';
import { comparedAsText, type TimeFilters, type TimeUse, unclearPeriod } from './time-uses.ts';
import type { VariantSpec } from './variant-spec.ts';

/** A variant, and the time whose conditions it has taken over. */
export interface BoundVariant {
  readonly variant: Variant;
  /** Of `timeIdentity`. */
  readonly takes?: string;
}

/** What a variant is bound to. */
export interface VariantPlace {
  readonly context: QuestionContext;
  readonly part: PartBuilder;
  readonly times: TimeFilters;
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
      const variant = bindConversion(spec, place.part, place.context);
      return 'code' in variant ? variant : { variant };
    }
    case 'rolling': {
      const found = windowTime(place, spec.over);
      if ('code' in found) return found;
      const { shown, times } = found.time;
      if (shown.length === 0 && times.length > 0 && isOpen(spec.window, times[0]))
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
  const reached = place.times.uses().flatMap((use) => {
    const [ref] = use.refs;
    const path = ref === undefined ? [] : part.path(ref.named);
    if (ref === undefined || 'code' in path || !path.every(({ isToOne }) => isToOne)) return [];
    const identity = identityOf(path, ref);
    const isOne = use.refs.every((each) => timeIdentity(part, each) === identity);
    const isAllowed = over === undefined || ref.word.toLowerCase() === over.toLowerCase();
    return isOne && isAllowed ? [{ use, ref, identity, isOwn: path.length === 0 }] : [];
  });
  const buckets = reached.filter(({ use: { key } }) => key?.grain !== undefined && key.member === undefined);
  const candidates = buckets.length > 0 ? buckets : reached.filter(({ use }) => use.times !== undefined);
  const chosen = candidates.find(({ isOwn }) => isOwn) ?? candidates[0];
  if (chosen === undefined) return diagnostic('semantic.needs-time', { name: measure, fact: part.fact.name });
  const time = part.time(chosen.ref);
  if ('code' in time) return time;
  const unclear = (problem: string): Diagnostic => unclearPeriod(measure, chosen.ref.word, problem);
  const own = reached.filter(({ identity }) => identity === chosen.identity).map(({ use }) => use);
  const shown = shownTimes(own.flatMap(({ key }) => (key === undefined ? [] : [key])));
  if (typeof shown === 'string') return unclear(shown);
  const type = timeTypeOf(time.type);
  const sets: TimeSet[] = [];
  for (const { times } of own) {
    const set = times?.(type);
    if (set !== undefined) sets.push(set);
    else if (times !== undefined) return comparedAsText(measure, chosen.ref.word);
  }
  const times = intersection(sets);
  if (shown.length === 0 && times.length > 1)
    return unclear('the conditions leave several stretches of it, and no granularity cuts it');
  const count = periodCount(part.keys, shown, times, type);
  if (count > PERIODS_MAX)
    return diagnostic('semantic.too-many-buckets', { name: measure, count: count.toLocaleString('en-US') });
  return { takes: chosen.identity, time: { ...time, shown, times } };
}

type KeyUse = NonNullable<TimeUse['key']>;

/** How keys show the time; in words what is unclear about it. */
function shownTimes(keys: readonly KeyUse[]): readonly ShownTime[] | string {
  if (keys.some(({ grain }) => grain === undefined))
    return 'the question also groups by it without a granularity';
  const shown: { key: number; members?: string[] }[] = [];
  const cutting = keys.flatMap(({ grain, member }) =>
    member === undefined && grain !== undefined ? (granularityOf(grain) ?? []) : [],
  );
  for (const { index, grain, member } of keys) {
    if (member === undefined) {
      shown.push({ key: index });
      continue;
    }
    const granularity = grain && granularityOf(grain);
    const isKnown = granularity !== undefined && cutting.some(({ step }) => isMadeOf(granularity.step, step));
    if (!isKnown) return 'an expression of the question has a bucket of it that is not a column of its own';
    const known = shown.find((each) => each.key === index);
    if (known?.members === undefined) shown.push({ key: index, members: [member] });
    else known.members.push(member);
  }
  return shown;
}

const PERIODS_MAX = 1_000_000;

/** About how many periods there are; none when they have no first or last. */
function periodCount(
  keys: readonly PartKey[],
  shown: readonly ShownTime[],
  times: TimeSet,
  type: TimeType,
): number {
  const granularities = shown.flatMap(({ key, members }) => {
    const bucket = members === undefined ? keys[key]?.bucket : undefined;
    return (bucket && granularityOf(bucket.grain)) ?? [];
  });
  const [start, end] = [times[0]?.start, times.at(-1)?.end];
  if (granularities.length === 0 || start === undefined || end === undefined) return 0;
  const periods = periodsOf(granularities, type);
  const { step } =
    periods.granularities.length === 1 ? (periods.granularities[0] as TimeGranularity) : commonUnit(periods);
  return Math.ceil((end - start) / (step.kind === 'fixed' ? step.ms : step.count * 28 * DAY_MS));
}

function bindStock(behavior: Behavior, { part, context, measure }: VariantPlace): Variant | Diagnostic {
  const { timeDimension, periodTreatment = 'last', per } = behavior;
  if (timeDimension === undefined)
    return diagnostic('semantic.needs-time', { name: measure, fact: part.fact.name });
  const own = (name: string): (BoundTime & { readonly value: Expression }) | Diagnostic => {
    const row = context.reader.dimension(part.fact, name);
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
