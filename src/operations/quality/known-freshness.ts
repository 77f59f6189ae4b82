import type { AppliedProduct } from '../../domain/applied-product.ts';
import { momentOf } from '../../domain/clock.ts';
import type { ModelStatus } from '../../domain/model-status.ts';
import type { Identity } from '../../domain/principal.ts';
import type { ModelClocks, ProductFreshness } from '../../domain/product-health.ts';
import { appliedProduct } from '../catalog/applied-product.ts';
import { environmentHealth } from '../catalog/environment-health.ts';
import { visibleProduct } from '../catalog/visible-product.ts';
import { environmentStatus } from '../change/environment-status.ts';
import type { ProductReader } from '../product-reader.ts';

/** How new a model is, and what it promises. */
export interface ModelFreshness {
  readonly model: string;
  readonly clocks: ModelClocks;
  /** Absent for what has no table. */
  readonly status?: ModelStatus['status'];
  /** The age that its rows may have, as its file says it. */
  readonly promised?: string;
}

export interface KnownFreshness {
  readonly environment: string;
  readonly at: number;
  /** Absent when `slo.freshness` promises nothing. */
  readonly product?: ProductFreshness;
  /** By name: those that the caller may know of. */
  readonly models: readonly ModelFreshness[];
}

/** How new the data of an environment is, against what is promised. */
export async function knownFreshness(
  product: ProductReader,
  asker: Identity,
  written: string | undefined,
): Promise<KnownFreshness> {
  const { world } = product;
  const applied = await appliedProduct(product, asker, written);
  const seen = await visibleProduct(product, applied, asker);
  const at = momentOf(world.clock);
  const found = await environmentStatus(world, applied.environment, { executionTime: at });
  const { clocks, freshness } = await environmentHealth(world, found);
  const statuses = new Map(found.models.map(({ model, status }) => [model, status]));
  const promises = new Map(seen.models.map(({ name, freshness: age }) => [name, age]));
  return {
    environment: applied.environment.name,
    at,
    ...(freshness === undefined ? {} : { product: namedFreshness(freshness, seen) }),
    models: clocks
      .filter(({ model }) => promises.has(model))
      .map((clock) => {
        const [status, promised] = [statuses.get(clock.model), promises.get(clock.model)];
        return {
          ...{ model: clock.model, clocks: clock },
          ...(status === undefined ? {} : { status }),
          ...(promised === undefined ? {} : { promised }),
        };
      })
      .toSorted((a, b) => (a.model < b.model ? -1 : 1)),
  };
}

/** Without the names of what the caller may not know of. */
function namedFreshness(
  { model, hop, ...rest }: ProductFreshness,
  { models }: AppliedProduct,
): ProductFreshness {
  const names = new Set(models.map(({ name }) => name));
  return {
    ...rest,
    ...(model !== undefined && names.has(model) ? { model } : {}),
    ...(hop?.path.every((each) => names.has(each)) === true ? { hop } : {}),
  };
}
