import { failure } from '../../domain/failure.ts';
import { type AccessContext, audit, eventsOf } from './access-context.ts';
import type { Directory } from './directory.ts';

export async function revokeToken(context: AccessContext, tenant: string, id: string): Promise<void> {
  const isRevoked = await context.principals.revokeToken(
    { tenant, id, at: context.now },
    audit(context, tenant, 'token.revoke', id),
    eventsOf(context, tenant, 'token.revoked', { id }),
  );
  if (!isRevoked) throw failure('access.not-found', { what: 'valid token', name: id });
}

/** With the tokens created with it in the same state; those in other states are invalid too, because they depend on it. */
export async function revokeTokenAtHome(directory: Directory, tenant: string, id: string): Promise<void> {
  for (const product of directory.speakersFor(tenant)) {
    const tokens = await product.world.state.principals.tokens({ tenant });
    if (tokens.some((token) => token.id === id && token.revokedAt === undefined))
      return revokeToken(directory.context(product), tenant, id);
  }
  throw failure('access.not-found', { what: 'valid token', name: id });
}
