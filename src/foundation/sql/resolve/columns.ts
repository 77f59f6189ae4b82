/**
 * What flows through a query.
 *
 *   Leaf      one column of a table outside the query; remembers whether anything read it
 *   Column    something with a name and a type that can be selected, and the leaves its values come from
 *   Flow      gathers leaves while an expression is being typed
 */
import type { ColumnSource, TableColumns, Transformation } from '../query-facts.ts';
import type { Span } from '../tree.ts';
import { BIGINT, type SqlType, UNKNOWN } from '../types/sql-type.ts';
import { parseType } from '../types/type-names.ts';

export interface LeafColumn {
  readonly table: string;
  readonly column: string;
  isRead: boolean;
  /** This leaf alone, as facts show it; made when first needed, because most columns have one source. */
  alone: readonly ColumnSource[] | undefined;
}

export interface ScopeColumn {
  readonly name: string;
  /** The name in lower case: names are compared without regard to case. */
  readonly key: string;
  readonly type: SqlType;
  readonly sources: readonly LeafColumn[];
  readonly transformation: Transformation;
  /** Set when this is the table's own column, so that using it counts as reading it. */
  readonly leaf?: LeafColumn;
  readonly span?: Span;
}

export const NO_SOURCES: readonly LeafColumn[] = [];

/** A column that only an open relation can have: a query names it, and its table does not list it. */
export function unknownColumn(name: string): ScopeColumn {
  return { name, key: name.toLowerCase(), type: UNKNOWN, sources: NO_SOURCES, transformation: 'derived' };
}

/** The leaves an expression's value is made of; the first set is borrowed, a second one makes it copy. */
export class Flow {
  sources: readonly LeafColumn[] = NO_SOURCES;
  isAggregated = false;
  private seen: Set<LeafColumn> | undefined;

  add(column: ScopeColumn): void {
    if (column.transformation === 'aggregated') this.isAggregated = true;
    this.addSources(column.sources);
  }

  addSources(sources: readonly LeafColumn[]): void {
    if (sources.length === 0 || sources === this.sources) return;
    if (this.sources.length === 0) {
      this.sources = sources;
      return;
    }
    this.seen ??= new Set(this.sources);
    const before = this.seen.size;
    for (const leaf of sources) this.seen.add(leaf);
    if (this.seen.size !== before) this.sources = [...this.seen];
  }
}

/** For expressions whose values go nowhere (filters, join conditions): their columns decide which rows there are. */
export class Deciders extends Flow {
  readonly leaves = new Set<LeafColumn>();

  override add(column: ScopeColumn): void {
    this.addSources(column.sources);
  }

  override addSources(sources: readonly LeafColumn[]): void {
    for (const leaf of sources) this.leaves.add(leaf);
  }
}

/** Counts a column as read and lets its value flow. */
export function use(column: ScopeColumn, flow: Flow): SqlType {
  if (column.leaf !== undefined) column.leaf.isRead = true;
  flow.add(column);
  return column.type;
}

/** All leaves of several sets, once each. */
export function mergeSources(a: readonly LeafColumn[], b: readonly LeafColumn[]): readonly LeafColumn[] {
  if (a === b || b.length === 0) return a;
  if (a.length === 0) return b;
  const all = new Set(a);
  for (const leaf of b) all.add(leaf);
  return all.size === a.length ? a : [...all];
}

const RANK: Readonly<Record<Transformation, number>> = { identity: 0, derived: 1, aggregated: 2 };

/** The stronger of two transformations: what a column is when it is made by both. */
export function stronger(a: Transformation, b: Transformation): Transformation {
  return RANK[a] >= RANK[b] ? a : b;
}

/** A table outside the query, with the leaves the query has touched so far. */
export class TableReads {
  readonly name: string;
  readsAll = false;
  private readonly leaves = new Map<string, LeafColumn>();

  constructor(name: string) {
    this.name = name;
  }

  leaf(column: string): LeafColumn {
    const key = column.toLowerCase();
    let leaf = this.leaves.get(key);
    if (leaf === undefined) {
      leaf = { table: this.name, column, isRead: false, alone: undefined };
      this.leaves.set(key, leaf);
    }
    return leaf;
  }

  readColumns(): string[] {
    const names: string[] = [];
    for (const leaf of this.leaves.values()) if (leaf.isRead) names.push(leaf.column);
    return names.sort();
  }
}

