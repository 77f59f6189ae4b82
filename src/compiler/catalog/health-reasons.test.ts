import { expect, test } from 'vitest';
import { resultOf } from '../../../tests/conformance/quality-store-fixtures.ts';
import { CHECK_OUTCOMES, type CheckResult, type Incident } from '../../domain/check-result.ts';
import type { ModelStatus } from '../../domain/model-status.ts';
import { FRESHNESS_CHECK, FRESHNESS_STATES, type FreshnessState } from '../../domain/product-health.ts';
import type { HeldGroup } from '../../domain/quarantine.ts';
import type { ModelResult, Run } from '../../domain/run.ts';
import { type HealthInput, healthOf, healthReasons } from './health-reasons.ts';

const statusOf = (status: ModelStatus['status'], model = 'm.a'): ModelStatus => ({
  ...{ model, kind: 'full', status, missing: [] },
});

function runOf(more: Partial<ModelResult> = {}, status: Run['status'] = 'succeeded'): Run {
  return {
    ...{ id: 'r_1', kind: 'run', environment: 'prod', who: 'x', startedAt: 5, executionTime: 5, endedAt: 6 },
    status,
    models: [{ name: 'm.a', status: 'built', intervals: [], rows: 1, ms: 1, audits: [], ...more }],
  };
}

const incidentOf = (more: Partial<Incident> = {}): Incident => ({
  ...{ id: 'i_1', check: 'p/known', pack: 'p', rule: 'known', model: 'm.a', dimension: 'completeness' },
  ...{
    severity: 'error',
    environment: 'prod',
    openedAt: 5,
    openedBy: 'c_1',
    failures: 1,
    summary: 'secret 4711',
  },
  ...more,
});

function explained(more: Partial<HealthInput> = {}): readonly [string, readonly string[], readonly string[]] {
  const input: HealthInput = {
    found: { models: [statusOf('fine')] },
    ...{ runs: [runOf()], freshness: undefined, incidents: [], results: [], resultsSince: new Map() },
    held: [],
    ...more,
  };
  const reasons = healthReasons(input);
  return [healthOf(reasons, input), reasons.map(({ kind }) => kind), reasons.map(({ words }) => words)];
}

const heldOf = (more: Partial<HeldGroup> = {}): HeldGroup => ({
  ...{ model: 'm.a', table: { model: 'm.a', version: 'v' }, place: 'plinth__m.a__v', runId: 'r_1' },
  ...{ audits: ['known'], interval: { start: 0, end: 9 }, rows: 2, since: 5 },
  ...more,
});

const failedAudit = { name: 'not_null', status: 'failed', failedRows: 3 } as const;
const broken = (more: Partial<ModelResult> = {}): Partial<HealthInput> => ({
  found: { models: [statusOf('broken')] },
  runs: [runOf({ status: 'failed', ...more })],
});
const withResult = (more: Partial<CheckResult>): Partial<HealthInput> => ({
  results: [resultOf('c_1', { model: 'm.a', ...more })],
});
const promised = (state: FreshnessState): Partial<HealthInput> => ({
  freshness: { state, maxAge: '26h', model: 'm.a' },
});

const CASES: readonly (readonly [string, Partial<HealthInput>, string, readonly string[]])[] = [
  ['nothing is wrong', {}, 'healthy', []],
  ['nothing was filled', { runs: [] }, 'unknown', []],
  ...(['due', 'waiting', 'running'] as const).map(
    (each) => [`a model is ${each}`, { found: { models: [statusOf(each)] } }, 'healthy', []] as const,
  ),
  ['a rule is learning', withResult({ outcome: 'not_evaluated', isLearning: true }), 'healthy', []],
  ['a model is late', { found: { models: [statusOf('late')] } }, 'caution', ['late']],
  ['a model is stale', { found: { models: [statusOf('stale')] } }, 'degraded', ['stale']],
  ['a model failed', broken(), 'degraded', ['broken']],
  ['an audit blocks', broken({ audits: [failedAudit] }), 'blocked', ['audit']],
  [
    'a model that failed after its audits',
    broken({ audits: [{ ...failedAudit, status: 'passed' }] }),
    'degraded',
    ['broken'],
  ],
  ['rows are held back', { held: [heldOf()] }, 'caution', ['quarantine']],
  ['those of a model are named once', { held: [heldOf(), heldOf()] }, 'caution', ['quarantine']],
  ...(['failed', 'interrupted'] as const).map(
    (each) =>
      [
        `the last run ${each}`,
        { found: { models: [], lastRun: runOf({}, each) } },
        'degraded',
        ['run'],
      ] as const,
  ),
  ['the last run was cancelled', { found: { models: [], lastRun: runOf({}, 'cancelled') } }, 'healthy', []],
  ['an incident is open', { incidents: [incidentOf()] }, 'degraded', ['incident']],
  ['one of a warning', { incidents: [incidentOf({ severity: 'warning' })] }, 'caution', ['incident']],
  [
    'its check is named once',
    { incidents: [incidentOf()], ...withResult({ outcome: 'fail' }) },
    'degraded',
    ['incident'],
  ],
  ...CHECK_OUTCOMES.map(
    (outcome) =>
      [
        `a check that is ${outcome}`,
        withResult({ outcome }),
        { pass: 'healthy', warn: 'caution', fail: 'degraded', error: 'caution', not_evaluated: 'caution' }[
          outcome
        ],
        outcome === 'pass' ? [] : ['check'],
      ] as const,
  ),
  ['a failing warning', withResult({ outcome: 'fail', severity: 'warning' }), 'caution', ['check']],
  ...FRESHNESS_STATES.map(
    (state) =>
      [
        `data is ${state}`,
        promised(state),
        { fresh: 'healthy', late: 'caution', stale: 'degraded', unknown: 'caution' }[state],
        state === 'fresh' ? [] : ['slo'],
      ] as const,
  ),
  [
    'a broken promise is named once',
    {
      ...promised('late'),
      incidents: [incidentOf({ check: FRESHNESS_CHECK })],
      ...withResult({ check: FRESHNESS_CHECK, outcome: 'fail' }),
    },
    'caution',
    ['slo'],
  ],
  [
    'the worst counts and is first',
    { ...broken({ audits: [failedAudit] }), ...promised('late'), incidents: [incidentOf()] },
    'blocked',
    ['audit', 'incident', 'slo'],
  ],
];

test.each(CASES)('%s', (_, given, health, kinds) => {
  const [found, reasons, words] = explained(given);
  expect(found).toBe(health);
  expect(reasons).toEqual(kinds);
  // Nothing that was measured.
  expect(words.join()).not.toMatch(/4711|0\.5|3 rows/);
});

test('a reason says since when it holds, not when it was last looked at', () => {
  const input: HealthInput = {
    found: { models: [statusOf('fine')] },
    ...{ runs: [runOf()], freshness: undefined, incidents: [] },
    results: [resultOf('c_9', { model: 'm.a', outcome: 'warn', at: 90 })],
    resultsSince: new Map([['p/known', 30]]),
    held: [heldOf({ since: 40, runId: 'r_2' }), heldOf({ since: 20 })],
  };
  expect(healthReasons(input).map(({ kind, since, runId }) => [kind, since, runId])).toEqual([
    ['check', 30, undefined],
    ['quarantine', 20, 'r_2'],
  ]);
});
