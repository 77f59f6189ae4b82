import { isExpected } from '../../domain/entity-tag.ts';
import { failure } from '../../domain/failure.ts';
import { audit, settled } from './access-context.ts';
import type { Directory } from './directory.ts';
import { partsIn, tagOf } from './group-part.ts';
import { findGroup } from './list-groups.ts';

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
    const context = directory.context(home);
    const own = tagOf(part);
    const outcome = await home.world.state.access.removeGroup(
      { tenant, name },
      own === undefined ? undefined : [own],
      audit(context, tenant, 'group.remove', name),
    );
    settled(outcome, 'group', name);
  }
}
