/**
 * Whatever the categoriser proves holds in DuckDB. Random queries and random edits of them run over random tables with NULLs and
 * duplicates; where something else than `same` was proven, the edited query runs over the same rows in another physical order,
 * because it would be built again.
 */
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compareQueries } from '../src/compiler/plan/categorize/compare-queries.ts';
import { compared } from '../src/compiler/plan/categorize/compared-model.test-support.ts';
import type { QueryChange } from '../src/compiler/plan/categorize/query-change.ts';
import { randomEdit } from '../src/compiler/plan/categorize/random-edit.test-support.ts';
import { randomQuery, TABLES, Tape } from '../src/compiler/plan/categorize/random-query.test-support.ts';
import { queryText } from '../src/compiler/plan/categorize/random-query-text.test-support.ts';
import { reach } from '../src/compiler/plan/categorize/reach.ts';

const IS_LONG = process.env.PLINTH_CAMPAIGN === '1';
const PAIRS = IS_LONG ? 30_000 : 1_500;
const SEED = Number(process.env.PLINTH_SEED ?? 20_261_116);
const DATASETS = IS_LONG ? 3 : 2;

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
  const cell = (): Cell => (random() < 0.2 ? null : Math.floor(random() * 4));
  const entries = Object.entries(TABLES).map(([name, columns]) => {
    const rows = Array.from({ length: 7 }, () => columns.map(cell));
    return [name, { columns, rows: [...rows, ...rows.slice(0, 2)] }] as const;
  });
  return Object.fromEntries(entries);
}

async function store(schema: string, data: Data): Promise<void> {
  await connection.run(`CREATE SCHEMA ${schema}`);
  const own = await instance.connect();
  await own.run(`SET schema = '${schema}'`);
  connections.set(schema, own);
  for (const [name, { columns, rows }] of Object.entries(data)) {
    await connection.run(
      `CREATE TABLE ${schema}.${name} (${columns.map((column) => `${column} BIGINT`).join(', ')})`,
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

/** Columns that the change leaves alone, or undefined when it proves nothing. */
function claimed(change: QueryChange, before: Answer): readonly string[] | undefined {
  if (change.kind === 'rows') return undefined;
  return before.names.filter((name) => !change.changed.includes(name) && !change.removed.includes(name));
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

describe('a proven change', () => {
  it(`keeps what it says it keeps, in ${PAIRS} random edits`, { timeout: 3_600_000 }, async () => {
    for (let at = 0; at < DATASETS; at++) {
      const data = randomData(SEED + at);
      await store(`d${at}`, data);
      await store(`r${at}`, shuffled(data));
    }
    await fc.assert(
      fc.asyncProperty(tapes, async ([queryTape, editTape]) => {
        const query = randomQuery(new Tape(queryTape));
        const edit = randomEdit(query, new Tape(editTape));
        if (edit === undefined) return;
        const [before, after] = [queryText(query), queryText(edit.query)];
        const change = compareQueries(compared(before, TABLES), compared(after, TABLES));
        count(edit.kind, change.kind);
        let keptInFact = true;
        for (let at = 0; at < DATASETS; at++) {
          const old = await run(before, `d${at}`);
          const rebuilt = await run(after, change.kind === 'same' ? `d${at}` : `r${at}`);
          if (old === undefined || rebuilt === undefined) return count(edit.kind, 'refused');
          const columns = claimed(change, old);
          if (columns !== undefined) {
            const isKept =
              multiset(old, columns) === multiset(rebuilt, columns) &&
              (change.kind !== 'same' || old.names.join() === rebuilt.names.join());
            // What the engine chooses itself stays as it was built: `same` is no promise about building it twice.
            const moved = isKept || change.kind !== 'same' ? undefined : await run(before, `r${at}`);
            const isChosen = moved !== undefined && multiset(old, columns) !== multiset(moved, columns);
            if (!isKept && !isChosen && !(change.kind === 'same' && before.includes('random()')))
              expect.fail(`${edit.kind}: said ${JSON.stringify(change)}\nbefore ${before}\nafter  ${after}`);
          }
          if (multiset(old, old.names) !== multiset(rebuilt, old.names)) keptInFact = false;
        }
        if (keptInFact) count(edit.kind, 'unchanged');
        if (keptInFact && (change.kind === 'same' || change.kind === 'additive'))
          count(edit.kind, 'unchanged seen');
      }),
      { numRuns: PAIRS, seed: SEED, endOnFailure: false },
    );
    const { unchanged, seen } = report(`compareQueries, ${PAIRS} edits`);
    expect(seen / unchanged).toBeGreaterThan(0.25);
  });
});
void reach;
