import { failure } from '../../domain/failure.ts';
import type { Principal, TenantRole } from '../../domain/principal.ts';
import { changePrincipal } from '../../operations/access/change-principal.ts';
import { createPrincipal } from '../../operations/access/create-principal.ts';
import type { Desk } from '../../operations/access/desk.ts';
import { findPrincipal } from '../../operations/access/find-principal.ts';
import { removePrincipal } from '../../operations/access/remove-principal.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { actionOf, openDesk } from '../principal-desk.ts';

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const { action, name } = actionOf(context, ['create', 'change', 'remove']);
  const { desk, tenant } = await openDesk(context);
  switch (action) {
    case 'create': {
      const role = context.values.get('role');
      const made = await createPrincipal(desk, {
        tenant,
        name,
        kind: context.switches.has('service-account') ? 'service-account' : 'user',
        role: role === 'platform-admin' || role === 'none' ? undefined : (role as TenantRole | undefined),
        isPlatformAdmin: role === 'platform-admin',
        groups: groupsOf(context) ?? [],
      });
      return {
        data: {
          id: made.id,
          name,
          tenant,
          kind: made.kind,
          role: role === undefined || role === 'none' ? null : role,
          groups: made.groups,
        },
        print: ({ note }) =>
          note(`${name} belongs to ${tenant} now; plinth token create --user ${name} makes a token.`),
      };
    }
    case 'change':
      return change(context, desk, await findPrincipal(desk, tenant, name));
    case 'remove':
      await removePrincipal(desk, { tenant, name });
      return {
        data: { name, tenant },
        print: ({ note }) => note(`${name} and all tokens of ${name} are gone.`),
      };
    default: {
      const users = (await desk.principals.principals({ tenant })).map((each) => ({
        id: each.id,
        name: each.name,
        tenant: each.tenant,
        kind: each.kind,
        role: each.isPlatformAdmin ? 'platform-admin' : (each.role ?? null),
        groups: each.groups,
      }));
      return {
        data: { users },
        print: ({ out }) => {
          for (const each of users) out([each.name, each.kind, each.role ?? '-', ...each.groups].join('  '));
        },
      };
    }
  }
}

/** `--role none` and `--group none` take away; groups that are named take the place of all before. */
async function change(context: CommandContext, desk: Desk, before: Principal): Promise<CommandAnswer> {
  const role = context.values.get('role');
  const groups = groupsOf(context);
  if (role === undefined && groups === undefined)
    throw failure('cli.missing-argument', { command: 'user change', argument: '--role or --group' });
  const isAdmin = role === 'platform-admin';
  const after = await changePrincipal(desk, before, {
    ...(role === undefined
      ? {}
      : {
          ...(isAdmin ? {} : { role: role === 'none' ? null : (role as TenantRole) }),
          ...(isAdmin === before.isPlatformAdmin ? {} : { isPlatformAdmin: isAdmin }),
        }),
    ...(groups === undefined ? {} : { groups }),
  });
  const now = after.isPlatformAdmin ? 'platform-admin' : (after.role ?? null);
  return {
    data: { id: after.id, name: after.name, tenant: after.tenant, role: now, groups: after.groups },
    print: ({ note }) =>
      note(
        `${after.name}: ${now ?? 'no role'} in ${after.tenant}, groups ${after.groups.join(', ') || 'none'}.`,
      ),
  };
}

const groupsOf = ({ lists }: CommandContext): readonly string[] | undefined =>
  lists.get('group')?.filter((group) => group !== 'none');
