/** Small things to store, each complete enough to be read back. */
import type { LedgerRow } from '../../src/domain/engine.ts';
import type { Environment } from '../../src/domain/environment.ts';
import type { Model } from '../../src/domain/model.ts';
import type { Plan, Stage } from '../../src/domain/plan.ts';
import type { TableId } from '../../src/domain/relation.ts';
import type { Intent, Run } from '../../src/domain/run.ts';
import type { Snapshot, SnapshotContent } from '../../src/domain/snapshot.ts';
import { hash128 } from '../../src/foundation/hash128.ts';
import type { TimeRange } from '../../src/foundation/time/ranges.ts';

export const DAY = 86_400_000;

export function day(first: number, count = 1): TimeRange {
  return { start: first * DAY, end: (first + count) * DAY };
}

export function table(model: string): TableId {
  return { model, version: hash128(model, 'version') };
}

export function snapshotOf(model: string, text = 'SELECT 1'): Snapshot {
  const dataHash = hash128(model, text);
  return {
    model,
    kind: 'full',
    fingerprint: hash128(dataHash, 'parents', 'metadata'),
    dataHash,
    parentsHash: 'parents',
    metadataHash: 'metadata',
    version: table(model).version,
    category: 'breaking',
    planId: 'plan-1',
    parents: ['raw.orders'],
    schedule: {
      cron: '@daily',
      cronTz: 'UTC',
      unit: 'day',
      lookback: 0,
      allowPartials: false,
      batchConcurrency: 1,
      disableRestatement: false,
      signals: [],
    },
  };
}

/** A content of the size that real ones have; `macros` is shared by all that are given the same object. */
export function contentOf(
  model: string,
  applied: SnapshotContent['applied'] = appliedOf('export const x = 1;'),
): SnapshotContent {
  return {
    model: { name: model, description: 'ü "quoted"\n' } as unknown as Model,
    audits: [],
    expandedQuery: `SELECT '${model}' AS model`,
    applied,
  };
}

export function appliedOf(macro: string): SnapshotContent['applied'] {
  return {
    gateway: 'local',
    variables: { currency: 'EUR' },
    macroFiles: { 'macros/a.ts': macro },
    jinjaMacros: [{ file: 'macros/b.sql', text: `{% macro b() %}${macro}{% endmacro %}` }],
  };
}

export function environmentOf(
  models: readonly string[],
  { name = 'dev', promotionId = 'promotion-1' } = {},
): Environment {
  return {
    name,
    entries: models.map((model) => ({
      model,
      fingerprint: snapshotOf(model).fingerprint,
      version: table(model).version,
      columns: ['id', 'amount'],
    })),
    promotionId,
    planId: 'plan-1',
    promotedAt: 5,
    gateway: 'local',
    definitions: { 'metric:revenue': 'hash' },
  };
}

export function planOf(models: readonly string[], more: Partial<Plan> = {}): Plan {
  const target = more.target ?? environmentOf(models);
  return {
    id: 'plan-1',
    environment: target.name,
    createdAt: 1,
    executionTime: 2,
    changes: models.map((model) => ({
      kind: 'model',
      name: model,
      change: 'added',
      category: null,
      reason: 'new',
      columns: { added: ['id'], removed: [], changed: [] },
    })),
    missing: models.map((model) => ({ ...table(model), ranges: [day(0)] })),
    snapshots: models.map((model) => ({ snapshot: snapshotOf(model), content: contentOf(model) })),
    restatements: [],
    stages: [stageOf(models[0] ?? 'a.b')],
    ...more,
    target,
  };
}

export function stageOf(model: string): Stage {
  return {
    id: `backfill ${model}`,
    needs: [],
    kind: 'backfill',
    auditedViews: [],
    members: [
      {
        model,
        fingerprint: snapshotOf(model).fingerprint,
        table: table(model),
        ranges: [day(0)],
        unit: 'day',
        batchConcurrency: 1,
      },
    ],
  };
}

export function runOf(id: string, more: Partial<Run> = {}): Run {
  return {
    id,
    kind: 'run',
    environment: 'dev',
    who: `test ${id}`,
    startedAt: 10,
    executionTime: 11,
    status: 'running',
    models: [],
    ...more,
  };
}

export function intentOf(id: string, run: Run, model = 'a.one'): Intent {
  return { id, runId: run.id, environment: run.environment, stage: stageOf(model), at: 20 };
}

export function ledgerRow(
  model: string,
  range: TimeRange,
  more: { readonly token: number; readonly dataVersion: string },
): LedgerRow {
  return { table: table(model), range, runId: 'run-1', ...more };
}
