import type { TenantRole } from '../../domain/principal.ts';
import { createPrincipal, removePrincipal } from '../../operations/principals.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { actionOf, openDesk } from '../principal-desk.ts';

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const { action, name } = actionOf(context, ['create', 'remove']);
  const { desk, tenant } = await openDesk(context);
  switch (action) {
    case 'create': {
      const role = context.values.get('role');
      const made = await createPrincipal(desk, {
        tenant,
        name,
        kind: context.switches.has('service-account') ? 'service-account' : 'user',
        role: role === 'platform-admin' ? undefined : (role as TenantRole | undefined),
        isPlatformAdmin: role === 'platform-admin',
        groups: context.lists.get('group') ?? [],
      });
      return {
        data: { id: made.id, name, tenant, kind: made.kind, role: role ?? null, groups: made.groups },
        print: ({ note }) =>
          note(`${name} belongs to ${tenant} now; plinth token create --user ${name} makes a token.`),
      };
    }
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
