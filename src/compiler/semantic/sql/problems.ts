import type { Diagnostic, SourceRange } from '../../../foundation/diagnostics/diagnostic.ts';
import type { Span } from '../../../foundation/sql/tree.ts';

const PROBLEMS_MAX = 50;

/** The name under which places in the text of a query are reported. */
const QUERY_FILE = '<query>';

/** Where in the text of a query. */
export function positionOf({ start, end }: Span): SourceRange {
  return { file: QUERY_FILE, start, end };
}

/** What is wrong with a statement: each problem once, and at most as many as a reader needs, so that the cost of a hostile text is bounded. */
export class Problems {
  readonly #found = new Map<string, Diagnostic>();

  get list(): readonly Diagnostic[] {
    return [...this.#found.values()];
  }

  get count(): number {
    return this.#found.size;
  }

  add(problem: () => Diagnostic): void {
    if (this.#found.size >= PROBLEMS_MAX) return;
    const made = problem();
    const key = `${made.code} ${made.message} ${made.at?.start}`;
    if (!this.#found.has(key)) this.#found.set(key, made);
  }
}
