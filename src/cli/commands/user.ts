import { failure } from '../../domain/failure.ts';
import type { Principal, TenantRole } from '../../domain/principal.ts';
import type { AccessContext } from '../../operations/access/access-context.ts';
import { changePrincipal } from '../../operations/access/change-principal.ts';
import { createPrincipal } from '../../operations/access/create-principal.ts';
import { findPrincipal } from '../../operations/access/find-principal.ts';
import { removePrincipal } from '../../operations/access/remove-principal.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { actionOf, openAccess } from '../open-access.ts';

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const { action, name } = actionOf(context, ['create', 'change', 'remove']);
  const { access, tenant } = await openAccess(context);
  switch (action) {
    case 'create': {
      const role = context.values.get('role');
      const made = await createPrincipal(access, {
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
      return change(context, access, await findPrincipal(access, tenant, name));
    case 'remove':
      await removePrincipal(access, { tenant, name });
      return {
        data: { name, tenant },
        print: ({ note }) => note(`${name} and all tokens of ${name} are gone.`),
      };
    default: {
      const users = (await access.principals.principals({ tenant })).map((each) => ({
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
async function change(
  context: CommandContext,
  access: AccessContext,
  before: Principal,
): Promise<CommandAnswer> {
  const role = context.values.get('role');
  const groups = groupsOf(context);
  if (role === undefined && groups === undefined)
    throw failure('cli.missing-argument', { command: 'user change', argument: '--role or --group' });
  const isAdmin = role === 'platform-admin';
  const after = await changePrincipal(access, before, {
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
