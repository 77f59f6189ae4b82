import type { Token } from '../../domain/principal.ts';
import type { Directory } from './directory.ts';

/** Of one principal, or of all; in the order in which they were made. */
export async function listTokens(
  directory: Directory,
  tenant: string,
  principalId?: string,
): Promise<readonly Token[]> {
  const wanted = { tenant, ...(principalId === undefined ? {} : { principalId }) };
  const found = new Map<string, Token>();
  for (const { world } of directory.speakersFor(tenant))
    for (const token of await world.state.principals.tokens(wanted)) found.set(token.id, token);
  return [...found.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}
