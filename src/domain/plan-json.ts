import { isoInstant } from '../foundation/time/iso.ts';
import { unreachable } from '../foundation/unreachable.ts';
import { intervalPairs } from './interval-pairs.ts';
import type { Change, PlanOutline, Stage } from './plan.ts';
import type { WiderAccess } from './wider-access.ts';

/** A change list, what is missing and the stages, as `plinth.plan/1` fixes them. */
export function planJson(plan: PlanOutline): Readonly<Record<string, unknown>> {
  return {
    plan_id: plan.id,
    environment: plan.environment,
    created_at: isoInstant(plan.createdAt),
    execution_time: isoInstant(plan.executionTime),
    changes: plan.changes.map(changeJson),
    ...(plan.statements === undefined ? {} : { statements_changed: plan.statements }),
    ...(plan.hasOtherAccess === undefined ? {} : { access_changed: true }),
    wider_access: (plan.widerAccess ?? []).map(widerJson),
    missing: plan.missing.map(({ model, ranges }) => ({ model, intervals: intervalPairs(ranges) })),
    restatements: plan.restatements.map(({ table, ranges }) => ({
      model: table.model,
      version: table.version,
      intervals: intervalPairs(ranges),
    })),
    stages: plan.stages.map(stageJson),
  };
}

/** One thing that a caller sees more of; of `access` the key of config.yaml with its values. */
function widerJson(wider: WiderAccess): Readonly<Record<string, unknown>> {
  const { who, kind, name, reason, before, after } = wider;
  return { who, kind, name, reason, before, after, ...(kind === 'semantic' ? { models: wider.models } : {}) };
}

/** One change, as `plinth.plan/1` fixes it. */
export function changeJson(change: Change): Readonly<Record<string, unknown>> {
  const { kind, name, category, reason, columns, because, sqlDiff } = change;
  return {
    kind,
    name,
    change: change.change,
    category,
    reason,
    columns: { added: columns.added, removed: columns.removed, changed: columns.changed },
    ...(because === undefined ? {} : { because }),
    ...(sqlDiff === undefined ? {} : { sql_diff: sqlDiff }),
  };
}

/** What a stage is about, without the contents it carries. */
export function stageJson(stage: Stage): Readonly<Record<string, unknown>> {
  const base = { id: stage.id, kind: stage.kind, needs: stage.needs };
  switch (stage.kind) {
    case 'statements':
      return { ...base, when: stage.when, statements: stage.statements.length };
    case 'create-schemas':
      return {
        ...base,
        schemas: stage.schemas.map(({ catalog, schema }) =>
          catalog === undefined ? schema : `${catalog}.${schema}`,
        ),
      };
    case 'migrate':
      return { ...base, model: stage.table.model, version: stage.table.version };
    case 'backfill':
      return {
        ...base,
        models: stage.members.map(({ model, table, ranges }) => ({
          model,
          version: table.version,
          intervals: intervalPairs(ranges),
        })),
        audited_views: stage.auditedViews.map(({ model }) => model),
      };
    case 'audit':
      return { ...base, model: stage.table.model, reason: stage.reason };
    case 'promote':
      return {
        ...base,
        environment: stage.target.name,
        views: stage.views.map(({ entry }) => entry.model),
        removed: stage.removed,
      };
    case 'clean-up':
      return {
        ...base,
        tables: stage.tables.map(({ table: { model, version }, object }) => ({ model, version, object })),
        environments: stage.environments,
      };
    default:
      return unreachable(stage);
  }
}
