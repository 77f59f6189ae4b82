import { failure } from '../domain/failure.ts';
import type { Principal } from '../domain/principal.ts';
import type { AccessContext } from '../operations/access/access-context.ts';
import { openWorld } from '../operations/open-world.ts';
import type { CommandContext } from './command.ts';

/** Where the principals of this project are kept and who acts, and the tenant that is meant: `--tenant`, else the project's own. */
export async function openAccess(context: CommandContext): Promise<{
  readonly access: AccessContext;
  readonly tenant: string;
  /** The slug of this project's product. */
  readonly product: string;
}> {
  const workspace = await context.workspace();
  const { state, config } = await openWorld(workspace);
  return {
    access: {
      principals: state.principals,
      eventsOf: config.tenant,
      actor: workspace.who,
      now: workspace.clock.now(),
    },
    tenant: context.values.get('tenant') ?? config.tenant,
    product: `${config.tenant}-${config.name}`,
  };
}

/** A principal by name: of `--tenant`, else of the project's tenant, else the only one of that name in any tenant. */
export async function principalNamed(
  context: CommandContext,
  name: string,
): Promise<{ readonly access: AccessContext; readonly principal: Principal }> {
  const { access, tenant } = await openAccess(context);
  const everywhere = context.values.has('tenant')
    ? []
    : (await access.principals.tenants()).map((each) => each.name);
  const found: Principal[] = [];
  for (const each of new Set([tenant, ...everywhere])) {
    const own = (await access.principals.principals({ tenant: each })).find(
      (principal) => principal.name === name,
    );
    if (own !== undefined && each === tenant) return { access, principal: own };
    if (own !== undefined) found.push(own);
  }
  const [only, second] = found;
  if (only === undefined)
    throw failure(
      'access.not-found',
      { what: 'user', name },
      { hint: `plinth user create ${name} makes one` },
    );
  if (second !== undefined)
    throw failure('cli.missing-argument', {
      command: context.command.name,
      argument: '--tenant, since several tenants have one of this name',
    });
  return { access, principal: only };
}

/** The first word is what to do, the second to what. */
export function actionOf(
  context: CommandContext,
  needed: readonly string[],
): { readonly action: string; readonly name: string } {
  const [action = '', name] = context.arguments;
  if (name === undefined && needed.includes(action))
    throw failure('cli.missing-argument', {
      command: `${context.command.name} ${action}`,
      argument: 'a name',
    });
  return { action, name: name ?? '' };
}
