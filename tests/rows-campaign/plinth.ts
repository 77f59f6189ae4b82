/** The product, driven in this process as its commands drive it: real files, a real warehouse behind its keeper, a real state. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Failure } from '../../src/domain/failure.ts';
import type { ModelStatus } from '../../src/domain/model-status.ts';
import type { Plan, PlanOptions } from '../../src/domain/plan.ts';
import type { Run, RunEvent } from '../../src/domain/run.ts';
import type { UserCode } from '../../src/domain/user-code.ts';
import type { Diagnostic } from '../../src/foundation/diagnostics/diagnostic.ts';
import { closeStatements } from '../../src/operations/ask/close-statements.ts';
import { submitStatement } from '../../src/operations/ask/submit-statement.ts';
import { apply } from '../../src/operations/change/apply.ts';
import { dueWork } from '../../src/operations/change/due-work.ts';
import { invalidate } from '../../src/operations/change/invalidate.ts';
import { janitor } from '../../src/operations/change/janitor.ts';
import { janitorWork } from '../../src/operations/change/janitor-work.ts';
import { plan } from '../../src/operations/change/plan.ts';
import { planRollback } from '../../src/operations/change/plan-rollback.ts';
import { run } from '../../src/operations/change/run.ts';
import { status } from '../../src/operations/change/status.ts';
import type { OpenedWorld } from '../../src/operations/open-world.ts';
import type { Platform, Product } from '../../src/operations/platform.ts';
import { loadProject } from '../../src/operations/project/load-project.ts';
import { openPlatform } from '../../src/operations/serve/open-platform.ts';
import { type Faults, Killed, withFaults } from '../support/execution-faults.ts';
import { shiftedClock } from '../support/execution-support.ts';
import { ADMIN, PLAN_OPTIONS } from '../support/served-product.ts';
import { type Held, isHeld, NOTHING_HELD } from './due.ts';
import type { SeenEntry, SeenWrite } from './oracle.ts';
import { type Cell, type Columns, cellOf, daysOf, msOf, type Row } from './values.ts';

/** What came of a command. */
export interface Outcome {
  /** Codes and words of a refusal: nothing was begun. */
  readonly refusal?: { readonly code: string; readonly text: string };
  readonly plan?: Plan;
  readonly run?: Run;
  /** Models that a run leaves alone because their rows were made from something else than is shown. */
  readonly behind?: readonly string[];
  /** Everything that was told, as one text. */
  readonly told: string;
  readonly wasKilled: boolean;
}

/** What a view shows. */
export interface SeenRows {
  readonly names: readonly string[];
  readonly rows: readonly Row[];
}

export interface Commanded {
  readonly environment: string;
  /** Execution time in days. */
  readonly now: number;
}

const LEASE_MS = 10_000;
const WAIT_MS = 60_000;
const WHOLE_END = 253_402_300_800_000;

/** One folder with its warehouse and state. */
export class Plinth {
  readonly #folder: string;
  readonly #platform: Platform;
  readonly #product: Product;
  readonly #clock: ReturnType<typeof shiftedClock>;
  #written = new Map<string, string>();
  readonly #seen = new Set<string>();
  #lateNames = 0;
  held: Held = NOTHING_HELD;

  private constructor(folder: string, platform: Platform, product: Product) {
    this.#folder = folder;
    this.#platform = platform;
    this.#clock = shiftedClock();
    this.#product = {
      ...product,
      world: { ...product.world, clock: this.#clock, userCodeOf: () => this.#signals() },
    };
  }

