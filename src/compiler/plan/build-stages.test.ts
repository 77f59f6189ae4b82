import { describe, expect, test } from 'vitest';
import {
  BLOCKING,
  byFingerprint,
  entryOf,
  environment,
  filled,
  model,
  ranges,
  schedule,
} from '../../../tests/support/plan/applied.ts';
import { WHOLE } from '../../domain/engine.ts';
import type { BackfillStage, Stage } from '../../domain/plan.ts';
import type { Snapshot } from '../../domain/snapshot.ts';
import type { RangeSet } from '../../foundation/time/ranges.ts';
import { buildStages } from './build-stages.ts';
import { explainStages } from './explain-stage.ts';
import type { StageInput } from './stage-input.ts';

const RANGE = 'incremental-by-time-range';
const MARCH = ranges('2024-03-01/2024-03-10');

describe('the graph', () => {
  test('statements, schemas, tables upstream first, promotion of everything', () => {
    const models = [model('s.b', RANGE, ['s.a']), model('s.a', RANGE), model('t.c', 'full')];
    const target = environment('dev', models);
    const promote = {
      target,
      views: target.entries.map((entry) => ({ environment: 'dev', entry })),
      removed: [],
      virtualUpdates: [],
    };
    const stages = built(models, {
      missing: due({ 's.a': MARCH, 's.b': MARCH, 't.c': MARCH }),
      promote,
      beforeAll: ['SELECT 1'],
      afterAll: ['SELECT 2'],
      environments: [],
    });
    expect(graph(stages)).toEqual({
      'before-all': [],
      'create-schemas': ['before-all'],
      'backfill:s.a__v_s.a': ['create-schemas'],
      'backfill:t.c__v_t.c': ['create-schemas'],
      'backfill:s.b__v_s.b': ['backfill:s.a__v_s.a'],
      promote: [
        'before-all',
        'create-schemas',
        'backfill:s.a__v_s.a',
        'backfill:t.c__v_t.c',
        'backfill:s.b__v_s.b',
      ],
      'after-all': ['promote'],
    });
    expect(stages[1]).toMatchObject({
      schemas: [{ schema: 'plinth__s' }, { schema: 'plinth__t' }, { schema: 's__dev' }, { schema: 't__dev' }],
    });
  });

  test('nothing to do is no stage at all', () => {
    expect(built([model('s.a', RANGE)], { beforeAll: ['SELECT 1'], afterAll: ['SELECT 1'] })).toEqual([]);
  });

  test('schemas are made in the catalog of their tables', () => {
    const stages = built([model('c.s.a', RANGE)], { missing: due({ 'c.s.a': MARCH }) });
    expect(stages[0]).toMatchObject({ schemas: [{ catalog: 'c', schema: 'plinth__s' }] });
  });

  test('a table that is there already needs no schema', () => {
    const stages = built([model('s.a', RANGE)], {
      missing: due({ 's.a': MARCH }),
      filled: filled({ 's.a': ['2024-02-01/2024-03-01'] }),
    });
    expect(graph(stages)).toEqual({ 'backfill:s.a__v_s.a': [] });
  });

  test('needs reach through EMBEDDED models and views that stand, and end at views that are made here', () => {
    const models = [
      model('s.a', RANGE),
      model('s.e', 'embedded', ['s.a']),
      model('s.old', 'view', ['s.e']),
      model('s.new', 'view', ['s.a']),
      model('s.c', RANGE, ['s.old']),
      model('s.d', RANGE, ['s.new']),
    ];
    const stages = built(models, {
      missing: due({ 's.a': MARCH, 's.new': [WHOLE], 's.c': MARCH, 's.d': MARCH }),
    });
    expect(graph(stages)).toMatchObject({
      'backfill:s.new__v_s.new': ['backfill:s.a__v_s.a'],
      'backfill:s.c__v_s.c': ['backfill:s.a__v_s.a'],
      'backfill:s.d__v_s.d': ['backfill:s.new__v_s.new'],
    });
  });

  test('a table in between that is not due passes nothing on', () => {
    const models = [model('s.a', RANGE), model('s.b', RANGE, ['s.a']), model('s.c', RANGE, ['s.b'])];
    const stages = built(models, {
      missing: due({ 's.a': MARCH, 's.c': MARCH }),
      filled: filled({ 's.a': ['2024-02-01/2024-02-02'], 's.c': ['2024-02-01/2024-02-02'] }),
    });
    expect(graph(stages)).toEqual({ 'backfill:s.a__v_s.a': [], 'backfill:s.c__v_s.c': [] });
  });
});

