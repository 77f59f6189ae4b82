import { hash128 } from '../foundation/hash128.ts';

/** What a mark is made of: present promotions, and those that were begun and may or may not have happened. */
export interface Promotions {
  readonly environments: readonly { readonly name: string; readonly promotionId: string }[];
  readonly begun: readonly { readonly environment: string; readonly runId: string }[];
}

/** One text for what all environments show and demand: every promotion, begun or finished, makes another. */
export function promotionMark({ environments, begun }: Promotions): string {
  return hash128(
    ...environments.map(({ name, promotionId }) => `${name} ${promotionId}`).sort(),
    ...begun.map(({ environment, runId }) => `+${environment} ${runId}`).sort(),
  );
}
