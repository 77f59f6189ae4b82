import { createTenant } from '../../operations/access/create-tenant.ts';
import { removeTenant } from '../../operations/access/remove-tenant.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { actionOf, openAccess } from '../open-access.ts';

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const { action, name } = actionOf(context, ['create', 'remove']);
  const { access } = await openAccess(context);
  switch (action) {
    case 'create':
      await createTenant(access, name);
      return { data: { name }, print: ({ note }) => note(`The tenant ${name} was made.`) };
    case 'remove':
      await removeTenant(access, name);
      return { data: { name }, print: ({ note }) => note(`The tenant ${name} is gone.`) };
    default: {
      const tenants = (await access.principals.tenants()).map((tenant) => tenant.name);
      return {
        data: { tenants },
        print: ({ out }) => {
          for (const each of tenants) out(each);
        },
      };
    }
  }
}
