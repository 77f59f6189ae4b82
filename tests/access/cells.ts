/* Cells of the matrix: who asks what, by which door, of which environment, at which moment of a world's life. */
import type { Chance } from './chance.ts';
import { KEPT_DOORS, type KeptAnswer } from './kept-answers.ts';
import type { View } from './oracle.ts';
import { type Happened, managers, PASSIVE_DOORS } from './passive-doors.ts';
import type { QuestionDoor } from './question-doors.ts';
import {
  type Expected,
  expectedOf,
  memberQuestion,
  metricQuestion,
  type Question,
  sqlQuestion,
} from './questions.ts';
import { everyToken, shownTokens, withoutTexts } from './scan.ts';
import type { ServedWorld } from './served-world.ts';
import { lacks, leaks, type Problems, verifyAnswer } from './verify-answer.ts';
import { type Caller, ENVIRONMENTS, type EnvironmentRole, type Relation } from './world.ts';

/** What a cell counts for. */
export interface CellFacts {
  readonly caller: string;
  readonly door: string;
  readonly operations: readonly string[];
  readonly relation: Relation | 'semantics' | 'everything';
  readonly environment: EnvironmentRole | 'any';
  /** Something that the caller may not see exists there. */
  readonly hides: boolean;
  /** The answer has rows that the caller must get. */
  readonly shows: boolean;
  /** The rules leave the answer to the product. */
  readonly isUndecided: boolean;
  /** Cells were found in the answer. */
  readonly isLoud: boolean;
}

export interface CellResult extends CellFacts {
  readonly what: string;
  readonly problems: Problems;
}

/** A cell that is decided on and not yet asked. */
export type Cell = () => Promise<CellResult>;

export interface CellSource {
  readonly served: ServedWorld;
  readonly chance: Chance;
  /** A new number for each cell. */
  readonly number: () => number;
  /** Those that there are by now. */
  readonly environments: readonly EnvironmentRole[];
}

const isAtCommandLine = ({ name }: Caller): boolean => name === 'command-line' || name === 'as-group';

/** Who leaves a group asks only what is kept. */
export const httpCallers = ({ served }: CellSource): readonly Caller[] =>
  served.world.callers.filter((caller) => !isAtCommandLine(caller) && caller.name !== 'leaver');

/** The default one mostly; others also for those who may not ask them. */
function someEnvironment({ chance, environments: there }: CellSource, caller: Caller): EnvironmentRole {
  const environment = chance.is(0.5) ? 'default' : chance.of(there);
  const { environments } = caller;
  const may = environments === 'all' || environments.includes(environment);
  return may || chance.is(0.35) || environment === 'default' ? environment : 'default';
}

function someQuestion(
  { served, chance }: CellSource,
  door: QuestionDoor,
  environment: EnvironmentRole,
): Question {
  const { world } = served;
  const kind = door.asks.includes('sql') && chance.is(0.6) ? 'sql' : chance.of(door.asks);
  if (kind === 'members') return memberQuestion(chance, world);
  if (kind === 'metric') return metricQuestion(chance, world);
  const models = served.moment.stages[environment].models.filter((model) => model.kind !== 'EMBEDDED');
  const relation = chance.of([...new Set(models.map((model) => model.relation))]);
  return sqlQuestion(chance, world, chance.of(models.filter((model) => model.relation === relation)));
}

const saidIn = (question: Question): string =>
  question.kind === 'members' ? (question.filter?.value ?? '') : '';

const namesIn = (question: Question): string => {
  switch (question.kind) {
    case 'sql':
      return question.sql;
    case 'metric':
      return `${question.metric.name} ${question.metric.dimension}`;
    case 'members':
      return [
        question.semantic,
        question.joined?.semantic,
        question.joined?.dimension,
        question.filter?.member,
        question.segment,
        ...question.dimensions,
        ...question.measures,
      ]
        .map((each) => each?.name ?? '')
        .join(' ');
  }
};

const hidesFrom = (view: View): boolean => {
  const seen = view.tokens();
  return [...everyToken(view.world)].some((token) => !seen.has(token));
};

/** A question by a door. */
export function questionCell(source: CellSource, door: QuestionDoor, who?: Caller): Cell {
  const { served, chance } = source;
  const caller =
    who ??
    chance.of(door.who === 'http' ? httpCallers(source) : served.world.callers.filter(isAtCommandLine));
  const environment = someEnvironment(source, caller);
  const question = someQuestion(source, door, environment);
  const view = served.view(caller, environment);
  const expected = expectedFor(door, view, question);
  const number = source.number();
  const isNamed = chance.is(0.5);
  return async () => {
    const observed = await door.ask({ served, caller, environment, question, number, isNamed });
    const known = everyToken(served.world);
    const problems = [
      ...verifyAnswer(
        view,
        expected,
        observed,
        `${saidIn(question)} ${namesIn(question)}`,
        isJoined(question),
      ),
      ...(observed.isAnswered && door.name !== 'transpile' ? lacks(expected, observed.told, known) : []),
    ];
    return {
      caller: caller.name,
      door: door.name,
      operations: door.operations,
      relation: question.kind === 'sql' ? question.target.relation : 'semantics',
      environment,
      hides: hidesFrom(view),
      shows: expected.kind === 'rows' && expected.rows.length > 0,
      isUndecided: expected.kind === 'open',
      isLoud: shownTokens(observed.told, known).size > 0,
      what: `${question.kind} ${question.form}: ${question.kind === 'sql' ? question.sql : namesIn(question)} (${expected.kind})`,
      problems,
    };
  };
}

