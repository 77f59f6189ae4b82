import type { Behavior, RollingWindow } from '../../../domain/semantic-model.ts';
import type { ConversionSpec } from '../metrics/bind-conversion.ts';

/** How a component's rows are gathered, before it is bound to a time of the query. */
export type VariantSpec =
  | { readonly kind: 'plain' }
  | {
      readonly kind: 'rolling';
      readonly window: RollingWindow;
      /** `model.dimension`, the only time it may move along; absent: the time of the query. */
      readonly over?: string;
    }
  | { readonly kind: 'stock'; readonly behavior: Behavior }
  | {
      readonly kind: 'shift';
      readonly by: string;
      readonly direction: 'prior' | 'next';
      readonly of: VariantSpec;
    }
  | ConversionSpec;
