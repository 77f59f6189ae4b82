import { describe, expect, test } from 'vitest';
import type { Environment, EnvironmentHooks } from '../../domain/environment.ts';
import { changedHooks, promotionBetween } from './plan-promotion.ts';

const DEV: Environment = {
  name: 'dev',
  entries: [],
  promotionId: 'v_1',
  planId: 'p_1',
  promotedAt: 0,
  gateway: 'local',
  definitions: {},
};
const HOOKS: EnvironmentHooks = {
  beforeAll: ['SELECT 1'],
  afterAll: [],
  applied: { gateway: 'local', variables: {}, macroFiles: {}, jinjaMacros: [] },
};

describe('an environment with the same models', () => {
  test('is promoted again when its before_all or after_all differ, because runs take them from it', () => {
    expect(promotionBetween({ ...DEV, hooks: HOOKS }, { ...DEV, hooks: HOOKS })).toBeUndefined();
    const target = { ...DEV, hooks: { ...HOOKS, beforeAll: ['SELECT 2'] } };
    expect(promotionBetween({ ...DEV, hooks: HOOKS }, target)?.target).toBe(target);
    expect(promotionBetween({ ...DEV, hooks: HOOKS }, DEV)?.target).toBe(DEV);
  });

  test('is told which of them differ, also when only what they read does', () => {
    expect(changedHooks(HOOKS, { ...HOOKS, at: {} })).toEqual([]);
    expect(changedHooks(HOOKS, undefined)).toEqual(['before_all']);
    expect(changedHooks(HOOKS, { ...HOOKS, afterAll: ['SELECT 2'] })).toEqual(['after_all']);
    const applied = { ...HOOKS.applied, variables: { who: 'bob' } };
    expect(changedHooks(HOOKS, { ...HOOKS, applied })).toEqual(['before_all']);
  });

  test('is promoted again for views that are gone, and for those only', () => {
    const entry = (model: string) => ({ model, fingerprint: 'f', version: 'v', columns: ['x'] });
    const shown = {
      ...DEV,
      entries: [entry('s.a'), entry('s.b'), { model: 's.c', fingerprint: 'f', columns: [] }],
    };
    expect(promotionBetween(shown, shown, { lost: new Set() })).toBeUndefined();
    const again = promotionBetween(shown, shown, { lost: new Set(['s.b']), withStatements: ['s.a', 's.b'] });
    expect(again?.views).toEqual([{ environment: 'dev', entry: entry('s.b') }]);
    expect(again?.virtualUpdates).toEqual(['s.b']);
  });

  test('does not differ when the statements only moved in their file', () => {
    const moved = { ...HOOKS, at: { beforeAll: { file: 'config.yaml', start: 9, end: 19 } } };
    expect(promotionBetween({ ...DEV, hooks: HOOKS }, { ...DEV, hooks: moved })).toBeUndefined();
  });

  test('has expired by the execution time of the plan, not by the wall', () => {
    const present = { ...DEV, expiresAt: 1_000 };
    const early = { ...DEV, promotedAt: 5_000, executionTime: 500 };
    expect(promotionBetween(present, early)).toBeUndefined();
    expect(promotionBetween(present, { ...early, executionTime: 1_000 })).toBeDefined();
  });
});
