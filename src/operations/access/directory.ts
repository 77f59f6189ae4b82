/*
 * Tenants and their principals as one server sees them. Each project folder keeps its own, so
 *
 *   reading asks every state whose word counts for the tenant (trust.ts) and puts the answers together;
 *   a change goes to the state that has the thing, and what is new to the first state of its tenant.
 */
import type { AuditFilter, PrincipalChange } from '../../domain/access-store.ts';
import { failure } from '../../domain/failure.ts';
import type { Grant, Principal, StoredAuditEntry, Tenant, Token } from '../../domain/principal.ts';
import { notServed, type Platform, type Product } from '../platform.ts';
import {
  changePrincipal,
  createPrincipal,
  createTenant,
  createToken,
  type Desk,
  grantRole,
  type NewPrincipal,
  type NewToken,
  removePrincipal,
  removeTenant,
  revokeGrant,
  revokeToken,
} from './principals.ts';
import { isHome, speaksFor, trusted } from './trust.ts';

/** Who acts, for the audit log. */
export interface Actor {
  /** A principal, or who sits at the command line. */
  readonly principalId: string;
  readonly correlationId?: string;
  readonly now: number;
}

/** A role on a product and its source: config.yaml, or a grant through the API or the command line. */
export interface KnownGrant extends Pick<Grant, 'principal' | 'role' | 'expiresAt' | 'requestId'> {
  readonly source: 'config' | 'granted';
  readonly createdAt?: number;
}

export class Directory {
  readonly #platform: Platform;
  readonly #actor: Actor;

  constructor(platform: Platform, actor: Actor) {
    this.#platform = platform;
    this.#actor = actor;
  }

