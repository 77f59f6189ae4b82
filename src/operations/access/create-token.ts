import { randomBytes } from 'node:crypto';
import type { Principal, Scope, Token } from '../../domain/principal.ts';
import { tokenHash, tokenText } from '../../domain/token-text.ts';
import { newId } from '../new-id.ts';
import { type AccessContext, audit, eventsOf } from './access-context.ts';
import type { Directory } from './directory.ts';

export interface NewToken {
  readonly principal: Principal;
  readonly name: string;
  readonly scopes?: readonly Scope[] | undefined;
  readonly expiresAt?: number | undefined;
  /** The token by which it is made. */
  readonly parentId?: string | undefined;
}

/** The only time the text of the token is known. */
export async function createToken(
  context: AccessContext,
  { principal, name, scopes, expiresAt, parentId }: NewToken,
): Promise<{ readonly token: Token; readonly text: string }> {
  const text = tokenText(randomBytes(20));
  const token: Token = {
    id: newId('k', context.now),
    principalId: principal.id,
    name,
    hash: tokenHash(text),
    ...(parentId === undefined ? {} : { parentId }),
    ...(scopes === undefined ? {} : { scopes }),
    createdAt: context.now,
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
  await context.principals.createToken(
    token,
    audit(context, principal.tenant, 'token.create', token.id),
    eventsOf(context, principal.tenant, 'token.created', { id: token.id, principal: principal.name, name }),
  );
  return { token, text };
}

/** In the folder that keeps the principal. */
export async function createTokenAtHome(
  directory: Directory,
  request: NewToken,
): Promise<{ readonly token: Token; readonly text: string }> {
  const { tenant, id } = request.principal;
  const { home } = await directory.located(tenant, id);
  return createToken(directory.context(home), request);
}
