import type { Diagnostic } from '../foundation/diagnostics/diagnostic.ts';
import { type ImpactReport, NO_IMPACT } from './impact.ts';
import type { TestResult } from './model-test.ts';
import type { Estimate, Plan } from './plan.ts';
import type { RunEvent } from './run.ts';

/** A plan with everything a door shows of it; without `plan` the diagnostics say why. */
export interface PlannedWork {
  readonly plan?: Plan;
  /** Each stage in words. */
  readonly explained: readonly string[];
  readonly impact: ImpactReport;
  readonly estimates: ReadonlyMap<string, Estimate>;
  readonly diagnostics: readonly Diagnostic[];
  readonly sources: ReadonlyMap<string, string>;
  /** Of the tests that the plan touches. */
  readonly tests: readonly TestResult[];
  /** What a crash had left behind, and what was done about it. */
  readonly recovered: readonly RunEvent[];
}

/** What is shown of a plan that is not made. */
export const NOTHING_PLANNED = {
  explained: [],
  impact: NO_IMPACT,
  estimates: new Map<string, Estimate>(),
  tests: [],
  recovered: [],
} as const satisfies Partial<PlannedWork>;