interface Prepared {
  readonly types: (SqlType | undefined)[];
  readonly index: ReadonlyMap<string, number>;
}

const prepared = new WeakMap<TableColumns, Prepared>();

function prepare(schema: TableColumns): Prepared {
  let known = prepared.get(schema);
  if (known === undefined) {
    const index = new Map<string, number>();
    schema.columns.forEach((column, at) => {
      const key = column.name.toLowerCase();
      if (!index.has(key)) index.set(key, at);
    });
    known = { types: new Array(schema.columns.length), index };
    prepared.set(schema, known);
  }
  return known;
}

/** Something in FROM that columns are taken from. */
export interface FromItem {
  /** Lower-case; empty when it has no name. */
  readonly name: string;
  /** `catalog.schema.table` in lower case for a table without an alias. */
  readonly path: readonly string[];
  /** Tables whose unknown columns show through; undefined when all columns are known. */
  readonly open: readonly TableReads[] | undefined;
  /** Names of columns that a USING join shows through its left side only. */
  hidden: Set<string> | undefined;
  find(key: string): ScopeColumn | undefined;
  all(): readonly ScopeColumn[];
}

/** Tables have it although no schema lists it. */
const ROW_ID: ScopeColumn = {
  name: 'rowid',
  key: 'rowid',
  type: BIGINT,
  sources: NO_SOURCES,
  transformation: 'derived',
};

/** A table whose schema is known: its columns come into being when they are asked for. */
export class TableFromItem implements FromItem {
  readonly name: string;
  readonly path: readonly string[];
  readonly open = undefined;
  readonly use: TableReads;
  hidden: Set<string> | undefined;
  private readonly schema: TableColumns;
  private readonly prepared: Prepared;
  private readonly made: (ScopeColumn | undefined)[] = [];

  constructor(name: string, path: readonly string[], use: TableReads, schema: TableColumns) {
    this.name = name;
    this.path = path;
    this.use = use;
    this.schema = schema;
    this.prepared = prepare(schema);
  }

  find(key: string): ScopeColumn | undefined {
    const at = this.prepared.index.get(key);
    if (at !== undefined) return this.at(at);
    return key === 'rowid' ? ROW_ID : undefined;
  }

  all(): readonly ScopeColumn[] {
    return this.schema.columns.map((_, at) => this.at(at));
  }

  private at(at: number): ScopeColumn {
    let column = this.made[at];
    if (column === undefined) {
      const { name, type: text } = this.schema.columns[at] as TableColumns['columns'][number];
      let type = this.prepared.types[at];
      if (type === undefined) {
        type = parseType(text);
        this.prepared.types[at] = type;
      }
      const leaf = this.use.leaf(name);
      column = { name, key: name.toLowerCase(), type, sources: [leaf], transformation: 'identity', leaf };
      this.made[at] = column;
    }
    return column;
  }
}

/** Any relation whose columns are listed, and perhaps others that are unknown. */
export class ListedFromItem implements FromItem {
  readonly name: string;
  readonly path: readonly string[];
  readonly open: readonly TableReads[] | undefined;
  hidden: Set<string> | undefined;
  private readonly columns: readonly ScopeColumn[];
  private index: Map<string, ScopeColumn> | undefined;
  private readonly foreign = new Map<string, ScopeColumn>();

  constructor(
    name: string,
    columns: readonly ScopeColumn[],
    open: readonly TableReads[] | undefined,
    path: readonly string[] = [],
  ) {
    this.name = name;
    this.columns = columns;
    this.open = open;
    this.path = path;
  }

  find(key: string): ScopeColumn | undefined {
    if (this.index === undefined) {
      this.index = new Map();
      for (const column of this.columns) if (!this.index.has(column.key)) this.index.set(column.key, column);
    }
    return this.index.get(key);
  }

  all(): readonly ScopeColumn[] {
    return this.columns;
  }

  /** A column that the open part may have; it comes from the open table when there is only one. */
  assume(name: string): ScopeColumn {
    const key = name.toLowerCase();
    let column = this.foreign.get(key);
    if (column === undefined) {
      const table = this.open?.length === 1 ? this.open[0] : undefined;
      if (table === undefined) column = unknownColumn(name);
      else {
        const leaf = table.leaf(name);
        column = { name, key, type: UNKNOWN, sources: [leaf], transformation: 'identity', leaf };
      }
      this.foreign.set(key, column);
    }
    return column;
  }
}
