import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import type { Call, ColumnReference, Expression } from '../../../foundation/sql/tree.ts';
import { rewrite, walk } from '../../../foundation/sql/walk.ts';
import type { WrittenAggregate } from '../extra-terms.ts';
import type { IndexedModel, Path, RowExpression, Slot } from '../indexed-model.ts';
import { typeOfTree } from '../measure-calls.ts';
import type { ResolvedMember } from '../member-lookup.ts';
import type { MemberReader } from '../member-reader.ts';
import { type NamedModel, type PathChoice, pathTo } from '../name-paths.ts';
import type { SemanticIndex } from '../semantic-index.ts';
import { bucketOf } from '../time/bucket-of.ts';
import { granularityOf, timeTypeOf } from '../time/granularity.ts';
import { type BlockNames, isRowName } from './block-names.ts';
import { positionOf } from './problems.ts';

const COUNTS: ReadonlySet<string> = new Set([
  'count',
  'approx_count_distinct',
  'count_if',
  'countif',
  'regr_count',
]);

/** The one of several semantic models that reaches all others to-one. */
export function reachingModel(
  index: SemanticIndex,
  named: readonly NamedModel[],
  choice: PathChoice,
): NamedModel | undefined {
  return named.find((candidate) =>
    named.every((each) => {
      const path = pathTo(index, candidate.model, each, choice);
      return !('code' in path) && path.every(({ isToOne }) => isToOne);
    }),
  );
}

/** An aggregate over columns as a measure without a definition: over each row once of the semantic model that reaches all it names. */
export function writtenAggregate(
  call: Call,
  place: {
    readonly index: SemanticIndex;
    readonly reader: MemberReader;
    readonly names: BlockNames;
    readonly choice: PathChoice;
  },
): Omit<WrittenAggregate, 'id'> | Diagnostic {
  const { index, reader, names, choice } = place;
  const members = new Map<string, ResolvedMember>();
  let hasMetric = false;
  walk(call, (node) => {
    if (!isRowName(node)) return;
    const bound = names.of(node);
    if (bound.kind !== 'row') return;
    members.set(node.name.name, bound.member);
    hasMetric ||= bound.source.kind === 'metric';
  });
  const tables = names.sources.flatMap((source) => (source.kind === 'model' ? [source.named] : []));
  // What only a condition names does not say whose rows are counted.
  const isOfColumns = call.arguments.some(({ value }) => holdsRowName(value));
  const own = [...members.values()].map(({ ref }) => ref.named);
  const named = isOfColumns ? own : [...tables, ...own];
  const fact = reachingModel(index, named, choice);
  if (fact === undefined || hasMetric) {
    const words = [...new Set(named.map(({ word }) => word))].join(', ');
    const written = `${call.name.name.toUpperCase()}(…)`;
    return diagnostic(
      'semantic.sql-aggregate-rows',
      { call: written, tables: words, example: `${names.sources[0]?.alias ?? ''}.count` },
      { at: positionOf(call.span) },
    );
  }
  const slots = new Map<string, Slot>();
  const values = new Map<string, RowExpression>();
  for (const [name, asked] of members) {
    const path = pathTo(index, fact.model, asked.ref.named, choice);
    const row = 'code' in path ? path : rowOf(reader, asked);
    if ('code' in row || 'code' in path) return row as Diagnostic;
    if (row.problem !== undefined) return row.problem;
    const moved = behind(row, path, name);
    for (const [key, slot] of moved.slots) slots.set(key, slot);
    values.set(name, moved);
  }
  const tree = rewrite(call, (node) => (isRowName(node) ? (values.get(node.name.name)?.tree ?? node) : node));
  const function_ = call.name.name.toLowerCase();
  return {
    name: function_,
    fact: fact.model as IndexedModel,
    call: { tree, slots, type: typeOfTree(tree, slots), isCount: COUNTS.has(function_) },
  };
}

function holdsRowName(tree: Expression): boolean {
  let isFound = false;
  walk(tree, (node) => {
    isFound ||= isRowName(node);
    return !isFound;
  });
  return isFound;
}

/** A dimension, segment or bucket of one row. */
function rowOf(reader: MemberReader, { ref, grain }: ResolvedMember): RowExpression {
  const { member, named } = ref;
  if (member.kind === 'segment') return reader.row(named.model, member.segment.expression);
  const row = reader.dimension(named.model, member.name);
  const granularity = grain && granularityOf(grain);
  if (granularity === undefined || row.problem !== undefined) return row;
  return { ...row, tree: bucketOf(row.tree, { type: timeTypeOf(row.type), granularity, timezone: 'UTC' }) };
}

/** The expression as seen from where the path begins, under names of its own. */
function behind(row: RowExpression, path: Path, prefix: string): RowExpression {
  const slots = new Map<string, Slot>();
  const tree = rewrite(row.tree, (node) => {
    const slot = node.kind === 'column' ? row.slots.get(node.name.name) : undefined;
    if (slot === undefined) return node;
    const name = `${prefix}${(node as ColumnReference).name.name}`;
    slots.set(name, { ...slot, path: [...path, ...slot.path] });
    return { ...(node as ColumnReference), name: { ...(node as ColumnReference).name, name } };
  });
  return { ...row, tree, slots };
}
