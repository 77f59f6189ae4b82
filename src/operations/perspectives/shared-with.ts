import { Failure, failure } from '../../domain/failure.ts';
import { PRINCIPAL_NAME } from '../../domain/names.ts';
import type { SharedWith } from '../../domain/perspective.ts';
import type { Directory } from '../access/directory.ts';
import type { Product } from '../platform.ts';

const GROUP = 'group:';

/** Users and groups by the names that callers write: `bob`, `group:sales`. Throws `perspective.unknown-principals`. */
export async function sharedWith(
  directory: Directory,
  { tenant }: Product,
  names: readonly string[],
): Promise<readonly SharedWith[]> {
  const found = await Promise.all(
    [...new Set(names)].map(async (name): Promise<SharedWith | string> => {
      if (name.startsWith(GROUP)) {
        const group = name.slice(GROUP.length);
        return PRINCIPAL_NAME.test(group) ? { kind: 'group', name: group } : name;
      }
      const owner = await ownerNamed(directory, tenant, name);
      return owner === undefined ? name : { kind: 'user', ...owner };
    }),
  );
  const unknown = found.filter((each) => typeof each === 'string');
  if (unknown.length > 0) throw failure('perspective.unknown-principals', { names: unknown.join(', ') });
  return found.filter((each) => typeof each !== 'string');
}

/** A user or service account of a tenant. Throws `perspective.unknown-principals`. */
export async function newOwner(
  directory: Directory,
  { tenant }: Product,
  name: string,
): Promise<{ readonly id: string; readonly name: string }> {
  const owner = await ownerNamed(directory, tenant, name);
  if (owner === undefined) throw failure('perspective.unknown-principals', { names: name });
  return owner;
}

async function ownerNamed(
  directory: Directory,
  tenant: string,
  name: string,
): Promise<{ readonly id: string; readonly name: string } | undefined> {
  try {
    const { principal } = await directory.located(tenant, name);
    return principal.name === name ? { id: principal.id, name } : undefined;
  } catch (error) {
    if (error instanceof Failure && error.code === 'access.not-found') return undefined;
    throw error;
  }
}