  static async open(files: Readonly<Record<string, string>>): Promise<Plinth> {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'plinth-rows-')));
    writeInto(folder, Object.entries(files));
    const platform = await openPlatform({ folders: [folder], variables: {}, executionTime: msOf(0) });
    const [product] = platform.products;
    if (product === undefined) throw new Error('nothing is served');
    return new Plinth(folder, platform, product);
  }

  get #world(): OpenedWorld {
    return this.#product.world;
  }

  /** Makes the folder what the files say. */
  write(files: Readonly<Record<string, string>>): void {
    const changed = Object.entries(files).filter(([path, text]) => this.#written.get(path) !== text);
    writeInto(this.#folder, changed);
    for (const path of this.#written.keys())
      if (files[path] === undefined) rmSync(join(this.#folder, path), { force: true });
    this.#written = new Map(Object.entries(files));
  }

  /** What another program than Plinth does to the warehouse. */
  execute(sql: string): Promise<void> {
    return this.#world.engine.write([], (session) => session.execute(sql));
  }

  async plan(
    { environment, now }: Commanded,
    options: Partial<PlanOptions> & { readonly isPreview?: boolean } = {},
  ): Promise<Outcome> {
    const { isPreview = false, ...given } = options;
    return outcomeOf(async (told) => {
      const workspace = { ...this.#product.workspace, executionTime: msOf(now) };
      const loaded = await loadProject(workspace);
      const world = Promise.resolve(this.#world);
      const planned = await plan(workspace, loaded, {
        world,
        environment,
        options: { ...PLAN_OPTIONS, ...given },
      });
      told.push(...planned.diagnostics.map(wordsOf));
      if (planned.plan === undefined) return { refusal: refusalOf(planned.diagnostics) };
      if (isPreview || planned.plan.stages.length === 0) return { plan: planned.plan };
      const events = apply(this.#world, planned.plan, { who: 'the campaign' });
      return { plan: planned.plan, ...(await this.#follow(events, told)) };
    });
  }

  /** With `killAt` the process dies after the nth commit, before state knows of it. */
  async run(
    { environment, now }: Commanded,
    {
      selection,
      killAt,
    }: { readonly selection?: string | undefined; readonly killAt?: number | undefined } = {},
  ): Promise<Outcome> {
    return outcomeOf(async (told) => {
      const request = {
        environment,
        executionTime: msOf(now),
        ...(selection === undefined ? {} : { selection }),
      };
      const due = await dueWork(this.#world, request);
      told.push(...due.diagnostics.map(wordsOf));
      const world = killAt === undefined ? this.#world : withFaults(this.#world, dyingAt(killAt));
      const behind = due.waiting.flatMap(({ kind, model }) => (kind === 'plan' ? model : []));
      return { behind, ...(await this.#follow(run(world, due, { who: 'the campaign' }), told)) };
    });
  }

  /** Models that a run would have to fill now. */
  async due({ environment, now }: Commanded): Promise<readonly string[]> {
    const { missing } = await dueWork(this.#world, { environment, executionTime: msOf(now) });
    return missing.map(({ model }) => model);
  }

  async rollback({ environment, now }: Commanded): Promise<Outcome> {
    return outcomeOf(async (told) => {
      const made = await planRollback(this.#world, {
        environment,
        executionTime: msOf(now),
        who: 'the campaign',
      });
      told.push(...made.diagnostics.map(wordsOf));
      if (made.plan === undefined) return { refusal: refusalOf(made.diagnostics) };
      const events = apply(this.#world, made.plan, { who: 'the campaign', kind: 'rollback' });
      return { plan: made.plan, ...(await this.#follow(events, told)) };
    });
  }

  async janitor(now: number): Promise<Outcome> {
    return outcomeOf(async (told) => {
      const executionTime = msOf(now);
      const work = await janitorWork(this.#world, executionTime);
      return this.#follow(janitor(this.#world, work, { who: 'the campaign', executionTime }), told);
    });
  }

  async invalidate(environment: string): Promise<Outcome> {
    return outcomeOf(async () => {
      await invalidate(this.#world, environment);
      return {};
    });
  }

  async #follow(events: AsyncGenerator<RunEvent, Run>, told: string[]): Promise<Partial<Outcome>> {
    try {
      for (;;) {
        const next = await events.next();
        if (next.done === true) {
          told.push(JSON.stringify(next.value.models), JSON.stringify(next.value.error ?? null));
          return { run: next.value };
        }
        if (next.value.event !== 'run.started') told.push(JSON.stringify(next.value));
      }
    } catch (error) {
      if (!isKilled(error)) throw error;
      // Nobody tells of its leases any more; they expire.
      this.#clock.shift(LEASE_MS);
      return { wasKilled: true };
    }
  }

  async environments(): Promise<ReadonlyMap<string, readonly SeenEntry[]>> {
    const found = await this.#world.state.snapshots.environments();
    return new Map(found.map(({ name, entries }) => [name, entries]));
  }

  /** Rows of the ledger that were not there when it was last asked, and the tables it knows. */
  async ledger(): Promise<{ readonly writes: readonly SeenWrite[]; readonly tables: ReadonlySet<string> }> {
    const exists = await this.#world.engine.query(
      "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'plinth__ledger'",
    );
    if (Number(exists.rows[0]?.[0]) === 0) return { writes: [], tables: new Set() };
    const { rows } = await this.#world.engine.query(
      'SELECT model, version, epoch_ms(interval_start), epoch_ms(interval_end), data_version::VARCHAR || token FROM main.plinth__ledger ORDER BY rowid',
    );
    const tables = new Set<string>();
    const writes: SeenWrite[] = [];
    for (const [model, version, start, end, id] of rows) {
      tables.add(`${model}@${version}`);
      const mark = `${model}@${version} ${start} ${end} ${id}`;
      if (this.#seen.has(mark)) continue;
      this.#seen.add(mark);
      const last = daysOf(Number(end));
      writes.push({
        model: String(model),
        version: String(version),
        first: Math.floor(daysOf(Number(start))),
        end: Math.ceil(last),
        isPartial: !Number.isInteger(last),
        isWhole: Number(end) >= WHOLE_END,
      });
    }
    return { writes, tables };
  }

  /** What an environment shows of a model, read past everything that keeps answers. */
  async read(environment: string, model: string, columns: Columns): Promise<SeenRows> {
    const [schema, name] = model.split('.');
    const view = environment === 'prod' ? `${schema}.${name}` : `${schema}__${environment}.${name}`;
    const answer = await this.#world.engine.query(`SELECT * FROM ${view}`);
    const names = answer.columns.map((column) => column.name);
    return { names, rows: rowsOf(names, answer.rows, columns) };
  }

  /** The same through the statements of a server, with the word whether the answer was a kept one. */
  async ask(
    {
      environment,
      model,
      columns,
    }: { readonly environment: string; readonly model: string; readonly columns: Columns },
    cache: boolean,
  ): Promise<{ readonly rows: readonly Row[]; readonly isKept: boolean }> {
    const submitted = () =>
      submitStatement(this.#product, ADMIN, {
        question: { kind: 'sql', sql: `SELECT * FROM ${model}` },
        environment,
        cache,
        waitMs: WAIT_MS,
      });
    let answer = await submitted();
    // A process that keeps the names of an environment finds out by an answer that they are others, and not by a refusal.
    if (!answer.ok && answer.diagnostics.some(({ code }) => code === 'query.unknown-model')) {
      await submitStatement(this.#product, ADMIN, {
        question: { kind: 'sql', sql: 'SELECT 1 AS one' },
        environment,
        cache: false,
        waitMs: WAIT_MS,
      });
      this.#lateNames++;
      answer = await submitted();
    }
    if (!answer.ok) throw new Error(answer.diagnostics.map(wordsOf).join(' '));
    const { statement, page } = answer;
    if (page === undefined) throw new Error(`the statement ended as ${JSON.stringify(statement)}`);
    const names = page.columns.map(({ name }) => name);
    return {
      rows: rowsOf(names, JSON.parse(page.rows) as readonly (readonly unknown[])[], columns),
      isKept: statement.strategy === 'from_cache',
    };
  }

  /** How often since the last time a model that the environment shows was unknown to the statements of this process. */
  takeLateNames(): number {
    const taken = this.#lateNames;
    this.#lateNames = 0;
    return taken;
  }

  async status({ environment, now }: Commanded): Promise<readonly ModelStatus[]> {
    return (await status(this.#world, { environment, executionTime: msOf(now) })).models;
  }

  async close(): Promise<void> {
    await closeStatements(this.#product);
    await this.#platform.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** The signal lets the days through that are not held back. */
  #signals(): UserCode {
    return {
      functions: async () => ({ functions: [], problems: [] }),
      call: async (_, { arguments: [ranges] }) => ({
        ok: true,
        value: (ranges as readonly (readonly [string, string])[]).flatMap(([start, end]) =>
          this.#readyPairs(Date.parse(start), Date.parse(end)),
        ),
      }),
      close: async () => {},
    };
  }

  #readyPairs(start: number, end: number): readonly (readonly [string, string])[] {
    const pairs: [string, string][] = [];
    for (let at = start; at < end; ) {
      const next = Math.min(end, msOf(Math.floor(daysOf(at)) + 1));
      const text = (ms: number): string => new Date(ms).toISOString();
      if (!isHeld(this.held, Math.floor(daysOf(at)))) pairs.push([text(at), text(next)]);
      at = next;
    }
    return pairs;
  }
}

function writeInto(folder: string, files: readonly (readonly [string, string])[]): void {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

async function outcomeOf(work: (told: string[]) => Promise<Partial<Outcome>>): Promise<Outcome> {
  const told: string[] = [];
  try {
    const found = await work(told);
    return { wasKilled: false, ...found, told: told.join('\n') };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { refusal: { code: error.code, text: error.message }, told: told.join('\n'), wasKilled: false };
  }
}

const wordsOf = ({ code, message }: Diagnostic): string => `${code}: ${message}`;

function refusalOf(diagnostics: readonly Diagnostic[]): { readonly code: string; readonly text: string } {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  return { code: errors[0]?.code ?? 'none', text: errors.map(wordsOf).join(' ') };
}

/** After the nth commit nothing that this world does gets through. */
function dyingAt(commit: number): Faults {
  let left = commit;
  let isDead = false;
  return {
    before(port, method) {
      if (port === 'journal' && method === 'finishBackfill') left--;
      if (left < 0) isDead = true;
      if (isDead) throw new Killed(`${port}.${method}`);
    },
  };
}

function isKilled(error: unknown): boolean {
  return (
    error instanceof Killed || (error instanceof Error && error.cause !== undefined && isKilled(error.cause))
  );
}

function rowsOf(
  names: readonly string[],
  rows: readonly (readonly unknown[])[],
  columns: Columns,
): readonly Row[] {
  return rows.map((row) =>
    Object.fromEntries(
      names.map((name, i): readonly [string, Cell] => [name, cellOf(row[i], columns.get(name) ?? 'text')]),
    ),
  );
}
