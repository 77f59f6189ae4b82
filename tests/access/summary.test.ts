/** A campaign that asked too little, or never came to something, is no proof. */
import { expect, test } from 'vitest';
import { ENVIRONMENT_PLACES } from './environment-places.ts';
import { KEPT_DOORS } from './kept-answers.ts';
import { NAME_PLACES } from './name-places.ts';
import { COMMAND_PLACES } from './pair-cells.ts';
import { PASSIVE_DOORS } from './passive-doors.ts';
import { QUESTION_DOORS } from './question-doors.ts';
import { type Counted, summarise, unexercised } from './summary.ts';

const EXPECTED = { callers: ['one'], schemes: ['mask'], phases: ['closed'] } as const;
const RELATIONS = [
  'upstream',
  'itself',
  'downstream',
  'beside',
  'own',
  'harmless',
  'vault',
  'rollup',
  'semantics',
];
const PLACES = ['default', 'early', 'late', 'any'];
const DOORS: readonly (readonly [door: string, operation: string])[] = [
  ...QUESTION_DOORS.map(({ name }) => [name, 'x'] as const),
  ...PASSIVE_DOORS.map(({ operation }) => [operation, operation] as const),
  ...KEPT_DOORS.map(({ name }) => [name, 'x'] as const),
  ...NAME_PLACES.map(({ name }) => [`name in ${name}`, 'x'] as const),
  ...Object.keys(COMMAND_PLACES).map((name) => [`name in ${name}`, 'x'] as const),
  ...Object.keys(ENVIRONMENT_PLACES).map((name) => [`environment in ${name}`, 'x'] as const),
];

/** A cell for every door, which comes to everything else in turn. */
const whole = (): readonly Counted[] =>
  DOORS.map(
    ([door, operation], at): Counted => ({
      caller: 'one',
      door,
      operations: [operation],
      relation: RELATIONS[at % RELATIONS.length] as Counted['relation'],
      environment: PLACES[at % PLACES.length] as Counted['environment'],
      hides: true,
      shows: true,
      isUndecided: false,
      isLoud: true,
      what: 'a question',
      problems: [],
      seed: 1,
      scheme: 'mask',
      phase: 'closed',
    }),
  );

const missing = (results: readonly Counted[], wanted = 1): readonly string[] =>
  unexercised(summarise(results, { seed: 1, wanted, worlds: 1, seconds: 1, others: [] }), EXPECTED);

test('a campaign that came to everything lacks nothing', () => expect(missing(whole())).toEqual([]));

test('fewer cells than were wanted are told', () => {
  const { length } = whole();
  expect(missing(whole(), length + 1)).toEqual([`${length} cells were asked, not ${length + 1}`]);
});

test.each([
  ['door', 'metric'],
  ['door', 'getRun'],
  ['door', 'replay'],
  ['door', 'name in graphql: where'],
  ['door', 'environment in transpile'],
  ['relation', 'own'],
  ['environment', 'late'],
] as const)('a campaign that never came to the %s %s is told so', (dimension, name) => {
  const left = whole().filter((result) => result[dimension] !== name);
  expect(missing(left)).toContain(`${dimension} ${name} was never asked`);
});

test('a door that had never anything to hide, to show or to tell proves nothing', () => {
  const change = (door: string, changed: Partial<Counted>): readonly Counted[] =>
    whole().map((result) => (result.door === door ? { ...result, ...changed } : result));
  expect(missing(change('metric', { hides: false }))).toEqual(['door metric had never anything to hide']);
  expect(missing(change('metric', { shows: false }))).toEqual(['door metric had never anything to show']);
  expect(missing(change('getRun', { isLoud: false }))).toEqual([
    'getRun never told a cell to anybody: it proves nothing',
  ]);
});

test('what the rules leave open stays the exception', () => {
  const open = whole().map((result, at) => ({ ...result, isUndecided: at % 5 === 0 }));
  expect(missing(open)).toEqual([expect.stringMatching(/^\d+ of \d+ cells are undecided$/)]);
});
