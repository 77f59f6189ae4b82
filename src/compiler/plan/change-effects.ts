import type { EnvironmentEntry } from '../../domain/environment.ts';
import type { Model } from '../../domain/model.ts';
import type { ColumnChanges } from '../../domain/plan.ts';
import type { SnapshotContent } from '../../domain/snapshot.ts';
import {
  type ComparedModel,
  type QueryChange,
  same,
  type UpstreamEffect,
} from './categorize/query-change.ts';
import { reach } from './categorize/reach.ts';
import type { DraftSnapshot } from './draft-snapshots.ts';
import { columnsBetween, type OwnChange, ownChange, rows } from './own-change.ts';
import type { ModelDiff } from './prepare-plan.ts';

/** What a change means for readers; `isForward`: the table is kept, so theirs are kept as well. */
export interface Effect {
  readonly change: QueryChange;
  readonly isForward: boolean;
  readonly because: readonly string[];
}

const BECAUSE_MAX = 20;

/** What changed so far, dependencies first, and how it reaches what comes next. */
export class ChangeEffects {
  private readonly effects = new Map<string, Effect>();
  private readonly input: {
    readonly models: ReadonlyMap<string, Model>;
    readonly contents: ReadonlyMap<string, SnapshotContent>;
    readonly baseEntries: ReadonlyMap<string, EnvironmentEntry>;
  };

  constructor(input: ChangeEffects['input']) {
    this.input = input;
  }

  set(model: string, effect: Effect): void {
    this.effects.set(model, effect);
  }

  ownChangeOf({ draft, previous }: ModelDiff): OwnChange {
    const { contents } = this.input;
    return ownChange(contents.get(previous!.fingerprint), contents.get(draft.fingerprint), {
      seen: {
        before: {
          columnsOf: (table) => this.columnsBefore(table),
          typeOf: (table, column) => this.typeBefore(table, column),
        },
        after: this.seenNow,
      },
      effects: this.effectsOn(draft),
    });
  }

  /** Changes of the tables a model reads; those that keep their tables do nothing now. */
  private effectsOn({ parents }: DraftSnapshot): readonly UpstreamEffect[] {
    return parents.flatMap((table) => {
      const effect = this.effects.get(table);
      if (effect === undefined || effect.isForward || effect.change.kind === 'same') return [];
      const columnsBefore = this.columnsBefore(table);
      return [{ table, change: effect.change, ...(columnsBefore === undefined ? {} : { columnsBefore }) }];
    });
  }

  /** What the changed parents do to this model's own rows, its own text being the same. */
  reached({ draft }: ModelDiff): Omit<Effect, 'because'> {
    const isForward = draft.parents.some((parent) => this.effects.get(parent)?.isForward === true);
    const effects = this.effectsOn(draft);
    return { change: this.reachOf(draft, effects), isForward };
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
    return reach(effects, { model: content.model, query: content.expandedQuery, ...this.seenNow });
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
