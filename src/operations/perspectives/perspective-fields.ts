import { definitionProblems } from '../../compiler/semantic/perspectives/definition-problems.ts';
import { failure } from '../../domain/failure.ts';
import type {
  Perspective,
  PerspectiveParameter,
  PerspectiveQuery,
  PerspectiveVisibility,
} from '../../domain/perspective.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { Directory } from '../access/directory.ts';
import type { Product } from '../platform.ts';
import { sharedWith } from './shared-with.ts';

/** What callers write of a perspective; what is absent stays as it is, or is what a new one has. */
export interface PerspectiveFields {
  readonly slug?: string | undefined;
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
  readonly query?: PerspectiveQuery | undefined;
  readonly params?: readonly PerspectiveParameter[] | undefined;
  readonly visibility?: PerspectiveVisibility['kind'] | undefined;
  /** Names, for `shared` alone. */
  readonly principals?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly isRefreshed?: boolean | undefined;
}

/** Throws `perspective.bad-definition` for a list of names that nothing is shared with. */
export async function visibilityOf(
  directory: Directory,
  product: Product,
  {
    kind,
    principals,
    before,
  }: {
    readonly kind: PerspectiveVisibility['kind'];
    readonly principals?: readonly string[] | undefined;
    readonly before?: PerspectiveVisibility;
  },
): Promise<PerspectiveVisibility> {
  if (kind === 'shared') {
    if (before?.kind === 'shared' && principals === undefined) return before;
    return { kind, principals: await sharedWith(directory, product, principals ?? []) };
  }
  if (principals !== undefined && principals.length > 0)
    throw failure('perspective.bad-definition', {
      detail: `its principals are given, and its visibility is ${kind}, not shared`,
    });
  return { kind };
}

/** Throws all that is wrong with a definition by itself. */
export function checkDefinition(perspective: Pick<Perspective, 'slug' | 'query' | 'params'>): void {
  const [first, ...more] = definitionProblems(perspective);
  if (first === undefined) return;
  throw failure('perspective.bad-definition', { detail: [first, ...more.slice(0, 9)].join('; ') });
}

/** A change, or what is wrong with its question. */
export type PerspectiveAnswer =
  | { readonly kind: 'done'; readonly perspective: Perspective }
  | { readonly kind: 'refused'; readonly diagnostics: readonly Diagnostic[] }
  /** Slugs that are free in its place. */
  | { readonly kind: 'taken'; readonly slug: string; readonly free: readonly string[] };
