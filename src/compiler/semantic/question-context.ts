import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { Visibility } from './access/visibility.ts';
import type { MemberReader } from './member-reader.ts';
import type { PathChoice } from './name-paths.ts';
import type { SemanticIndex } from './semantic-index.ts';

/** What all parts of one query share. */
export interface QuestionContext extends PathChoice {
  readonly index: SemanticIndex;
  readonly reader: MemberReader;
  readonly zone: string;
  readonly now: number;
  readonly report: (problem: Diagnostic) => void;
  /** What the caller may know; absent where definitions are read, which may name everything. */
  readonly visibility?: Visibility;
  /** What the caller's words mean is added here. */
  readonly named?: Set<string>;
}
