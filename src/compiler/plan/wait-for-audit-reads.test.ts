import { describe, expect, test } from 'vitest';
import { entryOf, environment, filled, model, ranges } from '../../../tests/support/plan/applied.ts';
import type { Snapshot } from '../../domain/snapshot.ts';
import { buildStages } from './build-stages.ts';
import type { StageInput } from './stage-input.ts';

const DUE = ranges('2024-03-01/2024-03-10');
const reading = (...models: string[]) => ({
  audits: {
    blocking: ['relationship', 'not_null'],
    others: [],
    readsOthers: true,
    demands: ['h1', 'h2'],
    reads: { relationship: models },
  },
});

function built(models: readonly Snapshot[], own: Partial<StageInput> = {}) {
  const stages = buildStages({
    environment: 'prod',
    models: models.map((snapshot) => ({ snapshot, entry: entryOf(snapshot) })),
    missing: new Map(models.map((snapshot) => [snapshot.model, DUE])),
    filled: new Map(),
    environments: [],
    snapshots: new Map(models.map((snapshot) => [snapshot.fingerprint, snapshot])),
    beforeAll: [],
    afterAll: [],
    naming: (name) => ({ environment: name, suffixTarget: 'schema' }),
    concurrency: 4,
    ...own,
  });
  return {
    stages,
    graph: Object.fromEntries(stages.map(({ id, needs }) => [id, needs])),
    members: stages.flatMap((stage) => (stage.kind === 'backfill' ? stage.members : [])),
    audits: stages.filter(({ kind }) => kind === 'audit'),
  };
}

describe('an audit that reads another model', () => {
  test('waits for the stage that makes it', () => {
    const { graph, audits } = built([model('s.a', 'full', [], reading('s.b')), model('s.b', 'full')]);
    expect(graph['backfill:s.a__v_s.a']).toEqual(['create-schemas', 'backfill:s.b__v_s.b']);
    expect(graph['backfill:s.b__v_s.b']).toEqual(['create-schemas']);
    expect(audits).toEqual([]);
  });

  test('waits for the tables of a view that stands', () => {
    const models = [
      model('s.a', 'full', [], reading('s.v')),
      model('s.t', 'full'),
      model('s.v', 'view', ['s.t']),
    ];
    const { graph } = built(models, {
      missing: new Map([
        ['s.a', DUE],
        ['s.t', DUE],
      ]),
    });
    expect(graph['backfill:s.a__v_s.a']).toContain('backfill:s.t__v_s.t');
  });

  test('comes later, alone, when that model is new and itself reads the rows under audit', () => {
    const { graph, members, audits } = built([
      model('s.a', 'full', [], reading('s.c')),
      model('s.b', 'full', ['s.a']),
      model('s.c', 'full', ['s.b']),
    ]);
    expect(members[0]).toMatchObject({ model: 's.a', laterAudits: ['relationship'] });
    expect(audits).toMatchObject([{ id: 'audit:s.a', audits: ['relationship'] }]);
    expect(graph).toMatchObject({
      'backfill:s.a__v_s.a': ['create-schemas'],
      'backfill:s.b__v_s.b': ['backfill:s.a__v_s.a'],
      'audit:s.a': ['backfill:s.a__v_s.a', 'backfill:s.c__v_s.c'],
    });
  });

  test('of a table that is shown is asked at the end of one write of both, whichever reads the other', () => {
    const shown = { filled: filled({ 's.a': ['2024-02-01/2024-03-01'], 's.b': ['2024-02-01/2024-03-01'] }) };
    for (const parents of [[], ['s.a']]) {
      const models = [model('s.a', 'full', [], reading('s.b')), model('s.b', 'full', parents)];
      const { stages, audits } = built(models, { ...shown, environments: [environment('prod', models)] });
      expect(stages).toMatchObject([
        {
          members: [{ model: 's.a', laterAudits: ['relationship'] }, { model: 's.b' }],
          auditedViews: [{ model: 's.a', environment: 'prod', audits: ['relationship'] }],
        },
      ]);
      expect(audits).toEqual([]);
    }
  });

  test('of a table that is shown is asked when only what it reads is written', () => {
    const models = [model('s.a', 'full', [], reading('s.b')), model('s.b', 'full'), model('s.c', 'full')];
    const { stages } = built(models, {
      missing: new Map([
        ['s.b', DUE],
        ['s.c', DUE],
      ]),
      environments: [environment('prod', models)],
    });
    expect(stages.map((stage) => stage.kind === 'backfill' && stage.auditedViews)).toEqual([
      false,
      [expect.objectContaining({ model: 's.a', audits: ['relationship'] })],
      [],
    ]);
  });

  test('two that read each other: one waits, the other comes later', () => {
    const { members, audits } = built([
      model('s.a', 'full', [], reading('s.b')),
      model('s.b', 'full', [], reading('s.a')),
    ]);
    expect(members.map((member) => [member.model, member.laterAudits])).toEqual([
      ['s.b', ['relationship']],
      ['s.a', undefined],
    ]);
    expect(audits).toMatchObject([
      { id: 'audit:s.b', needs: ['backfill:s.b__v_s.b', 'backfill:s.a__v_s.a'] },
    ]);
  });

  test('new, over rows that are there: what it reads does not wait for it, the rest does', () => {
    const before = model('s.a', 'incremental-by-time-range', [], { fingerprint: 'old' });
    const a = model('s.a', 'incremental-by-time-range', [], reading('s.b'));
    const b = model('s.b', 'full', ['s.a']);
    const c = model('s.c', 'full', ['s.a']);
    const { graph } = built([a, b, c], {
      missing: new Map([
        ['s.b', DUE],
        ['s.c', DUE],
      ]),
      filled: filled({ 's.a': ['2024-02-01/2024-03-01'] }),
      environments: [environment('prod', [before])],
      snapshots: new Map([before, a, b, c].map((snapshot) => [snapshot.fingerprint, snapshot])),
    });
    expect(graph).toMatchObject({
      'audit:s.a': ['create-schemas', 'backfill:s.b__v_s.b'],
      'backfill:s.c__v_s.c': ['audit:s.a'],
    });
    expect(graph['backfill:s.b__v_s.b']).toEqual(['create-schemas']);
  });
});
