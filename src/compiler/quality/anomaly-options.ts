import type { DqAssertion } from '../../domain/dq-pack.ts';

/** What an anomaly rule says of how to decide. */
export type AnomalyOptions = Pick<
  Extract<DqAssertion, { readonly kind: 'anomaly' }>,
  'method' | 'sensitivity' | 'training' | 'season'
>;
