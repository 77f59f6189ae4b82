/**
 * Whatever the categoriser proves holds in DuckDB. Random queries and random edits of them run over random tables with NULLs,
 * duplicates and floating-point numbers; where something else than `same` was proven, the edited query runs over the same rows in another physical order,
 * because it would be built again.
 */
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compareQueries, compareRebuilt } from '../../../src/compiler/plan/categorize/compare-queries.ts';
import type { ComparedModel, QueryChange } from '../../../src/compiler/plan/categorize/query-change.ts';
import { reach } from '../../../src/compiler/plan/categorize/reach.ts';
import { IS_LONG } from '../../support/long-form.ts';
import { compared } from '../compared-model.ts';
import { randomEdit } from '../random-edit.ts';
import { isFloating, randomQuery, TABLES, Tape } from '../random-query.ts';
import { queryText } from '../random-query-text.ts';

const EDITS = IS_LONG ? 20_000 : 1_600;
const READERS = IS_LONG ? 6_000 : 450;
const CHAINS = IS_LONG ? 1_500 : 250;
const SEED = Number(process.env.PLINTH_SEED ?? 20_261_116);
const DATASETS = IS_LONG ? 2 : 1;

let instance: DuckDBInstance;
let connection: DuckDBConnection;
/** One connection for each schema. */
const connections = new Map<string, DuckDBConnection>();

/** A small generator of its own, so that data does not shrink with the queries. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

type Cell = number | null;
type Data = Readonly<
  Record<string, { readonly columns: readonly string[]; readonly rows: readonly (readonly Cell[])[] }>
>;

function randomData(seed: number): Data {
  const random = numbers(seed);
  const entries = Object.entries(TABLES).map(([name, columns]) => {
    const rows = Array.from({ length: 7 }, () =>
      columns.map((column) => (random() < 0.2 ? null : cellOf(column, random))),
    );
    return [name, { columns, rows: [...rows, ...rows.slice(0, 2)] }] as const;
  });
  return Object.fromEntries(entries);
}

/** Few whole numbers, so that rows meet; where the column is floating, fractions whose sum shows the order they came in. */
function cellOf(column: string, random: () => number): number {
  const whole = Math.floor(random() * 4);
  return isFloating(column) ? [0.1, 1e16, -1e16, 3][whole]! : whole;
}

const typeOf = (column: string): string => (isFloating(column) ? 'DOUBLE' : 'BIGINT');

/** Types of the columns of all tables, as the comparison knows them. */
const typesOf = (tables: Readonly<Record<string, readonly string[]>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(tables).flatMap(([table, columns]) =>
      columns.map((column) => [`${table}.${column}`, typeOf(column)]),
    ),
  );

function typed(query: string, tables: Readonly<Record<string, readonly string[]>> = TABLES): ComparedModel {
  return compared(query, tables, { types: typesOf(tables) });
}

async function store(schema: string, data: Data): Promise<void> {
  await connection.run(`CREATE SCHEMA ${schema}`);
  const own = await instance.connect();
  await own.run(`SET schema = '${schema}'`);
  connections.set(schema, own);
  for (const [name, { columns, rows }] of Object.entries(data)) {
    await connection.run(
      `CREATE TABLE ${schema}.${name} (${columns.map((column) => `${column} ${typeOf(column)}`).join(', ')})`,
    );
    const values = rows.map((row) => `(${row.map((cell) => cell ?? 'NULL').join(', ')})`);
    await connection.run(`INSERT INTO ${schema}.${name} VALUES ${values.join(', ')}`);
  }
}

function shuffled(data: Data): Data {
  return Object.fromEntries(
    Object.entries(data).map(([name, { columns, rows }]) => [name, { columns, rows: [...rows].reverse() }]),
  );
}

beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  connection = await instance.connect();
});

afterAll(() => {
  for (const each of [connection, ...connections.values()]) each.closeSync();
  instance.closeSync();
});

