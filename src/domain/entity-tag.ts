import { hash128 } from '../foundation/hash128.ts';
import type { Perspective } from './perspective.ts';
import type { Grant, Principal } from './principal.ts';

/** What an `ETag` says of a thing: the same as long as nothing of it that can be changed has changed. */
export const entityTag = (...parts: readonly unknown[]): string => hash128(JSON.stringify(parts));

/** Whether a change that names tags may go on; without any it always may. */
export const isExpected = (tag: string | undefined, expected: readonly string[] | undefined): boolean =>
  expected === undefined || (tag !== undefined && (expected.includes('*') || expected.includes(tag)));

export const principalTag = ({ id, role, isPlatformAdmin, groups }: Principal): string =>
  entityTag(id, role ?? null, isPlatformAdmin, groups);

export const perspectiveTag = ({ id, version }: Pick<Perspective, 'id' | 'version'>): string =>
  entityTag(id, version);

/** Of all that one principal was granted on a product. */
export const grantsTag = (
  grants: readonly (Pick<Grant, 'role' | 'expiresAt' | 'requestId'> & { readonly createdAt?: number })[],
): string | undefined =>
  grants.length === 0
    ? undefined
    : entityTag(
        ...grants.map(({ role, createdAt, expiresAt, requestId }) => [
          role,
          createdAt ?? null,
          expiresAt ?? null,
          requestId ?? null,
        ]),
      );

/** `createdAt` is undefined while a group is only a word that principals carry. */
export const groupTag = (members: readonly string[], createdAt: number | undefined): string | undefined =>
  members.length === 0 && createdAt === undefined
    ? undefined
    : entityTag([...members].sort(), createdAt ?? null);
