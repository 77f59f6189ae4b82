import type { Grant, Identity } from '../../domain/principal.ts';

/** What a state hands out stays the same thing while nothing in it has changed: until then, and until a grant ends, its identity is the same. */
export class RememberedIdentities {
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
