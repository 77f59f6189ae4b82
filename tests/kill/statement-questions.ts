/** What is asked while processes are killed: answers of every size, whose number of rows and last cell are known. */
export interface KillQuestion {
  readonly sql: string;
  readonly rows: number;
  /** First cell of the last row, where it can be said. */
  readonly last?: number;
  readonly isCancelled?: boolean;
  /** One that is not cancelled, because its server was killed before, must end some time. */
  readonly timeout?: number;
  /** Whether the answer is fetched as a Parquet file, which is made for it. */
  readonly isFetched?: boolean;
}

/** Results up to 64 kB lie in the state, larger ones in files. */
const BORDER_ROWS = 1_800;

export function questionOf(n: number): KillQuestion {
  const rowsOf = (rows: number): KillQuestion => ({
    sql: `SELECT i, 'row ' || (i + ${n}) AS word FROM range(${rows}) AS t(i)`,
    rows,
    last: rows - 1,
  });
  switch (n % 8) {
    case 0:
      return { sql: `SELECT ${n} + order_id FROM marts.orders`, rows: 4 };
    case 1:
      return rowsOf(10_000 + (n % 1_000));
    case 2:
      return { sql: `SELECT max(i * i % 7919) + ${n} FROM range(5000000) AS t(i)`, rows: 1 };
    case 3:
      // Asked by several at the same time.
      return { sql: `SELECT sum(i % 97) + ${Math.floor(n / 32)} FROM range(10000000) AS t(i)`, rows: 1 };
    case 4:
      return {
        sql: `SELECT sum(i % 89) + ${n} FROM range(3000000000) AS t(i)`,
        rows: 1,
        isCancelled: true,
        timeout: 2,
      };
    case 5:
      return rowsOf(60_000 + (n % 1_000));
    case 6:
      return rowsOf(BORDER_ROWS + (n % 1_800));
    default:
      return { ...rowsOf(30_000 + (n % 1_000)), isFetched: true };
  }
}
