import { unreachable } from '../foundation/unreachable.ts';
import type { Snapshot } from './snapshot.ts';

/** How one model differs between project and environment. */
export interface Change {
  readonly model: string;
  readonly change: 'added' | 'removed' | 'modified';
}

/** One step as data: it can be explained, stored or executed. */
export type Stage =
  | { readonly kind: 'create-schemas'; readonly schemas: readonly string[] }
  | { readonly kind: 'backfill'; readonly snapshot: Snapshot; readonly query: string }
  | {
      readonly kind: 'promote';
      readonly environment: string;
      readonly views: readonly { readonly view: string; readonly table: string }[];
      readonly snapshots: readonly Snapshot[];
    };

/** The changes, and the stages that bring an environment to the project. */
export interface Plan {
  readonly environment: string;
  readonly changes: readonly Change[];
  readonly stages: readonly Stage[];
}

/** What a stage will do, in one line. */
export function explainStage(stage: Stage): string {
  switch (stage.kind) {
    case 'create-schemas':
      return `create schemas ${stage.schemas.join(', ')}`;
    case 'backfill':
      return `build ${stage.snapshot.model} into ${stage.snapshot.table}`;
    case 'promote':
      return `point ${stage.views.length} views of ${stage.environment} at their tables`;
    default:
      return unreachable(stage);
  }
}
