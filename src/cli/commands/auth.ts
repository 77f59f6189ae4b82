import { isoInstant } from '../../foundation/time/iso.ts';
import { signJwt } from '../../operations/access/sign-jwt.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { principalNamed } from '../open-access.ts';

const VALID_MS = 3_600_000;

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const [, user = ''] = context.arguments;
  const { access, principal } = await principalNamed(context, user);
  const expiresAt = access.now + VALID_MS;
  const jwt = await signJwt(await context.workspace(), {
    tenant: principal.tenant,
    name: principal.name,
    expiresAt,
  });
  return {
    data: { user: principal.name, tenant: principal.tenant, expires_at: isoInstant(expiresAt), jwt },
    print: ({ out }) => out(jwt),
  };
}