describe('members', () => {
  test('batches run side by side only where each replaces rows of its own time', () => {
    const own = { schedule: schedule({ batchSize: 7 }) };
    const kinds = [
      RANGE,
      'incremental-by-unique-key',
      'incremental-by-partition',
      'incremental-unmanaged',
      'scd-type-2-by-time',
      'full',
      'seed',
    ] as const;
    const models = kinds.map((kind) => model(`s.${kind}`, kind, [], own));
    const stages = built(models, {
      missing: due(Object.fromEntries(models.map(({ model: name }) => [name, MARCH]))),
    });
    expect(
      backfills(stages).map(({ members: [member] }) => [
        member?.model,
        member?.batchSize,
        member?.batchConcurrency,
      ]),
    ).toEqual([
      ['s.incremental-by-time-range', 7, 4],
      ['s.incremental-by-unique-key', 7, 1],
      ['s.incremental-by-partition', 7, 1],
      ['s.incremental-unmanaged', 7, 1],
      ['s.scd-type-2-by-time', 7, 1],
      ['s.full', undefined, 1],
      ['s.seed', undefined, 1],
    ]);
  });

  test('say what they fill again', () => {
    const stages = built([model('s.a', RANGE), model('s.f', 'full')], {
      missing: due({ 's.a': MARCH, 's.f': MARCH }),
      filled: filled({ 's.a': ['2024-03-01/2024-03-03'], 's.f': ['2024-03-01/2024-03-09'] }),
      restated: filled({ 's.a': ['2024-03-05/2024-03-06'] }),
    });
    const [a, f] = backfills(stages).map(({ members: [member] }) => member);
    expect(a).toMatchObject({
      refills: ranges('2024-03-01/2024-03-03', '2024-03-05/2024-03-06'),
      isRestatement: true,
    });
    expect(f).not.toHaveProperty('refills');
    expect(f).not.toHaveProperty('isRestatement');
  });

  test('with nothing due only get their table, and views are made even when no rows are wanted', () => {
    const models = [model('s.a', RANGE), model('s.b', RANGE), model('s.v', 'view', ['s.a'])];
    const stages = built(models, {
      missing: due({ 's.a': [], 's.b': MARCH, 's.v': [WHOLE] }),
      isEmpty: true,
    });
    expect(
      backfills(stages).map(({ members: [member] }) => [member?.model, member?.ranges, member?.isEmpty]),
    ).toEqual([
      ['s.a', [], true],
      ['s.b', MARCH, true],
      ['s.v', [WHOLE], undefined],
    ]);
  });

  test('of kinds without a table are a bug', () => {
    expect(() => built([model('s.e', 'embedded')], { missing: due({ 's.e': [WHOLE] }) })).toThrow('s.e');
  });
});

