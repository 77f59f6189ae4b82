import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { Measure } from '../../../domain/semantic-model.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import { type Located, rangeOf } from '../../../foundation/yaml/located.ts';
import type { NamedSemantic } from './semantic-world.ts';

/** What a stock cannot be, where that stands, and what to do. */
interface StockProblem {
  readonly problem: string;
  readonly at: { readonly start: number; readonly end: number };
  readonly hint: string;
}

const OVER_TIME = new Set(['avg', 'min', 'max']);
const SUMMED = new Set(['sum', 'count']);

/** Reports everything a measure says that its being a stock would silently drop, or be dropped by. */
export function checkStock(
  measure: Measure,
  isAggregate: boolean,
  {
    scope: { semantic, name: model },
    report,
  }: { readonly scope: NamedSemantic; readonly report: (diagnostic: Diagnostic) => void },
): void {
  const name = measure.name.value;
  for (const { problem, at, hint } of stockProblems(measure, { model, isAggregate }))
    report(diagnostic('semantic.bad-stock', { name, problem }, { at: rangeOf(semantic.file, at), hint }));
}

function stockProblems(
  { name, type, typeAt, behavior, rollingWindow, broken = [] }: Measure,
  { model, isAggregate }: { readonly model: string; readonly isAggregate: boolean },
): readonly StockProblem[] {
  if (behavior?.type !== 'stock') return [];
  const problems: StockProblem[] = [];
  const isTypeKnown = !broken.includes('type');
  const { timeDimension, periodTreatment } = behavior;
  if (rollingWindow !== undefined)
    problems.push({
      problem: 'cannot have a rolling window, which adds up rows of several times',
      at: name,
      hint: 'keep one of behavior and rolling_window',
    });
  if (isTypeKnown && !isAggregate)
    problems.push({
      problem: `of type ${type} is computed from others, so its own behavior would change nothing`,
      at: typeAt,
      hint: 'give the behavior to the measures it is derived from',
    });
  if (timeDimension === undefined && !broken.includes('behavior'))
    problems.push({
      problem: 'does not say over which time it is not summed',
      at: name,
      hint: 'add time_dimension to its behavior',
    });
  if (timeDimension !== undefined && isForeign(timeDimension, model))
    problems.push({
      problem: `has the time ${timeDimension.value}, which is not of its own semantic model`,
      at: timeDimension,
      hint: `use a time dimension of ${model}`,
    });
  if (isTypeKnown && isAggregate && OVER_TIME.has(periodTreatment ?? 'last') && !SUMMED.has(type))
    problems.push({
      problem: `of type ${type} has no ${periodTreatment} over time`,
      at: typeAt,
      hint: 'use type: sum or count, or period_treatment: last or first',
    });
  return problems;
}

function isForeign({ value }: Located<string>, model: string): boolean {
  const [first = '', second] = value.split('.');
  return second !== undefined && first.toLowerCase() !== model.toLowerCase();
}
