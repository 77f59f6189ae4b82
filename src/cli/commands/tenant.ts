import { createTenant } from '../../operations/access/create-tenant.ts';
import { removeTenant } from '../../operations/access/remove-tenant.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { actionOf, openDesk } from '../principal-desk.ts';

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const { action, name } = actionOf(context, ['create', 'remove']);
  const { desk } = await openDesk(context);
  switch (action) {
    case 'create':
      await createTenant(desk, name);
      return { data: { name }, print: ({ note }) => note(`The tenant ${name} was made.`) };
    case 'remove':
      await removeTenant(desk, name);
      return { data: { name }, print: ({ note }) => note(`The tenant ${name} is gone.`) };
    default: {
      const tenants = (await desk.principals.tenants()).map((tenant) => tenant.name);
      return {
        data: { tenants },
        print: ({ out }) => {
          for (const each of tenants) out(each);
        },
      };
    }
  }
}
