import type { NewEvent } from './event.ts';
import type { Perspective, PerspectiveViewer } from './perspective.ts';

/** Which perspectives of those that the viewer may see. */
export interface PerspectiveFilter {
  readonly viewer: PerspectiveViewer;
  /** By name. */
  readonly owner?: string | undefined;
  readonly visibility?: Perspective['visibility']['kind'] | undefined;
  readonly tag?: string | undefined;
  /** A part of slug, name or description, in any case. */
  readonly text?: string | undefined;
  /** Older than this id. */
  readonly before?: string | undefined;
  readonly limit: number;
}

/** `taken`: another one has the slug among the same names. `differs`: it is of another version. */
export type PerspectiveOutcome = 'done' | 'missing' | 'differs' | 'taken' | 'full';

/** Perspectives: reading half. What a viewer may not see is as what is not there, also in how it is looked up. */
export interface PerspectiveReader {
  perspective(id: string, viewer: PerspectiveViewer): Promise<Perspective | undefined>;
  /** Those that a slug may mean to a viewer: their own, the product's, and those shared with them, in this order. */
  perspectivesNamed(slug: string, viewer: PerspectiveViewer): Promise<readonly Perspective[]>;
  /** Newest first. */
  perspectives(filter: PerspectiveFilter): Promise<readonly Perspective[]>;
  /** Newest first: each as it was, for those who could see it as it was. */
  perspectiveVersions(
    id: string,
    request: {
      readonly viewer: PerspectiveViewer;
      readonly before?: number | undefined;
      readonly limit: number;
    },
  ): Promise<readonly Perspective[]>;
  /** Which of these slugs are taken among some names. */
  takenSlugs(names: string, slugs: readonly string[]): Promise<readonly string[]>;
  /** All, seen or not, oldest first: for work whose result is shown to no caller. */
  everyPerspective(request: {
    readonly after?: string | undefined;
    readonly isRefreshed?: true;
    readonly limit: number;
  }): Promise<readonly Perspective[]>;
}

/** Each method is one transaction; it writes nothing and tells nothing when it answers with anything but `done`. */
export interface PerspectiveStore extends PerspectiveReader {
  /** `full`: the owner has as many as one may have. */
  createPerspective(perspective: Perspective, events: readonly NewEvent[]): Promise<PerspectiveOutcome>;
  /** The present one must be of the version before. The newest versions are kept. */
  changePerspective(perspective: Perspective, events: readonly NewEvent[]): Promise<PerspectiveOutcome>;
  /** With all its versions. */
  removePerspective(
    given: Pick<Perspective, 'id' | 'version'>,
    events: readonly NewEvent[],
  ): Promise<PerspectiveOutcome>;
}

/** How many perspectives one principal may own. */
export const OWNED_MAX = 1_000;
/** How many versions of each are kept. */
export const VERSIONS_KEPT = 100;
