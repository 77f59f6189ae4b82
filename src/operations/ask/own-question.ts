import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { RunnableQuestion } from './answer-question.ts';
import type { OwnAsking } from './open-own.ts';

/** A question as a caller writes it. */
export type OwnQuestion =
  | { readonly kind: 'json'; readonly data: unknown; readonly isUnlimited: boolean }
  | { readonly kind: 'sql'; readonly sql: string; readonly limit?: number };

/** A question that can be answered; SQL over tables alone is not compiled, and one that is wrong is refused. */
export type OwnCompiled<Folder> =
  | { readonly kind: 'tables' }
  | {
      readonly kind: 'refused';
      readonly diagnostics: readonly Diagnostic[];
      /** Absent when the question was wrong by itself. */
      readonly asking?: OwnAsking<Folder>;
    }
  | {
      readonly kind: 'compiled';
      readonly asking: OwnAsking<Folder>;
      readonly question: Omit<RunnableQuestion, 'environment'>;
      /** It has no limit of its own, so the answer is cut. */
      readonly hasDefaultLimit: boolean;
    };