interface Answer {
  readonly names: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** What DuckDB answers, or undefined when it refuses. */
async function run(sql: string, schema: string): Promise<Answer | undefined> {
  try {
    const reader = await (connections.get(schema) as DuckDBConnection).runAndReadAll(sql);
    return {
      names: reader.columnNames().map((name) => name.toLowerCase()),
      rows: reader.getRows().map((row) => row.map(String)),
    };
  } catch {
    return undefined;
  }
}

/** The rows as a multiset, projected on some columns. */
function multiset(answer: Answer, columns: readonly string[]): string {
  const places = columns.map((name) => answer.names.indexOf(name));
  return answer.rows
    .map((row) => places.map((at) => row[at]).join('|'))
    .sort()
    .join('\n');
}

/**
 * Columns that the change leaves alone, or undefined when it proves nothing. What is the same is not built again: when it is
 * here, only what is settled without a choice of the engine can be compared.
 */
function claimed(change: QueryChange, before: Answer, settled: QueryChange): readonly string[] | undefined {
  if (change.kind === 'rows' || (change.kind === 'same' && settled.kind === 'rows')) return undefined;
  const unsettled = change.kind === 'same' ? settled.changed : [];
  return before.names.filter((name) => ![...change.changed, ...change.removed, ...unsettled].includes(name));
}

const tally = new Map<string, Map<string, number>>();

function count(kind: string, answer: string): void {
  const row = tally.get(kind) ?? new Map<string, number>();
  tally.set(kind, row);
  row.set(answer, (row.get(answer) ?? 0) + 1);
}

/** Prints how often each answer came by kind of edit, and of the edits that changed nothing how many were seen. */
function report(title: string): { readonly unchanged: number; readonly seen: number } {
  const lines = [title];
  let [unchanged, seen] = [0, 0];
  for (const [kind, row] of [...tally].sort()) {
    const of = (answer: string): number => row.get(answer) ?? 0;
    unchanged += of('unchanged');
    seen += of('unchanged seen');
    lines.push(
      `  ${kind.padEnd(24)} same ${of('same')} additive ${of('additive')} columns ${of('columns')} rows ${of('rows')} | kept in fact ${of('unchanged')}, proven ${of('unchanged seen')} | refused by DuckDB ${of('refused')}`,
    );
  }
  lines.push(`  of ${unchanged} edits that kept all columns in fact, ${seen} were proven`);
  process.stderr.write(`${lines.join('\n')}\n`);
  tally.clear();
  return { unchanged, seen };
}

const numbersOf = (length: number): fc.Arbitrary<number[]> =>
  fc.noBias(fc.array(fc.nat({ max: 10_000 }), { minLength: length / 2, maxLength: length, size: 'max' }));
/** What decodes to a query, and what to an edit. */
const tapes = fc.tuple(numbersOf(160), numbersOf(40));

interface Checked {
  readonly kind: string;
  readonly change: QueryChange;
  readonly words: string;
  readonly before: string;
  /** What is asked of a schema after the change. */
  readonly after: string;
  /** What building the old query again may change. */
  readonly settled: QueryChange;
  /** Where the old query runs, and where the new one does, with rows in another order. */
  readonly schemas: readonly { readonly old: string; readonly rebuilt: string }[];
}

/** Fails when a proven claim does not hold; counts the answer, and whether all old columns were kept in fact. */
async function check({ kind, change, words, before, after, settled, schemas }: Checked): Promise<void> {
  count(kind, change.kind);
  let isKeptInFact = true;
  for (const { old: oldSchema, rebuilt } of schemas) {
    const old = await run(before, oldSchema);
    const now = old && (await run(after, rebuilt));
    if (old === undefined || now === undefined) return count(kind, 'refused');
    const columns = claimed(change, old, settled);
    if (columns !== undefined) {
      const isKept = multiset(old, columns) === multiset(now, columns) && (change.kind !== 'same' || old.names.join() === now.names.join()); // biome-ignore format: one question
      if (!isKept) expect.fail(`${kind}: said ${JSON.stringify(change)}\n${words}`);
    }
    // Nobody builds what is the same: whatever ORDER BY chooses must be what it chose before.
    if (change.kind === 'same' && kind === 'change order' && !before.includes('random()')) {
      const again = await run(after, oldSchema);
      if (again === undefined || multiset(old, old.names) !== multiset(again, old.names))
        expect.fail(`${kind}: said ${JSON.stringify(change)} where nothing is built again\n${words}`);
    }
    if (multiset(old, old.names) !== multiset(now, old.names)) isKeptInFact = false;
  }
  if (isKeptInFact) count(kind, 'unchanged');
  if (isKeptInFact && (change.kind === 'same' || change.kind === 'additive')) count(kind, 'unchanged seen');
}

describe('a proven change', () => {
  it(`keeps what it says it keeps, in ${EDITS} random edits`, { timeout: 3_600_000 }, async () => {
    const schemas: Checked['schemas'][number][] = [];
    for (let at = 0; at < DATASETS; at++) {
      const data = randomData(SEED + at);
      await store(`d${at}`, data);
      await store(`r${at}`, shuffled(data));
      schemas.push({ old: `d${at}`, rebuilt: `r${at}` });
    }
    await fc.assert(
      fc.asyncProperty(tapes, async ([queryTape, editTape]) => {
        const query = randomQuery(new Tape(queryTape));
        const edit = randomEdit(query, new Tape(editTape));
        if (edit === undefined) return;
        const [before, after] = [queryText(query), queryText(edit.query)];
        const change = compareQueries(typed(before), typed(after));
        await check({
          kind: edit.kind,
          change,
          settled: compareRebuilt(typed(before)),
          words: `before ${before}\nafter  ${after}`,
          before,
          after,
          schemas,
        });
      }),
      { numRuns: EDITS, seed: SEED },
    );
    const { unchanged, seen } = report(`compareQueries, ${EDITS} edits`);
    expect(seen / unchanged).toBeGreaterThan(0.25);
  });
});

/** Half of what readers read is `t`. */
const READ = { t: TABLES.t as readonly string[], u: TABLES.u as readonly string[] };

/** Ways in which the table `t` can change under its readers. */
const EFFECTS: readonly {
  readonly what: string;
  readonly columns: readonly string[];
  readonly changed: readonly string[];
}[] = [
  { what: 'added column', columns: ['a', 'b', 'x', 'k', 'extra'], changed: [] },
  { what: 'added column y', columns: ['a', 'b', 'x', 'k', 'y'], changed: [] },
  { what: 'added column c in front', columns: ['c', 'a', 'b', 'x', 'k'], changed: [] },
  { what: 'moved columns', columns: ['k', 'x', 'b', 'a'], changed: [] },
  { what: 'removed column b', columns: ['a', 'x', 'k'], changed: [] },
  { what: 'changed column a', columns: ['a', 'b', 'x', 'k'], changed: ['a'] },
  { what: 'changed column x', columns: ['a', 'b', 'x', 'k'], changed: ['x'] },
  { what: 'changed columns b, x; added n', columns: ['a', 'b', 'x', 'k', 'n'], changed: ['b', 'x'] },
  { what: 'changed rows', columns: ['a', 'b', 'x', 'k'], changed: ['a', 'b', 'x', 'k'] },
];

function effectOf({ what, columns, changed }: (typeof EFFECTS)[number]): QueryChange {
  const old = TABLES.t as readonly string[];
  const added = columns.filter((name) => !old.includes(name));
  const removed = old.filter((name) => !columns.includes(name));
  const kind =
    what === 'changed rows' ? 'rows' : changed.length + removed.length > 0 ? 'columns' : 'additive';
  return { kind, added, removed, changed: kind === 'rows' ? [] : changed, reason: what };
}

/** The data with `t` changed: columns that stay keep their values row by row. */
function changedData(data: Data, effect: (typeof EFFECTS)[number], seed: number): Data {
  const random = numbers(seed);
  const t = data.t as Data[string];
  const rows = t.rows.map((row) =>
    effect.columns.map((name): Cell => {
      const at = t.columns.indexOf(name);
      return at >= 0 && !effect.changed.includes(name) ? (row[at] as Cell) : cellOf(name, random);
    }),
  );
  const isRows = effect.what === 'changed rows';
  return { ...data, t: { columns: effect.columns, rows: isRows ? rows.slice(1) : rows } };
}

describe('a change of a table', () => {
  it(`reaches no more of its readers than it says, in ${READERS} pairs`, { timeout: 3_600_000 }, async () => {
    const data = randomData(SEED + 7);
    await store('before', data);
    for (const [at, effect] of EFFECTS.entries())
      await store(`e${at}`, shuffled(changedData(data, effect, SEED + at)));
    await fc.assert(
      fc.asyncProperty(numbersOf(160), fc.nat({ max: EFFECTS.length - 1 }), async (tape, at) => {
        const effect = EFFECTS[at] as (typeof EFFECTS)[number];
        const child = queryText(randomQuery(new Tape(tape), READ));
        const tables = { ...TABLES, t: effect.columns };
        const change = reach(
          { table: 't', change: effectOf(effect), columnsBefore: TABLES.t as readonly string[] },
          typed(child, tables),
        );
        const settled = compareRebuilt(typed(child));
        const schemas = [{ old: 'before', rebuilt: `e${at}` }];
        await check({
          kind: effect.what,
          change,
          settled,
          words: child,
          before: child,
          after: child,
          schemas,
        });
      }),
      { numRuns: READERS, seed: SEED },
    );
    const { unchanged, seen } = report(`reach, ${READERS} readers`);
    expect(seen / unchanged).toBeGreaterThan(0.25);
  });
});

describe('a change of a model and its reader', () => {
  it(`holds from one to the other, in ${CHAINS} pairs`, { timeout: 3_600_000 }, async () => {
    const data = randomData(SEED + 9);
    await store('source', data);
    await store('source_moved', shuffled(data));
    await store('one', data);
    await store('two', shuffled(data));
    /** Makes the model's table in a schema, from the tables of another. */
    const make = async (query: string, source: string, schema: string): Promise<boolean> => {
      try {
        await (connections.get(source) as DuckDBConnection).run(
          `CREATE OR REPLACE TABLE ${schema}.p AS ${query}`,
        );
        return true;
      } catch {
        return false;
      }
    };
    await fc.assert(
      fc.asyncProperty(tapes, numbersOf(160), async ([queryTape, editTape], childTape) => {
        const query = randomQuery(new Tape(queryTape));
        const edit = randomEdit(query, new Tape(editTape));
        if (edit === undefined) return;
        const [before, after] = [queryText(query), queryText(edit.query)];
        const change = compareQueries(typed(before), typed(after));
        if (change.kind === 'same') return;
        const isMade = (await make(before, 'source', 'one')) && (await make(after, 'source_moved', 'two'));
        if (!isMade) return;
        const columns = async (schema: string): Promise<readonly string[]> =>
          ((await run(`SELECT * FROM ${schema}.p LIMIT 0`, schema)) as Answer).names;
        const [columnsBefore, columnsAfter] = [await columns('one'), await columns('two')];
        const child = queryText(
          randomQuery(new Tape(childTape), { p: columnsBefore, u: TABLES.u as readonly string[] }),
        );
        const reached = reach(
          { table: 'p', change, columnsBefore },
          compared(child, { ...TABLES, p: columnsAfter }, { types: typesOf(TABLES) }),
        );
        const schemas = [{ old: 'one', rebuilt: 'two' }];
        await check({
          kind: `${change.kind} → reader`,
          change: reached,
          settled: compareRebuilt(
            compared(child, { ...TABLES, p: columnsBefore }, { types: typesOf(TABLES) }),
          ),
          words: `before ${before}\nafter  ${after}\nparent ${JSON.stringify(change)}\nchild  ${child}`,
          before: child,
          after: child,
          schemas,
        });
      }),
      { numRuns: CHAINS, seed: SEED },
    );
    const { unchanged, seen } = report(`compareQueries, then reach, ${CHAINS} pairs`);
    expect(seen / unchanged).toBeGreaterThan(0.25);
  });
});
