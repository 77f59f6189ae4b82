/*
 * Tenants and their principals as one server sees them. Each project folder keeps its own, so
 *
 *   reading asks every state whose word counts for the tenant (trust.ts) and puts the answers together;
 *   a change goes to the state that has the thing, and what is new to the first state of its tenant: the verbs with `AtHome`.
 */
import { failure } from '../../domain/failure.ts';
import type { Principal } from '../../domain/principal.ts';
import { notServed, type Platform, type Product } from '../platform.ts';
import type { AccessContext } from './access-context.ts';
import { speaksFor, trusted } from './trust.ts';

/** Who acts, for the audit log. */
export interface Actor {
  /** A principal, or who sits at the command line. */
  readonly principalId: string;
  readonly correlationId?: string;
  readonly now: number;
}

export class Directory {
  readonly platform: Platform;
  readonly #actor: Actor;

  constructor(platform: Platform, actor: Actor) {
    this.platform = platform;
    this.#actor = actor;
  }

  /** The folders whose word counts for a tenant. */
  speakersFor(tenant: string): readonly Product[] {
    return this.platform.products.filter((product) => speaksFor(this.platform, product, tenant));
  }

  /** Where what is new to a tenant goes. */
  homeOf(tenant: string): Product {
    const [home] = this.speakersFor(tenant);
    if (home !== undefined) return home;
    const lost = this.platform.lost.find((each) => each.tenant === tenant);
    if (lost === undefined) throw new Error('a server without products keeps no principals');
    throw notServed(lost);
  }

  /** Principals of a tenant in one folder, with the rights that the folder may give. */
  async principalsIn(product: Product, tenant: string): Promise<readonly Principal[]> {
    const kept = await product.world.state.principals.principals({ tenant });
    return kept.flatMap((principal) => trusted(this.platform, product, principal) ?? []);
  }

  /** Throws `access.not-found`. */
  async located(
    tenant: string,
    name: string,
  ): Promise<{ readonly principal: Principal; readonly home: Product }> {
    for (const home of this.speakersFor(tenant)) {
      const principal = (await this.principalsIn(home, tenant)).find(
        (each) => each.name === name || each.id === name,
      );
      if (principal !== undefined) return { principal, home };
    }
    throw failure('access.not-found', { what: 'user', name });
  }

  /** Where a folder keeps its principals, for changes in the name of the actor. */
  context({ world, tenant }: Product): AccessContext {
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
