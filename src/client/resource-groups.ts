import { requiredSegment } from './data-product-error.ts';
import type { AnyRecord } from './records.ts';
import { objectOf, type Transport } from './transport.ts';

/** What happened to the data product. */
export class ActivityGroup {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** A plan by its id, whole. */
  async getPlan(id: string): Promise<AnyRecord> {
    return this.#transport.send({
      method: 'GET',
      path: ['activity', 'plans', requiredSegment('id', id)],
      read: (answer) => objectOf(answer),
    });
  }
}
