/**
 * Plays a case on the product and on the oracle at once. After every step:
 *
 *   ledger and entries ─▶ the oracle's own rows ─▶ compared with what every environment shows, with kept and with fresh answers
 *                     └─▶ verified: was everything filled that was due, and nothing that was not; do status and a second plan agree
 */
import { foreseen } from './audits.ts';
import { type Definition, dataPart, filesOf, isWritten, type Project } from './definition.ts';
import { type Asked, dueEnd, NOTHING_HELD } from './due.ts';
import { edited } from './edits.ts';
import {
  behindWithoutReason,
  failuresWithoutReason,
  unfinishedModels,
  unreportedFailures,
} from './explain.ts';
import type { Made } from './meaning.ts';
import { keyOf, type Names, Oracle, type WrittenTables } from './oracle.ts';
import { type Outcome, Plinth } from './plinth.ts';
import { refusalProblem } from './refusals.ts';
import { markRestated } from './restate.ts';
import { changedSources, EVENTS, retyped, type SourceRows, sourcesSql } from './sources.ts';
import { type Case, type PlanStep, type Step, stepName } from './steps.ts';
import { markTaken } from './taken.ts';
import { dayText, msOf } from './values.ts';
import { type Problem, verifyWork } from './verify-work.ts';
import { columnsIn, Watch } from './watch.ts';

/** What became of one step. */
export interface Played {
  readonly step: Step;
  readonly name: string;
  readonly result: 'done' | 'failed' | 'refused' | 'nothing';
  readonly code?: string;
  /** Kinds of models that it wrote. */
  readonly kinds: readonly string[];
  /** How dev stood to prod. */
  readonly relation: string;
  readonly comparisons: number;
  readonly kept: number;
  readonly lateNames: number;
}

export interface PlayedCase {
  readonly played: readonly Played[];
  readonly problems: readonly Problem[];
}

const TEN_MINUTES = 10 / 1440;
const FIRST_DAY = 4;

/** Plays until the first step with a problem. */
export async function play(given: Case): Promise<PlayedCase> {
  const game = await Game.begin(given);
  const played: Played[] = [];
  try {
    for (const step of given.steps) {
      const { problems, ...one } = await game.take(step);
      played.push({ step, name: stepName(step), ...one });
      if (problems.length > 0) return { played, problems };
    }
    return { played, problems: [] };
  } finally {
    await game.close();
  }
}

interface Taken extends Omit<Played, 'step' | 'name'> {
  readonly problems: readonly Problem[];
}

/** What a command did. */
interface Acted {
  readonly result: Played['result'];
  readonly code?: string;
  readonly written: WrittenTables;
  readonly problems: readonly Problem[];
}

const NOTHING: Acted = { result: 'nothing', written: new Map(), problems: [] };
const DONE: Acted = { ...NOTHING, result: 'done' };

/** Models whose own definition makes other rows than before. */
function changedModels({ names, before }: Asked): readonly string[] {
  return [...names.values()].flatMap(({ model, definition }) => {
    const present = before?.get(model);
    return present === undefined || dataPart(present.definition) === dataPart(definition) ? [] : [model];
  });
}

class Game {
  readonly #plinth: Plinth;
  readonly #oracle = new Oracle();
  readonly #features: Case['features'];
  #project: Project;
  #rows: SourceRows;
  readonly #before: Definition[] = [];
  #now = FIRST_DAY + TEN_MINUTES;
  #held = NOTHING_HELD;
  /** Environments whose views over external tables were made when those had other types. */
  readonly #retyped = new Set<string>();
  /** Whether state knows less than the warehouse: a run was killed and no command has put it right yet. */
  #isBehind = false;

  private constructor(given: Case, plinth: Plinth) {
    this.#plinth = plinth;
    this.#features = given.features;
    this.#project = given.project;
    this.#rows = given.rows;
  }

  static async begin(given: Case): Promise<Game> {
    const plinth = await Plinth.open(filesOf(given.project));
    const game = new Game(given, plinth);
    plinth.write(filesOf(given.project));
    await game.#pour();
    return game;
  }

  close(): Promise<void> {
    return this.#plinth.close();
  }

