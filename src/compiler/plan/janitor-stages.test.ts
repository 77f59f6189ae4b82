import { beforeAll, describe, expect, test } from 'vitest';
import { modelFile } from '../../../tests/support/plan/compile-text.ts';
import { NOW, PlanWorld } from '../../../tests/support/plan/plan-world.ts';
import type { Environment } from '../../domain/environment.ts';
import type { Plan } from '../../domain/plan.ts';
import type { Promotion } from '../../domain/state-store.ts';
import { type JanitorInput, janitorStages } from './janitor-stages.ts';

const DAY = 86_400_000;
const files = (x: number) => ({
  'models/a.sql': modelFile('raw.a', 'FULL', `SELECT ${x} AS x`),
  'models/v.sql': modelFile('marts.v', 'VIEW', 'SELECT x FROM raw.a'),
});

const world = new PlanWorld();
const plans: Plan[] = [];
const promotions: Promotion[] = [];
let versions: readonly (string | undefined)[] = [];

beforeAll(async () => {
  const apply = async (x: number, environment: string, at: number) => {
    plans.push(await world.planAndApply(files(x), { environment, now: at }));
    promotions.unshift({
      environment: world.environments.find(({ name }) => name === environment) as Environment,
      at,
    });
    return world.versionOf('raw.a', environment);
  };
  versions = [
    await apply(1, 'prod', NOW),
    await apply(2, 'prod', NOW + DAY),
    await apply(3, 'dev', NOW + 2 * DAY),
  ];
});

const input = (more: Partial<JanitorInput> = {}): JanitorInput => ({
  environments: world.environments,
  snapshots: [...world.snapshots.values()],
  promotions,
  unfinished: [],
  busy: [],
  planTimes: new Map(plans.map(({ id, createdAt }) => [id, createdAt])),
  now: NOW + 3 * DAY,
  ttl: { kind: 'duration', months: 0, ms: 7 * DAY },
  ...more,
});

const tables = (outcome: ReturnType<typeof janitorStages>) =>
  outcome.stages.flatMap((stage) =>
    stage.kind === 'clean-up'
      ? stage.tables.map(({ table, object }) => `${object} ${table.model}__${table.version}`)
      : [],
  );

describe('the janitor', () => {
  test('leaves alone what is young enough to go back to', () =>
    expect(janitorStages(input()).stages).toEqual([]));
  test('removes what no environment has shown for longer than the time to live', () => {
    const outcome = janitorStages(input({ now: NOW + 8.5 * DAY }));
    expect(tables(outcome)).toContain(`table raw.a__${versions[0]}`);
    expect(tables(outcome).some((text) => text.startsWith('view marts.v__'))).toBe(true);
    expect(tables(outcome)).not.toContain(`table raw.a__${versions[1]}`);
    expect(outcome.gone.environments).toEqual([]);
    expect(outcome.gone.fingerprints.length).toBe(2);
  });
  test('removes environments that have expired, and their tables a time to live later', () => {
    const expired = janitorStages(input({ now: NOW + 9.5 * DAY }));
    expect(expired.gone.environments).toEqual(['dev']);
    expect(tables(expired)).not.toContain(`table raw.a__${versions[2]}`);
    // Its history goes with it, and nothing else remembers this view.
    expect(tables(expired)).toContain(`view marts.v__${world.versionOf('marts.v', 'dev')}`);
    const later = janitorStages(input({ now: NOW + 17 * DAY }));
    expect(tables(later)).toContain(`table raw.a__${versions[2]}`);
  });
  test('an invalidated environment goes at once, prod never', () => {
    const environments = world.environments.map((environment) => ({ ...environment, expiresAt: 0 }));
    expect(janitorStages(input({ environments })).gone.environments).toEqual(['dev']);
  });
  test('never what an unfinished plan names', () => {
    const outcome = janitorStages(input({ now: NOW + 30 * DAY, unfinished: plans }));
    expect(outcome.gone).toEqual({ environments: [], fingerprints: [], tables: expect.anything() });
    expect(
      tables(outcome).filter((text) => versions.some((version) => text.endsWith(`__${version}`))),
    ).toEqual([]);
  });
  test('never what a run holds', () => {
    const table = { model: 'raw.a', version: versions[0] as string };
    const outcome = janitorStages(input({ now: NOW + 8.5 * DAY, busy: [table] }));
    expect(tables(outcome)).not.toContain(`table raw.a__${versions[0]}`);
  });
  test('tables that plans began for a snapshot before it got its version go as well', () => {
    const tried = 'b'.repeat(26);
    const snapshots = [...world.snapshots.values()].map((snapshot) =>
      snapshot.version === versions[1] ? { ...snapshot, abandoned: [tried] } : snapshot,
    );
    expect(tables(janitorStages(input({ snapshots })))).not.toContain(`table raw.a__${tried}`);
    const later = tables(janitorStages(input({ snapshots, now: NOW + 30 * DAY })));
    expect(later).toContain(`table raw.a__${tried}`);
    expect(later).not.toContain(`table raw.a__${versions[1]}`);
  });
  test('a snapshot whose plan nobody knows is kept', () => {
    const outcome = janitorStages(input({ now: NOW + 30 * DAY, planTimes: new Map(), promotions: [] }));
    expect(outcome.gone.fingerprints).toEqual([]);
  });
});
