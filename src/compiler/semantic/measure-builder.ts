/*
 * A measure as an expression over components:
 *
 *   aov = {revenue} / NULLIF({count}, 0)   ──▶   [SUM(amount) of orders] / NULLIF([COUNT(*) of orders], 0)
 *
 * A time shift of a measure of measures shifts each of its components.
 */
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Metric } from '../../domain/metric.ts';
import type { Measure } from '../../domain/semantic-model.ts';
import type { Expression } from '../../foundation/sql/tree.ts';
import { rewrite } from '../../foundation/sql/walk.ts';
import type { WrittenAggregate } from './extra-terms.ts';
import type { IndexedModel } from './indexed-model.ts';
import { answerName } from './logical-query.ts';
import { isAggregated, type MeasureCall, measureCall, typeOfTree, writtenCall } from './measure-calls.ts';
import type { ResolvedMeasure } from './member-lookup.ts';
import { metricValue } from './metrics/metric-value.ts';
import type { Context, PartSet } from './part-set.ts';
import type { QuestionContext } from './question-context.ts';
import type { VariantSpec } from './time/variant-spec.ts';
import { column, NULL_LITERAL } from './tree-nodes.ts';

interface Shift {
  readonly by: string;
  readonly direction: 'prior' | 'next';
}

const DEPTH_MAX = 100;

export class MeasureBuilder {
  readonly #context: QuestionContext;
  readonly #parts: PartSet;
  /** Measures whose expressions are being read. */
  readonly #active = new Set<string>();

  constructor(context: QuestionContext, parts: PartSet) {
    this.#context = context;
    this.#parts = parts;
  }

  value(measure: ResolvedMeasure): Expression {
    if (measure.kind === 'metric') return this.#metric(measure.metric, { metrics: [] });
    const { ref } = measure;
    return this.#measure(ref.named.model, ref.member.name, { metrics: [] }, []);
  }

  /** An aggregate that the question itself writes. */
  written({ id, name, fact: model, call }: WrittenAggregate): Expression {
    return this.#component({ id, name, model, call, measure: undefined }, { metrics: [] }, []);
  }

  typeOf(value: Expression): string {
    const types = new Map<string, { type: string }>();
    const plain = rewrite(value, (node) => {
      const name = answerName(node);
      if (name === undefined) return node;
      types.set(name, { type: this.#parts.typeOf(name) });
      return column(undefined, name);
    });
    return plain.kind === 'column'
      ? (types.get(plain.name.name)?.type ?? 'UNKNOWN')
      : typeOfTree(plain, types);
  }

  #measure(model: IndexedModel, name: string, context: Context, shifts: readonly Shift[]): Expression {
    const { reader, report } = this.#context;
    const member = model.members.get(name.toLowerCase());
    const measure = member?.kind === 'measure' ? member.measure : undefined;
    const id = `${model.name}.${name}`.toLowerCase();
    const own: readonly Shift[] =
      measure?.timeShift === undefined
        ? shifts
        : [...shifts, { by: measure.timeShift.by.value, direction: measure.timeShift.direction }];
    if (isAggregated(measure)) {
      const call = measureCall(reader, model, measure);
      return this.#component({ id, name, model, call, measure }, context, own);
    }
    if (measure?.expression === undefined) return NULL_LITERAL;
    if (this.#active.has(id)) {
      report(diagnostic('semantic.cycle', { path: [...this.#active, id].join(' → ') }));
      return NULL_LITERAL;
    }
    const derived = reader.derived(model, measure.expression);
    if (derived.problem !== undefined) {
      report(derived.problem);
      return NULL_LITERAL;
    }
    const filters = measure.filters.map((filter) => reader.row(model, filter));
    const values = new Map<string, Expression>();
    let at = 0;
    for (const [placeholder, row] of derived.aggregates) {
      const call = writtenCall(row, filters);
      const what = { id: `${id}#${at}`, name: `${name}_${at + 1}`, model, call, measure: undefined };
      values.set(placeholder, this.#component(what, context, own));
      at++;
    }
    this.#active.add(id);
    for (const [placeholder, used] of derived.measures)
      values.set(placeholder, this.#measure(used.model, used.name, context, own));
    this.#active.delete(id);
    return replaced(derived.tree, values);
  }

  #component(
    what: {
      readonly id: string;
      readonly name: string;
      readonly model: IndexedModel;
      readonly call: MeasureCall;
      readonly measure: Measure | undefined;
    },
    context: Context,
    shifts: readonly Shift[],
  ): Expression {
    const { id, name, model: fact, call, measure } = what;
    if (call.problem !== undefined) {
      this.#context.report(call.problem);
      return NULL_LITERAL;
    }
    const variant = shifts.reduceRight<VariantSpec>(
      (of, shift) => ({ kind: 'shift', ...shift, of }),
      context.window ?? ownVariant(measure),
    );
    return this.#parts.add({ id, name, fact, call, variant }, context);
  }

  #metric(metric: Metric, outer: Context): Expression {
    const { index, report } = this.#context;
    if (outer.metrics.length > DEPTH_MAX) return NULL_LITERAL;
    const context: Context = { ...outer, metrics: [...outer.metrics, metric] };
    return metricValue(metric, {
      report,
      measure: (word, window) => this.#byWord(word, window === undefined ? context : { ...context, window }),
      metric: (name) => {
        const input = index.metrics.get(name.toLowerCase());
        return input && this.#metric(input, context);
      },
      conversion: (calculation) => this.#parts.conversion(metric, calculation, context),
    });
  }

  #byWord(word: string, context: Context): Expression {
    const [first = '', second = ''] = word.split('.');
    const model = this.#context.index.models.get(first.toLowerCase());
    if (model === undefined) {
      this.#context.report(diagnostic('semantic.unknown-semantic-model', { name: first }));
      return NULL_LITERAL;
    }
    return this.#measure(model, second, context, []);
  }
}

function ownVariant(measure: Measure | undefined): VariantSpec {
  if (measure?.rollingWindow !== undefined) return { kind: 'rolling', window: measure.rollingWindow };
  if (measure?.behavior?.type === 'stock') return { kind: 'stock', behavior: measure.behavior };
  return { kind: 'plain' };
}

function replaced(tree: Expression, values: ReadonlyMap<string, Expression>): Expression {
  return rewrite(tree, (node) =>
    node.kind === 'column' && node.qualifiers.length === 0 ? (values.get(node.name.name) ?? node) : node,
  );
}