  async take(step: Step): Promise<Taken> {
    const acted = await this.#act(step);
    const seen = acted.result === 'nothing' ? { problems: [], comparisons: 0, kept: 0 } : await this.#look();
    return {
      result: acted.result,
      ...(acted.code === undefined ? {} : { code: acted.code }),
      kinds: this.#kindsOf(acted.written),
      relation: this.#relation(),
      comparisons: seen.comparisons,
      kept: seen.kept,
      lateNames: this.#plinth.takeLateNames(),
      problems: [...acted.problems, ...seen.problems],
    };
  }

  /** Kinds of what was written, and of what was read for it through views and EMBEDDED models. */
  #kindsOf(written: WrittenTables): readonly string[] {
    const kinds = new Set<string>();
    const visit = ({ definition, reads }: Made): void => {
      kinds.add(definition.kind.kind);
      for (const source of Object.values(reads)) {
        if (source.kind === 'through') visit(source.made);
        if (source.kind === 'external') kinds.add('external');
      }
    };
    for (const key of written.keys()) {
      const made = this.#oracle.table(key).latest;
      if (made !== undefined) visit(made);
    }
    return [...kinds];
  }

  /** Makes the external tables what the rows say, for both. */
  async #pour(): Promise<void> {
    await this.#plinth.execute(sourcesSql(this.#project.externals, this.#rows));
    for (const { name, columns } of this.#project.externals)
      this.#oracle.externals.set(name, { columns, rows: this.#rows.get(name) ?? [] });
  }

  async #act(step: Step): Promise<Acted> {
    switch (step.do) {
      case 'edit': {
        const features = new Set(this.#features);
        const next = edited(this.#project, step, { before: this.#before, features });
        if (next === undefined) return NOTHING;
        this.#before.push(...this.#project.models);
        this.#project = next;
        this.#plinth.write(filesOf(next));
        return DONE;
      }
      case 'define':
        this.#project = {
          ...this.#project,
          models: this.#project.models.map((model) =>
            model.name === step.definition.name ? step.definition : model,
          ),
        };
        this.#plinth.write(filesOf(this.#project));
        return DONE;
      case 'pour':
        this.#rows = new Map([...this.#rows, [step.table, step.rows]]);
        await this.#pour();
        return DONE;
      case 'data':
        return this.#changeData(step);
      case 'advance':
        this.#now = Math.round((this.#now - TEN_MINUTES + step.days) * 2) / 2 + TEN_MINUTES;
        return DONE;
      case 'hold':
        return this.#hold(dueEnd(msOf(this.#now)) + step.after, step.isHole === true);
      case 'release':
        return this.#hold(Number.POSITIVE_INFINITY, false);
      case 'plan':
        return this.#plan(step);
      case 'run':
        return this.#run(step.environment, { selection: step.select }, step);
      case 'kill':
        return this.#run('prod', { killAt: step.at }, step);
      case 'rollback':
        return this.#rollback(step.environment, step);
      case 'janitor':
        return this.#clean(step);
      case 'invalidate': {
        const outcome = await this.#plinth.invalidate('dev');
        return outcome.refusal === undefined ? DONE : this.#refused(outcome, 'dev', step);
      }
    }
  }

  async #changeData(step: Extract<Step, { readonly do: 'data' }>): Promise<Acted> {
    const isWide = this.#project.externals.some(({ name, columns }) =>
      columns.some(([column, type]) => name === EVENTS && column === 'v' && type === 'big'),
    );
    if (step.change === 'retype' && isWide) return NOTHING;
    this.#rows = changedSources(this.#rows, step.change, step.n, dueEnd(msOf(this.#now)));
    if (step.change === 'retype') {
      this.#project = { ...this.#project, externals: retyped(this.#project.externals) };
      this.#plinth.write(filesOf(this.#project));
      for (const name of this.#oracle.environments.keys()) this.#retyped.add(name);
    }
    await this.#pour();
    return DONE;
  }

  /** Days that were let through once are not taken back. */
  #hold(wanted: number, isHole: boolean): Acted {
    const filled = [...this.#oracle.tables.values()].flatMap(({ days }) => [...days.keys()]);
    const from = Math.max(wanted, Math.max(-1, ...filled) + 1);
    this.#held = isHole ? { ...NOTHING_HELD, hole: from } : { from };
    this.#plinth.held = this.#held;
    return DONE;
  }

  #asked(environment: string, names: Names, more: Partial<Asked> = {}): Asked {
    return {
      kind: 'run',
      environment,
      names,
      before: this.#oracle.environments.get(environment),
      now: msOf(this.#now),
      isSkipped: false,
      withRun: false,
      isRestating: false,
      isForwardOnly: false,
      held: this.#held,
      ...more,
    };
  }

  #refused({ refusal }: Outcome, environment: string, step: Step): Acted {
    const code = refusal?.code ?? 'nothing';
    const problem = refusalProblem(code, {
      step,
      project: this.#project,
      // An environment that is not there yet is compared with prod.
      before: this.#oracle.environments.get(environment) ?? this.#oracle.environments.get('prod'),
      isThere: this.#oracle.environments.has(environment),
    });
    const problems =
      problem === undefined ? [] : [{ kind: `refused ${code}`, text: `${problem}: ${refusal?.text}` }];
    return { result: 'refused', code, written: new Map(), problems };
  }

  async #plan(step: PlanStep): Promise<Acted> {
    const { environment } = step;
    const fine = await this.#fineModels(environment);
    const outcome = await this.#plinth.plan({ environment, now: this.#now }, this.#options(step));
    this.#isBehind = false;
    const { writes } = await this.#plinth.ledger();
    if (outcome.refusal !== undefined || outcome.plan === undefined)
      return this.#refused(outcome, environment, step);
    const names = this.#oracle.namesOf(outcome.plan.target.entries, this.#planned(step));
    const asked = this.#asked(environment, names, {
      kind: 'plan',
      isSkipped: step.skipsBackfill === true,
      withRun: step.withRun === true,
      isRestating: step.restate !== undefined,
      isForwardOnly: step.isForwardOnly === true,
      ...(step.start === undefined && step.end === undefined
        ? {}
        : {
            bounds: {
              ...(step.start === undefined ? {} : { first: step.start }),
              ...(step.end === undefined ? {} : { end: step.end + 1 }),
            },
          }),
    });
    if (step.restate !== undefined && outcome.run !== undefined)
      markRestated(this.#oracle, asked, {
        model: step.restate,
        first: step.start ?? 0,
        end: step.end === undefined ? Number.POSITIVE_INFINITY : step.end + 1,
      });
    if (step.effectiveFrom !== undefined && outcome.run !== undefined)
      for (const model of changedModels(asked))
        markRestated(this.#oracle, asked, {
          model,
          first: step.effectiveFrom,
          end: Number.POSITIVE_INFINITY,
        });
    const hasSucceeded = outcome.run === undefined || outcome.run.status === 'succeeded';
    const failures = hasSucceeded ? [] : failuresWithoutReason(outcome, foreseen(this.#oracle, asked));
    const { written, problems } = this.#oracle.absorb({ names, writes, now: asked.now });
    const isComplete = step.select === undefined && step.skipsBackfill !== true;
    const found = verifyWork(this.#oracle, {
      ...asked,
      written,
      hasSucceeded,
      unfinished: unfinishedModels(outcome, names),
      isComplete,
    });
    if (hasSucceeded) {
      const { before, isForwardOnly } = asked;
      if (environment === 'prod' && before !== undefined)
        markTaken(this.#oracle, { names, before, isForwardOnly });
      this.#oracle.environments.set(environment, names);
      this.#retyped.delete(environment);
      if (step.mayLose === true) this.#dropColumns(names);
    }
    const again =
      hasSucceeded && isComplete && step.restate === undefined
        ? await this.#secondPlan(environment, asked.isForwardOnly)
        : [];
    return {
      result: hasSucceeded ? 'done' : 'failed',
      written,
      problems: [
        ...problems.map((text) => ({ kind: 'ledger', text })),
        ...failures,
        ...found,
        ...again,
        ...(hasSucceeded ? [] : await this.#brokenByPlan(environment, names, fine)),
        ...this.#unreported(outcome, { environment, written }),
        ...(await this.#differentEntries(environment)),
      ],
    };
  }

  /** Definitions that a plan is about: what was not selected keeps the one that it is shown with. */
  #planned({ environment, select }: PlanStep): readonly Definition[] {
    const { models } = this.#project;
    if (select === undefined) return models;
    const shown = this.#oracle.environments.get(environment) ?? this.#oracle.environments.get('prod');
    const kept = [...(shown?.values() ?? [])].map(({ definition }) => definition);
    const chosen = models.filter(({ name }) => name === select || !kept.some((each) => each.name === name));
    return [...kept.filter(({ name }) => !chosen.some((each) => each.name === name)), ...chosen];
  }

  #options(step: PlanStep): Parameters<Plinth['plan']>[1] {
    return {
      ...(step.select === undefined ? {} : { selection: step.select }),
      ...(step.start === undefined ? {} : { start: dayText(step.start) }),
      ...(step.end === undefined ? {} : { end: dayText(step.end) }),
      restateModels: step.restate === undefined ? [] : [step.restate],
      isForwardOnly: step.isForwardOnly === true,
      ...(step.effectiveFrom === undefined ? {} : { effectiveFrom: dayText(step.effectiveFrom) }),
      skipBackfill: step.skipsBackfill === true,
      withRun: step.withRun === true,
      allowDestructiveModels:
        step.mayLose === true
          ? this.#project.models.filter(({ query }) => query !== undefined).map(({ name }) => name)
          : [],
    };
  }

  /** Columns that a definition no longer has leave its table with the promotion that says so. */
  #dropColumns(names: Names): void {
    const columns = columnsIn(names, this.#project);
    for (const entry of names.values()) {
      const key = keyOf(entry);
      const own = columns.get(entry.model);
      const table = key === undefined ? undefined : this.#oracle.tables.get(key);
      if (table === undefined || own === undefined || !isWritten(entry.definition)) continue;
      table.rows = table.rows.map((row) =>
        Object.fromEntries(Object.entries(row).filter(([name]) => own.has(name))),
      );
    }
  }

  async #run(
    environment: string,
    given: { readonly selection?: string | undefined; readonly killAt?: number },
    step: Step,
  ): Promise<Acted> {
    const names = this.#oracle.environments.get(environment);
    const outcome = await this.#plinth.run({ environment, now: this.#now }, given);
    this.#isBehind = outcome.wasKilled;
    const { writes } = await this.#plinth.ledger();
    if (outcome.refusal !== undefined || names === undefined)
      return this.#refused(outcome, environment, step);
    const selected = given.selection === undefined ? undefined : new Set([given.selection]);
    const asked = this.#asked(environment, names, { selected });
    const hasSucceeded = outcome.run?.status === 'succeeded';
    const failures =
      hasSucceeded || outcome.wasKilled ? [] : failuresWithoutReason(outcome, foreseen(this.#oracle, asked));
    const { written, problems } = this.#oracle.absorb({ names, writes, now: asked.now });
    const everything = new Set(names.keys());
    const found = verifyWork(this.#oracle, {
      ...asked,
      written,
      hasSucceeded,
      unfinished: outcome.wasKilled ? everything : unfinishedModels(outcome, names),
      isComplete: false,
    });
    return {
      result: hasSucceeded ? 'done' : 'failed',
      written,
      problems: [
        ...problems.map((text) => ({ kind: 'ledger', text })),
        ...failures,
        ...found,
        ...behindWithoutReason(this.#oracle, names, outcome),
        ...(outcome.wasKilled ? [] : this.#unreported(outcome, { environment, written })),
        ...(hasSucceeded && selected === undefined ? await this.#secondRun(environment) : []),
      ],
    };
  }

  async #rollback(environment: string, step: Step): Promise<Acted> {
    const outcome = await this.#plinth.rollback({ environment, now: this.#now });
    await this.#plinth.ledger();
    if (outcome.refusal !== undefined || outcome.plan === undefined)
      return this.#refused(outcome, environment, step);
    const names = this.#oracle.namesOf(outcome.plan.target.entries, this.#project.models);
    const hasSucceeded = outcome.run?.status === 'succeeded';
    const failures = hasSucceeded
      ? []
      : failuresWithoutReason(
          outcome,
          foreseen(this.#oracle, this.#asked(environment, names, { isSkipped: true })),
        );
    if (hasSucceeded) {
      this.#oracle.environments.set(environment, names);
      this.#acceptAll(names);
    }
    return { result: hasSucceeded ? 'done' : 'failed', written: new Map(), problems: failures };
  }

  /** A rollback re-points views; rows that were made since stay. */
  #acceptAll(names: Names): void {
    for (const entry of names.values()) {
      const table = this.#oracle.tables.get(keyOf(entry) ?? '');
      if (table === undefined) continue;
      for (const { key } of [...table.days.values(), ...(table.whole === undefined ? [] : [table.whole])])
        table.accepted.add(key);
    }
  }

  async #clean(step: Extract<Step, { readonly do: 'janitor' }>): Promise<Acted> {
    const outcome = await this.#plinth.janitor(this.#now + step.later);
    if (outcome.refusal !== undefined) return this.#refused(outcome, '*', step);
    const { tables } = await this.#plinth.ledger();
    for (const key of this.#oracle.tables.keys()) if (!tables.has(key)) this.#oracle.tables.delete(key);
    const left = await this.#plinth.environments();
    for (const name of this.#oracle.environments.keys())
      if (!left.has(name)) this.#oracle.environments.delete(name);
    return DONE;
  }

  /** A plan right after a plan has nothing to do. */
  async #secondPlan(environment: string, isForwardOnly: boolean): Promise<readonly Problem[]> {
    const outcome = await this.#plinth.plan(
      { environment, now: this.#now },
      { isForwardOnly, isPreview: true },
    );
    if (outcome.refusal !== undefined)
      return [
        { kind: 'second-plan', text: `a second plan of ${environment} is refused: ${outcome.refusal.text}` },
      ];
    const stages = (outcome.plan?.stages ?? []).map(({ id }) => id);
    const changes = (outcome.plan?.changes ?? []).map(({ name }) => name);
    if (stages.length + changes.length === 0) return [];
    return [
      {
        kind: 'second-plan',
        text: `a second plan of ${environment} finds changes (${changes.join(', ')}) and work (${stages.join(', ')})`,
      },
    ];
  }

  /** A run right after a run has nothing to do. */
  async #secondRun(environment: string): Promise<readonly Problem[]> {
    const due = await this.#plinth.due({ environment, now: this.#now });
    if (due.length === 0) return [];
    return [{ kind: 'second-run', text: `a second run of ${environment} would fill ${due.join(', ')}` }];
  }

  /** A plan that failed takes nothing away from what is shown: models that were fine are not broken. */
  async #brokenByPlan(
    environment: string,
    names: Names,
    fine: ReadonlySet<string>,
  ): Promise<readonly Problem[]> {
    const before = this.#oracle.environments.get(environment);
    if (before === undefined) return [];
    const statuses = await this.#plinth.status({ environment, now: this.#now });
    return statuses
      .filter(({ model, status }) => status === 'broken' && fine.has(model))
      .filter(({ model }) => keyOf(before.get(model) ?? { model }) !== keyOf(names.get(model) ?? { model }))
      .map(({ model }) => ({
        kind: 'broken-by-plan',
        text: `${model} of ${environment} is broken by status because a plan failed that wanted another table`,
      }));
  }

  async #fineModels(environment: string): Promise<ReadonlySet<string>> {
    if (!this.#oracle.environments.has(environment)) return new Set();
    const statuses = await this.#plinth.status({ environment, now: this.#now });
    return new Set(statuses.filter(({ status }) => status !== 'broken').map(({ model }) => model));
  }

  #unreported(
    { told }: Outcome,
    { environment, written }: { readonly environment: string; readonly written: WrittenTables },
  ): readonly Problem[] {
    const names = this.#oracle.environments.get(environment);
    const { standalones } = this.#project;
    return names === undefined ? [] : unreportedFailures(this.#oracle, names, { told, written, standalones });
  }

  async #differentEntries(environment: string): Promise<readonly Problem[]> {
    const seen = (await this.#plinth.environments()).get(environment) ?? [];
    const names = this.#oracle.environments.get(environment);
    if (names === undefined) return [];
    return seen
      .filter(({ model, version }) => names.has(model) && names.get(model)?.version !== version)
      .map(({ model }) => ({
        kind: 'entries',
        text: `${environment} shows another table of ${model} than was planned`,
      }));
  }

  #look(): ReturnType<Watch['look']> {
    return new Watch(this.#plinth, this.#oracle).look({
      project: this.#project,
      now: this.#now,
      asked: (environment, names) => this.#asked(environment, names),
      retyped: this.#retyped,
      isBehind: this.#isBehind,
    });
  }

  /** How dev stands to prod at present. */
  #relation(): string {
    const [prod, dev] = [this.#oracle.environments.get('prod'), this.#oracle.environments.get('dev')];
    if (prod === undefined) return dev === undefined ? 'nothing yet' : 'dev alone';
    if (dev === undefined) return 'prod alone';
    const keys = new Set([...prod.values()].map(keyOf));
    const own = [...dev.values()].filter((entry) => isWritten(entry.definition) && !keys.has(keyOf(entry)));
    return own.length === 0 ? 'dev shares all tables with prod' : 'dev has tables of its own';
  }
}
