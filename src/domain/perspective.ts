/*
 * A named, saved semantic query that others may be shown. Who may know of one:
 *
 *   private   its owner                                          in the names of its owner
 *   shared    its owner, those it is shared with, and            in the names of its owner
 *             those who administer the product
 *   product   callers who may ask the product                   in the names of the product
 *
 * A slug is unique among the names where it is, so a caller who hears that a slug is taken may see what has it
 * (docs/decisions/0037-names-of-perspectives.md). The id stands in its place for every caller, and never changes.
 */

/** What is asked: a SemanticQuery as JSON, or SQL; either names parameters in place of values. */
export type PerspectiveQuery =
  | { readonly kind: 'semantic'; readonly query: unknown }
  | { readonly kind: 'sql'; readonly sql: string };

export const PARAMETER_TYPES = ['text', 'number', 'boolean', 'date', 'timestamp'] as const;
export type ParameterType = (typeof PARAMETER_TYPES)[number];
export type ParameterValue = string | number | boolean;

/** A value that is given when the question is asked. */
export interface PerspectiveParameter {
  readonly name: string;
  readonly type: ParameterType;
  /** Several values: all those of a filter. */
  readonly isList?: true;
  /** Without one a value must be given. */
  readonly default?: ParameterValue | readonly ParameterValue[];
  /** Each value must be one of these. */
  readonly allowed?: readonly ParameterValue[];
  readonly description?: string;
}

/** A user is remembered by id, so that a later one of the same name sees nothing. */
export type SharedWith =
  | { readonly kind: 'user'; readonly id: string; readonly name: string }
  | { readonly kind: 'group'; readonly name: string };

export type PerspectiveVisibility =
  | { readonly kind: 'private' }
  | { readonly kind: 'shared'; readonly principals: readonly SharedWith[] }
  | { readonly kind: 'product' };

export const VISIBILITIES = ['private', 'shared', 'product'] as const;

export interface Perspective {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly description?: string;
  readonly query: PerspectiveQuery;
  readonly params: readonly PerspectiveParameter[];
  readonly visibility: PerspectiveVisibility;
  readonly tags: readonly string[];
  /** Its answer is made again when the data have changed. */
  readonly isRefreshed: boolean;
  readonly owner: { readonly id: string; readonly name: string };
  /** Grows by one with each change. */
  readonly version: number;
  readonly createdAt: number;
  readonly changedAt: number;
  /** Who wrote the question as it is: they know its words. */
  readonly writtenBy: string;
}

/** Who looks at perspectives. */
export interface PerspectiveViewer {
  readonly principalId: string;
  /** Those of `SharedWith` that mean the viewer, as `shareKey` writes them. */
  readonly shareKeys: readonly string[];
  /** Administers the product. */
  readonly isAdmin: boolean;
}

export const shareKey = (shared: SharedWith): string =>
  shared.kind === 'user' ? `user:${shared.id}` : `group:${shared.name}`;

export const shareKeysOf = ({ visibility }: Pick<Perspective, 'visibility'>): readonly string[] =>
  visibility.kind === 'shared' ? visibility.principals.map(shareKey) : [];

type Seen = Pick<Perspective, 'visibility' | 'owner'>;

/** The one rule: stores answer by it, and events go by it. */
export function maySee({ visibility, owner }: Seen, viewer: PerspectiveViewer): boolean {
  if (owner.id === viewer.principalId) return true;
  switch (visibility.kind) {
    case 'private':
      return false;
    case 'shared':
      return (
        viewer.isAdmin || visibility.principals.some((each) => viewer.shareKeys.includes(shareKey(each)))
      );
    case 'product':
      return true;
  }
}

/** Owners, and for what is not private those who administer the product. */
export const mayChange = ({ visibility, owner }: Seen, viewer: PerspectiveViewer): boolean =>
  owner.id === viewer.principalId || (visibility.kind !== 'private' && viewer.isAdmin);

/** The names among which a slug is unique: '' are those of the product. */
export const namesOf = ({ visibility, owner }: Seen): string =>
  visibility.kind === 'product' ? '' : owner.id;

export const PERSPECTIVE_ID = /^x_[0-9a-z]{16}$/;
export const SLUG = /^(?!x_[0-9a-z]{16}$)[a-z0-9][a-z0-9_-]{0,79}$/;
const SLUG_MAX = 80;

/** A slug made of a name; undefined when no letter or digit is left. */
export function slugOf(name: string): string | undefined {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, SLUG_MAX - 20)
    .replace(/^-|-$/g, '');
  return slug === '' ? undefined : slug;
}

/** Slugs that may be free in place of one that is taken, best first. */
export function slugsLike(slug: string, owner: string): readonly string[] {
  const stem = slug.slice(0, SLUG_MAX - 20);
  const own = slugOf(owner)?.slice(0, 18);
  const numbered = Array.from({ length: 18 }, (_, at) => `${stem}-${at + 2}`);
  return [...(own === undefined ? [] : [`${stem}-${own}`]), ...numbered].filter((each) => SLUG.test(each));
}
