import type { PlanSettings } from '../../domain/config.ts';
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { EnvironmentEntry } from '../../domain/environment.ts';
import type { Model } from '../../domain/model.ts';
import type { Change, ColumnChanges, PlanOptions } from '../../domain/plan.ts';
import {
  type ChangeCategory,
  isWritten,
  type Snapshot,
  type SnapshotContent,
} from '../../domain/snapshot.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { hash128 } from '../../foundation/hash128.ts';
import type { QueryChange } from './categorize/query-change.ts';
import {
  type CategorizedChange,
  columnsOf,
  fixedCategory,
  forwardReason,
  modeOf,
  onward,
  textChange,
  unaffected,
} from './categorized-change.ts';
import { ChangeEffects, NO_COLUMNS } from './change-effects.ts';
import type { DraftSnapshot } from './draft-snapshots.ts';
import { type OwnChange, rows } from './own-change.ts';
import type { ModelDiff } from './prepare-plan.ts';
import { tookOver } from './taken-tables.ts';

/*
 * What each change does to data. Models come dependencies first; each leaves an *effect*, what its change means for
 * those who read it, and gets its category from its own change and the effects above it:
 *
 *   own change ──────────────┐
 *                            ├─▶ category ─▶ version      effect ─▶ the models below
 *   effects of its parents ──┘  (reach: through the columns it reads)
 *
 * A fingerprint that was applied before has its category and version already.
 */

export interface DecideInput {
  readonly planId: string;
  readonly diffs: readonly ModelDiff[];
  readonly models: ReadonlyMap<string, Model>;
  /** By fingerprint: of what is new, and of what it is compared with. */
  readonly contents: ReadonlyMap<string, SnapshotContent>;
  /** What the base environment shows, by model. */
  readonly baseEntries: ReadonlyMap<string, EnvironmentEntry>;
  /** All known snapshots, by fingerprint. */
  readonly snapshots: ReadonlyMap<string, Snapshot>;
  readonly options: PlanOptions;
  readonly settings: PlanSettings;
  readonly effectiveFrom: number | undefined;
}

/** A model with its snapshot as it will be stored and, if it differs, its change. */
export interface CategoryDecision {
  readonly snapshot: Snapshot;
  readonly change?: Change;
  readonly isNew: boolean;
  /** The environment's earlier snapshot of this model. */
  readonly previous?: Snapshot;
  /** Its category stands since an earlier plan: no choice of a category changes it. */
  readonly isFixed: boolean;
  /** It was not selected, and what it reads changes under its rows: it stays as it is. */
  readonly isBehind?: true;
}

export interface Decisions {
  readonly decisions: readonly CategoryDecision[];
  readonly diagnostics: readonly Diagnostic[];
}

export function decideCategories(input: DecideInput): Decisions {
  return new Decider(input).decide();
}

class Decider {
  private readonly input: DecideInput;
  private readonly effects: ChangeEffects;
  private readonly diagnostics: Diagnostic[] = [];
  /** Versions that a forward-only change has taken over, or may have: such a table no longer is what its hash says. */
  private readonly keptVersions: ReadonlySet<string>;
  private readonly overridden = new Set<string>();

  constructor(input: DecideInput) {
    this.input = input;
    this.effects = new ChangeEffects(input);
    this.keptVersions = new Set(
      [...input.snapshots.values()].flatMap((snapshot) =>
        (tookOver(snapshot) || snapshot.isUnproven === true) && snapshot.version !== undefined
          ? [snapshot.version]
          : [],
      ),
    );
  }

  decide(): Decisions {
    const decisions = this.input.diffs.map((diff) => {
      const decision = this.decideOne(diff);
      this.effects.decided(decision.snapshot);
      return decision;
    });
    const named = new Map(this.input.diffs.map((diff) => [diff.draft.model, diff]));
    for (const [model, category] of Object.entries(this.input.options.categories)) {
      if (this.overridden.has(model)) continue;
      const diff = named.get(model);
      const reason =
        diff === undefined
          ? 'the plan has no such model'
          : `its own definition did not change (${diff.change})`;
      this.diagnostics.push(diagnostic('plan.cannot-override', { model, category, reason }));
    }
    return { decisions, diagnostics: this.diagnostics };
  }

