import type { EnvironmentEntry } from '../../domain/environment.ts';
import type { Model } from '../../domain/model.ts';
import type { ChangeProof, ColumnChanges } from '../../domain/plan.ts';
import type { ChangeCategory, Snapshot, SnapshotContent } from '../../domain/snapshot.ts';
import {
  type ComparedModel,
  type QueryChange,
  same,
  type UpstreamEffect,
} from './categorize/query-change.ts';
import { reach } from './categorize/reach.ts';
import { type DraftSnapshot, dataIdOf } from './draft-snapshots.ts';
import { columnsBetween, type OwnChange, ownChange, rows } from './own-change.ts';
import type { ModelDiff } from './prepare-plan.ts';

/** What a change means for readers. */
export interface Effect {
  /** What they read is other than before, from the beginning. */
  readonly change: QueryChange;
  /** From now on rows are made otherwise in a table that is kept, so theirs are kept as well, as far as `change` does not reach them. */
  readonly isForward: boolean;
  readonly because: readonly string[];
}

const BECAUSE_MAX = 20;

/** A model as it will be, and as the environment has it. */
interface Compared {
  readonly draft: DraftSnapshot;
  readonly previous?: Snapshot | undefined;
}

/** What changed so far, dependencies first, and how it reaches what comes next. */
export class ChangeEffects {
  private readonly effects = new Map<string, Effect>();
  /** Tables that models have once the plan is through, as far as it is decided. */
  private readonly versions = new Map<string, string>();
  /** Models of which more may change, now or from now on, than their effect says. */
  private readonly unproven = new Set<string>();
  private readonly diffs: ReadonlyMap<string, ModelDiff>;
  private readonly input: {
    readonly models: ReadonlyMap<string, Model>;
    readonly contents: ReadonlyMap<string, SnapshotContent>;
    readonly baseEntries: ReadonlyMap<string, EnvironmentEntry>;
    readonly snapshots: ReadonlyMap<string, Snapshot>;
    readonly diffs: readonly ModelDiff[];
  };

  constructor(input: ChangeEffects['input']) {
    this.input = input;
    this.diffs = new Map(input.diffs.map((diff) => [diff.draft.model, diff]));
  }

  set(model: string, effect: Effect): void {
    this.effects.set(model, effect);
  }

  /** Takes note of what is proven of a model; undefined when nothing is. */
  proofOf(
    { model, parents }: DraftSnapshot,
    found?: {
      readonly category: ChangeCategory;
      readonly effect: Omit<Effect, 'because'>;
      readonly isChosen?: true;
    },
  ): ChangeProof | undefined {
    const isOpen =
      found?.isChosen === true ||
      found?.effect.isForward === true ||
      found?.category === 'forward-only' ||
      parents.some((parent) => this.unproven.has(parent));
    if (isOpen) this.unproven.add(model);
    if (isOpen || found === undefined) return undefined;
    const { kind, changed, removed } = found.effect.change;
    return { kind, columns: [...changed, ...removed] };
  }

  /** Takes note of the table that a model has from now on. */
  decided({ model, version }: Snapshot): void {
    if (version !== undefined) this.versions.set(model, version);
  }

  ownChangeOf({ draft, previous }: Compared): OwnChange {
    const { contents } = this.input;
    return ownChange(contents.get(previous!.fingerprint), contents.get(draft.fingerprint), {
      seen: {
        before: {
          columnsOf: (table) => this.columnsBefore(table),
          typeOf: (table, column) => this.typeBefore(table, column),
        },
        after: this.seenNow,
      },
      effects: this.effectsOn({ draft, previous }),
    });
  }

  /** Changes of the tables a model reads; what counts from now on changes none of their rows. */
  private effectsOn({ draft, previous }: Compared): readonly UpstreamEffect[] {
    return draft.parents.flatMap((table) => {
      const missed = this.missed(table, { draft, previous });
      if (missed !== undefined) return missed;
      const effect = this.effects.get(table);
      if (effect === undefined || effect.change.kind === 'same') return [];
      const columnsBefore = this.columnsBefore(table);
      return [{ table, change: effect.change, ...(columnsBefore === undefined ? {} : { columnsBefore }) }];
    });
  }

