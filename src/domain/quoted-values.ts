/** Errors and failing rows quote values: here they are taken out. */

import type { Diagnostic } from '../foundation/diagnostics/diagnostic.ts';
import { apiWords } from './diagnostics/api-words.ts';
import type { AuditResult, ModelResult } from './run.ts';

const HIDDEN = 'The words are for those who may read the rows of the model.';

/** The error without what could quote rows. */
export const withoutWords = ({ code, severity }: Diagnostic): Diagnostic => ({
  code,
  severity,
  message: HIDDEN,
});

export function withoutValues(result: ModelResult): ModelResult {
  const { error, audits, ...rest } = result;
  return {
    ...rest,
    ...(error === undefined ? {} : { error: withoutWords(error) }),
    audits: audits.map(({ sample: _, ...audit }): AuditResult => audit),
  };
}

export const inApiWords = (result: ModelResult): ModelResult =>
  result.error === undefined ? result : { ...result, error: apiWords(result.error) };

/** Errors, wherever an event has them inside, in other words; samples only where they may be seen. */
export function withErrors(
  value: unknown,
  word: (error: Diagnostic) => Diagnostic,
  hasSamples: boolean,
): unknown {
  const inside = (inner: unknown): unknown => withErrors(inner, word, hasSamples);
  if (Array.isArray(value)) return value.map(inside);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      if (name === 'sample' && !hasSamples) return [];
      if (name === 'error' && typeof inner === 'object' && inner !== null)
        return [[name, word(inner as Diagnostic)]];
      return [[name, inside(inner)]];
    }),
  );
}