describe('audits', () => {
  const a = model('s.a', RANGE);
  const v = model('s.v', 'view', ['s.a'], { audits: BLOCKING });
  const below = model('s.below', RANGE, ['s.v']);

  test('a view that nobody sees yet is audited when its tables are filled, before anything below it', () => {
    const stages = built([a, v, below], {
      missing: due({ 's.a': MARCH, 's.v': [WHOLE], 's.below': MARCH }),
      environments: [],
    });
    expect(graph(stages)).toMatchObject({
      'backfill:s.v__v_s.v': ['backfill:s.a__v_s.a'],
      'audit:s.v': ['backfill:s.v__v_s.v', 'backfill:s.a__v_s.a'],
      'backfill:s.below__v_s.below': ['backfill:s.v__v_s.v', 'audit:s.v'],
    });
    expect(Object.keys(graph(stages)).at(-1)).toBe('backfill:s.below__v_s.below');
  });

  test('also when the view was built before, by a plan that did not come to its end', () => {
    const stages = built([a, v], {
      missing: due({}),
      filled: new Map([['s.v__v_s.v', [WHOLE]]]),
      environments: [],
    });
    expect(graph(stages)).toEqual({ 'audit:s.v': [] });
  });

  test('that only warn hold nothing up', () => {
    const warned = model('s.v', 'view', ['s.a'], {
      audits: { blocking: [], others: ['x'], readsOthers: false },
    });
    const stages = built([a, warned, below], {
      missing: due({ 's.a': MARCH, 's.v': [WHOLE], 's.below': MARCH }),
      environments: [],
    });
    expect(graph(stages)['backfill:s.below__v_s.below']).toEqual(['backfill:s.v__v_s.v']);
    expect(graph(stages)).toHaveProperty('audit:s.v');
  });

  test('that only warn run after the tables of a view that is shown were written', () => {
    const warned = model('s.v', 'view', ['s.a'], {
      audits: { blocking: [], others: ['x'], readsOthers: false },
    });
    const has = filled({ 's.a': ['2024-02-01/2024-03-01'] });
    expect(graph(built([a, warned], { missing: due({ 's.a': MARCH }), filled: has }))).toEqual({
      'backfill:s.a__v_s.a': [],
      'audit:s.v': ['backfill:s.a__v_s.a'],
    });
    expect(built([a, warned], { filled: has })).toEqual([]);
  });

  test('of a view over two catalogs come with each, one catalog after the other', () => {
    const far = model('c.s.far', RANGE);
    const seen = model('s.v', 'view', ['s.a', 'c.s.far'], { audits: BLOCKING });
    const stages = built([a, far, seen], {
      missing: due({ 's.a': MARCH, 'c.s.far': MARCH }),
      filled: filled({ 's.a': ['2024-02-01/2024-03-01'], 'c.s.far': ['2024-02-01/2024-03-01'] }),
    });
    expect(graph(stages)).toEqual({
      'backfill:s.a__v_s.a': [],
      'backfill:c.s.far__v_c.s.far': ['backfill:s.a__v_s.a'],
    });
  });

  test('that are new run over the rows that are there, after those that come now', () => {
    const table = model('s.t', RANGE, [], { audits: BLOCKING });
    const reader = model('s.r', RANGE, ['s.t']);
    // What the environment shows demands nothing.
    const shown = [model('s.t', RANGE, [], { fingerprint: 'old' }), reader];
    const around = {
      environments: [environment('prod', shown)],
      snapshots: byFingerprint([...shown, table]),
    };
    const has = filled({ 's.t': ['2024-02-01/2024-03-01'], 's.r': ['2024-02-01/2024-03-01'] });
    expect(graph(built([table, reader], { missing: due({ 's.r': MARCH }), filled: has, ...around }))).toEqual(
      {
        'audit:s.t': [],
        'backfill:s.r__v_s.r': ['audit:s.t'],
      },
    );
    expect(graph(built([table, reader], { missing: due({ 's.t': MARCH }), filled: has, ...around }))).toEqual(
      {
        'backfill:s.t__v_s.t': [],
        'audit:s.t': ['backfill:s.t__v_s.t'],
      },
    );
  });

  test('of a view that is shown happen in the transaction of its tables', () => {
    const b = model('s.b', RANGE);
    const seen = model('s.v', 'view', ['s.a', 's.b'], { audits: BLOCKING });
    const models = [a, b, seen, below];
    const [group, last, ...rest] = built(models, {
      missing: due({ 's.a': MARCH, 's.b': MARCH, 's.below': MARCH }),
      filled: new Map([
        ...filled({ 's.a': ['2024-02-01/2024-02-02'], 's.b': ['2024-02-01/2024-02-02'], 's.below': [] }),
        ['s.v__v_s.v', [WHOLE]],
      ]),
    });
    expect(rest).toEqual([]);
    expect(group).toMatchObject({
      id: 'backfill:s.a__v_s.a',
      members: [{ model: 's.a' }, { model: 's.b' }],
      auditedViews: [{ environment: 'prod', model: 's.v', table: { model: 's.v', version: 'v_s.v' } }],
    });
    expect(last).toMatchObject({ id: 'backfill:s.below__v_s.below', needs: ['backfill:s.a__v_s.a'] });
  });

  test('of a new view between tables that are written together come at their end', () => {
    const b = model('s.b', RANGE, ['s.fresh']);
    const fresh = model('s.fresh', 'view', ['s.a'], { audits: BLOCKING });
    const seen = model('s.seen', 'view', ['s.a', 's.b'], { audits: BLOCKING });
    const stages = built([a, fresh, b, seen], {
      missing: due({ 's.a': MARCH, 's.fresh': [WHOLE], 's.b': MARCH }),
      environments: [environment('prod', [a, b, seen])],
    });
    expect(graph(stages)).toEqual({ 'create-schemas': [], 'backfill:s.a__v_s.a': ['create-schemas'] });
    expect(backfills(stages)[0]).toMatchObject({
      members: [{ model: 's.a' }, { model: 's.fresh' }, { model: 's.b' }],
      auditedViews: [{ model: 's.seen' }, { model: 's.fresh', environment: 'prod' }],
    });
  });

  test('a new audit of a view over tables that are written together comes after them, not between', () => {
    const b = model('s.b', RANGE, ['s.v']);
    const over = model('s.over', 'view', ['s.a', 's.b'], { audits: BLOCKING });
    const stages = built([a, v, b, over], {
      missing: due({ 's.a': MARCH, 's.b': MARCH }),
      filled: filled({ 's.a': ['2024-02-01/2024-02-02'], 's.b': ['2024-02-01/2024-02-02'] }),
      environments: [
        environment('prod', [a, b, over, model('s.v', 'view', ['s.a'], { fingerprint: 'old' })]),
      ],
      snapshots: byFingerprint([a, b, over, v, model('s.v', 'view', ['s.a'], { fingerprint: 'old' })]),
    });
    expect(graph(stages)).toEqual({ 'backfill:s.a__v_s.a': [], 'audit:s.v': ['backfill:s.a__v_s.a'] });
  });
});