  private decideOne(diff: ModelDiff): CategoryDecision {
    const { draft, previous, known, change } = diff;
    const before = previous === undefined ? {} : { previous };
    this.effects.proofOf(draft);
    if (change === 'same') return { snapshot: previous!, isNew: false, isFixed: true, ...before };
    if (change === 'added') return { ...this.added(diff), ...before };
    if (diff.isKept === true && isWritten(draft.kind)) return this.kept(diff);
    const found = known === undefined ? this.categorize(diff) : this.fixed(diff, known);
    const proof = this.effects.proofOf(draft, found);
    // Below what is rebuilt, and not reached by it.
    if (previous?.fingerprint === draft.fingerprint && found.category === 'indirect-non-breaking')
      return { snapshot: previous, isNew: false, isFixed: true, previous };
    const because = this.effects.becauseOf(draft);
    this.effects.set(draft.model, { ...found.effect, because });
    const snapshot = known ?? this.snapshotOf(diff, found);
    const shown: Change = {
      kind: 'model',
      name: draft.model,
      change,
      category: found.category,
      reason: found.reason,
      columns: found.columns,
      ...(proof === undefined ? {} : { proof }),
      ...(because.length === 0 || change === 'metadata' ? {} : { because }),
      ...textChange(diff, this.input.contents),
    };
    const isNew = known === undefined;
    // A view that was not selected follows what it reads; where that shows nothing else, there is nothing to report.
    if (diff.isKept === true && found.category !== 'indirect-breaking')
      return { snapshot, isNew, isFixed: !isNew, ...before };
    if (diff.isReturn === true && found.category === 'forward-only' && previous?.version !== undefined)
      this.diagnostics.push(diagnostic('plan.rows-stay', { model: draft.model, plan: previous.planId }));
    return { snapshot, change: shown, isNew, isFixed: !isNew, ...before };
  }

  /** A table that was not selected: where nothing reaches its rows it goes on over what it reads now, else it stays as it is. */
  private kept(diff: ModelDiff): CategoryDecision {
    const { draft, previous, known } = diff;
    const effect = this.effects.reached(diff);
    const isSameTable = known === undefined || known.version === previous!.version;
    if (effect.change.kind !== 'same' || !isSameTable)
      return { snapshot: previous!, isNew: false, isFixed: true, previous: previous!, isBehind: true };
    this.effects.set(draft.model, { ...effect, because: this.effects.becauseOf(draft) });
    const found: CategorizedChange = {
      category: 'indirect-non-breaking',
      reason: '',
      effect,
      columns: NO_COLUMNS,
    };
    const snapshot = known ?? this.snapshotOf(diff, found);
    return { snapshot, isNew: known === undefined, isFixed: true, previous: previous! };
  }

  private added({ draft, known, isReturn }: ModelDiff): CategoryDecision {
    const model = this.input.models.get(draft.model);
    const columns = { added: (model?.columns ?? []).map(({ name }) => name), removed: [], changed: [] };
    const reason = known === undefined ? 'new in this environment' : `built by plan ${known.planId}`;
    const version = this.newVersion(draft);
    return {
      snapshot: known ?? {
        ...draft,
        ...(isWritten(draft.kind) ? { version } : {}),
        category: null,
        planId: this.input.planId,
        ...(isReturn === true ? { isReturn } : {}),
      },
      change: { kind: 'model', name: draft.model, change: 'added', category: null, reason, columns },
      isNew: known === undefined,
      isFixed: false,
    };
  }

  private categorize(diff: ModelDiff): CategorizedChange {
    const found = this.categorizeByCause(diff);
    const { category, columns, effect } = found;
    if (diff.isTaken !== true || (category !== 'metadata' && category !== 'indirect-non-breaking'))
      return found;
    const reason = 'another definition has filled its table since';
    return {
      category: diff.change === 'indirect' ? 'indirect-breaking' : 'breaking',
      reason,
      effect: { ...effect, change: rows(reason, columns.added) },
      columns,
    };
  }

