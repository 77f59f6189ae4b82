import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { Measure } from '../../../domain/semantic-model.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import { rangeOf } from '../../../foundation/yaml/located.ts';
import type { CheckedExpression } from './check-expression.ts';
import type { NamedSemantic } from './semantic-world.ts';

/** Filters choose rows of the aggregates that an expression writes itself; measures that it names would come unfiltered, silently. */
export function checkDerivedFilters(
  { name, filters }: Measure,
  { targets }: CheckedExpression,
  { scope, report }: { readonly scope: NamedSemantic; readonly report: (diagnostic: Diagnostic) => void },
): void {
  const [first] = filters;
  if (first === undefined) return;
  for (const [{ parts, isAggregated }, target] of targets) {
    if (isAggregated || target.kind !== 'member' || target.member.kind !== 'measure') continue;
    const at = rangeOf(scope.semantic.file, first);
    const names = { name: name.value, member: parts.join('.') };
    report(diagnostic('semantic.filtered-measure', names, { at }));
    return;
  }
}
