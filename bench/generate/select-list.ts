import { type Column, type Relation, uniqueNames } from './columns.ts';
import {
  columnsInScope,
  type Derived,
  deriveAggregate,
  deriveScalar,
  deriveSum,
  deriveWindow,
  type Source,
} from './expressions.ts';
import type { Random } from './random.ts';

/** Text of one SELECT list, one item a line, and the relation it produces. */
export interface SelectList {
  readonly lines: readonly string[];
  readonly relation: Relation;
}

/** SQL texts of the unique key and the never-NULL date in the current scope. */
export interface Anchor {
  readonly key: { readonly sql: string; readonly name: string };
  readonly date: { readonly sql: string; readonly name: string };
}

/** What a SELECT list must contain besides its key and date. */
export interface ListWish {
  readonly sources: readonly Source[];
  readonly anchor: Anchor;
  readonly columnsWanted: number;
  readonly windowCount: number;
  readonly hasMacro: boolean;
  readonly derivedShare: number;
}

/** Marks a call of the shared macro; each tool's emitter replaces it by its own spelling. */
function ratioMark(numerator: string, denominator: string): string {
  return `‹ratio:${numerator}¦${denominator}›`;
}

/** A row-preserving SELECT list: key, date, then columns passed through and values derived from them. */
export function rowList(wish: ListWish, random: Random): SelectList {
  const builder = listBuilder(wish.anchor);
  const scope = columnsInScope(wish.sources);
  if (wish.hasMacro) builder.add(macroValue(scope, random));
  const over = {
    part: windowPartition(wish, random),
    order: `${wish.anchor.date.sql} DESC, ${wish.anchor.key.sql}`,
  };
  for (let i = 0; i < wish.windowCount; i++) builder.add(deriveWindow(wish.sources, over, random));
  const passable = scope.filter((c) => c.sql !== wish.anchor.key.sql && c.sql !== wish.anchor.date.sql);
  // Ids first: without foreign keys the models downstream could neither join nor aggregate.
  const ids = random.sample(
    passable.filter((c) => c.family === 'id'),
    3,
  );
  for (const column of ids) if (builder.size() < wish.columnsWanted) builder.pass(column);
  const queue = random.sample(
    passable.filter((c) => !ids.includes(c)),
    passable.length,
  );
  for (let tries = 0; builder.size() < wish.columnsWanted && tries < 400; tries++) {
    const column = random.chance(wish.derivedShare) ? undefined : queue.pop();
    if (column !== undefined) builder.pass(column);
    else {
      const derived = deriveScalar(wish.sources, random);
      if (derived !== undefined) builder.add(derived);
    }
  }
  return builder.done();
}

/** An aggregating SELECT list grouped by the anchor's key; its date is the latest of the group. */
export function groupList(wish: ListWish, random: Random): SelectList {
  const builder = listBuilder(wish.anchor);
  if (wish.hasMacro) {
    const sql = ratioMark(deriveSum(wish.sources, random), 'COUNT(*)');
    builder.add({ sql, name: 'ratio', family: 'double', isBounded: false });
  }
  while (builder.size() < wish.columnsWanted) builder.add(deriveAggregate(wish.sources, random));
  return builder.done();
}

function macroValue(scope: readonly (Column & { readonly sql: string })[], random: Random): Derived {
  const numbers = scope.filter((c) => c.family === 'decimal' || c.family === 'integer' || c.family === 'id');
  const sql = ratioMark(random.pick(numbers).sql, random.pick(numbers).sql);
  return { sql, name: 'ratio', family: 'double', isBounded: false };
}

function windowPartition(wish: ListWish, random: Random): string {
  const ids = columnsInScope(wish.sources).filter((c) => c.family === 'id' && c.sql !== wish.anchor.key.sql);
  return ids.length > 0 ? random.pick(ids).sql : wish.anchor.date.sql;
}

interface ListBuilder {
  readonly add: (derived: Derived) => void;
  readonly pass: (column: Column & { readonly sql: string }) => void;
  readonly size: () => number;
  readonly done: () => SelectList;
}

function listBuilder(anchor: Anchor): ListBuilder {
  const unique = uniqueNames();
  const columns: Column[] = [];
  const lines: string[] = [];
  const put = (sql: string, base: string, rest: Omit<Column, 'name'>): void => {
    const name = unique(base);
    const isPlain = sql.endsWith(`.${name}`) && /^\w+\.\w+$/.test(sql);
    lines.push(isPlain ? sql : `${sql} AS ${name}`);
    columns.push({ name, ...rest });
  };
  put(anchor.key.sql, anchor.key.name, { family: 'id', isBounded: true });
  put(anchor.date.sql, anchor.date.name, { family: 'date', isBounded: true });
  return {
    add: ({ sql, name, family, isBounded }) => put(sql, name, { family, isBounded }),
    pass: ({ sql, name, family, isBounded }) => put(sql, name, { family, isBounded }),
    size: () => columns.length,
    done: () => ({ lines, relation: { columns, key: columns[0]!.name, date: columns[1]!.name } }),
  };
}
