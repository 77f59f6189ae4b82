/*
 * One part of a logical query while it is being put together: the join tree of a fact, and everything bound to its aliases.
 */

import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { QueryFilter } from '../../domain/semantic-query.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { Expression } from '../../foundation/sql/tree.ts';
import { rewrite } from '../../foundation/sql/walk.ts';
import { isTime } from './bind-filter.ts';
import { leavesOf } from './filter-leaves.ts';
import type { IndexedModel, Path, RowExpression } from './indexed-model.ts';
import { JoinTree } from './join-tree.ts';
import {
  type BoundTime,
  type Component,
  type Part,
  type PartKey,
  periodColumn,
  type TimeSet,
  type Variant,
} from './logical-query.ts';
import { type MeasureCall, typeOfTree } from './measure-calls.ts';
import type { ComputedValue, MemberRef, ResolvedMember } from './member-lookup.ts';
import { type NamedModel, pathTo } from './name-paths.ts';
import { noAccess } from './policies.ts';
import type { QuestionContext } from './question-context.ts';
import { bucketOf, bucketType } from './time/bucket-of.ts';
import { granularityOf, timeTypeOf } from './time/granularity.ts';
import { stockType } from './time/stock-type.ts';
import { comparedAsText, type TimeFilters } from './time/time-uses.ts';

/** A dimension bound to a part. */
export interface BoundMember {
  readonly value: Expression;
  readonly type: string;
}

export class PartBuilder {
  readonly tree: JoinTree;
  readonly #context: QuestionContext;
  readonly #components = new Map<string, Component>();
  readonly #paths = new Map<NamedModel, Path | Diagnostic>();
  readonly #dimensions = new Map<MemberRef, BoundMember | Diagnostic>();
  readonly where: Expression[] = [];
  readonly periodic: Expression[] = [];
  readonly periodTimes: TimeSet[] = [];
  keys: readonly PartKey[] = [];
  variant: Variant = { kind: 'plain' };
  readonly name: string;

  constructor(context: QuestionContext, fact: IndexedModel, name: string) {
    this.#context = context;
    this.name = name;
    this.tree = new JoinTree(context.index, context.reader, fact);
  }

  get fact(): IndexedModel {
    return this.tree.fact;
  }

  /** The way to a model; not yet part of the tree. */
  path(named: NamedModel): Path | Diagnostic {
    let path = this.#paths.get(named);
    if (path === undefined) {
      path = this.#visiblePath(named, pathTo(this.#context.index, this.fact, named, this.#context));
      this.#paths.set(named, path);
    }
    return path;
  }

