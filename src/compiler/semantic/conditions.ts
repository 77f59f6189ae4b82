/*
 * The filters, segments and date ranges of a query or a metric as conditions on the rows of a part.
 * Top-level ANDs are taken apart; a conjunct is about dimensions or about measures, never both.
 */

import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { MemberFilter } from '../../domain/semantic-model.ts';
import type { QueryFilter, QueryValue } from '../../domain/semantic-query.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { Expression } from '../../foundation/sql/tree.ts';
import { bindFilter, type FilterCondition } from './bind-filter.ts';
import type { MemberFilterLeaf } from './filter-leaves.ts';
import type { MemberLookup, MemberRef, ResolvedMember } from './member-lookup.ts';
import type { PartBuilder } from './part-builder.ts';
import type { QuestionContext } from './question-context.ts';
import { allOf, anyOf, booleanLiteral } from './tree-nodes.ts';

/** A filter tree as SQL; `leaf` binds what is compared. The first problem ends it. */
export function filterTree(
  filter: QueryFilter,
  leaf: (leaf: MemberFilterLeaf) => Expression | Diagnostic,
): Expression | Diagnostic {
  if (filter.kind === 'member') return leaf(filter);
  const conditions: Expression[] = [];
  for (const each of filter.filters) {
    const condition = filterTree(each, leaf);
    if ('code' in condition) return condition;
    conditions.push(condition);
  }
  return filter.kind === 'and' ? (allOf(conditions) ?? booleanLiteral(true)) : anyOf(conditions);
}

/** Binds conditions to parts. */
export class Conditions {
  readonly #context: QuestionContext;
  readonly #members: MemberLookup;

  constructor(context: QuestionContext, members: MemberLookup) {
    this.#context = context;
    this.#members = members;
  }

  /** A filter on dimensions; members are those of the query, or what `refOf` makes of them. */
  filter(
    part: PartBuilder,
    filter: QueryFilter,
    refOf: (member: ResolvedMember) => MemberRef = ({ ref }) => ref,
  ): Expression | Diagnostic {
    return filterTree(filter, (leaf) => this.#leaf(part, leaf, refOf));
  }

  #leaf(
    part: PartBuilder,
    leaf: MemberFilterLeaf,
    refOf: (member: ResolvedMember) => MemberRef,
  ): Expression | Diagnostic {
    const { member, operator, values } = leaf;
    if (operator === 'measureFilter') return this.#measureFilter(part, member);
    const asked = this.#members.dimension(member);
    if (!asked.ok) return asked.problem;
    const { grain, granularity: _, ...time } = asked.value;
    // The granularity a metric has by itself is for groups; filters mean the time.
    const isImplied = time.metricColumn !== undefined && member.split('.').length === 2;
    const filtered = isImplied ? time : asked.value;
    const bound = part.key(filtered, refOf(filtered), '');
    if ('code' in bound) return bound;
    const context = this.#context;
    // A bucket is local already.
    const timezone = filtered === time || grain === undefined ? context.zone : 'UTC';
    const question: FilterCondition = {
      operator,
      values,
      timezone,
      get now() {
        return context.now;
      },
    };
    return bindFilter({ member, value: bound.value, type: bound.type }, question);
  }

  /** The filters of a measure, asked of each row. */
  #measureFilter(part: PartBuilder, word: string): Expression | Diagnostic {
    const ref = this.#members.refOf(word, 'measure');
    if (!ref.ok) return ref.problem;
    const { named, member } = ref.value;
    const path = part.path(named);
    if ('code' in path) return path;
    const filters = member.kind === 'measure' ? (member.measure?.filters ?? []) : [];
    const conditions: Expression[] = [];
    for (const text of filters) {
      const condition = part.bindRow(this.#context.reader.row(named.model, text), path);
      if ('code' in condition) return condition;
      conditions.push(condition);
    }
    return allOf(conditions) ?? booleanLiteral(true);
  }

  segment(part: PartBuilder, ref: MemberRef): Expression | Diagnostic {
    const path = part.path(ref.named);
    if ('code' in path) return path;
    if (ref.member.kind !== 'segment') return diagnostic('semantic.bad-reference', { reference: ref.word });
    const row = this.#context.reader.row(ref.named.model, ref.member.segment.expression);
    return part.bindRow(row, path);
  }
}

/** A filter written in YAML in the form of queries. */
export function queryFilter(filter: MemberFilter): QueryFilter {
  if (filter.kind !== 'member') return { kind: filter.kind, filters: filter.filters.map(queryFilter) };
  const { member, operator, values } = filter;
  return { kind: 'member', member: member.value, operator, values: values.map(plainValue) };
}

/** A filter that stands in a semantic model, where its own members have no model before them. */
export function withModel(filter: QueryFilter, model: string): QueryFilter {
  if (filter.kind !== 'member')
    return { kind: filter.kind, filters: filter.filters.map((each) => withModel(each, model)) };
  const isOwn = !filter.member.includes('.');
  return isOwn ? { ...filter, member: `${model}.${filter.member}` } : filter;
}

/** Numbers are kept as text to stay exact. */
function plainValue(value: unknown): QueryValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number')
    return value;
  return String(value);
}
