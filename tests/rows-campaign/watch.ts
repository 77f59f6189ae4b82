/** Everything that can be seen after a step, compared: views with the oracle, kept answers with fresh ones, status with what is due. */
import { visibleFailures } from './audits.ts';
import { columnsOf, isWritten, type Project, readsOf } from './definition.ts';
import { type Asked, dueWork, isOwn } from './due.ts';
import { type Entry, keyOf, type Names, type Oracle } from './oracle.ts';
import type { Plinth } from './plinth.ts';
import { type Columns, dayText, difference, rowTexts } from './values.ts';
import type { Problem } from './verify-work.ts';

/** What is true while one looks. */
export interface Moment {
  readonly project: Project;
  /** Execution time in days. */
  readonly now: number;
  /** A run of an environment as it would be now. */
  readonly asked: (environment: string, names: Names) => Asked;
  /** Environments whose views over external tables were made when those had other types. */
  readonly retyped: ReadonlySet<string>;
  /** Whether state knows less than the warehouse: a run was killed and no command has put it right yet. */
  readonly isBehind: boolean;
}

export interface Seen {
  readonly problems: readonly Problem[];
  /** Views that were compared, and how many of the answers about them were kept ones. */
  readonly comparisons: number;
  readonly kept: number;
}

interface Compared {
  readonly environment: string;
  readonly model: string;
  readonly columns: Columns;
  readonly entry: Entry;
}

export class Watch {
  readonly #plinth: Plinth;
  readonly #oracle: Oracle;

  constructor(plinth: Plinth, oracle: Oracle) {
    this.#plinth = plinth;
    this.#oracle = oracle;
  }

  async look(moment: Moment): Promise<Seen> {
    const problems: Problem[] = [];
    let comparisons = 0;
    let kept = 0;
    for (const [environment, names] of this.#oracle.environments) {
      const columns = columnsIn(names, moment.project);
      for (const [model, entry] of names) {
        const own = columns.get(model);
        // The engine refuses a view whose table has got other types, until it is made again.
        const isRefused = moment.retyped.has(environment) && !isWritten(entry.definition);
        if (own === undefined || isRefused) continue;
        const seen = await this.#compare({ environment, model, columns: own, entry });
        problems.push(...seen.problems);
        comparisons++;
        if (seen.isKept) kept++;
      }
      const bad = visibleFailures(this.#oracle, environment, names);
      problems.push(...bad.map((text) => ({ kind: 'bad-rows-shown', text })));
      if (!moment.isBehind) problems.push(...(await this.#statusProblems(environment, names, moment)));
    }
    return { problems, comparisons, kept };
  }

  async #compare(
    asked: Compared,
  ): Promise<{ readonly problems: readonly Problem[]; readonly isKept: boolean }> {
    const { environment, model, columns, entry } = asked;
    const names = [...columns.keys()];
    const where = `${model} in ${environment}`;
    const one = (kind: string, text: string) => ({ problems: [{ kind, text }], isKept: false });
    try {
      const seen = await this.#plinth.read(environment, model, columns);
      if (seen.names.join() !== names.join())
        return one('columns', `${where} shows ${seen.names.join(', ')} instead of ${names.join(', ')}`);
      const found = rowTexts(seen.rows, names);
      const first = await this.#plinth.ask(asked, true);
      const fresh = await this.#plinth.ask(asked, false);
      const wrong = difference(rowTexts(this.#oracle.shown(entry), names), found);
      const stale = difference(rowTexts(fresh.rows, names), rowTexts(first.rows, names));
      const other = difference(found, rowTexts(fresh.rows, names));
      const word = first.isKept ? 'kept ' : '';
      const problems = [
        wrong && { kind: 'rows', text: `${where}: ${wrong}` },
        stale && {
          kind: 'kept-answer',
          text: `the ${word}answer about ${where} is not the fresh one: ${stale}`,
        },
        other && {
          kind: 'answer',
          text: `a fresh answer about ${where} is not what its view shows: ${other}`,
        },
      ];
      return { problems: problems.flatMap((problem) => problem || []), isKept: first.isKept };
    } catch (error) {
      return one('unreadable', `${where} cannot be read: ${String(error)}`);
    }
  }

  /** What is due by the oracle is due by `status`, and the other way round. */
  async #statusProblems(
    environment: string,
    names: Names,
    { now, asked }: Moment,
  ): Promise<readonly Problem[]> {
    const statuses = await this.#plinth.status({ environment, now });
    const due = dueWork(this.#oracle, asked(environment, names));
    const waiting = belowSignals(names);
    return statuses.flatMap(({ model, status, missing }): readonly Problem[] => {
      const entry = names.get(model);
      const key = entry === undefined ? undefined : keyOf(entry);
      if (entry === undefined || key === undefined || !isWritten(entry.definition)) return [];
      if (waiting.has(model) || !isOwn(this.#oracle, environment, key)) return [];
      const days = due.get(model);
      const tell = (words: string) => [{ kind: 'status', text: `${model} of ${environment} is ${words}` }];
      if (days !== undefined && status === 'fine')
        return tell(`fine by status, but lacks ${days.map(dayText).join(', ') || 'rows'}`);
      const { kind } = entry.definition;
      const mayBeDue =
        this.#oracle.table(key).mayFollow || (kind.kind === 'time-range' && kind.allowsPartials);
      if (days === undefined && !mayBeDue && missing.length > 0 && (status === 'due' || status === 'late'))
        return tell(`${status} by status, but has everything`);
      return [];
    });
  }
}

/** Status asks no signals: what waits for one, and what is below it, may be due or not. */
function belowSignals(names: Names): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { model, definition } of names.values())
    if (definition.hasSignal || readsOf(definition).some((name) => found.has(name))) found.add(model);
  return found;
}

/** Columns of what an environment shows, by model. */
export function columnsIn(names: Names, project: Project): ReadonlyMap<string, Columns> {
  const models = [...names.values()].map(({ definition }) => definition);
  const shown = { ...project, models };
  return new Map(
    models
      .filter(({ kind }) => kind.kind !== 'embedded')
      .map((model) => [model.name, columnsOf(model, shown)]),
  );
}
