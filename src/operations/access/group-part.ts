import { groupTag } from '../../domain/entity-tag.ts';
import type { Product } from '../platform.ts';

/** What one folder keeps of a group. */
export interface GroupPart {
  readonly home: Product;
  readonly members: readonly string[];
  readonly createdAt?: number;
}

/** Undefined for a group that the folder does not have. */
export const tagOf = ({ members, createdAt }: GroupPart): string | undefined => groupTag(members, createdAt);

/** By name of the group. */
export async function partsIn(home: Product, tenant: string): Promise<ReadonlyMap<string, GroupPart>> {
  const { principals, access } = home.world.state;
  const found = new Map<string, { members: string[]; createdAt?: number }>();
  for (const { name, createdAt } of await access.groups({ tenant }))
    found.set(name, { members: [], createdAt });
  for (const { name, groups } of await principals.principals({ tenant }))
    for (const group of groups) {
      const part = found.get(group) ?? { members: [] };
      part.members.push(name);
      found.set(group, part);
    }
  return new Map([...found].map(([name, part]) => [name, { home, ...part }]));
}