  /** No path leads over a hidden model, and where there are several paths, none over a hidden model is named. */
  #visiblePath(named: NamedModel, path: Path | Diagnostic): Path | Diagnostic {
    const { visibility } = this.#context;
    if (visibility?.hidesModels !== true) return path;
    const ends = { from: this.fact.name, to: named.word };
    if (!('code' in path)) return visibility.crossesHidden(path) ? noAccess(named.word) : path;
    return path.code === 'semantic.ambiguous-path'
      ? diagnostic(
          'semantic.ambiguous-path',
          { ...ends, paths: 'there is more than one way' },
          { hint: 'name the role of a join in place of the model, or say the way with joinHints' },
        )
      : path;
  }

  bindRow(row: RowExpression, path: Path): Expression | Diagnostic {
    return row.problem ?? this.tree.bind(row, path);
  }

  dimension(ref: MemberRef): BoundMember | Diagnostic {
    let bound = this.#dimensions.get(ref);
    if (bound === undefined) {
      bound = this.#bindDimension(ref);
      this.#dimensions.set(ref, bound);
    }
    return bound;
  }

  #bindDimension(ref: MemberRef): BoundMember | Diagnostic {
    const path = this.path(ref.named);
    if ('code' in path) return path;
    // Named is walked, also when a mask left no column of it: the caller needs access to the way.
    this.tree.node(path);
    const { reader } = this.#context;
    const { model } = ref.named;
    const row =
      ref.member.kind === 'segment'
        ? reader.row(model, ref.member.segment.expression)
        : reader.dimension(model, ref.member.name);
    const value = this.bindRow(row, path);
    return 'code' in value ? value : { value, type: row.type };
  }

  /** A time dimension as it is stored. */
  time(ref: MemberRef): BoundTime | Diagnostic {
    const bound = this.dimension(ref);
    if ('code' in bound || isTime(bound.type) || bound.type === 'UNKNOWN') return bound;
    return diagnostic('semantic.not-time', { name: ref.word, found: bound.type });
  }

  /** What rows are grouped by: the dimension or its bucket. */
  key(member: ResolvedMember, ref: MemberRef, name: string): PartKey | Diagnostic {
    const { grain } = member;
    if (grain === undefined) {
      const bound = this.dimension(ref);
      return 'code' in bound ? bound : { name, ...bound };
    }
    const time = this.time(ref);
    if ('code' in time) return time;
    const granularity = granularityOf(grain);
    if (granularity === undefined)
      return diagnostic('semantic.unknown-granularity', {
        name: member.granularity ?? '',
        dimension: ref.word,
      });
    const type = timeTypeOf(time.type);
    return {
      name,
      value: bucketOf(time.value, { type, granularity, timezone: this.#context.zone }),
      type: bucketType(type, granularity),
      bucket: { time, grain },
    };
  }

  /** An expression over members; `refOf` says what each means here. Its type is worked out when it is wanted. */
  computed(
    { tree, members }: ComputedValue,
    refOf: (member: ResolvedMember) => MemberRef,
  ):
    | {
        readonly value: Expression;
        readonly members: ReadonlyMap<string, PartKey>;
        readonly typed: () => BoundMember;
      }
    | Diagnostic {
    const bound = new Map<string, PartKey>();
    for (const [name, member] of members) {
      const value = this.key(member, refOf(member), name);
      if ('code' in value) return value;
      bound.set(name, value);
    }
    const value = rewrite(tree, (node) =>
      node.kind === 'column' && node.qualifiers.length === 0
        ? (bound.get(node.name.name)?.value ?? node)
        : node,
    );
    return { value, members: bound, typed: () => ({ value, type: typeOfTree(tree, bound) }) };
  }

  /** Whether a period has some of the times that a filter on the window's time leaves. */
  period(times: TimeFilters, filter: QueryFilter, measure: string): Expression | Diagnostic {
    const { variant } = this;
    if (variant.kind !== 'rolling' && variant.kind !== 'shift') throw new Error('no window, no periods');
    const left = times.times(filter, timeTypeOf(variant.time.type));
    if (left === undefined) return comparedAsText(measure, leavesOf(filter)[0]?.member ?? '');
    this.periodTimes.push(left);
    return periodColumn(this.periodTimes.length - 1);
  }

  /** Adds an aggregate, once; `id` says what it is, `name` gives its column. */
  component(id: string, measured: MeasureCall, name: () => string): Component | Diagnostic {
    const known = this.#components.get(id);
    if (known !== undefined) return known;
    const bound = this.bindRow(measured, []);
    if ('code' in bound) return bound;
    const component: Component = {
      name: name(),
      call: bound as Component['call'],
      type: stockType(measured.type, this.variant),
      isCount: measured.isCount,
    };
    this.#components.set(id, component);
    return component;
  }

  build(): Part {
    return {
      name: this.name,
      fact: this.fact,
      nodes: this.tree.nodes,
      keys: this.keys,
      where: this.where,
      periodic: this.periodic,
      periodTimes: this.periodTimes,
      components: [...this.#components.values()],
      isFannedOut: this.tree.isFannedOut,
      variant: this.variant,
    };
  }
}

/** Edges of the expression that lead to several rows: no measure may use them. */
export function fanOutOf({ slots }: RowExpression): string | undefined {
  for (const { path } of slots.values()) {
    const edge = path.find(({ isToOne }) => !isToOne);
    if (edge !== undefined) return edge.to;
  }
  return undefined;
}
