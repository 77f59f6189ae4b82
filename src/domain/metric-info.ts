import { unreachable } from '../foundation/unreachable.ts';
import type { Data } from '../foundation/yaml/data.ts';
import type { Metric, MetricCalculation } from './metric.ts';
import type { Project } from './project.ts';
import type { AiContext } from './semantic-model.ts';

/** A metric as `plinth metrics --json` prints it; names and values are part of the machine contract. */
export interface MetricInfo {
  readonly name: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly type: MetricCalculation['kind'];
  /** What it is computed from, in words. */
  readonly of: string;
  readonly ts: string | null;
  readonly granularity: string | null;
  readonly dimensions: readonly { readonly name: string; readonly ref: string }[];
  readonly segments: readonly string[];
  readonly has_filters: boolean;
  readonly format: string | null;
  readonly owner: string | null;
  readonly tags: readonly string[];
  readonly terms: readonly string[];
  readonly synonyms: readonly string[];
  readonly ai_context: {
    readonly instructions: string | null;
    readonly synonyms: readonly string[];
    readonly caveats: readonly string[];
    readonly examples: AiContext['examples'];
  } | null;
  readonly target: Data;
  readonly file: string;
}

/** Every metric of a project, by name. */
export function metricInfos({ metrics }: Pick<Project, 'metrics'>): readonly MetricInfo[] {
  return metrics.map(metricInfo).toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function metricInfo(metric: Metric): MetricInfo {
  return {
    name: metric.name.value,
    title: metric.title ?? null,
    description: metric.description ?? null,
    type: metric.calculation.kind,
    of: wordsOf(metric.calculation),
    ts: metric.ts?.value ?? null,
    granularity: metric.granularity?.value ?? null,
    dimensions: metric.dimensions.map(({ name, ref }) => ({ name, ref: ref.value })),
    segments: metric.segments.map(({ value }) => value),
    has_filters: metric.filters.length > 0,
    format: metric.format ?? null,
    owner: metric.owner ?? null,
    tags: metric.tags,
    terms: metric.terms,
    synonyms: metric.aiContext?.synonyms ?? [],
    ai_context:
      metric.aiContext === undefined
        ? null
        : { ...metric.aiContext, instructions: metric.aiContext.instructions ?? null },
    target: metric.target ?? null,
    file: metric.file,
  };
}

function wordsOf(calculation: MetricCalculation): string {
  switch (calculation.kind) {
    case 'simple':
      return calculation.measure.value;
    case 'ratio':
      return `${calculation.numerator.value} / ${calculation.denominator.value}`;
    case 'derived':
      return calculation.expression.value;
    case 'cumulative': {
      const { measure, window, toDate } = calculation;
      const span = toDate === undefined ? (window?.value ?? 'all time') : `${toDate.value} to date`;
      return `${measure.value} over ${span}`;
    }
    case 'conversion': {
      const { base, conversion, entity, window } = calculation;
      const within = window === undefined ? '' : ` within ${window.value}`;
      return `${base.value} followed by ${conversion.value}${within}, by ${entity.value}`;
    }
    default:
      return unreachable(calculation);
  }
}
