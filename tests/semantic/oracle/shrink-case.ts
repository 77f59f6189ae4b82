/*
 * Makes a failing case small: rows are left out, tapes cut off and set to 0 (their simplest choice), in big pieces first.
 * What still fails stays, until nothing more can be left out or time is up.
 */

/** All choices of one case: tapes of numbers, and tables of rows that are tapes, too. */
export interface Shrinkable {
  readonly tapes: readonly (readonly number[])[];
  readonly tables: readonly (readonly (readonly number[])[])[];
}

export interface Shrinking<T extends Shrinkable, Failure> {
  readonly smallest: T;
  readonly failure: Failure;
  readonly attempts: number;
}

/** `fails` gives what went wrong, whatever it is; `mayGoOn` is asked before each attempt. */
export async function shrinkCase<Failure>(
  first: Shrinkable,
  failure: Failure,
  {
    fails,
    mayGoOn,
  }: {
    readonly fails: (smaller: Shrinkable) => Promise<Failure | undefined>;
    readonly mayGoOn: () => boolean;
  },
): Promise<Shrinking<Shrinkable, Failure>> {
  let smallest = first;
  let last = failure;
  let attempts = 0;
  const attempt = async (smaller: Shrinkable): Promise<boolean> => {
    if (sizeOf(smaller) >= sizeOf(smallest) || !mayGoOn()) return false;
    attempts++;
    const found = await fails(smaller);
    if (found === undefined) return false;
    smallest = smaller;
    last = found;
    return true;
  };
  const tape = async (
    read: () => readonly number[],
    write: (tape: readonly number[]) => Shrinkable,
  ): Promise<void> => {
    for (let cut = read().length; cut >= 1; cut = Math.floor(cut / 2))
      while (read().length >= cut && (await attempt(write(read().slice(0, read().length - cut)))));
    for (let size = Math.ceil(read().length / 2); size >= 1; size = Math.floor(size / 2))
      for (let at = 0; at < read().length; at += size)
        await attempt(write(read().map((choice, i) => (i >= at && i < at + size ? 0 : choice))));
  };
  for (let before = Number.POSITIVE_INFINITY; sizeOf(smallest) < before && mayGoOn(); ) {
    before = sizeOf(smallest);
    for (const t of smallest.tables.keys()) {
      const rows = (): Shrinkable['tables'][number] => smallest.tables[t] ?? [];
      for (let size = rows().length; size >= 1; size = Math.floor(size / 2))
        for (let at = 0; at < rows().length; )
          if (!(await attempt(withTable(smallest, t, rows().toSpliced(at, size))))) at += size;
    }
    for (const t of smallest.tapes.keys())
      await tape(
        () => smallest.tapes[t] ?? [],
        (changed) => ({ ...smallest, tapes: smallest.tapes.with(t, changed) }),
      );
    for (const t of smallest.tables.keys())
      for (const r of (smallest.tables[t] ?? []).keys())
        await tape(
          () => smallest.tables[t]?.[r] ?? [],
          (changed) => withTable(smallest, t, (smallest.tables[t] ?? []).with(r, changed)),
        );
  }
  return { smallest, failure: last, attempts };
}

const withTable = (choices: Shrinkable, t: number, rows: readonly (readonly number[])[]): Shrinkable => ({
  ...choices,
  tables: choices.tables.with(t, rows),
});

/** Zeros count as little as what is not there any more, nearly. */
function sizeOf({ tapes, tables }: Shrinkable): number {
  const tape = (choices: readonly number[]): number =>
    choices.length + 2 * choices.reduce((sum, choice) => sum + (choice === 0 ? 0 : 1), 0);
  const sum = (list: readonly (readonly number[])[]): number => list.reduce((all, one) => all + tape(one), 0);
  return sum(tapes) + tables.reduce((all, rows) => all + 1000 * rows.length + sum(rows), 0);
}