  /** Sorted by name; a product's tenant is listed even without principals. */
  async tenants(): Promise<readonly Tenant[]> {
    const found = new Map<string, Tenant>();
    for (const { tenant } of [...this.#platform.products, ...this.#platform.lost])
      found.set(tenant, { name: tenant, createdAt: 0 });
    for (const product of this.#platform.products)
      for (const tenant of await product.world.state.principals.tenants()) {
        if (!speaksFor(this.#platform, product, tenant.name)) continue;
        const known = found.get(tenant.name);
        if (known === undefined || known.createdAt === 0) found.set(tenant.name, tenant);
      }
    return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async createTenant(name: string): Promise<Tenant> {
    if ((await this.tenants()).some((tenant) => tenant.name === name))
      throw failure('access.exists', { what: 'The tenant', name });
    const desk = this.desk(this.#homeOf(name));
    await createTenant(desk, name);
    return { name, createdAt: desk.now };
  }

  /** Refused while it has principals or products. */
  async removeTenant(name: string): Promise<void> {
    const { products, lost } = this.#platform;
    if ([...products, ...lost].some(({ tenant }) => tenant === name))
      throw failure('access.has-principals', { name });
    await removeTenant(this.desk(this.#homeOf(name)), name);
  }

  /** Sorted by name. */
  async principals(tenant: string): Promise<readonly Principal[]> {
    const found = new Map<string, Principal>();
    for (const product of this.speakersFor(tenant))
      for (const principal of await this.#principalsIn(product, tenant))
        if (!found.has(principal.name)) found.set(principal.name, principal);
    return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** By name or id; `access.not-found` when there is none. */
  async principal(tenant: string, name: string): Promise<Principal> {
    return (await this.located(tenant, name)).principal;
  }

  async createPrincipal(request: NewPrincipal): Promise<Principal> {
    const { tenant, name } = request;
    if ((await this.principals(tenant)).some((principal) => principal.name === name))
      throw failure('access.exists', { what: `In ${tenant} the user`, name });
    const home = this.#homeOf(tenant);
    if (request.isPlatformAdmin === true && !isHome(this.#platform, home))
      throw failure('access.admin-elsewhere', { tenant });
    return createPrincipal(this.desk(home), request);
  }

  async removePrincipal(
    tenant: string,
    name: string,
    expected?: readonly string[] | undefined,
  ): Promise<void> {
    const { home } = await this.located(tenant, name);
    await removePrincipal(this.desk(home), { tenant, name }, expected);
  }

  async changePrincipal(
    tenant: string,
    name: string,
    change: PrincipalChange & { readonly expected?: readonly string[] | undefined },
  ): Promise<Principal> {
    const { home, principal } = await this.located(tenant, name);
    if (change.isPlatformAdmin === true && !isHome(this.#platform, home))
      throw failure('access.admin-elsewhere', { tenant });
    return changePrincipal(this.desk(home), principal, change);
  }

  /** Of one principal, or of all; in the order in which they were made. */
  async tokens(tenant: string, principalId?: string): Promise<readonly Token[]> {
    const found = new Map<string, Token>();
    for (const { world } of this.speakersFor(tenant))
      for (const token of await world.state.principals.tokens({
        tenant,
        ...(principalId === undefined ? {} : { principalId }),
      }))
        found.set(token.id, token);
    return [...found.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  async createToken(
    principal: Principal,
    request: Omit<NewToken, 'principal'>,
  ): Promise<{ readonly token: Token; readonly text: string }> {
    const { home } = await this.located(principal.tenant, principal.id);
    return createToken(this.desk(home), { principal, ...request });
  }

  /** With the tokens created with it in the same state; those in other states are invalid too, because they depend on it. */
  async revokeToken(tenant: string, id: string): Promise<void> {
    for (const product of this.speakersFor(tenant)) {
      const tokens = await product.world.state.principals.tokens({ tenant });
      if (tokens.some((token) => token.id === id && token.revokedAt === undefined))
        return revokeToken(this.desk(product), tenant, id);
    }
    throw failure('access.not-found', { what: 'valid token', name: id });
  }

  /** Newest first; `before` and `next` are the places reached in each state. */
  async auditLog(
    tenant: string,
    {
      before,
      limit,
      ...filter
    }: AuditFilter & { readonly before?: readonly number[] | undefined; readonly limit: number },
  ): Promise<{ readonly entries: readonly StoredAuditEntry[]; readonly next?: readonly number[] }> {
    const stores = this.speakersFor(tenant).map(({ world }) => world.state.principals);
    const reached = stores.map((_, index) => before?.[index] ?? Number.MAX_SAFE_INTEGER);
    const logs = await Promise.all(
      stores.map((store, index) =>
        store.auditLog({ ...filter, tenant, before: reached[index] as number, limit: limit + 1 }),
      ),
    );
    const all = logs
      .flatMap((log, index) => log.map((entry) => ({ entry, index })))
      .sort((a, b) => b.entry.at - a.entry.at || b.index - a.index || b.entry.sequence - a.entry.sequence);
    const shown = all.slice(0, limit);
    for (const { entry, index } of shown) reached[index] = Math.min(reached[index] as number, entry.sequence);
    return {
      entries: shown.map(({ entry }) => entry),
      ...(all.length > limit ? { next: reached } : {}),
    };
  }

  /** Who has which role on a product; sorted by principal. */
  async grants({ tenant, slug, world }: Product): Promise<readonly KnownGrant[]> {
    const found = new Map<string, KnownGrant>();
    for (const { world: speaker } of this.speakersFor(tenant))
      for (const grant of await speaker.state.principals.grants({ tenant, product: slug }))
        found.set(`granted ${grant.principal} ${grant.requestId ?? ''}`, { ...grant, source: 'granted' });
    for (const { principal, role } of world.config.access)
      if (role !== undefined)
        found.set(`config ${principal}`, { principal, role: role as Grant['role'], source: 'config' });
    return [...found.values()].sort((a, b) => (a.principal < b.principal ? -1 : 1));
  }

  /** Into the state that has the principal, since that one is asked whose a token is; for a group, into all of the tenant. */
  async grant(
    { tenant, slug }: Product,
    {
      expected,
      ...given
    }: Pick<Grant, 'principal' | 'role'> & {
      readonly expiresAt?: number | undefined;
      readonly expected?: readonly string[] | 'none' | undefined;
    },
  ): Promise<Grant> {
    const request = { tenant, product: slug, ...given };
    if (!given.principal.startsWith('group:')) {
      const { home } = await this.located(tenant, given.principal);
      return grantRole(this.desk(home), request, expected);
    }
    const made = await Promise.all(
      this.speakersFor(tenant).map((home) => grantRole(this.desk(home), request, expected)),
    );
    return made[0] as Grant;
  }

  async revokeGrant(
    { tenant, slug }: Product,
    principal: string,
    expected?: readonly string[] | undefined,
  ): Promise<void> {
    const request = { tenant, product: slug, principal };
    let hasRevoked = false;
    for (const home of this.speakersFor(tenant)) {
      const grants = await home.world.state.principals.grants({ tenant, product: slug });
      if (grants.some((each) => each.principal === principal)) {
        await revokeGrant(this.desk(home), request, expected);
        hasRevoked = true;
      }
    }
    if (!hasRevoked) throw failure('access.not-found', { what: 'grant to', name: principal });
  }

  /** The folders whose word counts for a tenant. */
  speakersFor(tenant: string): readonly Product[] {
    return this.#platform.products.filter((product) => speaksFor(this.#platform, product, tenant));
  }

  /** Where what is new to a tenant goes. */
  #homeOf(tenant: string): Product {
    const [home] = this.speakersFor(tenant);
    if (home !== undefined) return home;
    const lost = this.#platform.lost.find((each) => each.tenant === tenant);
    if (lost === undefined) throw new Error('a server without products keeps no principals');
    throw notServed(lost);
  }

  async #principalsIn(product: Product, tenant: string): Promise<readonly Principal[]> {
    const kept = await product.world.state.principals.principals({ tenant });
    return kept.flatMap((principal) => trusted(this.#platform, product, principal) ?? []);
  }

  /** Throws `access.not-found`. */
  async located(
    tenant: string,
    name: string,
  ): Promise<{ readonly principal: Principal; readonly home: Product }> {
    for (const home of this.speakersFor(tenant)) {
      const principal = (await this.#principalsIn(home, tenant)).find(
        (each) => each.name === name || each.id === name,
      );
      if (principal !== undefined) return { principal, home };
    }
    throw failure('access.not-found', { what: 'user', name });
  }

  /** Where a folder keeps its principals, for changes in the name of the actor. */
  desk({ world, tenant }: Product): Desk {
    const { principalId: actor, correlationId, now } = this.#actor;
    return {
      principals: world.state.principals,
      eventsOf: tenant,
      actor,
      now,
      ...(correlationId === undefined ? {} : { correlationId }),
    };
  }
}
