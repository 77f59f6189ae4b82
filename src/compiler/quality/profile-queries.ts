/*
 * Queries of a profile. Measurements of many columns go into one query; each is also alone in `instead`, so that one that the
 * engine refuses spoils no other.
 */

/** A number or text about a column: an aggregate over all rows. */
export interface CellPart {
  /** `<place of the column>.<what>`: where the answer is found; several of an aggregate that answers with a list. */
  readonly key: string | readonly string[];
  readonly sql: string;
  /** Without it there is no profile. */
  readonly isNeeded?: true;
}

/** Some rows about a column: a SELECT whose first column is the key. */
export interface RowsPart {
  readonly key: string;
  /** Without the key: `select('…')` is given what stands first. */
  readonly sql: (first: string) => string;
  /** What it reads, computed once for all parts of a query that name it. */
  readonly reads?: { readonly name: string; readonly sql: string };
}

export interface ProfileQuery {
  readonly kind: 'cells' | 'rows';
  readonly sql: string;
  /** Of `cells`, in their order; several of a cell that is a list. */
  readonly keys: readonly (string | readonly string[])[];
  readonly instead: readonly ProfileQuery[];
  readonly isNeeded: boolean;
}

/** What was answered so far. A key that is missing could not be measured. */
export class ProfileAnswers {
  readonly #cells = new Map<string, unknown>();
  readonly #rows = new Map<string, (readonly unknown[])[]>();

  take({ kind, keys }: ProfileQuery, rows: readonly (readonly unknown[])[]): void {
    if (kind === 'cells') {
      for (const [index, key] of keys.entries()) this.#takeCell(key, rows[0]?.[index] ?? null);
      return;
    }
    for (const key of keys.flat()) this.#rows.set(key, []);
    for (const [key, ...row] of rows) this.#rows.get(String(key))?.push(row);
  }

  #takeCell(key: string | readonly string[], cell: unknown): void {
    if (typeof key === 'string') this.#cells.set(key, cell);
    else
      for (const [index, each] of key.entries()) this.#cells.set(each, (cell as unknown[] | null)?.[index]);
  }

  /** Undefined when it is not known, also when it is NULL. */
  number(key: string): number | undefined {
    const cell = this.#cells.get(key);
    if (cell === undefined || cell === null) return undefined;
    const number = Number(cell);
    return Number.isFinite(number) ? number : undefined;
  }

  text(key: string): string | undefined {
    const cell = this.#cells.get(key);
    return cell === undefined || cell === null ? undefined : String(cell);
  }

  rows(key: string): readonly (readonly unknown[])[] | undefined {
    return this.#rows.get(key);
  }
}

/** Aggregates over one table in as few queries as `size` expressions in each allow. */
export function cellQueries(parts: readonly CellPart[], from: string, size: number): readonly ProfileQuery[] {
  const query = (own: readonly CellPart[]): ProfileQuery => ({
    kind: 'cells',
    sql: `SELECT ${own.map(({ sql }, index) => `${sql} AS c${index}`).join(', ')} FROM ${from}`,
    keys: own.map(({ key }) => key),
    instead: own.length === 1 ? [] : own.map((part) => query([part])),
    isNeeded: own.some((part) => part.isNeeded === true),
  });
  return chunks(parts, size).map(query);
}

/** Rows about columns, `size` columns in each query; the parts of a column stay together. */
export function rowQueries(columns: readonly (readonly RowsPart[])[], size: number): readonly ProfileQuery[] {
  const query = (own: readonly RowsPart[]): ProfileQuery => {
    const read = new Map(own.flatMap(({ reads }) => (reads === undefined ? [] : [[reads.name, reads.sql]])));
    const named = [...read].map(([name, sql]) => `${name} AS (${sql})`);
    const selects = own.map(({ key, sql }) => sql(`'${key}' AS part`)).join(' UNION ALL ');
    return {
      kind: 'rows',
      sql: `${named.length === 0 ? '' : `WITH ${named.join(', ')} `}${selects}`,
      keys: own.map(({ key }) => key),
      instead: own.length === 1 ? [] : own.map((part) => query([part])),
      isNeeded: false,
    };
  };
  return chunks(columns, size).map((each) => query(each.flat()));
}

function chunks<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  );
}