const isJoined = (question: Question): boolean =>
  question.kind === 'members' && question.joined !== undefined;

function expectedFor(door: QuestionDoor, view: View, question: Question): Expected {
  // Beside the models there is a semantic one in it, which is lost.
  const isWithout = view.moment.isLost && view.caller.isExempt && door.name === 'semantic sql beside models';
  return isWithout ? { kind: 'open' } : expectedOf(view, question);
}

/** A record, a list or an export. */
export function passiveCell(source: CellSource, happened: Happened, at: number, who?: Caller): Cell {
  const { served, chance } = source;
  const door = PASSIVE_DOORS[at % PASSIVE_DOORS.length] as (typeof PASSIVE_DOORS)[number];
  const callers = httpCallers(source);
  // Others are only told that it is not for them.
  const mostly = door.isForManagers && chance.is(0.8) ? callers.filter(managers) : callers;
  const caller = who ?? chance.of(mostly);
  const wanted = someEnvironment(source, caller);
  const address = door.address({ served, chance, happened, environment: wanted });
  const { environment } = address;
  const views = (environment === undefined ? ENVIRONMENTS : [environment]).map((each) =>
    served.view(caller, each),
  );
  const isElsewhere = environment !== undefined && views.some((view) => !view.mayAsk());
  return async () => {
    const got = await served.send(caller.name, address);
    const known = everyToken(served.world);
    const said = decodeURIComponent(address.path);
    const problems = [
      ...leaks(views, withoutTexts(got), {
        said,
        withNames: !served.moment.isLost && !(door.namesFreely?.(caller) ?? false),
      }),
    ];
    const code = codeIn(got.body);
    if (got.status >= 500) problems.push(`is ${got.status} ${code}`);
    // A token without the scope is told so, whatever it names.
    if (isElsewhere && caller.mayReadModels && !got.body.includes('policy.environment'))
      problems.push(`should be policy.environment, is ${got.status} ${code}`);
    if (
      !isElsewhere &&
      caller.isExempt &&
      caller.name === 'root' &&
      !served.moment.isLost &&
      got.status >= 400
    )
      problems.push(`should be answered, is ${got.status} ${code}`);
    return {
      caller: caller.name,
      door: door.operation,
      operations: [door.operation],
      relation: address.target?.relation ?? 'everything',
      environment: environment ?? 'any',
      hides: views.every(hidesFrom),
      shows: false,
      isUndecided: false,
      isLoud: shownTokens(got, known).size > 0,
      what: address.path,
      problems,
    };
  };
}

/** An answer of before, read again. */
export function keptCell({ served }: CellSource, kept: KeptAnswer, at: number): Cell {
  const door = KEPT_DOORS[at % KEPT_DOORS.length] as (typeof KEPT_DOORS)[number];
  const caller = served.world.callers.find(({ name }) => name === kept.caller) as Caller;
  const view = served.view(caller, kept.environment);
  const expected = expectedOf(view, kept.question);
  const { question } = kept;
  return async () => {
    const got = await served.send(caller.name, door.ask(kept));
    const known = everyToken(served.world);
    const problems = [
      ...leaks([view], withoutTexts(got), {
        said: `${saidIn(question)} ${JSON.stringify(kept.sent.body)}`,
        withNames: false,
      }),
    ];
    const shown = shownTokens(withoutTexts(got), known, saidIn(question));
    if (door.hasRows && expected.kind === 'refused' && shown.size > 0)
      problems.push(`is refused by now and tells ${[...shown].slice(0, 3).join(', ')}`);
    if (door.hasRows && kept.isHarmless && door.name !== 'kept result as parquet')
      problems.push(...lacks(expected, got, known));
    if (got.status >= 500) problems.push(`is ${got.status} ${codeIn(got.body)}`);
    return {
      caller: caller.name,
      door: door.name,
      operations: [door.operation],
      relation: question.kind === 'sql' ? question.target.relation : 'semantics',
      environment: kept.environment,
      hides: hidesFrom(view),
      shows: door.hasRows && kept.isHarmless,
      isUndecided: false,
      isLoud: shown.size > 0,
      what: `${question.kind} ${question.form}: ${question.kind === 'sql' ? question.sql : ''} (${expected.kind} by now)`,
      problems,
    };
  };
}

/** The first code in a body. */
export const codeIn = (body: string): string => /"code":\s*"([^"]+)"/.exec(body)?.[1] ?? '';