describe('a view with blocking audits over a table that is not written here', () => {
  const raw = model('raw.t', 'external');
  const view = model('s.v', 'view', ['s.e'], { audits: BLOCKING });
  const models = [
    raw,
    model('s.e', 'embedded', ['raw.t']),
    view,
    model('s.w', 'view', ['s.v']),
    model('s.f', 'full', ['s.w']),
    model('s.other', 'full'),
  ];
  const there = filled({ 's.f': [], 's.other': [] });

  test('is audited before anything is filled from it', () => {
    const stages = built(models, { missing: due({ 's.f': MARCH, 's.other': MARCH }), filled: there });
    expect(graph(stages)).toEqual({
      'audit:s.v': [],
      'backfill:s.f__v_s.f': ['audit:s.v'],
      'backfill:s.other__v_s.other': [],
    });
    expect(stages.find(({ kind }) => kind === 'audit')).toMatchObject({ reason: 'touched' });
  });

  test('is left alone when nothing is filled from it', () => {
    expect(graph(built(models, { missing: due({ 's.other': MARCH }), filled: there }))).toEqual({
      'backfill:s.other__v_s.other': [],
    });
  });

  test('need not be described, and may also read tables that are written here', () => {
    const both = [
      model('s.a', RANGE),
      { ...model('s.v', 'view', ['s.a'], { audits: BLOCKING }), readsUndeclared: true },
      model('s.f', 'full', ['s.v']),
    ];
    const all = filled({ 's.a': [], 's.f': [] });
    expect(graph(built(both, { missing: due({ 's.f': MARCH }), filled: all }))).toEqual({
      'audit:s.v': [],
      'backfill:s.f__v_s.f': ['audit:s.v'],
    });
    expect(graph(built(both, { missing: due({ 's.a': MARCH, 's.f': MARCH }), filled: all }))).toEqual({
      'backfill:s.a__v_s.a': [],
      'audit:s.v': ['backfill:s.a__v_s.a'],
      'backfill:s.f__v_s.f': ['backfill:s.a__v_s.a', 'audit:s.v'],
    });
  });
});

