/**
 * A project that is planned, run and rolled back by the product's own operations in this process, over a real DuckDB and a
 * real SQLite, with the rows that each environment shows.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { EnvironmentStatus } from '../../src/domain/model-status.ts';
import type { Plan, PlanOptions } from '../../src/domain/plan.ts';
import type { Run, RunEvent } from '../../src/domain/run.ts';
import { OWNER } from '../../src/domain/semantic-query.ts';
import type { Diagnostic } from '../../src/foundation/diagnostics/diagnostic.ts';
import { answerOwn } from '../../src/operations/ask/answer-own.ts';
import { compileOwn } from '../../src/operations/ask/compile-own.ts';
import { apply } from '../../src/operations/change/apply.ts';
import { NO_OPTIONS } from '../../src/operations/change/diff.ts';
import { type DueWork, dueWork } from '../../src/operations/change/due-work.ts';
import { plan } from '../../src/operations/change/plan.ts';
import { planRollback } from '../../src/operations/change/plan-rollback.ts';
import { run } from '../../src/operations/change/run.ts';
import type { RunRequest } from '../../src/operations/change/run-input.ts';
import { status } from '../../src/operations/change/status.ts';
import { type OpenedWorld, openWorld } from '../../src/operations/open-world.ts';
import { loadProject } from '../../src/operations/project/load-project.ts';
import { openWorkspace, type Workspace } from '../../src/operations/workspace.ts';

/** A plan that was made and, unless it was only looked at or refused, applied. */
export interface PlannedWork {
  readonly plan?: Plan;
  readonly run?: Run;
  readonly diagnostics: readonly Diagnostic[];
}

export interface RanWork extends Pick<DueWork, 'waiting' | 'missing'> {
  readonly run: Run;
}

export class PlannedRows {
  readonly folder: string;
  #workspace: Workspace;
  #world: OpenedWorld | undefined;

  constructor(files: Readonly<Record<string, string>>, now = '2025-01-08') {
    this.folder = mkdtempSync(join(tmpdir(), 'plinth-rows-'));
    this.write({ 'config.yaml': CONFIG, ...files });
    this.#workspace = openWorkspace({
      folder: this.folder,
      variables: {},
      executionTime: Date.parse(now),
      userCodeMs: 30_000,
    });
  }

  write(files: Readonly<Record<string, string>>): void {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.folder, path)), { recursive: true });
      writeFileSync(join(this.folder, path), text);
    }
  }

  delete(path: string): void {
    rmSync(join(this.folder, path));
  }

  /** What counts as now from here on. */
  now(time: string): void {
    this.#workspace = { ...this.#workspace, executionTime: Date.parse(time) };
  }

  async world(): Promise<OpenedWorld> {
    this.#world ??= await openWorld(this.#workspace);
    return this.#world;
  }

  /** Makes a plan without applying it. */
  async preview(environment = 'prod', options: Partial<PlanOptions> = {}): Promise<PlannedWork> {
    const loaded = await loadProject(this.#workspace);
    return plan(this.#workspace, loaded, {
      world: this.world(),
      environment,
      options: { ...NO_OPTIONS, ...options },
    });
  }

  /** Plans and applies; a plan that is refused is the answer, one that fails while it is applied is thrown. */
  async plan(environment = 'prod', options: Partial<PlanOptions> = {}): Promise<PlannedWork> {
    const made = await this.preview(environment, options);
    if (made.plan === undefined) return made;
    return { ...made, run: await this.apply(made.plan) };
  }

  /** Plans and applies; whatever does not succeed is thrown. */
  async done(environment = 'prod', options: Partial<PlanOptions> = {}): Promise<Required<PlannedWork>> {
    const { plan: made, run: ran, diagnostics } = await this.plan(environment, options);
    if (made !== undefined && ran?.status === 'succeeded') return { plan: made, run: ran, diagnostics };
    throw new Error(JSON.stringify([diagnostics, ran?.models], undefined, 1));
  }

  /** Applies and answers with the run, whatever became of it. */
  async apply(made: Plan): Promise<Run> {
    return ended(apply(await this.world(), made, { who: 'test' }));
  }

  async run(environment = 'prod', request: Partial<RunRequest> = {}): Promise<RanWork> {
    const world = await this.world();
    const due = await dueWork(world, {
      environment,
      executionTime: this.#workspace.executionTime,
      ...request,
    });
    return { waiting: due.waiting, missing: due.missing, run: await ended(run(world, due, { who: 'test' })) };
  }

  async rollback(environment = 'prod', to?: string): Promise<PlannedWork> {
    const world = await this.world();
    const { executionTime } = this.#workspace;
    const made = await planRollback(world, {
      environment,
      executionTime,
      who: 'test',
      ...(to === undefined ? {} : { to }),
    });
    if (made.plan === undefined) return made;
    return { ...made, run: await ended(apply(world, made.plan, { who: 'test', kind: 'rollback' })) };
  }

  async status(environment = 'prod'): Promise<EnvironmentStatus> {
    return status(await this.world(), { environment, executionTime: this.#workspace.executionTime });
  }

  /** Rows of a query over what an environment shows, each joined with commas. */
  async rows(sql: string, environment = 'prod'): Promise<readonly string[]> {
    const asked = await compileOwn(
      () => this.world(),
      { kind: 'sql', sql },
      {
        environment,
        caller: OWNER,
        now: this.#workspace.executionTime,
        isLocal: false,
        isShown: false,
        isUnlimited: false,
        load: () => loadProject(this.#workspace),
      },
    );
    if (!asked.ok) throw new Error(JSON.stringify(asked.diagnostics));
    const { world, compiled } = asked;
    const { signal } = new AbortController();
    const { context } = asked.own;
    const how = { compiled, context, rowLimit: undefined, signal };
    const answer = await answerOwn(this.#workspace, world, how);
    return answer.rows().rows.map((row) => row.map(String).join(','));
  }

  /** What another program does to the warehouse. */
  async warehouse(...statements: readonly string[]): Promise<void> {
    const { engine } = await this.world();
    for (const statement of statements) await engine.write([], (session) => session.execute(statement));
  }

  async close(): Promise<void> {
    await this.#workspace.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const CONFIG = `name: rows
gateways: {local: {connection: {type: duckdb, database: rows.duckdb}}}
model_defaults: {dialect: duckdb, start: '2025-01-01', cron: '@daily'}
`;

async function ended(events: AsyncGenerator<RunEvent, Run>): Promise<Run> {
  for (;;) {
    const next = await events.next();
    if (next.done === true) return next.value;
  }
}

/** The text of a model file. */
export function model(name: string, kind: string, query: string, properties = ''): Record<string, string> {
  const more = properties === '' ? '' : `, ${properties}`;
  return { [`models/${name}.sql`]: `MODEL (name ${name}, kind ${kind}${more});\n${query}\n` };
}

/** What a plan says of each model: its change and category. */
export function changes({ plan: made }: PlannedWork): readonly string[] {
  return (made?.changes ?? []).map(({ name, change, category }) => `${name} ${change}/${category}`).sort();
}

export function codes({ diagnostics }: Pick<PlannedWork, 'diagnostics'>): readonly string[] {
  return diagnostics.map(({ code }) => code);
}
