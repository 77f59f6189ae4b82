import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { Metric, MetricCalculation } from '../../../domain/metric.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import type { Expression } from '../../../foundation/sql/tree.ts';
import { isTime } from '../bind-filter.ts';
import type { IndexedModel, Path, RowExpression } from '../indexed-model.ts';
import { JoinTree } from '../join-tree.ts';
import type { BoundTime, Variant } from '../logical-query.ts';
import { isAggregated, measureCall } from '../measure-calls.ts';
import { type NamedModel, namedModel, pathTo } from '../name-paths.ts';
import type { PartBuilder } from '../part-builder.ts';
import type { QuestionContext } from '../question-context.ts';
import { allOf, isNull } from '../tree-nodes.ts';

/** A conversion metric before it is bound; `base` and `converted` name the components that count. */
export interface ConversionSpec {
  readonly kind: 'conversion';
  readonly metric: string;
  readonly calculation: Extract<MetricCalculation, { readonly kind: 'conversion' }>;
  /** `semantic_model.dimension`, the time of the base. */
  readonly ts: string | undefined;
  readonly base: string;
  readonly converted: string;
}

/** Binds a conversion to the part of its base. */
export function bindConversion(
  spec: ConversionSpec,
  part: PartBuilder,
  context: QuestionContext,
): Variant | Diagnostic {
  const { index } = context;
  const { calculation } = spec;
  const needsTime = (fact: string): Diagnostic =>
    diagnostic('semantic.needs-time', { name: spec.metric, fact });
  if (spec.ts === undefined) return needsTime(part.fact.name);
  const base: Side = { fact: part.fact, path: (named) => part.path(named), tree: part.tree };
  const rows = countedRows(base, calculation.base.value, context);
  const entity = boundMember(base, calculation.entity.value, context);
  const time = boundMember(base, spec.ts, context);
  for (const bound of [rows, entity, time]) if (bound !== undefined && 'code' in bound) return bound;
  const model = index.models.get(firstOf(calculation.conversion.value));
  if (model === undefined) return unknownModel(calculation.conversion.value);
  const tree = new JoinTree(
    index,
    context.reader,
    model,
    part.tree.nodes.map(({ alias }) => alias),
  );
  const other: Side = { fact: model, path: (named) => pathTo(index, model, named, context), tree };
  const timeName = conversionTime(model, calculation.conversion.value, context);
  if (timeName === undefined) return needsTime(model.name);
  const otherRows = countedRows(other, calculation.conversion.value, context);
  const otherEntity = boundMember(other, calculation.entity.value, context);
  const otherTime = boundMember(other, timeName, context);
  for (const bound of [otherRows, otherEntity, otherTime])
    if (bound !== undefined && 'code' in bound) return bound;
  return {
    kind: 'conversion',
    ...(rows === undefined ? {} : { rows: rows as Expression }),
    base: spec.base,
    converted: spec.converted,
    entity: (entity as BoundTime).value,
    time: time as BoundTime,
    other: {
      nodes: tree.nodes,
      where: otherRows === undefined ? [] : [otherRows as Expression],
      entity: (otherEntity as BoundTime).value,
      time: otherTime as BoundTime,
    },
    ...(calculation.window === undefined ? {} : { window: calculation.window.value }),
  };
}

/** One side of a conversion: rows of a fact, and what can be reached from them. */
interface Side {
  readonly fact: IndexedModel;
  readonly path: (named: NamedModel) => Path | Diagnostic;
  readonly tree: JoinTree;
}

const firstOf = (word: string): string => (word.split('.')[0] ?? '').toLowerCase();
const secondOf = (word: string): string => word.split('.')[1] ?? '';

function unknownModel(word: string): Diagnostic {
  return diagnostic('semantic.unknown-semantic-model', { name: word.split('.')[0] ?? '' });
}

/** Which rows a measure counts: those that pass its filters and whose expression is not NULL; undefined for all. */
function countedRows(
  side: Side,
  word: string,
  { reader }: QuestionContext,
): Expression | Diagnostic | undefined {
  const member = side.fact.members.get(secondOf(word).toLowerCase());
  const measure = member?.kind === 'measure' ? member.measure : undefined;
  if (member?.kind !== 'measure' || !isAggregated(measure))
    return diagnostic('semantic.wrong-member', {
      name: word,
      found: 'no aggregate of rows',
      model: side.fact.name,
      expected: 'a measure that counts rows',
    });
  const call = measureCall(reader, side.fact, measure);
  if (call.problem !== undefined) return call.problem;
  const { filter, arguments: values } = call.tree;
  const [input] = values;
  const condition = allOf([
    ...(filter === undefined ? [] : [filter]),
    ...(input === undefined ? [] : [isNull(input.value, true)]),
  ]);
  return condition && side.tree.bind({ ...call, tree: condition });
}

/** A dimension that one row has one value of. */
function boundMember(side: Side, word: string, { index, reader }: QuestionContext): BoundTime | Diagnostic {
  const named = namedModel(index, firstOf(word));
  if (named === undefined) return unknownModel(word);
  const path = side.path(named);
  if ('code' in path) return path;
  if (path.some(({ isToOne }) => !isToOne))
    return diagnostic('semantic.fan-out-in-measure', {
      name: word,
      model: named.model.name,
      fact: side.fact.name,
    });
  const row: RowExpression = reader.dimension(named.model, secondOf(word));
  return row.problem ?? { value: side.tree.bind(row, path), type: row.type };
}

/** When a conversion happens: the only time dimension of its semantic model, else what a metric of its measure calls its time. */
function conversionTime(
  model: IndexedModel,
  measure: string,
  { index, reader }: QuestionContext,
): string | undefined {
  const times = [...model.members.values()].filter(
    (member) => member.kind === 'dimension' && isTime(reader.dimension(model, member.name).type),
  );
  const [only] = times;
  if (only !== undefined && times.length === 1) return `${model.name}.${only.name}`;
  return [...index.metrics.values()].find((metric) => measures(metric, measure) && metric.ts !== undefined)
    ?.ts?.value;
}

function measures({ calculation }: Metric, measure: string): boolean {
  return (
    (calculation.kind === 'simple' || calculation.kind === 'cumulative') &&
    calculation.measure.value.toLowerCase() === measure.toLowerCase()
  );
}
