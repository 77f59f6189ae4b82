/*
 * An identity as policies and environments of a product see it: its groups, and what `access` in config.yaml gives it.
 */
import type { ConfiguredAccess } from '../../domain/config.ts';
import { environmentName } from '../../domain/environment.ts';
import { failure } from '../../domain/failure.ts';
import { includesRole, productRoleOf } from '../../domain/permissions.ts';
import type { Identity } from '../../domain/principal.ts';
import type { Caller } from '../../domain/semantic-query.ts';
import type { CallerAccess } from '../product-caches.ts';
import type { ProductReader } from '../product-reader.ts';

function accessIn(product: ProductReader, identity: Identity): CallerAccess {
  const { callers } = product.caches;
  const before = callers.get(identity);
  if (before !== undefined) return before;
  const given = entriesOf(product, identity);
  const found: CallerAccess = {
    caller: {
      groups: identity.groups,
      isUnrestricted: given.some(({ isExempt }) => isExempt),
      models: new Set(given.flatMap(({ models }) => models.map(({ value }) => value))),
    },
    environments: new Set(given.flatMap(({ environments }) => environments)),
  };
  callers.set(identity, found);
  return found;
}

/** Entries of config.yaml that name the principal or a group of theirs. */
function entriesOf(
  { tenant, world }: ProductReader,
  { tenant: own, name, groups }: Identity,
): readonly ConfiguredAccess[] {
  if (tenant !== own) return [];
  const names = new Set([name, ...groups, ...groups.map((group) => `group:${group}`)]);
  return world.config.access.filter(({ principal }) => names.has(principal));
}

/** Policies do not apply, whatever config.yaml says. */
const isAdministrator = ({ kind, isPlatformAdmin }: Identity): boolean =>
  kind === 'local-admin' || isPlatformAdmin;

const UNRESTRICTED: Caller = { groups: [], isUnrestricted: true };

/** An identity as policies see it; the same object for the same identity. */
export function callerOf(product: ProductReader, identity: Identity): Caller {
  return isAdministrator(identity) ? UNRESTRICTED : accessIn(product, identity).caller;
}

/** Whether an identity may ask an environment: consumers the default one, and those that `access` names for them. */
export function mayAsk(product: ProductReader, identity: Identity, environment: string): boolean {
  if (isAdministrator(identity)) return true;
  if (environment === environmentName(product.world.config.environments.defaultTarget)) return true;
  const role = productRoleOf(identity, product);
  if (role !== undefined && includesRole(role, 'editor')) return true;
  return accessIn(product, identity).environments.has(environment);
}

/** The environment that is meant; `policy.environment` for one that the caller may not ask, whether it is there or not. */
export function permittedEnvironment(
  product: ProductReader,
  identity: Identity,
  written: string | undefined,
): string {
  const environment = environmentName(written ?? product.world.config.environments.defaultTarget);
  if (mayAsk(product, identity, environment)) return environment;
  throw failure('policy.environment', { environment });
}
