import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const metricDiagnostics = {
  'metric.missing-key': {
    severity: 'error',
    message: 'A metric of type {type} needs the key {key}.',
    explain:
      'A simple or cumulative metric has `measure`, a ratio `numerator` and `denominator`, a derived one `expression` and `inputs`, a conversion `base`, `conversion` and `entity`; all but derived ones have `ts`.',
  },
  'metric.key-of-other-type': {
    severity: 'error',
    message: '{key} has no meaning in a metric of type {type}.',
    explain: 'Each type of metric has keys of its own; a key of another type would silently do nothing.',
  },
  'metric.bad-reference': {
    severity: 'error',
    message: '{name} is not a reference; expected semantic_model.member.',
    explain:
      'Metrics refer to measures, dimensions and segments of semantic models, with the model before the dot.',
  },
  'metric.unknown-input': {
    severity: 'error',
    message: '{name} is not among the inputs of this metric.',
    explain:
      'The expression of a derived metric uses its inputs in braces: {revenue} / {orders}. Each must be listed under `inputs`.',
  },
  'metric.unknown-metric': {
    severity: 'error',
    message: '{name} is neither a metric nor a measure.',
    explain: 'The inputs of a derived metric are metrics (by name) or measures (semantic_model.measure).',
  },
  'metric.bad-expression': {
    severity: 'error',
    message: 'This SQL cannot be read: {detail}.',
    explain:
      'The expression of a derived metric and textual filters are SQL expressions with references in braces.',
  },
  'metric.cycle': {
    severity: 'error',
    message: 'The metrics {path} refer to each other in a circle.',
    explain: 'A derived metric may use other metrics as long as the chain ends at measures.',
  },
  'metric.duplicate-dimension': {
    severity: 'error',
    message: 'The metric has two dimensions called {name}.',
    hint: 'give one of them a name of its own: a map with name and ref',
    explain:
      "Dimensions are columns of the metric's table, so their names differ. The columns ts and measure are always there.",
  },
  'metric.not-additive': {
    severity: 'warning',
    message:
      'The measure {name} of type {type} is accumulated over time, where only the last period counts each thing once.',
    hint: 'use a count, a sum or a rolling window',
    explain:
      'A cumulative metric adds up periods. Averages and distinct counts of periods do not add up, so they are computed over the whole span instead, which is slow and often not meant.',
  },
} as const satisfies Catalog;
