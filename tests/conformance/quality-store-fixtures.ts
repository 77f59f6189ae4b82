/** Results and profiles to store. */
import type { CheckResult } from '../../src/domain/check-result.ts';
import type { TableProfile } from '../../src/domain/table-profile.ts';

export function resultOf(id: string, more: Partial<CheckResult> = {}): CheckResult {
  return {
    id,
    check: 'p/known',
    pack: 'p',
    rule: 'known',
    model: 'a.one',
    columns: ['id'],
    dimension: 'completeness',
    severity: 'error',
    owner: 'mara',
    environment: 'prod',
    runId: 'run-1',
    trigger: 'change',
    at: 10,
    ms: 2,
    dataVersion: '1:7',
    outcome: 'pass',
    value: 0.5,
    expected: 'missing_percent(id) < 1',
    sql: 'SELECT count(*) FROM a.one',
    ...more,
  };
}

export function profileOf(id: string, more: Partial<TableProfile> = {}): TableProfile {
  return {
    id,
    environment: 'prod',
    model: 'a.one',
    runId: 'run-1',
    at: 10,
    ms: 3,
    dataVersion: '1:7',
    rows: 4,
    columns: [{ name: 'id', type: 'BIGINT', family: 'number', nulls: 1, min: '1', max: '9' }],
    ...more,
  };
}
