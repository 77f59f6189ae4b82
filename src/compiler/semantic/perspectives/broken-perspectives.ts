import type { Perspective, PerspectiveQuery } from '../../../domain/perspective.ts';
import { type AskedSide, lostBetween, problemOn } from './asked-side.ts';
import { type RenamedMember, renamedMembers, withRenames } from './renamed-members.ts';

/** A perspective that can be asked before a change, and not after it. */
export interface BrokenPerspective {
  readonly perspective: Perspective;
  readonly because: string;
  /** A question that can be asked after the change, and means what the old one meant. */
  readonly rewrite?: { readonly query: PerspectiveQuery; readonly renames: readonly RenamedMember[] };
}

/** Those that a change of what is asked breaks, each with its first reason. */
export function brokenPerspectives(
  perspectives: readonly Perspective[],
  { before, after }: { readonly before: AskedSide; readonly after: AskedSide },
): readonly BrokenPerspective[] {
  const renames = renamedMembers(before.semantics, after.semantics);
  return perspectives.flatMap((perspective): readonly BrokenPerspective[] => {
    const because = lostBetween(before, after, perspective) ?? problemOn(after, perspective);
    if (because === undefined || problemOn(before, perspective) !== undefined) return [];
    const query = withRenames(perspective, renames);
    const isWhole =
      problemOn(after, { ...perspective, query }) === undefined &&
      lostBetween(before, after, { ...perspective, query }) === undefined;
    const used = renames.filter(
      (rename) => JSON.stringify(withRenames(perspective, [rename])) !== JSON.stringify(perspective.query),
    );
    const isRewritten = isWhole && used.length > 0;
    return [{ perspective, because, ...(isRewritten ? { rewrite: { query, renames: used } } : {}) }];
  });
}