describe('migration', () => {
  const a = model('s.a', RANGE);
  const models = [
    a,
    model('s.e', 'embedded', ['s.a']),
    model('s.w', 'view', ['s.v']),
    model('s.v', 'view', ['s.e']),
    model('s.b', RANGE, ['s.v']),
  ];
  const migrations = [
    { table: { model: 's.a', version: 'v_s.a' }, fingerprint: 'new', allowDestructive: false },
  ];

  test('comes before everything that reads or writes the table', () => {
    const stages = built(models, {
      missing: due({ 's.a': MARCH, 's.b': MARCH }),
      filled: filled({ 's.a': [], 's.b': [] }),
      migrations,
    });
    expect(graph(stages)).toEqual({
      'migrate:s.a__v_s.a': [],
      'backfill:s.a__v_s.a': ['migrate:s.a__v_s.a'],
      'backfill:s.b__v_s.b': ['migrate:s.a__v_s.a', 'backfill:s.a__v_s.a'],
    });
  });

  test('takes along all views over the table in all environments, physical ones first and in order', () => {
    const own = model('s.x', 'view', ['s.a']);
    const all = [...models, own];
    const environments = [
      environment('prod', models),
      environment('dev', [a, own]),
      environment('apart', [[a, 'other'], own]),
    ];
    const [stage] = built(all, { missing: due({}), migrations, environments });
    expect(
      stage?.kind === 'migrate' &&
        stage.views.map((view) => `${view.environment ?? '-'} ${view.entry.model}`),
    ).toEqual(['- s.v', '- s.w', '- s.x', 'prod s.a', 'prod s.w', 'prod s.v', 'dev s.a', 'dev s.x']);
  });

  const other = { table: { model: 's.b', version: 'v_s.b' }, fingerprint: 'new', allowDestructive: true };

  test('one after the other where the same view is made again, upstream first', () => {
    const both = [...models, model('s.both', 'view', ['s.b', 's.a'])];
    expect(graph(built(both, { missing: due({}), migrations: [other, ...migrations] }))).toEqual({
      'migrate:s.a__v_s.a': [],
      'migrate:s.b__v_s.b': ['migrate:s.a__v_s.a'],
    });
  });

  test('of tables without a common view does not wait for another', () => {
    expect(graph(built(models, { missing: due({}), migrations: [other, ...migrations] }))).toEqual({
      'migrate:s.a__v_s.a': [],
      'migrate:s.b__v_s.b': [],
    });
  });

  test('that may lose something is finished by the promotion', () => {
    const target = environment('prod', models);
    const promote = { target, views: [], removed: [], virtualUpdates: [] };
    const stages = built(models, { missing: due({}), migrations: [other, ...migrations], promote });
    expect(stages.at(-1)).toMatchObject({ kind: 'promote', migrations: [{ table: { model: 's.b' } }] });
    expect(built(models, { missing: due({}), migrations, promote }).at(-1)).not.toHaveProperty('migrations');
  });
});

