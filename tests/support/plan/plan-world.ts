import { makePlan } from '../../../src/compiler/plan/make-plan.ts';
import type { PlanInput, PlanOutcome } from '../../../src/compiler/plan/plan-input.ts';
import { type PreparedPlan, preparePlan, type Unsettled } from '../../../src/compiler/plan/prepare-plan.ts';
import { settledPlan } from '../../../src/compiler/plan/settled-plan.ts';
import { snapshotContent } from '../../../src/compiler/render/snapshot-content.ts';
import type { CompiledProject } from '../../../src/compiler/resolve/compile-project.ts';
import type { Environment } from '../../../src/domain/environment.ts';
import type { Change, Plan, PlanOptions } from '../../../src/domain/plan.ts';
import { tableKey } from '../../../src/domain/relation.ts';
import type { Snapshot, SnapshotContent } from '../../../src/domain/snapshot.ts';
import type { Restatement } from '../../../src/domain/state-store.ts';
import { type RangeSet, subtractRanges, unionRanges } from '../../../src/foundation/time/ranges.ts';
import { compileText } from './compile-text.ts';

export const NOW = Date.UTC(2024, 0, 11, 12);

export const PLAIN: PlanOptions = {
  restateModels: [],
  isForwardOnly: false,
  skipBackfill: false,
  emptyBackfill: false,
  noGaps: false,
  allowDestructiveModels: [],
  categories: {},
  withRun: false,
  isShared: false,
};

export interface PlanRequest {
  readonly environment?: string;
  readonly options?: Partial<PlanOptions>;
  readonly now?: number;
  readonly changedFiles?: (ref: string) => readonly string[];
}

/** What state and warehouse would remember, kept in memory: plans are made against it and applied to it. */
export class PlanWorld {
  environments: readonly Environment[] = [];
  readonly snapshots = new Map<string, Snapshot>();
  readonly contents = new Map<string, SnapshotContent>();
  intervals = new Map<string, RangeSet>();
  pending: readonly Restatement[] = [];
  private plans = 0;

  async compile(files: Readonly<Record<string, string>>): Promise<CompiledProject> {
    return compileText(files);
  }

  async plan(compiled: CompiledProject, request: PlanRequest = {}): Promise<PlanOutcome> {
    const { outcome } = await settledPlan(
      (unsettled) => this.prepare(compiled, request, unsettled),
      async (prepared) => makePlan(await this.input(compiled, request, prepared)),
    );
    return outcome;
  }

  private prepare(compiled: CompiledProject, request: PlanRequest, unsettled?: Unsettled): PreparedPlan {
    return preparePlan({
      environment: request.environment ?? 'prod',
      project: compiled.project,
      environments: this.environments,
      known: [...this.snapshots.values()],
      options: { ...PLAIN, ...request.options },
      ...(request.changedFiles === undefined ? {} : { changedFiles: request.changedFiles }),
      ...(unsettled === undefined ? {} : { unsettled }),
    });
  }

  async input(
    compiled: CompiledProject,
    request: PlanRequest = {},
    prepared = this.prepare(compiled, request),
  ): Promise<PlanInput> {
    const { now = NOW } = request;
    const options = { ...PLAIN, ...request.options };
    const { project } = compiled;
    const contents = new Map<string, SnapshotContent>();
    for (const { fingerprint, model } of prepared.contentsToMake)
      contents.set(fingerprint, await snapshotContent(model, compiled, {}));
    for (const fingerprint of prepared.contentsToRead)
      contents.set(fingerprint, this.contents.get(fingerprint) as SnapshotContent);
    for (const { from, to } of prepared.contentsToCopy)
      contents.set(to, this.contents.get(from) as SnapshotContent);
    const id = `plan${++this.plans}`;
    return {
      id,
      promotionId: `promotion-${id}`,
      createdAt: now,
      executionTime: now,
      project,
      prepared,
      environments: this.environments,
      contents,
      intervals: this.intervals,
      pending: this.pending,
      options,
      gateway: 'local',
      naming: (name) => ({ environment: name, suffixTarget: 'schema' }),
    };
  }

  /** Does to the memory what applying does to state; `fills` false is a plan whose backfills all fail. */
  apply(plan: Plan): void {
    for (const { snapshot, content } of plan.snapshots) {
      if (snapshot.isReturn !== true) this.snapshots.set(snapshot.fingerprint, snapshot);
      this.contents.set(snapshot.fingerprint, content);
    }
    for (const { table, ranges } of plan.restatements) {
      const key = tableKey(table);
      this.intervals.set(key, subtractRanges(this.intervals.get(key) ?? [], ranges));
    }
    for (const stage of plan.stages) {
      if (stage.kind === 'backfill')
        for (const { table, ranges } of stage.members) {
          const key = tableKey(table);
          this.intervals.set(key, unionRanges(this.intervals.get(key) ?? [], ranges));
        }
      if (stage.kind === 'promote' && stage.target.name === 'prod')
        for (const { fingerprint } of stage.target.entries) {
          const snapshot = this.snapshots.get(fingerprint);
          if (snapshot?.isForward === true)
            this.snapshots.set(fingerprint, { ...snapshot, isDeployed: true });
        }
      if (stage.kind === 'promote')
        this.environments = [
          ...this.environments.filter(({ name }) => name !== stage.target.name),
          stage.target,
        ];
    }
  }

  /** Plans and applies; errors fail the test. */
  async planAndApply(files: Readonly<Record<string, string>>, request: PlanRequest = {}): Promise<Plan> {
    const { plan, diagnostics } = await this.plan(await this.compile(files), request);
    const errors = diagnostics.filter(({ severity }) => severity === 'error');
    if (errors.length > 0)
      throw new Error(errors.map(({ code, message }) => `${code}: ${message}`).join('\n'));
    this.apply(plan);
    return plan;
  }

  versionOf(model: string, environment = 'prod'): string | undefined {
    return this.environments
      .find(({ name }) => name === environment)
      ?.entries.find((entry) => entry.model === model)?.version;
  }
}

/** `name change/category` of every change, sorted. */
export function brief(changes: readonly Change[]): readonly string[] {
  return changes.map(({ name, change, category }) => `${name} ${change}/${category}`).sort();
}

/** Kinds of the stages in order, with the models that are written. */
export function stageWords(plan: Plan): readonly string[] {
  return plan.stages.map((stage) =>
    stage.kind === 'backfill' ? `backfill ${stage.members.map(({ model }) => model).join('+')}` : stage.kind,
  );
}
