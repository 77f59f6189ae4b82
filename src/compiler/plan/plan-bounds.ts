import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { PlanOptions } from '../../domain/plan.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { didYouMean } from '../../foundation/diagnostics/nearest.ts';
import { isoInstantShort } from '../../foundation/time/iso.ts';
import { exclusiveEnd, parseTime } from '../../foundation/time/relative-date.ts';
import type { PlanInput } from './plan-input.ts';
import { modelNamed } from './select-models.ts';

export interface PlanBounds {
  readonly bounds: { readonly start?: number; readonly end?: number };
  readonly effectiveFrom: number | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** The times a user gave, as instants. prod has no range of its own: it has everything, or restates. */
export function planBounds({ options, prepared, executionTime, project }: PlanInput): PlanBounds {
  const diagnostics: Diagnostic[] = [];
  const read = (option: string, text: string | undefined, isEnd: boolean): number | undefined => {
    if (text === undefined) return undefined;
    const time = parseTime(text, executionTime);
    if (time.kind === 'problem') {
      const { message, expected } = time;
      diagnostics.push(diagnostic('plan.bad-time', { option, problem: message, expected }));
      return undefined;
    }
    return isEnd ? exclusiveEnd(time) : time.at;
  };
  const start = read('--start', options.start, false);
  const end = read('--end', options.end, true);
  const effectiveFrom = read('--effective-from', options.effectiveFrom, false);
  if (start !== undefined && end !== undefined && start >= end)
    diagnostics.push(
      diagnostic('plan.bad-range', { start: isoInstantShort(start), end: isoInstantShort(end) }),
    );
  if (prepared.environment === 'prod' && options.restateModels.length === 0)
    for (const [option, value] of [
      ['--start', start],
      ['--end', end],
    ] as const)
      if (value !== undefined)
        diagnostics.push(diagnostic('plan.prod-range', { option, environment: prepared.environment }));
  const isForward = options.isForwardOnly || project.config.plan.forwardOnly;
  if (
    effectiveFrom !== undefined &&
    !isForward &&
    !Object.values(options.categories).includes('forward-only')
  )
    diagnostics.push(diagnostic('plan.effective-from', { reason: 'the plan is not forward-only' }));
  if (effectiveFrom !== undefined && effectiveFrom > executionTime)
    diagnostics.push(
      diagnostic('plan.effective-from', { reason: `${isoInstantShort(effectiveFrom)} is in the future` }),
    );
  return {
    bounds: { ...(start === undefined ? {} : { start }), ...(end === undefined ? {} : { end }) },
    effectiveFrom,
    diagnostics,
  };
}

/** The options with models by their whole names; names that mean no model are reported. */
export function resolvedOptions({ options, prepared }: PlanInput): {
  readonly options: PlanOptions;
  readonly diagnostics: readonly Diagnostic[];
} {
  const diagnostics: Diagnostic[] = [];
  const names = prepared.diffs.map(({ draft }) => draft.model);
  const find = (where: string, name: string): readonly string[] => {
    const found = modelNamed(name, names);
    if (found !== undefined) return [found];
    diagnostics.push(diagnostic('plan.unknown-model', { where, name }, { hint: didYouMean(name, names) }));
    return [];
  };
  return {
    options: {
      ...options,
      allowDestructiveModels: options.allowDestructiveModels.flatMap((name) =>
        find('--allow-destructive-model', name),
      ),
      categories: Object.fromEntries(
        Object.entries(options.categories).flatMap(([name, category]) =>
          find('the choice of a category', name).map((found) => [found, category]),
        ),
      ),
    },
    diagnostics,
  };
}
