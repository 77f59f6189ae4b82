import { isExpected } from '../../domain/entity-tag.ts';
import { failure } from '../../domain/failure.ts';
import { audit, checkName, settled } from './access-context.ts';
import type { Directory } from './directory.ts';
import { type GroupPart, partsIn, tagOf } from './group-part.ts';
import { findGroup, type KnownGroup, listGroups } from './list-groups.ts';
import { listPrincipals } from './list-principals.ts';
import { listTenants } from './list-tenants.ts';

/** Of ten thousand members the audit log keeps the first. */
const TARGET_MAX = 2000;

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
  if (!(await listTenants(directory)).some((each) => each.name === tenant))
    throw failure('access.not-found', { what: 'tenant', name: tenant });
  const known = new Set((await listPrincipals(directory, tenant)).map((principal) => principal.name));
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
  part: GroupPart,
  {
    tenant,
    name,
    members,
  }: { readonly tenant: string; readonly name: string; readonly members: readonly string[] },
): Promise<void> {
  const context = directory.context(part.home);
  const tag = tagOf(part);
  const outcome = await part.home.world.state.access.putGroup(
    { tenant, name, createdAt: context.now },
    { members, ...(tag === undefined ? { isNew: true } : { expected: [tag] }) },
    audit(
      context,
      tenant,
      'group.members',
      `${name}: ${members.join(', ') || 'no members'}`.slice(0, TARGET_MAX),
    ),
  );
  settled(outcome, 'group', name);
}
