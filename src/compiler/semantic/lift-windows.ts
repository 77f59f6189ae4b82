/*
 * Window functions in measures see every group of the answer, so they are computed before filters on measures leave any out:
 *
 *   {revenue} / sum({revenue}) OVER ()  where revenue > 10
 *     ──▶ SELECT … FROM (SELECT status, SUM(amount) AS revenue, sum(SUM(amount)) OVER () AS windowed … GROUP BY 1) WHERE revenue > 10
 *
 * A window over a measure that has one itself is computed one level further out.
 */
import type { Call, Expression } from '../../foundation/sql/tree.ts';
import { rewrite, walk } from '../../foundation/sql/walk.ts';
import { freshName } from './lift-inputs.ts';
import { answerColumn, answerName } from './logical-query.ts';

/** Expressions over keys and components whose windows are columns. */
export interface LiftedWindows {
  /** In the place of an expression. */
  readonly without: (expression: Expression) => Expression;
  /** The windows that can be computed together, the innermost first; each over what was computed before. */
  readonly levels: readonly (readonly LiftedWindow[])[];
}

export interface LiftedWindow {
  readonly name: string;
  readonly call: Expression;
}

export function isWindowCall(node: { readonly kind: string }): node is Call {
  return node.kind === 'call' && (node as Call).over !== undefined;
}

/** Undefined when none of them has a window. `taken` are names of other columns. */
export function liftWindows(
  expressions: readonly Expression[],
  taken: Iterable<string>,
): LiftedWindows | undefined {
  const names = new Set([...taken].map((name) => name.toLowerCase()));
  const known = new Map<
    string,
    { readonly name: string; readonly level: number; readonly call: Expression }
  >();
  const levelOf = new Map<string, number>();
  const without = (expression: Expression): Expression =>
    rewrite(expression, (node) => {
      if (!isWindowCall(node)) return node;
      const text = JSON.stringify(node, (key, value: unknown) => (key === 'span' ? undefined : value));
      let window = known.get(text);
      if (window === undefined) {
        const name = freshName('windowed', names);
        window = { name, level: 1 + levelIn(node, levelOf), call: node };
        known.set(text, window);
        levelOf.set(name, window.level);
      }
      return answerColumn(window.name);
    });
  for (const expression of expressions) without(expression);
  if (known.size === 0) return undefined;
  const levels: LiftedWindow[][] = [];
  for (const { name, level, call } of known.values()) {
    levels[level - 1] ??= [];
    levels[level - 1]?.push({ name, call });
  }
  return { without, levels };
}

/** The level of the outermost window that a call reads; 0 for none. */
function levelIn(call: Call, levels: ReadonlyMap<string, number>): number {
  let level = 0;
  walk(call, (node) => {
    level = Math.max(level, levels.get(answerName(node) ?? '') ?? 0);
  });
  return level;
}
