import type { ModelKind } from '../../../domain/model-kind.ts';
import { unreachable } from '../../../foundation/unreachable.ts';
import { materializeEmpty, materializeFull } from './full.ts';
import { materializeEmptyHistory, materializeHistory } from './history.ts';
import { materializePartition } from './partition.ts';
import { materializeSeed } from './seed.ts';
import type { Materialize } from './table-write.ts';
import { materializeTimeRange } from './time-range.ts';
import { materializeUniqueKey } from './unique-key.ts';
import { materializeUnmanaged } from './unmanaged.ts';
import { materializeView } from './view.ts';

/** The way rows of a kind get into its table. */
export function materializeOf(kind: ModelKind, isEmpty: boolean): Materialize {
  switch (kind.kind) {
    case 'view':
      return materializeView;
    case 'full':
      return isEmpty ? materializeEmpty : materializeFull;
    case 'seed':
      return isEmpty ? materializeEmpty : materializeSeed;
    case 'incremental-by-time-range':
      return isEmpty ? materializeEmpty : materializeTimeRange;
    case 'incremental-by-unique-key':
      return isEmpty ? materializeEmpty : materializeUniqueKey;
    case 'incremental-by-partition':
      return isEmpty ? materializeEmpty : materializePartition;
    case 'incremental-unmanaged':
      return isEmpty ? materializeEmpty : materializeUnmanaged;
    case 'scd-type-2-by-time':
    case 'scd-type-2-by-column':
      return isEmpty ? materializeEmptyHistory : materializeHistory;
    case 'embedded':
    case 'external':
    case 'managed':
    case 'custom':
      throw new Error(`models of kind ${kind.kind} have no table to write`);
    default:
      return unreachable(kind);
  }
}
