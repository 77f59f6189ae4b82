/*
 * What a change reaches of models:
 *
 *   start: columns with other values, rows that are others, columns that are gone
 *     ─▶ value    a column that is made of such a column
 *     ─▶ rows     all columns of a model that filters, groups or orders by it; of every model over other rows
 *     ─▶ key      the same where a join compares it
 *     ─▶ removed  what names a column that is gone: such a model cannot be built
 *
 * Where a plan has proven what becomes of a model, the proof decides, and lineage only says how and through what.
 */
import type { ModelReach, ReachByModel, Reached, ReachKind } from '../../domain/impact.ts';
import type { Model } from '../../domain/model.ts';
import { type FlowFacts, modelFlow } from '../../domain/model-flow.ts';

/** What is known to change of a model by itself. */
export interface ReachStart {
  /** All rows may be others. */
  readonly rows?: ReachKind;
  /** By name of the column. */
  readonly columns: ReadonlyMap<string, ReachKind>;
  /** What comes from above is in it, and nothing else comes. */
  readonly isProven: boolean;
}

/** `models` come dependencies first. Models that no file has any more may start, too. */
export function reachedModels(
  models: readonly Model[],
  starts: ReadonlyMap<string, ReachStart>,
): ReachByModel {
  const names = models.map(({ name }) => name);
  const known = new Set(models.flatMap(({ name, hasAllColumns }) => (hasAllColumns ? [name] : [])));
  const present = new Set(names);
  const found = new Map<string, ModelReach>();
  const gone = [...starts].filter(([name]) => !present.has(name));
  for (const [name, start] of gone) found.set(name, startOf(name, start));
  for (const model of models) {
    const start = starts.get(model.name);
    const own = start === undefined ? undefined : startOf(model.name, start);
    const flow = modelFlow(model, { names, known, audits: [] });
    // What has no start and is below proven changes only is not reached.
    const above = carried(model, flow, own === undefined ? openOnes(found) : found);
    const reach = own?.isProven === true ? explained(own, above) : merged(own, above);
    if (isReached(reach)) found.set(model.name, within(model, flow, reach));
  }
  return found;
}

const isReached = ({ rows, columns }: ModelReach): boolean => rows !== undefined || columns.size > 0;

/** Models of which more may differ than a plan proves; below the others all that differs is said. */
const openOnes = (found: ReachByModel): ReachByModel =>
  new Map([...found].filter(([, { isProven }]) => !isProven));

function startOf(name: string, { rows, columns, isProven }: ReachStart): ModelReach {
  return {
    ...(rows === undefined ? {} : { rows: { how: [rows], through: [name] } }),
    columns: new Map(
      [...columns].map(([column, kind]) => [
        column.toLowerCase(),
        { how: [kind], through: [`${name}.${column.toLowerCase()}`] },
      ]),
    ),
    isProven,
  };
}

/** What comes from above, by lineage. */
function carried(model: Model, flow: FlowFacts, above: ReachByModel): ModelReach {
  const found = new Gathering();
  for (const parent of flow.parents) {
    const reach = above.get(parent);
    if (reach === undefined) continue;
    if (reach.rows !== undefined) found.rows(reach.rows.how.includes('removed') ? 'removed' : 'rows', parent);
    else if (flow.blurred.has(parent)) found.rows('rows', parent);
    for (const [column, from] of reach.columns) carryColumn(model, flow, { parent, column, from }, found);
  }
  return found.reach;
}

function carryColumn(
  model: Model,
  { values, deciding, joining }: FlowFacts,
  { parent, column, from }: { readonly parent: string; readonly column: string; readonly from: Reached },
  found: Gathering,
): void {
  const through = `${parent}.${column}`;
  const isGone = from.how.includes('removed');
  const made = [...values].filter(([, sources]) =>
    sources.some((source) => source.model === parent && source.column === column),
  );
  for (const [own] of made) found.column(own, isGone ? 'removed' : 'value', through);
  const decides = deciding.get(parent);
  const read = model.reads[parent];
  const isNamed = read !== undefined && read !== '*' && read.some((name) => name.toLowerCase() === column);
  if (isGone && isNamed) found.rows('removed', through);
  else if (joining.get(parent)?.has(column) === true) found.rows('key', through);
  else if (decides === 'all' || decides?.has(column) === true) found.rows('rows', through);
  // Read for something that lineage does not say.
  else if (isNamed && made.length === 0) found.rows('rows', through);
}

/** What a model's rows are made of its own earlier ones; and with other rows every column is another. */
function within(model: Model, { values, deciding }: FlowFacts, reach: ModelReach): ModelReach {
  const { rows: whole } = reach;
  const every = (from: Reached): ModelReach => ({
    ...reach,
    rows: from,
    columns: new Map([
      ...model.columns.map(({ name }) => [name.toLowerCase(), from] as const),
      ...reach.columns,
    ]),
  });
  if (whole !== undefined) return every(whole);
  if (reach.isProven) return reach;
  const columns = new Map(reach.columns);
  for (let before = -1; before < columns.size; ) {
    before = columns.size;
    for (const [own, sources] of values)
      for (const { model: from, column } of sources)
        if (from === model.name && columns.has(column) && !columns.has(own))
          columns.set(own, { how: ['value'], through: [`${from}.${column}`] });
  }
  const decides = deciding.get(model.name);
  const hit = [...columns.keys()].find((column) => decides === 'all' || decides?.has(column) === true);
  return hit === undefined
    ? { ...reach, columns }
    : every({ how: ['rows'], through: [`${model.name}.${hit}`] });
}

/** What a plan has proven, with the way by which lineage says that it comes. */
function explained(proven: ModelReach, lineage: ModelReach): ModelReach {
  const { rows, columns } = proven;
  return {
    isProven: true,
    ...(rows === undefined ? {} : { rows: lineage.rows ?? rows }),
    columns: new Map(
      [...columns].map(([column, own]) => [
        column,
        own.how.includes('removed') ? own : (lineage.columns.get(column) ?? own),
      ]),
    ),
  };
}

function merged(own: ModelReach | undefined, more: ModelReach): ModelReach {
  if (own === undefined) return more;
  const found = new Gathering();
  for (const reach of [own, more]) {
    for (const how of reach.rows?.how ?? [])
      for (const through of reach.rows?.through ?? []) found.rows(how, through);
    for (const [column, from] of reach.columns)
      for (const how of from.how) for (const through of from.through) found.column(column, how, through);
  }
  return found.reach;
}

interface Ways {
  readonly how: Set<ReachKind>;
  readonly through: Set<string>;
}

const listed = ({ how, through }: Ways): Reached => ({ how: [...how], through: [...through] });

class Gathering {
  readonly #columns = new Map<string, Ways>();
  #rows: Ways | undefined;

  rows(how: ReachKind, through: string): void {
    this.#rows ??= { how: new Set(), through: new Set() };
    this.#rows.how.add(how);
    this.#rows.through.add(through);
  }

  column(name: string, how: ReachKind, through: string): void {
    const known = this.#columns.get(name) ?? { how: new Set(), through: new Set() };
    this.#columns.set(name, known);
    known.how.add(how);
    known.through.add(through);
  }

  get reach(): ModelReach {
    return {
      ...(this.#rows === undefined ? {} : { rows: listed(this.#rows) }),
      columns: new Map([...this.#columns].map(([column, from]) => [column, listed(from)])),
      isProven: false,
    };
  }
}