  /** What the changed parents do to this model's own rows, its own text being the same. */
  reached(diff: Compared): Omit<Effect, 'because'> {
    const { draft } = diff;
    const isForward = draft.parents.some((parent) => this.effects.get(parent)?.isForward === true);
    return { change: this.reachOf(draft, this.effectsOn(diff)), isForward };
  }

  /**
   * What an earlier plan did to a table and left this reader out of: rows belong to the version they were made of, so what
   * counts is the way from there, not what changes now. Undefined: there is no such thing.
   */
  private missed(table: string, { draft, previous }: Compared): readonly UpstreamEffect[] | undefined {
    const made = previous?.inputs?.[table];
    const parent = this.diffs.get(table);
    if (made === undefined || parent === undefined) return undefined;
    const change = rows(`its rows were made from an earlier ${table}`, []);
    if (parent.draft.kind === 'external')
      return this.effects.has(table) || made === draft.inputs?.[table] ? undefined : [{ table, change }];
    if (parent.previous !== undefined && made === dataIdOf(parent.previous)) return undefined;
    if (made === dataIdOf(parent.draft) || this.isStillIn(table, made)) return [];
    return [{ table, change }];
  }

  /** Whether an earlier state of a model, by what its rows are made of, has the table that the model has from now on. */
  private isStillIn(model: string, dataId: string): boolean {
    const version = this.versions.get(model);
    if (version === undefined) return false;
    for (const snapshot of this.input.snapshots.values())
      if (snapshot.model === model && snapshot.version === version && dataIdOf(snapshot) === dataId)
        return true;
    return false;
  }

  private reachOf({ fingerprint, parents }: DraftSnapshot, effects: readonly UpstreamEffect[]): QueryChange {
    const [first] = effects;
    if (first === undefined) {
      const parent = parents.find((name) => this.effects.has(name));
      const reason = parent === undefined ? undefined : this.effects.get(parent)?.change.reason;
      return same(reason === undefined ? 'nothing above it changed' : `${parent}: ${reason}`);
    }
    const content = this.input.contents.get(fingerprint);
    if (content?.expandedQuery === undefined) return rows(`${first.table} changed`, []);
    const found = reach(effects, { model: content.model, query: content.expandedQuery, ...this.seenNow });
    const isMissed = !this.effects.has(first.table);
    return isMissed && found.kind !== 'same' ? { ...found, reason: first.change.reason } : found;
  }

  private readonly seenNow = {
    columnsOf: (table: string) => this.columnsAfter(table),
    typeOf: (table: string, column: string) => this.typeOf(table, column),
  };

  private typeOf(table: string, column: string): string | undefined {
    return typeIn(this.input.models.get(table), column);
  }

  private typeBefore(table: string, column: string): string | undefined {
    if (!this.effects.has(table)) return this.typeOf(table, column);
    const { contents, baseEntries } = this.input;
    return typeIn(contents.get(baseEntries.get(table)?.fingerprint ?? '')?.model, column);
  }

  private columnsBefore(table: string): readonly string[] | undefined {
    const columns = this.input.baseEntries.get(table)?.columns;
    return columns === undefined || columns.length === 0 ? undefined : columns;
  }

  private columnsAfter: ComparedModel['columnsOf'] = (table) => {
    const model = this.input.models.get(table);
    if (model?.hasAllColumns === true) return model.columns.map(({ name }) => name);
    return model === undefined ? this.columnsBefore(table) : undefined;
  };

  columnNames({ draft }: ModelDiff): ColumnChanges {
    const [before, after] = [this.columnsBefore(draft.model), this.columnsAfter(draft.model)];
    if (before === undefined || after === undefined) return NO_COLUMNS;
    return columnsBetween(before, after);
  }

  becauseOf({ parents }: DraftSnapshot): readonly string[] {
    const near = parents.filter((parent) => this.effects.has(parent));
    const far = near.flatMap((parent) => this.effects.get(parent)!.because);
    return [...new Set([...near, ...far])].slice(0, BECAUSE_MAX);
  }
}

function typeIn(model: Model | undefined, column: string): string | undefined {
  const wanted = column.toLowerCase();
  const type = model?.columns.find(({ name }) => name.toLowerCase() === wanted)?.type;
  return type === 'UNKNOWN' ? undefined : type;
}

export const NO_COLUMNS: ColumnChanges = { added: [], removed: [], changed: [] };
