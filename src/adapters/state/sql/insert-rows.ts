import type { SqlValue, StateSql, Steps } from './state-sql.ts';

/** A way to a server and back costs more than a row does; few lengths, so that few statements are prepared. */
const TOGETHER = [64, 8, 1];

export interface Insertion {
  readonly table: string;
  readonly columns: readonly string[];
  /** What follows `ON CONFLICT`; absent: a conflict is an error. */
  readonly onConflict?: string;
}

/** Inserts many rows of one table. With a conflict that updates, no two may have the same key. */
export function* insertRows(
  state: StateSql,
  { table, columns, onConflict }: Insertion,
  rows: readonly (readonly SqlValue[])[],
): Steps<void> {
  const one = `(${columns.map(() => '?').join(', ')})`;
  const end = onConflict === undefined ? '' : ` ON CONFLICT ${onConflict}`;
  for (let at = 0; at < rows.length; ) {
    const count = TOGETHER.find((each) => each <= rows.length - at) ?? 1;
    const values = Array.from({ length: count }, () => one).join(', ');
    yield* state.run(
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${values}${end}`,
      ...rows.slice(at, at + count).flat(),
    );
    at += count;
  }
}
