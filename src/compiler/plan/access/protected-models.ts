/*
 * Models that SQL may not read because a semantic model restricts a caller: what feeds its model, and what is derived from it.
 *
 *   raw ──▶ staging ──▶ marts.customers ──▶ report          customers has policies over marts.customers
 *              └──────▶ beside                              rows: all four; of `beside` the columns that flow into marts.customers too
 *                                                           masks: the columns that carry a masked one
 *
 * Columns are followed by value here. That a model is protected is decided elsewhere; here only what leaves the protection is looked for.
 */
import type { Model } from '../../../domain/model.ts';
import type { SemanticModel } from '../../../domain/semantic-model.ts';
import { reachable } from '../../../foundation/graph.ts';
import { closureOf, maskedFor } from './compare-policies.ts';
import { columnsRead, membersOf } from './exposed-columns.ts';

/** Models by name in lower case, with the ways between them. */
export class ModelFlow {
  readonly models: ReadonlyMap<string, Model>;
  readonly #below = new Map<string, string[]>();
  /** `model\0column` that take their values from the key. */
  readonly #down = new Map<string, string[]>();
  readonly #up = new Map<string, string[]>();

  constructor(models: Iterable<Model>) {
    this.models = new Map([...models].map((model) => [model.name.toLowerCase(), model]));
    for (const [name, { dependencies, lineage }] of this.models) {
      for (const parent of dependencies) append(this.#below, parent.toLowerCase(), name);
      for (const { column, sources } of lineage)
        for (const source of sources) {
          const [from, to] = [placeOf(source.model, source.column), placeOf(name, column)];
          append(this.#down, from, to);
          append(this.#up, to, from);
        }
    }
  }

  columns(model: string): ReadonlySet<string> {
    return new Set(this.models.get(model.toLowerCase())?.columns.map(({ name }) => name.toLowerCase()) ?? []);
  }

  /** What feeds a model and what is derived from it, itself included. */
  relatives(model: string): ReadonlySet<string> {
    const name = model.toLowerCase();
    const above = reachable([name], (each) =>
      (this.models.get(each)?.dependencies ?? []).map((parent) => parent.toLowerCase()),
    );
    const below = reachable([name], (each) => this.#below.get(each) ?? []);
    return new Set([name, ...above, ...below]);
  }

  /** Every column that carries values of one of these, or of what they come from; by model. */
  carriers(model: string, columns: Iterable<string>): ReadonlyMap<string, ReadonlySet<string>> {
    const own = [...columns].map((column) => placeOf(model, column));
    const sources = new Set([...own, ...reachable(own, (place) => this.#up.get(place) ?? [])]);
    const all = new Set([...sources, ...reachable(sources, (place) => this.#down.get(place) ?? [])]);
    const found = new Map<string, Set<string>>();
    for (const place of all) {
      const [name = '', column = ''] = place.split('\0');
      const known = found.get(name);
      if (known === undefined) found.set(name, new Set([column]));
      else known.add(column);
    }
    return found;
  }
}

const placeOf = (model: string, column: string): string => `${model}\0${column}`.toLowerCase();

function append(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/** Columns by model; `all` where the model as a whole is closed. */
export type ClosedColumns = ReadonlyMap<string, ReadonlySet<string> | 'all'>;

/** What one semantic model closes to a group in SQL. A model over which others have policies of their own (`deciders`) is theirs to close. */
export function closedColumns(
  semantic: SemanticModel,
  group: string,
  { flow, deciders }: { readonly flow: ModelFlow; readonly deciders: readonly SemanticModel[] },
): ClosedColumns {
  const closure = closureOf(semantic, group);
  const own = semantic.model.value.toLowerCase();
  if (closure === 'open') return new Map();
  const closed = new Map<string, ReadonlySet<string> | 'all'>(
    closure === 'rows'
      ? flow.carriers(own, flow.columns(own))
      : columnsBelow(semantic, maskedFor(semantic, group), flow),
  );
  if (closure === 'rows') for (const name of flow.relatives(own)) closed.set(name, 'all');
  closed.set(own, 'all');
  for (const { model, policies } of deciders) {
    const name = model.value.toLowerCase();
    if (policies.length > 0 && name !== own) closed.delete(name);
  }
  return closed;
}

/** Columns that carry what members of these names show, by model. */
export function columnsBelow(
  semantic: SemanticModel,
  members: Iterable<string>,
  flow: ModelFlow,
): ReadonlyMap<string, ReadonlySet<string>> {
  const of = { semantic, columns: flow.columns(semantic.model.value) };
  const known = membersOf(of);
  const below = [...members].flatMap((name) => [
    ...columnsRead(known.get(name)?.texts ?? [name], of, { masked: new Set(), own: name }),
  ]);
  return flow.carriers(semantic.model.value, below);
}

/** Models that the one closes, wholly or in part, and the other closes less; those that are gone are left out. */
export function openedModels(
  before: ClosedColumns,
  after: ClosedColumns,
  flow: ModelFlow,
): readonly string[] {
  return [...before]
    .filter(([name, columns]) => {
      const model = flow.models.get(name);
      if (model === undefined) return false;
      const now = after.get(name);
      if (now === 'all') return false;
      if (columns === 'all') return true;
      const there = new Set(model.columns.map((column) => column.name.toLowerCase()));
      return [...columns].some((column) => there.has(column) && now?.has(column) !== true);
    })
    .map(([name]) => flow.models.get(name)?.name ?? name)
    .sort();
}
