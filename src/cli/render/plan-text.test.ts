import { describe, expect, test } from 'vitest';
import { NO_IMPACT } from '../../domain/impact.ts';
import type { Plan } from '../../domain/plan.ts';
import { createTerminal } from '../terminal.ts';
import { planText } from './plan-text.ts';

const DAY = 86_400_000;
const PLAN: Plan = {
  id: 'p_1',
  environment: 'prod',
  basePromotionId: 'v_0',
  createdAt: 0,
  executionTime: 0,
  changes: [],
  missing: [],
  snapshots: [],
  target: {
    name: 'prod',
    entries: [],
    promotionId: 'v_1',
    planId: 'p_1',
    promotedAt: 0,
    gateway: 'local',
    definitions: {},
  },
  restatements: [],
  stages: [],
};
const promoteOf = (...models: readonly string[]): Plan['stages'][number] => ({
  id: 'promote',
  needs: [],
  kind: 'promote',
  target: PLAN.target,
  views: models.map((model) => ({ environment: 'prod', entry: { model, fingerprint: 'f', columns: [] } })),
  removed: [],
  virtualUpdates: [],
});

function textOf(plan: Partial<Plan>, isVerbose = false): string {
  const stream = { write: () => true };
  const terminal = createTerminal({
    stdout: stream,
    stderr: stream,
    isInputTerminal: false,
    variables: {},
    color: 'never',
    isJson: false,
    isQuiet: false,
    isVerbose,
    platform: 'linux',
  });
  return planText(
    terminal,
    { ...PLAN, ...plan },
    { impact: NO_IMPACT, estimates: new Map(), hasDiff: true },
  ).join('\n');
}

describe('the text of a plan', () => {
  const missing = Array.from({ length: 70 }, (_, i) => ({
    model: `s.m${String(i).padStart(2, '0')}`,
    version: 'v',
    ranges: [
      { start: 0, end: DAY },
      { start: 3 * DAY, end: 5 * DAY },
    ],
  }));

  test('cuts a long list of what it fills, and says by how much', () => {
    const text = textOf({ missing });
    expect(text).toContain('s.m49  1970-01-01 to 1970-01-05, in 2 pieces');
    expect(text).not.toContain('s.m50');
    expect(text).toContain('… and 20 tables more; --verbose shows all');
    expect(text).toContain('70 tables to fill');
  });

  test('shows all of it with --verbose, each piece of time too', () => {
    const text = textOf({ missing }, true);
    for (const { model } of missing) expect(text).toContain(model);
    expect(text.match(/1970-01-04 to 1970-01-05$/gm)).toHaveLength(70);
    expect(text).not.toContain('more');
  });

  test('says that statements around everything changed, instead of "No changes"', () => {
    const text = textOf({ statements: ['before_all'], stages: [promoteOf()] });
    expect(text).toContain('~ before_all');
    expect(text).toMatch(/\nbefore_all changed · nothing to fill$/);
    expect(text).not.toContain('No changes');
    expect(textOf({ statements: ['before_all', 'after_all'] })).toContain('before_all and after_all changed');
  });

  test('names views that are made again though nothing changed', () => {
    expect(textOf({ stages: [promoteOf('s.a')] })).toMatch(/Shown again\n {2}s\.a/);
    const { basePromotionId: _, ...fresh } = PLAN;
    expect(textOf({ ...fresh, stages: [] })).not.toContain('Shown again');
  });
});
