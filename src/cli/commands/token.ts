import { failure } from '../../domain/failure.ts';
import { SCOPES, type Scope } from '../../domain/principal.ts';
import { isoInstant } from '../../foundation/time/iso.ts';
import { createToken } from '../../operations/access/create-token.ts';
import { revokeToken } from '../../operations/access/revoke-token.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { expiryOf } from '../expiry.ts';
import { actionOf, openAccess, principalNamed } from '../open-access.ts';

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const { action, name: id } = actionOf(context, ['revoke']);
  switch (action) {
    case 'create':
      return create(context);
    case 'revoke': {
      const { access, tenant } = await openAccess(context);
      await revokeToken(access, tenant, id);
      return { data: { id }, print: ({ note }) => note(`The token ${id} is revoked.`) };
    }
    default: {
      const { access, tenant } = await openAccess(context);
      const tokens = (await access.principals.tokens({ tenant })).map(({ hash: _, ...token }) => token);
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
  const { access, principal } = await principalNamed(context, user);
  const name = context.values.get('name') ?? `${user}'s token`;
  const { token, text } = await createToken(access, {
    principal,
    name,
    scopes: scopes as readonly Scope[] | undefined,
    expiresAt: expiryOf(context.values, access.now),
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
