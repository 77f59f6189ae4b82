import type { AnyRecord, Page } from './records.ts';
import { change, many, one, type PageOptions, remove } from './resource-requests.ts';
import type { Transport } from './transport.ts';

/** Who follows what. */
export class FollowersGroup {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** How many follow a target; by name for owners of the product. */
  async listFollowers(target: string): Promise<AnyRecord> {
    return this.#transport.send(one(['followers'], { target }));
  }

  /** Follows `target`: product, model:NAME, metric:NAME or perspective:SLUG. */
  async follow(body: object): Promise<AnyRecord> {
    return this.#transport.send(change(['followers'], { accepted: 201, body }));
  }

  /** How the caller follows a target. */
  async getFollow(target: string): Promise<AnyRecord> {
    return this.#transport.send(one(['followers', 'me'], { target }));
  }

  /** Follows a target in the own name, or changes how. */
  async putFollow(target: string, body: object): Promise<AnyRecord> {
    return this.#transport.send(
      change(['followers', 'me'], { accepted: 200, body, method: 'PUT', params: { target } }),
    );
  }

  /** Follows a target no longer. */
  async unfollow(target: string): Promise<void> {
    return this.#transport.send(remove(['followers', 'me'], { target }));
  }

  /** What the caller follows, in their own name and through groups. */
  async listFollowing(options: PageOptions = {}): Promise<Page<AnyRecord>> {
    return this.#transport.send(many(['following'], options));
  }
}