  private categorizeByCause(diff: ModelDiff): CategorizedChange {
    // The definition is the same; the table has rows of another one.
    if (diff.previous?.fingerprint === diff.draft.fingerprint && diff.change === 'direct')
      return { ...unaffected('its definition is the same'), category: 'metadata' };
    switch (diff.change) {
      case 'metadata':
        return { ...unaffected('only metadata changed'), category: 'metadata' };
      case 'indirect':
        return this.categorizeIndirect(diff);
      default:
        return this.categorizeDirect(diff);
    }
  }

  private categorizeDirect(diff: ModelDiff): CategorizedChange {
    const { draft } = diff;
    const { options, settings } = this.input;
    const own = this.effects.ownChangeOf(diff);
    const above = this.effects.reached(diff);
    const effect = { change: own.together, isForward: above.isForward };
    const columns = columnsOf(own.change);
    const asked = options.categories[draft.model];
    if (asked !== undefined) {
      this.overridden.add(draft.model);
      if (asked !== 'forward-only' || own.needsNewTable === undefined)
        return this.chosenCategory(asked, { own, effect, columns });
      this.diagnostics.push(
        diagnostic('plan.cannot-override', {
          model: draft.model,
          category: asked,
          reason: own.needsNewTable,
        }),
      );
    }
    const model = this.input.models.get(draft.model);
    const whyForward = forwardReason(model, this.input);
    if (whyForward !== undefined) {
      if (own.needsNewTable === undefined || !isWritten(draft.kind)) {
        if (own.change.kind === 'same' && above.change.kind === 'same')
          return { ...unaffected(own.change.reason), category: 'metadata' };
        return { category: 'forward-only', reason: whyForward, effect: onward(effect.change), columns };
      }
      this.diagnostics.push(
        diagnostic('plan.forward-only-conflict', { model: draft.model, reason: own.needsNewTable }),
      );
    }
    if (modeOf(settings, draft) === 'off') {
      const reason = 'plan.auto_categorize is off, so a change counts as breaking';
      const change = rows(reason, columns.added);
      return { category: 'breaking', reason, effect: { ...effect, change }, columns };
    }
    switch (own.change.kind) {
      case 'same':
        // The text changed and not the data; what lies above may still reach it.
        return above.change.kind === 'same'
          ? { ...unaffected(own.change.reason), category: 'metadata', effect }
          : {
              category: 'indirect-breaking',
              reason: above.change.reason,
              effect,
              columns: columnsOf(above.change),
            };
      case 'additive':
        return { category: 'non-breaking', reason: own.change.reason, effect, columns };
      case 'columns':
      case 'rows':
        if (modeOf(settings, draft) === 'semi')
          this.diagnostics.push(
            diagnostic('plan.category-needed', { model: draft.model, reason: own.change.reason }),
          );
        return { category: 'breaking', reason: own.change.reason, effect, columns };
    }
  }

  private chosenCategory(
    asked: 'breaking' | 'non-breaking' | 'forward-only',
    {
      own,
      effect,
      columns,
    }: {
      readonly own: OwnChange;
      readonly effect: CategorizedChange['effect'];
      readonly columns: ColumnChanges;
    },
  ): CategorizedChange {
    const reason = `chosen by the user (${own.change.reason})`;
    switch (asked) {
      case 'breaking':
        return {
          category: asked,
          reason,
          effect: { ...effect, change: rows(reason, columns.added) },
          columns,
        };
      case 'non-breaking': {
        const change: QueryChange = {
          kind: 'additive',
          added: columns.added,
          removed: [],
          changed: [],
          reason,
        };
        return { category: asked, reason, effect: { ...effect, change }, columns, isChosen: true };
      }
      case 'forward-only':
        return { category: asked, reason, effect: onward(effect.change), columns };
    }
  }

