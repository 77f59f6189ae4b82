import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { AnswerColumn } from '../../domain/engine.ts';
import type { Environment, EnvironmentEntry } from '../../domain/environment.ts';
import type { Plan } from '../../domain/plan.ts';
import { tableKey, type ViewNaming } from '../../domain/relation.ts';
import { isWritten, type Snapshot, type SnapshotContent } from '../../domain/snapshot.ts';
import type { Promotion } from '../../domain/state-store.ts';
import { type Diagnostic, hasErrors } from '../../foundation/diagnostics/diagnostic.ts';
import { parseType } from '../../foundation/sql/types/type-names.ts';
import type { RangeSet } from '../../foundation/time/ranges.ts';
import { buildStages } from './build-stages.ts';
import { environmentDiff } from './environment-diff.ts';
import type { PlanOutcome } from './plan-input.ts';
import { promotionBetween } from './plan-promotion.ts';
import { typeStep } from './schema-change.ts';
import type { BuiltModel } from './stage-input.ts';
import { lastTaker } from './taken-tables.ts';

/** The earlier state to go back to: that of the plan named, else the one before the present. */
export function rollbackTarget(
  present: Environment,
  promotions: readonly Promotion[],
  to: string | undefined,
): { readonly target: Environment } | { readonly problem: Diagnostic } {
  const earlier = promotions
    .map(({ environment }) => environment)
    .filter(({ promotionId }) => promotionId !== present.promotionId);
  const found =
    to === undefined
      ? earlier[0]
      : earlier.find(({ planId, promotionId }) => planId === to || promotionId === to);
  if (found !== undefined) return { target: found };
  const target = to ?? '(the one before the present)';
  return { problem: diagnostic('plan.no-promotion', { environment: present.name, target }) };
}

export interface RollbackInput {
  readonly id: string;
  readonly promotionId: string;
  readonly createdAt: number;
  readonly executionTime: number;
  readonly present: Environment;
  readonly target: Environment;
  readonly environments: readonly Environment[];
  /** All snapshots of the state. */
  readonly snapshots: ReadonlyMap<string, Snapshot>;
  /** Columns as the warehouse has them, by `tableKey`, of every table and view the target names that exists. */
  readonly tableColumns: ReadonlyMap<string, readonly AnswerColumn[]>;
  /** Of the target's snapshots, by fingerprint: for the types their columns had, and their statements. */
  readonly contents: ReadonlyMap<string, SnapshotContent>;
  /** Filled intervals by `tableKey`. */
  readonly intervals: ReadonlyMap<string, RangeSet>;
  readonly naming: (environment: string) => ViewNaming;
  readonly concurrency: number;
}

/**
 * Re-points an environment's views at what they showed then. Nothing is built: refused when a table is gone, or when a
 * column that was shown has been dropped or no longer holds what it held. Rows stay as they are; a table that
 * forward-only changes share is not set back.
 */
export function rollbackPlan(input: RollbackInput): PlanOutcome {
  const { id, promotionId, createdAt, executionTime, present, snapshots } = input;
  const diagnostics: Diagnostic[] = [];
  const models = input.target.entries.flatMap((entry): readonly BuiltModel[] => {
    const snapshot = snapshots.get(entry.fingerprint);
    const problem =
      snapshot === undefined ? `the snapshot of ${entry.model} was removed` : lossOf(entry, snapshot, input);
    if (problem !== undefined)
      diagnostics.push(
        diagnostic('plan.cannot-roll-back', {
          environment: present.name,
          target: input.target.planId,
          detail: problem,
        }),
      );
    return snapshot === undefined ? [] : [{ entry, snapshot }];
  });
  diagnostics.push(...rowsThatStay(input));
  // Files say who is let in, and going back changes none of them.
  const { access: _, ...then } = input.target;
  const target: Environment = {
    ...then,
    ...(present.access === undefined ? {} : { access: present.access }),
    promotionId,
    planId: id,
    promotedAt: createdAt,
    executionTime,
    ...(present.expiresAt === undefined ? {} : { expiresAt: present.expiresAt }),
  };
  const promote = promotionBetween(present, target, {
    withStatements: modelsWithStatements(models, input.contents),
  });
  const stages =
    hasErrors(diagnostics) || promote === undefined
      ? []
      : buildStages({
          environment: present.name,
          models,
          missing: new Map(),
          filled: input.intervals,
          environments: input.environments,
          snapshots,
          promote,
          ...(target.audits === undefined ? {} : { standalone: target.audits }),
          beforeAll: [],
          afterAll: [],
          naming: input.naming,
          concurrency: input.concurrency,
        });
  const plan: Plan = {
    id,
    environment: present.name,
    basePromotionId: present.promotionId,
    createdAt,
    executionTime,
    changes: environmentDiff(present, target, snapshots),
    missing: [],
    snapshots: [],
    target,
    restatements: [],
    stages,
  };
  return { plan, diagnostics };
}

/** Tables that go on with rows of a change that is rolled back. */
function rowsThatStay({ present, target, snapshots }: RollbackInput): readonly Diagnostic[] {
  const before = new Map(target.entries.map((entry) => [entry.model, entry]));
  return present.entries.flatMap(({ model, version, fingerprint }) => {
    const then = before.get(model);
    if (version === undefined || then?.version !== version) return [];
    const taker = lastTaker(fingerprint, snapshots);
    if (taker === undefined || taker === lastTaker(then.fingerprint, snapshots)) return [];
    const plan = snapshots.get(taker)?.planId ?? present.planId;
    const hint = `fill them again: plinth plan ${present.name} --restate-model ${model}`;
    return [diagnostic('plan.rows-stay', { model, plan }, { hint })];
  });
}

/** What of an entry can no longer be shown, in words. */
function lossOf(
  { model, version, fingerprint, columns }: EnvironmentEntry,
  { kind }: Snapshot,
  { tableColumns, contents }: RollbackInput,
): string | undefined {
  if (version === undefined) return undefined;
  const present = tableColumns.get(tableKey({ model, version }));
  if (present === undefined) return `the ${isWritten(kind) ? 'table' : 'view'} of ${model} was removed`;
  const there = new Map(present.map(({ name, type }) => [name.toLowerCase(), type]));
  const lost = columns.find((name) => !there.has(name.toLowerCase()));
  if (lost !== undefined) return `column ${lost} of ${model} was dropped since`;
  for (const { name, type } of contents.get(fingerprint)?.model.columns ?? []) {
    const now = there.get(name.toLowerCase());
    if (now !== undefined && typeStep(parseType(type), parseType(now)) === 'lossy')
      return `column ${name} of ${model} was ${type} and is ${now} now`;
  }
  return undefined;
}

function modelsWithStatements(
  models: readonly BuiltModel[],
  contents: ReadonlyMap<string, SnapshotContent>,
): readonly string[] {
  return models
    .filter(({ entry }) => contents.get(entry.fingerprint)?.model.virtualUpdateHash !== undefined)
    .map(({ entry }) => entry.model);
}