test('a plan in words', () => {
  const models = [
    model('s.a', RANGE, [], { schedule: schedule({ batchSize: 30, lookback: 2 }) }),
    model('s.b', 'scd-type-2-by-time', ['s.a'], { schedule: schedule({ cron: '0 * * * *', unit: 'hour' }) }),
    model('s.v', 'view', ['s.a', 's.b'], { audits: BLOCKING }),
    model('s.w', 'view', ['s.b'], { audits: BLOCKING, fingerprint: 'w' }),
    model('s.later', RANGE),
  ];
  const target = environment('dev', models);
  const stages = built(models, {
    environment: 'dev',
    missing: due({
      's.a': ranges('2020-01-01/2023-01-01', '2023-06-01/2024-03-10'),
      's.b': ranges('2024-03-09T22:00Z/2024-03-10T00:00Z'),
      's.w': [WHOLE],
      's.later': [],
    }),
    filled: filled({ 's.a': ['2022-12-30/2023-01-01'] }),
    environments: [environment('prod', models.slice(0, 3))],
    migrations: [{ table: { model: 's.b', version: 'v_s.b' }, fingerprint: 'b', allowDestructive: true }],
    promote: {
      target,
      views: target.entries.map((entry) => ({ environment: 'dev', entry })),
      removed: ['s.gone'],
      virtualUpdates: ['s.a'],
    },
    afterAll: ['GRANT'],
  });
  expect(explainStages(stages)).toEqual([
    '1. Create 2 schemas where missing: plinth__s, s__dev',
    '2. Change the columns of s.b in place, dropping columns if need be, and 3 views over it  (after 1)',
    '3. In one transaction: Fill s.a: 1,379 days, 2020-01-01 to 2024-03-09 with 1 gap, 2 of them again; Fill s.b: 2 hours, 2024-03-09T22:00:00Z to 2024-03-10T00:00:00Z; Audit s.v (prod) before the rows can be seen  (after 2)',
    '4. Make the table of s.later, nothing is due  (after 1)',
    '5. Build s.w  (after 2, 3)',
    '6. Audit s.w, a view that is not visible yet  (after 2, 3, 5)',
    '7. Show 5 views in dev, remove 1 view, run the on-virtual-update statements of 1 model  (after all)',
    '8. Run 1 statement of after_all  (after 7)',
  ]);
});

test('batches in words', () => {
  const models = [model('s.a', RANGE, [], { schedule: schedule({ batchSize: 30 }) })];
  const stages = built(models, {
    missing: due({ 's.a': ranges('2020-01-01/2024-03-10') }),
    filled: filled({ 's.a': [] }),
  });
  expect(explainStages(stages)).toEqual([
    '1. Fill s.a: 1,530 days, 2020-01-01 to 2024-03-09, in 51 batches, 4 at once',
  ]);
});

function due(missing: Readonly<Record<string, RangeSet>>): ReadonlyMap<string, RangeSet> {
  return new Map(Object.entries(missing));
}

function graph(stages: readonly Stage[]): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(stages.map(({ id, needs }) => [id, needs]));
}

function backfills(stages: readonly Stage[]): readonly BackfillStage[] {
  return stages.flatMap((stage) => (stage.kind === 'backfill' ? [stage] : []));
}

function built(models: readonly Snapshot[], own: Partial<StageInput>): readonly Stage[] {
  return buildStages({
    environment: 'prod',
    models: models.map((snapshot) => ({ snapshot, entry: entryOf(snapshot) })),
    missing: new Map(),
    filled: new Map(),
    environments: [environment('prod', models)],
    snapshots: byFingerprint(models),
    beforeAll: [],
    afterAll: [],
    naming: (name) => ({ environment: name, suffixTarget: 'schema' }),
    concurrency: 4,
    ...own,
  });
}