  private categorizeIndirect(diff: ModelDiff): CategorizedChange {
    const { draft, previous } = diff;
    const { change, isForward } = this.effects.reached(diff);
    const columns = this.effects.columnNames(diff);
    if (change.kind === 'same') {
      const chosen = draft.parents.find((name) => this.input.options.categories[name] === 'non-breaking');
      const why = chosen === undefined ? change.reason : `the user chose non-breaking for ${chosen}`;
      const reason = isForward ? 'what it reads changes forward-only, so its table is kept' : why;
      return { category: 'indirect-non-breaking', reason, effect: { change, isForward }, columns };
    }
    const own = this.input.models.get(draft.model);
    // Below a table that was taken over: no definition changed that could count from now on.
    const isSame = previous?.fingerprint === draft.fingerprint;
    const whyForward = isSame ? undefined : forwardReason(own, this.input);
    if (whyForward !== undefined && isWritten(draft.kind))
      return {
        category: 'forward-only',
        reason: `${change.reason}; ${whyForward}`,
        effect: onward(change),
        columns,
      };
    return { category: 'indirect-breaking', reason: change.reason, effect: { change, isForward }, columns };
  }

  /**
   * A snapshot that was applied before: the decision stands, in the words that fit this environment. Where the same table
   * goes on, its rows are the same; what a view shows is compared again, since it was decided against another state.
   */
  private fixed(diff: ModelDiff, known: Snapshot): CategorizedChange {
    const { draft, previous, change } = diff;
    const reason = `decided by plan ${known.planId}`;
    if (change === 'metadata') return { ...unaffected(reason), category: 'metadata' };
    const above = this.effects.reached(diff);
    const own = change === 'direct' ? this.effects.ownChangeOf(diff) : undefined;
    const together = own?.together ?? above.change;
    const keepsTable = known.version !== undefined && known.version === previous?.version;
    const category = fixedCategory(change, known, { keepsTable, together });
    this.checkFixed(diff, known, category);
    const isNewTable = isWritten(draft.kind) && !keepsTable && together.kind === 'same';
    const seen = keepsTable ? unaffected(reason).effect.change : isNewTable ? rows(reason, []) : together;
    const columns = own === undefined ? this.effects.columnNames(diff) : columnsOf(own.change);
    const effect = category === 'forward-only' ? onward(seen) : { change: seen, isForward: above.isForward };
    return { category, reason, effect, columns };
  }

  private checkFixed({ draft, change }: ModelDiff, { planId }: Snapshot, category: ChangeCategory): void {
    if (change !== 'direct') return;
    const named = this.input.options.categories[draft.model];
    const asked =
      named ?? (this.input.options.isForwardOnly && isWritten(draft.kind) ? 'forward-only' : undefined);
    if (asked === undefined) return;
    if (named !== undefined) this.overridden.add(draft.model);
    if (asked === category) return;
    this.diagnostics.push(diagnostic('plan.category-fixed', { model: draft.model, category, plan: planId }));
  }

  private snapshotOf(
    { draft, previous, isReturn }: ModelDiff,
    { category, effect }: CategorizedChange,
  ): Snapshot {
    const { planId, effectiveFrom } = this.input;
    const isForward = category === 'forward-only';
    const snapshot = {
      ...draft,
      category,
      planId,
      ...(isForward && effectiveFrom !== undefined ? { effectiveFrom } : {}),
      ...(isReturn === true ? { isReturn } : {}),
    };
    if (!isWritten(draft.kind)) return snapshot;
    const inherits = isForward || category === 'metadata' || category === 'indirect-non-breaking';
    const version = previous?.version;
    if (!inherits || version === undefined) return { ...snapshot, version: this.newVersion(draft, version) };
    const taken = isForward || effect.isForward ? { isForward: true as const } : {};
    return { ...snapshot, version, inheritedFrom: previous!.fingerprint, ...taken };
  }

  /** Follows from data and parents, so that equal states share a table; unless that table has become something else. */
  private newVersion({ dataHash, parentsHash, fingerprint }: DraftSnapshot, taken?: string): string {
    const isFree = (version: string): boolean => version !== taken && !this.keptVersions.has(version);
    let version = hash128(dataHash, parentsHash);
    for (let turn = 0; !isFree(version); turn++)
      version = hash128(dataHash, parentsHash, fingerprint, ...(turn === 0 ? [] : [String(turn)]));
    return version;
  }
}
