/*
 * Groups of a tenant. Principals say themselves to which they belong, in the folder that keeps them, so a group may lie
 * in several folders; `users` of config.yaml add members that only the file can change.
 */
import { entityTag, groupTag, isExpected } from '../../domain/entity-tag.ts';
import { failure } from '../../domain/failure.ts';
import type { Product } from '../platform.ts';
import type { Directory } from './directory.ts';
import { audit, checkName, settled } from './principals.ts';

/** Of ten thousand members the audit log keeps the first. */
const TARGET_MAX = 2000;

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

interface Part {
  readonly home: Product;
  readonly members: readonly string[];
  readonly createdAt?: number;
}

/** Sorted by name. */
export async function listGroups(directory: Directory, tenant: string): Promise<readonly KnownGroup[]> {
  const parts = new Map<string, Part[]>();
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

const tagOf = ({ members, createdAt }: Part): string | undefined => groupTag(members, createdAt);

async function partsIn(home: Product, tenant: string): Promise<ReadonlyMap<string, Part>> {
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

/** Makes the group, or gives it other members; every member must be a principal of the tenant. */
export async function putGroup(
  directory: Directory,
  {
    tenant,
    name,
    members,
    expected,
    isNew = false,
  }: {
    readonly tenant: string;
    readonly name: string;
    readonly members: readonly string[];
    readonly expected?: readonly string[] | 'none' | undefined;
    readonly isNew?: boolean;
  },
): Promise<KnownGroup> {
  checkName('A group', name);
  if (!(await directory.tenants()).some((each) => each.name === tenant))
    throw failure('access.not-found', { what: 'tenant', name: tenant });
  const known = new Set((await directory.principals(tenant)).map((principal) => principal.name));
  const strangers = members.filter((member) => !known.has(member));
  if (strangers.length > 0)
    throw failure('access.unknown-members', { group: name, names: strangers.join(', ') });
  const before = (await listGroups(directory, tenant)).find((group) => group.name === name);
  if (isNew && before !== undefined) throw failure('access.exists', { what: 'The group', name });
  if (expected === 'none' ? before !== undefined : !isExpected(before?.tag, expected))
    throw failure('access.changed', { what: 'group', name });
  const homes = directory.speakersFor(tenant);
  for (const [index, home] of homes.entries()) {
    const part = (await partsIn(home, tenant)).get(name);
    const own = new Set((await home.world.state.principals.principals({ tenant })).map((each) => each.name));
    const here = members.filter((member) => own.has(member));
    // The first folder keeps that the group exists; others only what concerns their own people.
    if (index > 0 && here.length === 0 && part === undefined) continue;
    await write(directory, part ?? { home, members: [] }, { tenant, name, members: here });
  }
  return findGroup(directory, tenant, name);
}

async function write(
  directory: Directory,
  part: Part,
  {
    tenant,
    name,
    members,
  }: { readonly tenant: string; readonly name: string; readonly members: readonly string[] },
): Promise<void> {
  const desk = directory.desk(part.home);
  const tag = tagOf(part);
  const outcome = await part.home.world.state.access.putGroup(
    { tenant, name, createdAt: desk.now },
    { members, ...(tag === undefined ? { isNew: true } : { expected: [tag] }) },
    audit(
      desk,
      tenant,
      'group.members',
      `${name}: ${members.join(', ') || 'no members'}`.slice(0, TARGET_MAX),
    ),
  );
  settled(outcome, 'group', name);
}

/** With its memberships and grants; one that config.yaml names cannot go. */
export async function removeGroup(
  directory: Directory,
  {
    tenant,
    name,
    expected,
  }: { readonly tenant: string; readonly name: string; readonly expected?: readonly string[] | undefined },
): Promise<void> {
  const { configMembers, tag } = await findGroup(directory, tenant, name);
  if (configMembers.length > 0) throw failure('access.from-config', { what: 'group', name });
  if (!isExpected(tag, expected)) throw failure('access.changed', { what: 'group', name });
  for (const home of directory.speakersFor(tenant)) {
    const part = (await partsIn(home, tenant)).get(name);
    if (part === undefined) continue;
    const desk = directory.desk(home);
    const own = tagOf(part);
    const outcome = await home.world.state.access.removeGroup(
      { tenant, name },
      own === undefined ? undefined : [own],
      audit(desk, tenant, 'group.remove', name),
    );
    settled(outcome, 'group', name);
  }
}
