import { failure } from '../domain/failure.ts';
import { LOCAL_ADMIN } from '../domain/local-admin.ts';
import type { Identity } from '../domain/principal.ts';
import { peopleOf } from '../operations/notify/people.ts';
import { openWorld } from '../operations/open-world.ts';
import { ownPlatform } from '../operations/own-platform.ts';
import type { Platform, Product } from '../operations/platform.ts';
import type { CommandContext } from './command.ts';

/** The product of this folder, and in whose name a command acts: `--user`, otherwise the local administrator, as for a server without authentication. */
export async function openFollowing(
  context: CommandContext,
): Promise<{ readonly platform: Platform; readonly product: Product; readonly identity: Identity }> {
  const workspace = await context.workspace();
  const platform = ownPlatform(workspace, await openWorld(workspace));
  const [product] = platform.products;
  if (product === undefined) throw new Error('a folder is one product');
  const name = context.values.get('user');
  if (name === undefined) return { platform, product, identity: LOCAL_ADMIN };
  const people = await peopleOf(platform, product, workspace.clock.now());
  const [id] = people.named(name);
  const identity = id === undefined ? undefined : people.byId(id);
  if (identity === undefined)
    throw failure(
      'access.not-found',
      { what: 'user', name },
      { hint: `plinth user create ${name} makes one` },
    );
  return { platform, product, identity };
}
