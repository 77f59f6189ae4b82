import { failure } from '../../domain/failure.ts';
import { SCOPES, type Scope } from '../../domain/principal.ts';
import { isoInstant } from '../../foundation/time/iso.ts';
import { createToken } from '../../operations/access/create-token.ts';
import { revokeToken } from '../../operations/access/revoke-token.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { expiryOf } from '../expiry.ts';
import { actionOf, openDesk, principalNamed } from '../principal-desk.ts';

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const { action, name: id } = actionOf(context, ['revoke']);
  switch (action) {
    case 'create':
      return create(context);
    case 'revoke': {
      const { desk, tenant } = await openDesk(context);
      await revokeToken(desk, tenant, id);
      return { data: { id }, print: ({ note }) => note(`The token ${id} is revoked.`) };
    }
    default: {
      const { desk, tenant } = await openDesk(context);
      const tokens = (await desk.principals.tokens({ tenant })).map(({ hash: _, ...token }) => token);
      return {
        data: { tokens },
        print: ({ out }) => {
          for (const { id: token, name, revokedAt } of tokens)
            out([token, name, ...(revokedAt === undefined ? [] : ['revoked'])].join('  '));
        },
      };
    }
  }
}

async function create(context: CommandContext): Promise<CommandAnswer> {
  const user = context.values.get('user');
  if (user === undefined)
    throw failure('cli.missing-argument', { command: 'token create', argument: '--user NAME' });
  const scopes = context.lists.get('scope');
  for (const scope of scopes ?? [])
    if (!(SCOPES as readonly string[]).includes(scope))
      throw failure('cli.bad-value', { name: '--scope', value: scope, expected: SCOPES.join(', ') });
  const { desk, principal } = await principalNamed(context, user);
  const name = context.values.get('name') ?? `${user}'s token`;
  const { token, text } = await createToken(desk, {
    principal,
    name,
    scopes: scopes as readonly Scope[] | undefined,
    expiresAt: expiryOf(context.values, desk.now),
  });
  return {
    data: {
      id: token.id,
      name,
      user,
      tenant: principal.tenant,
      scopes: token.scopes ?? null,
      expires_at: token.expiresAt === undefined ? null : isoInstant(token.expiresAt),
      token: text,
    },
    print: ({ out, note }) => {
      out(text);
      note('It is shown this once: keep it in an environment variable or a secrets manager.');
    },
  };
}
