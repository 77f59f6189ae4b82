/** Cases that once went wrong, as small as the campaign made them: each must stay right, and finds its defect when that is put back. */
import type { AuditUse, Definition, Kind, Project } from './definition.ts';
import { column, type Output, type Query, type Scalar } from './query.ts';
import { EVENTS, EXTERNALS, STATE } from './sources.ts';
import type { Case, Step } from './steps.ts';
import { dayText, type Row } from './values.ts';

/** Two keys, ten days, every day the same. */
const DAILY: readonly Row[] = Array.from({ length: 10 }, (_, day) => [
  { id: 2 * day, day: dayText(day), k: 1, v: 1, f: 0.5 },
  { id: 2 * day + 1, day: dayText(day), k: 2, v: 2, f: 1.5 },
]).flat();
/** The second row does not say when it changed. */
const PRESENT: readonly Row[] = [
  { k: 1, v: 10, s: 'x', u: '2024-12-30 12:00:00' },
  { k: 2, v: 20, s: 'y', u: null },
];

const plan = (more: Partial<Extract<Step, { readonly do: 'plan' }>> = {}): Step => ({
  do: 'plan',
  environment: 'prod',
  ...more,
});
const run = (select?: string): Step => ({
  do: 'run',
  environment: 'prod',
  ...(select === undefined ? {} : { select }),
});
const days = (count: number): Step => ({ do: 'advance', days: count });
const define = (definition: Definition): Step => ({ do: 'define', definition });
const events = (rows: readonly Row[]): Step => ({ do: 'pour', table: EVENTS, rows });
const state = (rows: readonly Row[]): Step => ({ do: 'pour', table: STATE, rows });

function model(name: string, kind: Kind, query: Partial<Query> & Pick<Query, 'from'>): Definition {
  return {
    name,
    kind,
    query: { where: [], isGrouped: false, outputs: outputs('k', 'v'), style: 0, ...query },
    audits: [],
    hasSignal: false,
    start: 0,
    description: '',
  };
}

const outputs = (...names: readonly string[]): readonly Output[] =>
  names.map((name) => ({ name, of: column(name) }));
const sums = (...names: readonly string[]): readonly Output[] =>
  names.map((name) => ({ name, aggregate: 'sum', of: column(name) }));
const DOUBLED: Scalar = { kind: 'times', of: column('v'), by: 2 };

const FULL: Kind = { kind: 'full' };
const VIEW: Kind = { kind: 'view' };
const timed = (
  more: Partial<Extract<Kind, { readonly kind: 'time-range' }>> = {},
): Extract<Kind, { readonly kind: 'time-range' }> => ({
  kind: 'time-range',
  lookback: 0,
  isForwardOnly: false,
  allowsPartials: false,
  ...more,
});
const history = (kind: 'scd-time' | 'scd-column'): Kind => ({
  kind,
  invalidates: true,
  startsAtChange: false,
  watched: 'v',
  isForwardOnly: false,
  isRestatable: true,
});
const keyed = (accumulates = false): Kind => ({ kind: 'unique-key', lookback: 0, accumulates });
const audit = (name: string, does: AuditUse['does'], more: Partial<AuditUse> = {}): AuditUse => ({
  name,
  does,
  column: 'v',
  ...more,
});

const DAILY_QUERY = { interval: 'day', outputs: outputs('day', 'k', 'v') };
const daily = (name: string, from = EVENTS, kind: Kind = timed()): Definition =>
  model(name, kind, { from, ...DAILY_QUERY });
const dailyDoubled = model('s.a', timed(), {
  from: EVENTS,
  interval: 'day',
  outputs: [...outputs('day', 'k'), { name: 'v', of: DOUBLED }],
});
const byKey = (name: string, from: string, kind: Kind = FULL): Definition =>
  model(name, kind, { from, isGrouped: true, outputs: [...outputs('k'), ...sums('v')] });
const latest = (name: string, kind: Kind): Definition =>
  model(name, kind, {
    from: EVENTS,
    interval: 'day',
    isGrouped: true,
    outputs: [...outputs('k'), { name: 'day', aggregate: 'max', of: column('day') }, ...sums('v')],
  });
