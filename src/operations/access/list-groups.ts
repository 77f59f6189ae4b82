/*
 * Groups of a tenant. Principals say themselves to which they belong, in the folder that keeps them, so a group may lie
 * in several folders; `users` of config.yaml add members that only the file can change.
 */
import { entityTag } from '../../domain/entity-tag.ts';
import { failure } from '../../domain/failure.ts';
import type { Directory } from './directory.ts';
import { type GroupPart, partsIn, tagOf } from './group-part.ts';

/** A group as one server sees it; what `tag` stands for is what can be changed. */
export interface KnownGroup {
  readonly name: string;
  /** Names of principals, sorted. */
  readonly members: readonly string[];
  /** Members from `users` of config.yaml. */
  readonly configMembers: readonly string[];
  readonly createdAt?: number;
  readonly tag: string;
}

/** Sorted by name. */
export async function listGroups(directory: Directory, tenant: string): Promise<readonly KnownGroup[]> {
  const parts = new Map<string, GroupPart[]>();
  for (const home of directory.speakersFor(tenant))
    for (const [name, part] of await partsIn(home, tenant))
      parts.set(name, [...(parts.get(name) ?? []), part]);
  const configured = configuredMembers(directory, tenant);
  const names = [...new Set([...parts.keys(), ...configured.keys()])].sort();
  return names.map((name) => {
    const own = parts.get(name) ?? [];
    const createdAt = own.find((part) => part.createdAt !== undefined)?.createdAt;
    return {
      name,
      members: [...new Set(own.flatMap(({ members }) => members))].sort(),
      configMembers: [...(configured.get(name) ?? [])].sort(),
      ...(createdAt === undefined ? {} : { createdAt }),
      tag: entityTag(own.map(tagOf)),
    };
  });
}

function configuredMembers(directory: Directory, tenant: string): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const { world } of directory.speakersFor(tenant).filter((product) => product.tenant === tenant))
    for (const { username, groups } of world.config.users)
      for (const group of groups) found.set(group, (found.get(group) ?? new Set()).add(username));
  return found;
}

/** Throws `access.not-found`. */
export async function findGroup(directory: Directory, tenant: string, name: string): Promise<KnownGroup> {
  const found = (await listGroups(directory, tenant)).find((group) => group.name === name);
  if (found === undefined) throw failure('access.not-found', { what: 'group', name });
  return found;
}
