import { describe, expect, test } from 'vitest';
import type { AroundStatements, Environment } from '../../domain/environment.ts';
import { promotionBetween } from './plan-promotion.ts';

const DEV: Environment = {
  name: 'dev',
  entries: [],
  promotionId: 'v_1',
  planId: 'p_1',
  promotedAt: 0,
  gateway: 'local',
  definitions: {},
};
const AROUND: AroundStatements = {
  beforeAll: ['SELECT 1'],
  afterAll: [],
  applied: { gateway: 'local', variables: {}, macroFiles: {}, jinjaMacros: [] },
};

describe('an environment with the same models', () => {
  test('is promoted again when its before_all or after_all differ, because runs take them from it', () => {
    expect(promotionBetween({ ...DEV, around: AROUND }, { ...DEV, around: AROUND })).toBeUndefined();
    const target = { ...DEV, around: { ...AROUND, beforeAll: ['SELECT 2'] } };
    expect(promotionBetween({ ...DEV, around: AROUND }, target)?.target).toBe(target);
    expect(promotionBetween({ ...DEV, around: AROUND }, DEV)?.target).toBe(DEV);
  });

  test('does not differ when the statements only moved in their file', () => {
    const moved = { ...AROUND, at: { beforeAll: { file: 'config.yaml', start: 9, end: 19 } } };
    expect(promotionBetween({ ...DEV, around: AROUND }, { ...DEV, around: moved })).toBeUndefined();
  });

  test('has expired by the execution time of the plan, not by the wall', () => {
    const present = { ...DEV, expiresAt: 1_000 };
    const early = { ...DEV, promotedAt: 5_000, executionTime: 500 };
    expect(promotionBetween(present, early)).toBeUndefined();
    expect(promotionBetween(present, { ...early, executionTime: 1_000 })).toBeDefined();
  });
});
