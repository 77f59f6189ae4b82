/* Cells that ask twice: for something that is hidden and for something that does not exist. Both answers are the same. */
import { type Cell, type CellFacts, type CellSource, codeIn, httpCallers } from './cells.ts';
import { ENVIRONMENT_PLACES } from './environment-places.ts';
import { memberOf } from './generate-world.ts';
import { besideOf, NAME_PLACES, type NamePlace, type Names, namePair, toldOf } from './name-places.ts';
import type { CommandEnd, Got, Sent } from './served-world.ts';
import { leaks } from './verify-answer.ts';
import type { Caller, EnvironmentRole, SemanticModel } from './world.ts';

const NO_ROWS = { hides: true, shows: false, isUndecided: false, isLoud: false } as const;

/** A hidden name and one that does not exist; undefined when nothing is hidden from the caller there. */
export function nameCell(source: CellSource, at: number): Cell | undefined {
  const { served, chance } = source;
  const place = NAME_PLACES[at % NAME_PLACES.length] as (typeof NAME_PLACES)[number];
  const caller = chance.of(httpCallers(source));
  const environment = someEnvironment(source, caller);
  const view = served.view(caller, environment);
  // What is not public is metadata to those who may know everything.
  const isOpen = caller.isExempt && place.code === undefined && !place.name.startsWith('graphql');
  const pair = isOpen ? undefined : namePair(view, place.hides, chance);
  if (pair === undefined) return undefined;
  const isMember = view.knows(pair.semantic);
  const beside = besideOf(view, `${served.base}/graphql`, source.number());
  return async () => {
    const ask = (names: Names): Promise<Got> => {
      const sent = place.ask(names, beside);
      return served.send(caller.name, environment === 'default' ? sent : within(sent, environment));
    };
    const [hidden, absent] = [await ask(pair.hidden), await ask(pair.absent)];
    const said = JSON.stringify([pair.hidden, beside]);
    const problems = [
      ...leaks([view], hidden, { said }),
      ...leaks([view], absent, { said: JSON.stringify([pair.absent, beside]) }),
    ];
    const [one, other] = [toldOf(hidden, pair.hidden), toldOf(absent, pair.absent)];
    if (one !== other) problems.push(`hidden and absent differ: ${differenceOf(one, other)}`);
    if (place.code !== undefined && !isMember && !hidden.body.includes(`"${place.code}"`))
      problems.push(`hidden should be ${place.code}, is ${hidden.status} ${codeIn(hidden.body)}`);
    if (place.code !== undefined && isMember && hidden.status !== 422)
      problems.push(`a hidden member should be 422, is ${hidden.status} ${codeIn(hidden.body)}`);
    return {
      caller: caller.name,
      door: `name in ${place.name}`,
      operations: [place.operation],
      relation: 'semantics',
      environment,
      ...NO_ROWS,
      what: JSON.stringify(place.ask(pair.hidden, beside)),
      problems,
    };
  };
}

/** Of those that the caller may ask. */
function someEnvironment(
  { chance, environments }: CellSource,
  caller: Caller,
): CellFacts['environment'] & EnvironmentRole {
  return chance.of(
    environments.filter(
      (each) => each === 'default' || caller.environments === 'all' || caller.environments.includes(each),
    ),
  );
}

/** The same request, of another environment. */
function within(sent: Sent, environment: string): Sent {
  if (sent.body !== undefined) return { ...sent, body: { ...(sent.body as object), environment } };
  return { ...sent, path: `${sent.path}${sent.path.includes('?') ? '&' : '?'}environment=${environment}` };
}

/** Names at the command line, under the policies of a group. */
export const COMMAND_PLACES: Readonly<Record<string, (names: Names) => readonly string[]>> = {
  'command: dimensions': ({ model, member }) => ['--dimensions', `${model}.${member}`],
  'command: metric': ({ metric }) => ['--metric', metric],
  'command: sql': ({ model, member }) => ['--sql', `SELECT ${member} FROM ${model}`],
};

