import type { Data } from '../foundation/yaml/data.ts';
import type { Located, LocatedText } from '../foundation/yaml/located.ts';
import type { AiContext, MemberFilter } from './semantic-model.ts';

/** A measure over time with dimensions: a question with a name. References are `semantic_model.member`. */
export interface Metric {
  readonly name: Located<string>;
  readonly file: string;
  readonly calculation: MetricCalculation;
  /** The time dimension; derived metrics take it from their inputs when it is missing. */
  readonly ts?: Located<string>;
  /** What is used when a query names none. */
  readonly granularity?: Located<string>;
  readonly dimensions: readonly MetricDimension[];
  readonly segments: readonly Located<string>[];
  readonly filters: readonly MetricFilter[];
  readonly title?: string;
  readonly description?: string;
  readonly owner?: string;
  readonly tags: readonly string[];
  readonly terms: readonly string[];
  readonly format?: string;
  readonly aiContext?: AiContext;
  /** What the business aims at, as written. */
  readonly target?: Data;
}

/** `name` is the column of the metric's table, `ref` the dimension it shows. */
export interface MetricDimension {
  readonly name: string;
  readonly ref: Located<string>;
}

/** A filter tree, or SQL with `{model.member}` references. */
export type MetricFilter =
  | { readonly kind: 'filter'; readonly filter: MemberFilter }
  | { readonly kind: 'expression'; readonly expression: LocatedText };

export type MetricCalculation =
  | { readonly kind: 'simple'; readonly measure: Located<string> }
  | { readonly kind: 'ratio'; readonly numerator: Located<string>; readonly denominator: Located<string> }
  | {
      readonly kind: 'derived';
      readonly expression: LocatedText;
      /** Names used in the expression → measure or metric. */
      readonly inputs: readonly { readonly name: Located<string>; readonly ref: Located<string> }[];
    }
  | {
      readonly kind: 'cumulative';
      readonly measure: Located<string>;
      /** A trailing duration; undefined with `toDate` or for all time. */
      readonly window?: Located<string>;
      readonly toDate?: Located<string>;
    }
  | {
      readonly kind: 'conversion';
      readonly base: Located<string>;
      readonly conversion: Located<string>;
      readonly entity: Located<string>;
      readonly window?: Located<string>;
    };

/** Measures, metrics and dimensions that a metric is computed from, as written. */
export function membersOfCalculation(calculation: Metric['calculation']): readonly string[] {
  switch (calculation.kind) {
    case 'simple':
    case 'cumulative':
      return [calculation.measure.value];
    case 'ratio':
      return [calculation.numerator.value, calculation.denominator.value];
    case 'derived':
      return calculation.inputs.map(({ ref }) => ref.value);
    case 'conversion':
      return [calculation.base.value, calculation.conversion.value];
  }
}
