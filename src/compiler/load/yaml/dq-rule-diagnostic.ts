import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import { type LocatedText, rangeInText } from '../../../foundation/yaml/located.ts';
import type { RuleProblem } from './dq-rule-cursor.ts';

/** A problem of a rule's text, placed in the file. */
export function dqRuleDiagnostic(file: string, text: LocatedText, problem: RuleProblem): Diagnostic {
  const at = rangeInText(file, text, problem.start, problem.end);
  const { words, hint } = problem;
  switch (problem.kind) {
    case 'bad-rule':
      return diagnostic(
        'dq.bad-rule',
        { found: words['found'] ?? '', expected: words['expected'] ?? '' },
        { at },
      );
    case 'unknown-metric':
      return diagnostic('dq.unknown-metric', { name: words['name'] ?? '' }, { at, hint });
    case 'wrong-columns':
      return diagnostic(
        'dq.wrong-columns',
        { metric: words['metric'] ?? '', expected: words['expected'] ?? '' },
        { at },
      );
    case 'empty-range':
      return diagnostic('dq.empty-range', { low: words['low'] ?? '', high: words['high'] ?? '' }, { at });
  }
}
