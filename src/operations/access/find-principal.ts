import { failure } from '../../domain/failure.ts';
import type { Principal } from '../../domain/principal.ts';
import type { AccessContext } from './access-context.ts';

/** By name; by id too. */
export async function findPrincipal(
  context: AccessContext,
  tenant: string,
  name: string,
): Promise<Principal> {
  const found = (await context.principals.principals({ tenant })).find(
    (each) => each.name === name || each.id === name,
  );
  if (found === undefined) throw failure('access.not-found', { what: 'user', name });
  return found;
}
