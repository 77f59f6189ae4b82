import { identityOf } from '../../domain/identity-of.ts';
import { type Identity, isValid, type Token } from '../../domain/principal.ts';
import { isTokenText, tokenHash } from '../../domain/token-text.ts';
import type { Platform, Product } from '../platform.ts';
import { RememberedIdentities } from './remembered-identities.ts';
import { trusted } from './trust.ts';

/** How often the last use of a token is written down. */
const TOUCH_MS = 60_000;

/** Finds the owner of a token in all states of a platform; a revoked or expired one has none. */
export class TokenVerifier {
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
