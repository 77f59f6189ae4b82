import { includesRole, roleNamed } from '../../domain/permissions.ts';
import {
  type Grant,
  type Identity,
  isActive,
  isValid,
  type Principal,
  type ProductRole,
  type Scope,
  type Token,
} from '../../domain/principal.ts';
import { isTokenText, tokenHash } from '../../domain/token-text.ts';
import type { Platform, Product } from '../platform.ts';
import { trusted } from './trust.ts';

/** How often the last use of a token is written down. */
const TOUCH_MS = 60_000;

/** Finds the owner of a token in all states of a platform; a revoked or expired one has none. */
export class TokenDesk {
  readonly #platform: Platform;
  readonly #now: () => number;
  readonly #touched = new Map<string, number>();
  readonly #identities = new RememberedIdentities();

  constructor(platform: Platform, now: () => number) {
    this.#platform = platform;
    this.#now = now;
  }

  async identityOf(text: string): Promise<Identity | undefined> {
    if (!isTokenText(text)) return undefined;
    const hash = tokenHash(text);
    for (const product of this.#platform.products) {
      const found = await product.world.state.principals.tokenOwner(hash);
      if (found === undefined) continue;
      const { token, grants } = found;
      const principal = trusted(this.#platform, product, found.principal);
      if (principal === undefined) continue;
      const now = this.#now();
      if (!isValid(token, now) || !(await this.#hasValidParents(token, now))) return undefined;
      this.#touch(product, token.id, now);
      const { products } = this.#platform;
      return this.#identities.of(found, now, () => ({
        ...identityOf(principal, { grants, products, now, scopes: token.scopes }),
        tokenId: token.id,
        ...(token.expiresAt === undefined ? {} : { expiresAt: token.expiresAt }),
      }));
    }
    return undefined;
  }

  /** A token counts while those by which it was made do. They may lie in other states; one that is in none is gone. */
  async #hasValidParents({ parentId }: Token, now: number): Promise<boolean> {
    const seen = new Set<string>();
    for (let id = parentId; id !== undefined; ) {
      if (seen.has(id)) return false;
      seen.add(id);
      const wanted = id;
      const stores = this.#platform.products.map(({ world }) => world.state.principals);
      const found = (await Promise.all(stores.map((store) => store.token(wanted)))).flatMap(
        (token) => token ?? [],
      );
      // What another folder says of it can end it, never revive it.
      if (found.length === 0 || !found.every((token) => isValid(token, now))) return false;
      id = found[0]?.parentId;
    }
    return true;
  }

  /** The request does not wait for it, and its failure does not refuse the caller. */
  #touch({ world }: Product, id: string, now: number): void {
    if (now - (this.#touched.get(id) ?? 0) < TOUCH_MS) return;
    this.#touched.set(id, now);
    world.state.principals.touchTokens({ [id]: now }).catch(() => this.#touched.delete(id));
  }
}

/** What a state hands out stays the same thing while nothing in it has changed: until then, and until a grant ends, its identity is the same. */
class RememberedIdentities {
  readonly #known = new WeakMap<
    object,
    { readonly identity: Identity; readonly since: number; readonly until: number }
  >();

  of(found: { readonly grants: readonly Grant[] }, now: number, make: () => Identity): Identity {
    const known = this.#known.get(found);
    if (known !== undefined && known.since <= now && now < known.until) return known.identity;
    const identity = make();
    const ends = found.grants.flatMap(({ expiresAt }) =>
      expiresAt !== undefined && expiresAt > now ? expiresAt : [],
    );
    this.#known.set(found, { identity, since: now, until: Math.min(...ends) });
    return identity;
  }
}

/** All that a principal may, from grants and from what the projects' own config.yaml says. */
export function identityOf(
  principal: Principal,
  {
    grants,
    products,
    now,
    scopes,
  }: {
    readonly grants: readonly Grant[];
    readonly products: readonly Product[];
    /** Grants that have ended by then do not count. */
    readonly now: number;
    readonly scopes?: readonly Scope[] | undefined;
  },
): Identity {
  const own = products.filter(({ tenant }) => tenant === principal.tenant);
  const groups = new Set(principal.groups);
  for (const { world } of own)
    for (const user of world.config.users)
      if (user.username === principal.name) for (const group of user.groups) groups.add(group);
  const names = new Set([principal.name, ...[...groups].map((group) => `group:${group}`)]);
  const productRoles: Record<string, ProductRole> = {};
  const add = (slug: string, text: string): void => {
    const role = roleNamed(text);
    const before = productRoles[slug];
    if (role !== undefined && (before === undefined || includesRole(role, before))) productRoles[slug] = role;
  };
  for (const grant of grants)
    if (grant.tenant === principal.tenant && names.has(grant.principal) && isActive(grant, now))
      add(grant.product, grant.role);
  // config.yaml names users and groups alike.
  for (const { world, slug } of own)
    for (const access of world.config.access)
      if (access.role !== undefined && (names.has(access.principal) || groups.has(access.principal)))
        add(slug, access.role);
  return {
    principalId: principal.id,
    name: principal.name,
    kind: principal.kind,
    tenant: principal.tenant,
    isPlatformAdmin: principal.isPlatformAdmin,
    ...(principal.role === undefined ? {} : { tenantRole: principal.role }),
    productRoles,
    groups: [...groups],
    ...(scopes === undefined ? {} : { scopes }),
  };
}
