import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { QueryFilter } from '../../../domain/semantic-query.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import { isTime } from '../bind-filter.ts';
import { leavesOf } from '../filter-leaves.ts';
import type { Grain, TimeSet } from '../logical-query.ts';
import type { MemberRef, ResolvedMember } from '../member-lookup.ts';
import type { QuestionContext } from '../question-context.ts';
import type { ResolvedQuery } from '../resolve-query.ts';
import { readRange } from './date-conditions.ts';
import { granularityOf, type TimeType } from './granularity.ts';
import { timesLeft, timesLeftBy } from './time-filters.ts';
import { ALL_TIMES, timeSet } from './time-set.ts';

/** A place where the query speaks of a time. */
export interface TimeUse {
  /** All must be one and the same time for the use to count. */
  readonly refs: readonly MemberRef[];
  /** It is shown: as a bucket, as it is, or by an expression in which a member of that name stands for it. */
  readonly key?: { readonly index: number; readonly grain?: Grain; readonly member?: string };
  /** It is limited. For a column of that type; undefined where text is compared. */
  readonly times?: (type: TimeType) => TimeSet | undefined;
}

/** Why a window along a time cannot be answered. */
export function unclearPeriod(name: string, time: string, problem: string): Diagnostic {
  return diagnostic('semantic.unclear-period', { name, time, problem });
}

export function comparedAsText(name: string, time: string): Diagnostic {
  return unclearPeriod(name, time, 'a filter compares it as text');
}

type Leaf = Extract<QueryFilter, { readonly kind: 'member' }>;

/** Reads what filters say about times. `refOf` says what a member means in the part. */
export class TimeFilters {
  readonly #resolved: ResolvedQuery;
  readonly #context: QuestionContext;
  readonly #refOf: (member: ResolvedMember) => MemberRef;

  constructor(
    resolved: ResolvedQuery,
    context: QuestionContext,
    refOf: (member: ResolvedMember) => MemberRef,
  ) {
    this.#resolved = resolved;
    this.#context = context;
    this.#refOf = refOf;
  }

  /** The time that a filter compares; undefined for all else. */
  refOf(leaf: Leaf): MemberRef | undefined {
    const asked =
      leaf.operator === 'measureFilter' ? undefined : this.#resolved.members.dimension(leaf.member);
    if (asked?.ok !== true) return undefined;
    const ref = this.#refOf(asked.value);
    const { type } = this.#context.reader.dimension(ref.named.model, ref.member.name);
    const isDated = isTime(type) || (type === 'UNKNOWN' && leaf.operator.includes('Date'));
    return isDated ? ref : undefined;
  }

  /** What a tree leaves, all of whose filters compare one time. */
  times(filter: QueryFilter, type: TimeType): TimeSet | undefined {
    const { zone: timezone } = this.#context;
    const question = this.#context;
    const context = {
      timezone,
      get now() {
        return question.now;
      },
    };
    return timesLeftBy(filter, ({ member, operator, values }) => {
      const asked = this.#resolved.members.dimension(member);
      if (operator === 'measureFilter' || !asked.ok) return undefined;
      // The granularity a metric has by itself is for groups; filters mean the time.
      const isImplied = asked.value.metricColumn !== undefined && member.split('.').length === 2;
      const granularity =
        isImplied || asked.value.grain === undefined ? undefined : granularityOf(asked.value.grain);
      return timesLeft(
        { operator, values, ...(granularity === undefined ? {} : { granularity }) },
        type,
        context,
      );
    });
  }

  /** Everything the query says about times: columns in their order, then ranges and filters. */
  uses(): readonly TimeUse[] {
    const { keys, ranges, filters } = this.#resolved;
    return [
      ...keys.flatMap(({ member: asked }, index) => this.#shown(asked, index)),
      ...ranges.map(({ member: asked, time }) => ({
        refs: [this.#refOf(asked)],
        times: (type: TimeType) => this.#range(time.dateRange ?? '', type),
      })),
      ...filters.flatMap((filter) => {
        const refs = leavesOf(filter).map((leaf) => this.refOf(leaf));
        if (refs.length === 0 || refs.includes(undefined)) return [];
        return [{ refs: refs as readonly MemberRef[], times: (type: TimeType) => this.times(filter, type) }];
      }),
    ];
  }

  #shown(requested: ResolvedMember, index: number): readonly TimeUse[] {
    if (requested.computed === undefined)
      return [
        {
          refs: [this.#refOf(requested)],
          key: { index, ...(requested.grain === undefined ? {} : { grain: requested.grain }) },
        },
      ];
    return [...requested.computed.members].map(([name, member]) => ({
      refs: [this.#refOf(member)],
      key: { index, member: name, ...(member.grain === undefined ? {} : { grain: member.grain }) },
    }));
  }

  #range(range: Parameters<typeof readRange>[0], type: TimeType): TimeSet {
    const { zone: timezone, now } = this.#context;
    const read = readRange(range, type, { timezone, now });
    // What cannot be read is reported where it is bound.
    return read.kind === 'problem' ? ALL_TIMES : timeSet([read]);
  }
}
