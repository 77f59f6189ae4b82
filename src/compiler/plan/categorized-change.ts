import type { CategorizeMode, PlanSettings } from '../../domain/config.ts';
import type { Model } from '../../domain/model.ts';
import type { ColumnChanges, PlanOptions } from '../../domain/plan.ts';
import {
  type ChangeCategory,
  isWritten,
  type Snapshot,
  type SnapshotContent,
} from '../../domain/snapshot.ts';
import type { QueryChange } from './categorize/query-change.ts';
import { type Effect, NO_COLUMNS } from './change-effects.ts';
import type { DraftSnapshot } from './draft-snapshots.ts';
import type { ModelDiff } from './prepare-plan.ts';
import { contentDiff } from './sql-diff.ts';

/** What a plan decides about one change, before the snapshot is made. */
export interface CategorizedChange {
  readonly category: ChangeCategory;
  readonly reason: string;
  readonly effect: Omit<Effect, 'because'>;
  readonly columns: ColumnChanges;
  /** The user says that it changes less than is proven. */
  readonly isChosen?: true;
}

/** Nothing that a reader sees has changed. */
export function unaffected(reason: string): Pick<CategorizedChange, 'reason' | 'effect' | 'columns'> {
  const change: QueryChange = { kind: 'same', added: [], removed: [], changed: [], reason };
  return { reason, effect: { change, isForward: false }, columns: NO_COLUMNS };
}

/** The table is kept and goes on otherwise: nothing that lies in it is other than before. */
export function onward({ reason }: QueryChange): CategorizedChange['effect'] {
  return { ...unaffected(reason).effect, isForward: true };
}

/** The columns of a change alone. */
export function columnsOf({ added, removed, changed }: QueryChange): ColumnChanges {
  return { added, removed, changed };
}

/** How much a plan may decide by itself about a model of this kind. */
export function modeOf({ autoCategorize }: PlanSettings, { kind }: DraftSnapshot): CategorizeMode {
  if (kind === 'seed') return autoCategorize.seed;
  return kind === 'external' ? autoCategorize.external : autoCategorize.sql;
}

/** The category in the words of this environment: it may have been decided where the model was new, or changed otherwise. */
export function fixedCategory(
  change: ModelDiff['change'],
  { category, kind }: Snapshot,
  { keepsTable, together }: { readonly keepsTable: boolean; readonly together: QueryChange },
): ChangeCategory {
  if (category === 'forward-only' && (keepsTable || !isWritten(kind))) return category;
  const isSame = isWritten(kind) ? keepsTable : together.kind === 'same';
  if (change === 'indirect') return isSame ? 'indirect-non-breaking' : 'indirect-breaking';
  // Another text over the same table: it was found to say the same, or the table has gone on under it.
  if (isSame) return category === 'metadata' || !isWritten(kind) ? 'metadata' : 'forward-only';
  if (category === 'breaking' || category === 'non-breaking') return category;
  return together.kind === 'additive' ? 'non-breaking' : 'breaking';
}

/** Why a changed model keeps its table, in words; undefined when nothing asks for it. */
export function forwardReason(
  model: Model | undefined,
  { options, settings }: { readonly options: PlanOptions; readonly settings: PlanSettings },
): string | undefined {
  if (model?.kind.kind === 'seed') return undefined;
  if (options.isForwardOnly) return 'the plan is forward-only';
  if (settings.forwardOnly) return 'plan.forward_only is set';
  if (model !== undefined && 'forwardOnly' in model.kind && model.kind.forwardOnly)
    return 'the model is forward-only';
  return undefined;
}

/** How the text of a model changed by itself, where there is something to show. */
export function textChange(
  { draft, previous, change }: ModelDiff,
  contents: ReadonlyMap<string, SnapshotContent>,
): { readonly sqlDiff?: string } {
  const before = contents.get(previous?.fingerprint ?? '');
  const after = contents.get(draft.fingerprint);
  if (change !== 'direct' || before === undefined || after === undefined) return {};
  const text = contentDiff(before, after);
  return text === '' ? {} : { sqlDiff: text };
}