export function commandNameCell(source: CellSource, at: number): Cell | undefined {
  const { served, chance } = source;
  const entries = Object.entries(COMMAND_PLACES);
  const [name, options] = entries[at % entries.length] as (typeof entries)[number];
  const caller = served.world.callers.find((each) => each.name === 'as-group') as Caller;
  const view = served.view(caller, 'default');
  const hides: NamePlace['hides'] = name === 'command: metric' ? ['metric'] : ['model'];
  const pair = namePair(view, hides, chance);
  if (pair === undefined) return undefined;
  const groups = caller.groups.flatMap((group) => ['--as-group', group]);
  return async () => {
    const [hidden, absent] = await Promise.all(
      [pair.hidden, pair.absent].map(async (names) => {
        const end = await served.command('query', ...options(names), ...groups, '--json');
        return {
          end,
          told: commandTold(end, names),
          leaked: leaks([view], end, { said: JSON.stringify(names) }),
        };
      }),
    );
    const problems = [...(hidden?.leaked ?? []), ...(absent?.leaked ?? [])];
    if (hidden?.told !== absent?.told)
      problems.push(`hidden and absent differ: ${differenceOf(hidden?.told ?? '', absent?.told ?? '')}`);
    return {
      caller: caller.name,
      door: `name in ${name}`,
      operations: [],
      relation: 'semantics',
      environment: 'default',
      ...NO_ROWS,
      what: options(pair.hidden).join(' '),
      problems,
    };
  };
}

const commandTold = ({ code, text }: CommandEnd, { model, member, metric }: Names): string =>
  `${code}\n${text}`.replaceAll(model, 'MODEL').replaceAll(member, 'MEMBER').replaceAll(metric, 'METRIC');

/** An environment that is not for the caller, and one that does not exist. */
export function environmentCell(source: CellSource, at: number): Cell {
  const { served, chance } = source;
  const entries = Object.entries(ENVIRONMENT_PLACES);
  const [operation, place] = entries[at % entries.length] as (typeof entries)[number];
  const caller = chance.of(
    httpCallers(source).filter((each) => each.environments !== 'all' && each.environments.length === 0),
  );
  const environment = chance.of(['early', 'late'] as const);
  const view = served.view(caller, environment);
  const open = served.world.semantics.find(({ purpose }) => purpose === 'open') as SemanticModel;
  const beside = {
    model: open.name,
    dimension: memberOf(open.members, 'dimension', 'note').name,
    metric: chance.of(served.world.metrics).name,
    graphql: `${served.base}/graphql`,
  };
  // As long as the other.
  const absent = `${environment.slice(0, -1)}q`;
  return async () => {
    const ask = (name: string): Promise<Got> =>
      served.send(caller.name, {
        ...place(name, beside),
        ...(operation === 'streamEvents' ? { until: () => true } : {}),
      });
    const [there, none] = [await ask(environment), await ask(absent)];
    const problems = [...leaks([view], there, { said: JSON.stringify(beside) })];
    const names = { model: environment, member: absent, metric: absent };
    const [one, other] = [toldOf(there, names), toldOf(none, { ...names, model: absent })];
    if (one !== other) problems.push(`an environment of others and none differ: ${differenceOf(one, other)}`);
    // A token without the scope is told so, whatever it names.
    const mayUse = caller.mayReadModels || there.status !== 403;
    if (mayUse && !there.body.includes('policy.environment'))
      problems.push(`should be policy.environment, is ${there.status} ${codeIn(there.body)}`);
    return {
      caller: caller.name,
      door: `environment in ${operation}`,
      operations: [operation],
      relation: 'everything',
      environment,
      ...NO_ROWS,
      what: JSON.stringify(place(environment, beside)),
      problems,
    };
  };
}

const differenceOf = (one: string, other: string): string => {
  const [a, b] = [one.split('\n'), other.split('\n')];
  const at = a.findIndex((line, index) => line !== b[index]);
  return `${(a[at] ?? '').slice(0, 300)} | ${(b[at] ?? '').slice(0, 300)}`;
};