const running = (name: string): Definition =>
  model(name, timed({ batchSize: 1, batchConcurrency: 4 }), {
    from: EVENTS,
    interval: 'day',
    isGrouped: true,
    outputs: [...outputs('day'), { name: 'total', aggregate: 'sum', of: column('v') }],
    past: 'total',
  });

export interface KnownCase {
  /** What a user saw. */
  readonly name: string;
  readonly case: Case;
}

function known(
  name: string,
  models: readonly Definition[],
  steps: readonly Step[],
  more: Partial<Project> = {},
): KnownCase {
  return {
    name,
    case: {
      seed: 0,
      theme: name,
      features: [],
      project: { models, externals: EXTERNALS, standalones: [], ...more },
      rows: new Map([
        [EVENTS, DAILY],
        [STATE, PRESENT],
      ]),
      steps,
    },
  };
}

const withoutKeyTwo = DAILY.filter(({ k }) => k !== 2);
const bad: Row = { id: 99, day: dayText(4), k: 1, v: -5, f: 0.5 };

export const KNOWN_CASES: readonly KnownCase[] = [
  known(
    'an answer is kept after a kill between the commit and the update of state',
    [daily('s.a')],
    [plan(), days(1), { do: 'kill', at: 0 }],
  ),
  known(
    'a row that is held back counts as deleted and ends its history',
    [{ ...model('s.a', history('scd-column'), { from: STATE }), audits: [audit('held', 'quarantine')] }],
    [plan(), state(PRESENT.map((row) => (row['k'] === 1 ? { ...row, v: -5 } : row))), days(1), run()],
  ),
  known(
    'a row that was first seen without a time of change never changes again',
    [model('s.a', history('scd-time'), { from: STATE, outputs: outputs('k', 'v', 'u') })],
    [
      plan(),
      state(PRESENT.map((row) => (row['k'] === 2 ? { ...row, v: 21, u: '2025-01-04 12:00:00' } : row))),
      days(1),
      run(),
    ],
  ),
  known(
    'a restatement by key keeps keys that left the source',
    [latest('s.a', keyed())],
    [plan(), events(withoutKeyTwo), plan({ restate: 's.a' })],
  ),
  known(
    'a restatement of two days adds them up once more',
    [latest('s.a', keyed(true))],
    [plan(), plan({ restate: 's.a', start: 1, end: 2 })],
  ),
  known(
    'a partial promotion leaves readers on rows of before for ever',
    [byKey('s.a', EVENTS), byKey('s.b', 's.a')],
    [
      plan(),
      define({ ...byKey('s.a', EVENTS), query: { ...doubledSums(EVENTS) } }),
      plan({ select: 's.a' }),
      plan(),
    ],
  ),
  known(
    'a view that changes without a backfill leaves its readers on rows of before',
    [model('s.a', VIEW, { from: STATE }), byKey('s.b', 's.a')],
    [
      plan(),
      define(model('s.a', VIEW, { from: STATE, outputs: [...outputs('k'), { name: 'v', of: DOUBLED }] })),
      plan({ skipsBackfill: true }),
      plan(),
    ],
  ),
  known('batches of a model over its own past do not see one another', [running('s.a')], [plan()]),
  known(
    'restating a day of a model over its own past leaves the later ones',
    [running('s.a')],
    [
      plan(),
      events(DAILY.map((row) => (row['day'] === dayText(1) ? { ...row, v: 7 } : row))),
      plan({ restate: 's.a', start: 1, end: 1 }),
    ],
  ),
  known(
    'a fresh FULL model that reads itself cannot be planned',
    [
      model('s.a', FULL, {
        from: STATE,
        isGrouped: true,
        outputs: [...outputs('k'), { name: 'v', aggregate: 'max', of: column('v') }],
        past: 'ever',
      }),
    ],
    [plan(), days(1), run()],
  ),
  known(
    'lookback records a day that what it reads does not have',
    [{ ...daily('s.a'), hasSignal: true }, daily('s.b', 's.a', timed({ lookback: 1 }))],
    [plan(), { do: 'hold', after: 0, isHole: true }, days(2), run(), { do: 'release' }, run()],
  ),
  known(
    'a FULL model over a table that a signal holds back is built empty and recorded',
    [{ ...daily('s.a'), hasSignal: true }, byKey('s.b', 's.a')],
    [{ do: 'hold', after: -4 }, plan(), { do: 'release' }, run()],
  ),
  known(
    'a plan of a new dev fills tables of prod',
    [daily('s.a'), byKey('s.b', 's.a')],
    [plan(), days(1), plan({ environment: 'dev' })],
  ),
  known(
    'restating in dev rewrites tables of prod',
    [daily('s.a')],
    [
      plan(),
      plan({ environment: 'dev' }),
      events(withoutKeyTwo),
      plan({ environment: 'dev', restate: 's.a' }),
    ],
  ),
  known(
    'taking back a forward-only change keeps its rows',
    [daily('s.a')],
    [
      plan(),
      define(dailyDoubled),
      plan({ isForwardOnly: true }),
      days(1),
      run(),
      define(daily('s.a')),
      plan(),
    ],
  ),
  known(
    'a change below a forward-only one does not reach those who read it',
    [
      daily('s.a', EVENTS, timed({ isForwardOnly: true })),
      model('s.b', VIEW, { from: 's.a' }),
      byKey('s.c', 's.b'),
    ],
    [
      plan(),
      define({ ...dailyDoubled, kind: timed({ isForwardOnly: true }) }),
      define(model('s.b', VIEW, { from: 's.a', outputs: [...outputs('k'), { name: 'v', of: DOUBLED }] })),
      plan(),
    ],
  ),
  known(
    'a time from which on a change counts is not heard of after dev has planned the change',
    [daily('s.a')],
    [
      plan(),
      define(dailyDoubled),
      plan({ environment: 'dev', isForwardOnly: true }),
      plan({ isForwardOnly: true, effectiveFrom: 2 }),
    ],
  ),
  known(
    'a forward-only change in dev computes all history',
    [daily('s.a')],
    [plan(), define(dailyDoubled), plan({ environment: 'dev', isForwardOnly: true })],
  ),
  known(
    'a range for an existing dev is ignored',
    [daily('s.a')],
    [
      plan(),
      define(dailyDoubled),
      plan({ environment: 'dev', start: 2 }),
      plan({ environment: 'dev', start: 0 }),
    ],
  ),
  known(
    'a sum of DOUBLE counts as proven when it is computed anew',
    [
      model('s.a', FULL, { from: EVENTS, isGrouped: true, outputs: [...outputs('k'), ...sums('f')] }),
      model('s.b', FULL, { from: 's.a', outputs: outputs('k', 'f') }),
    ],
    [
      plan(),
      define(
        model('s.a', FULL, {
          from: EVENTS,
          isGrouped: true,
          outputs: [...outputs('k'), ...sums('f'), { name: 'n', aggregate: 'count' }],
        }),
      ),
      plan(),
    ],
  ),
  known(
    'a standalone audit is listed and never asked',
    [daily('s.a')],
    [plan(), events([...DAILY, bad]), days(1), run()],
    {
      standalones: [{ name: 'watch_a', model: 's.a', column: 'v' }],
    },
  ),
  known(
    'an audit over another model is not asked when that is written',
    [
      model('s.keys', FULL, { from: STATE }),
      { ...daily('s.a'), audits: [audit('known_key', 'relation', { column: 'k', other: 's.keys' })] },
    ],
    [plan(), state(PRESENT.slice(0, 1)), days(1), run('s.keys')],
  ),
  known(
    'an external column of another type is taken for metadata',
    [daily('s.a')],
    [plan(), { do: 'data', change: 'retype', n: 1 }, plan(), days(1), run()],
  ),
  known(
    'a failed plan marks tables as broken that are shown and intact',
    [{ ...byKey('s.a', EVENTS), audits: [audit('positive', 'block')] }],
    [
      plan(),
      define({
        ...byKey('s.a', EVENTS),
        audits: [audit('positive', 'block')],
        query: doubledSums(EVENTS),
      }),
      events(DAILY.map((row) => ({ ...row, v: -5 }))),
      plan(),
    ],
  ),
];

function doubledSums(from: string): Query {
  return {
    from,
    where: [],
    isGrouped: true,
    outputs: [...outputs('k'), { name: 'v', aggregate: 'sum', of: DOUBLED }],
    style: 0,
  };
}
