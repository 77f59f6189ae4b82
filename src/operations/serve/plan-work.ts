import type { ImpactReport } from '../../domain/impact.ts';
import type { PlanOptions } from '../../domain/plan.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';

/** The request to the process that plans. */
export interface PlanWork {
  readonly folder: string;
  readonly gateway: string | undefined;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly executionTime: number;
  readonly who: string;
  readonly environment: string;
  readonly options: PlanOptions;
}

/** What it answers: the plan as JSON text, so that a large one is sent on without being parsed; of what it reaches each caller sees a part. */
export type PlanAnswer =
  | { readonly kind: 'planned'; readonly id: string; readonly body: string; readonly impact: ImpactReport }
  | { readonly kind: 'refused'; readonly diagnostics: readonly Diagnostic[] }
  | { readonly kind: 'failed'; readonly diagnostic: Diagnostic }
  | { readonly kind: 'bug'; readonly detail: string };
