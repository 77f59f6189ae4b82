/*
 * From what is missing to the graph of stages that one interpreter executes:
 *
 *   before-all ▶ create-schemas ▶ migrate … ▶ backfill ─▶ backfill ─▶ …  ─┬▶ promote ▶ after-all
 *                                             (upstream)  └▶ audit ───────┘
 *
 * A backfill needs the nearest stages above it: through EMBEDDED models, and through views that stand already. A view
 * that does not is itself a member of a backfill; where a blocking audit stands between, what lies below waits for it.
 */

import type { BackfillMember, MigrationWork, NeededProof, Stage } from '../../domain/plan.ts';
import { promotionMark } from '../../domain/promotion-mark.ts';
import { physicalRelation, tableKey, viewRelation } from '../../domain/relation.ts';
import { isWritten, type Snapshot } from '../../domain/snapshot.ts';
import { orderByDependencies } from '../../foundation/graph.ts';
import { AuditedTables } from './audited-tables.ts';
import { backfillGroups } from './backfill-groups.ts';
import { standaloneStages, touchedAudits, withLaterAudits } from './later-audits.ts';
import { migrateId, migrateStages, migrationWork } from './migrate-stages.ts';
import { neededProofs } from './needed-proofs.ts';
import type { BuiltModel, StageInput } from './stage-input.ts';
import { type AuditWork, auditsOf, hadRanges, type Models, membersOf } from './stage-work.ts';
import { waitForAuditReads } from './wait-for-audit-reads.ts';
import { withUnheldViews } from './with-unheld-views.ts';

/** The stages in an order in which they could be executed one by one; empty when there is nothing to do. */
export function buildStages(input: StageInput): readonly Stage[] {
  const models = upstreamFirst(input.models);
  const tables = new AuditedTables(input.environments, input.snapshots);
  const members = membersOf(input, models, tables);
  const audits = withUnheldViews(auditsOf(input, { models, members, tables }), models, members);
  const migrations = migrationWork(input, [...models.keys()]);
  const work = new StageGraph({ input, models, members, audits, migrations });
  const stages = [...work.schemas(), ...work.migrations(), ...work.backfillsAndAudits()];
  if (stages.length === 0 && input.promote === undefined) return [];
  return framed(input, stages, migrations);
}

function proofsOf(input: StageInput): readonly NeededProof[] {
  const { models, environments, snapshots, migrations = [], standalone = [] } = input;
  const all = new Map(snapshots);
  for (const { snapshot } of models) all.set(snapshot.fingerprint, snapshot);
  return neededProofs({
    entries: models.map(({ entry }) => entry),
    audits: standalone,
    environments,
    snapshots: all,
    migrated: new Set(migrations.map(({ table }) => tableKey(table))),
  });
}

/** Statements before and after, and the promotion, which needs everything. */
function framed(
  input: StageInput,
  stages: readonly Stage[],
  migrations: readonly MigrationWork[],
): readonly Stage[] {
  const { beforeAll, afterAll, promote } = input;
  const all: Stage[] = [];
  const losing = migrations.filter(({ allowDestructive }) => allowDestructive);
  if (beforeAll.length > 0)
    all.push({ id: 'before-all', needs: [], kind: 'statements', when: 'before-all', statements: beforeAll });
  const first = all.map(({ id }) => id);
  all.push(...stages.map((stage) => (stage.needs.length > 0 ? stage : { ...stage, needs: first })));
  if (promote !== undefined) {
    const proofs = proofsOf(input);
    all.push({
      id: 'promote',
      needs: all.map(({ id }) => id),
      kind: 'promote',
      ...promote,
      ...(losing.length === 0 ? {} : { migrations: losing }),
      ...(proofs.length === 0 ? {} : { proofs }),
      mark: markOf(input),
    });
  }
  if (afterAll.length > 0)
    all.push({
      id: 'after-all',
      needs: promote === undefined ? all.map(({ id }) => id) : ['promote'],
      kind: 'statements',
      when: 'after-all',
      statements: afterAll,
    });
  return all;
}

const markOf = ({ environments }: StageInput): string => promotionMark({ environments, begun: [] });

/** The nearest things above a model that it has to wait for, by model name or table key. */
interface Above {
  readonly members: ReadonlySet<string>;
  readonly audits: ReadonlySet<string>;
  readonly migrations: ReadonlySet<string>;
}

class StageGraph {
  readonly #input: StageInput;
  readonly #models: Models;
  readonly #members: ReadonlyMap<string, BackfillMember>;
  readonly #audits: ReadonlyMap<string, AuditWork>;
  readonly #migrations: readonly MigrationWork[];
  readonly #migrated: ReadonlySet<string>;
  readonly #above = new Map<string, Above>();
  #schemas: readonly Stage[] = [];

  constructor(parts: {
    readonly input: StageInput;
    readonly models: Models;
    readonly members: ReadonlyMap<string, BackfillMember>;
    readonly audits: ReadonlyMap<string, AuditWork>;
    readonly migrations: readonly MigrationWork[];
  }) {
    this.#input = parts.input;
    this.#models = parts.models;
    this.#members = parts.members;
    this.#audits = parts.audits;
    this.#migrations = parts.migrations;
    this.#migrated = new Set(parts.migrations.map(({ table }) => tableKey(table)));
  }

  /** Schemas of tables that are new, and of the views that will be shown. */
  schemas(): readonly Stage[] {
    const { naming, environment, promote, filled } = this.#input;
    const { identifierMax } = naming(environment);
    const found = new Map<string, { readonly catalog?: string; readonly schema: string }>();
    const relations = [
      ...[...this.#members.values()]
        .filter(({ table }) => !filled.has(tableKey(table)))
        .map(({ table }) => physicalRelation(table, identifierMax)),
      ...(promote?.views ?? []).map(({ entry, environment: name }) =>
        viewRelation(entry.model, naming(name ?? environment)),
      ),
    ];
    for (const { catalog, schema } of relations)
      found.set(`${catalog ?? ''}.${schema}`, { ...(catalog === undefined ? {} : { catalog }), schema });
    if (found.size > 0)
      this.#schemas = [
        {
          id: 'create-schemas',
          needs: this.#firstIds(),
          kind: 'create-schemas',
          schemas: [...found.values()],
        },
      ];
    return this.#schemas;
  }

  migrations(): readonly Stage[] {
    return migrateStages(this.#migrations, this.#roots());
  }

  backfillsAndAudits(): readonly Stage[] {
    const { environments, snapshots, environment } = this.#input;
    const groups = backfillGroups({
      members: new Map(
        [...this.#members].map(([model, { table }]) => [
          model,
          { key: tableKey(table), upstream: [...this.#aboveOf(model).members] },
        ]),
      ),
      environments,
      snapshots,
    });
    const stageOf = new Map<string, string>();
    for (const { members } of groups) {
      const id = `backfill:${tableKey(this.#members.get(members[0]!)!.table)}`;
      for (const model of members) stageOf.set(model, id);
    }
    const inside = new Set<string>();
    const stages: Stage[] = [];
    const mark = markOf(this.#input);
    for (const { members, auditedViews, after } of groups) {
      // A new view among models that are written together cannot be audited between them, only at their end.
      const own = members.filter((model) => this.#audits.get(model)?.isBlocking && members.length > 1);
      for (const model of own) inside.add(model);
      stages.push({
        id: stageOf.get(members[0]!)!,
        needs: [
          ...new Set([
            ...this.#needs(members, stageOf, inside),
            ...after.map((index) => stageOf.get(groups[index]!.members[0]!)!),
          ]),
        ],
        kind: 'backfill',
        members: members.map((model) => withLaterAudits(this.#members.get(model)!, auditedViews)),
        auditedViews: [
          ...auditedViews,
          ...own.map((model) => {
            const { fingerprint, table } = this.#members.get(model)!;
            return { environment, model, fingerprint, table };
          }),
        ],
        mark,
      });
    }
    return inOrder(
      waitForAuditReads([...stages, ...this.#auditStages(stageOf, inside), ...this.#standalone(stageOf)], {
        readsOf: (model) => this.#snapshotOf(model)?.audits?.reads ?? {},
        stagesOf: (model) => this.#stagesOf(model, stageOf),
        isNew: (model) => this.#isNew(model),
        auditId,
      }),
    );
  }

  /** Stages that make or change what a model shows. */
  #stagesOf(model: string, stageOf: ReadonlyMap<string, string>): readonly string[] {
    const found = this.#models.get(model);
    if (found === undefined) return [];
    const isThrough = !this.#members.has(model) && !isWritten(found.snapshot.kind);
    const made = isThrough ? [...this.#aboveOf(model).members] : [model];
    return [...new Set(made.flatMap((name) => stageOf.get(name) ?? []))];
  }

  #isNew(model: string): boolean {
    const table = this.#members.get(model)?.table;
    return table !== undefined && hadRanges(this.#input, table).length === 0;
  }

  #auditStages(stageOf: ReadonlyMap<string, string>, inside: ReadonlySet<string>): readonly Stage[] {
    const touched = touchedAudits({
      models: this.#models,
      members: this.#members,
      isAudited: (model) => this.#audits.has(model),
      membersAbove: (model) => this.#aboveOf(model).members,
    });
    return [...this.#audits, ...touched]
      .filter(([model]) => !inside.has(model))
      .map(([model, { isBlocking: _, ...work }]) => {
        const own = stageOf.get(model);
        // A view shows the rows of its tables; a table has its own.
        const reads = isWritten(this.#models.get(model)!.snapshot.kind) ? [] : [model];
        const needs = new Set([...(own === undefined ? [] : [own]), ...this.#needs(reads, stageOf, inside)]);
        if (this.#migrated.has(tableKey(work.table))) needs.add(migrateId(tableKey(work.table)));
        // Which models such audits read is not known: they wait for all.
        if (work.reason === 'touched' && this.#models.get(model)?.snapshot.audits?.mayReadMore === true)
          for (const id of stageOf.values()) needs.add(id);
        return { id: auditId(model), needs: [...needs], ...work };
      });
  }

  /** Of a standalone audit, too. */
  #snapshotOf(model: string): Snapshot | undefined {
    const { standalone = [], snapshots } = this.#input;
    const own = standalone.find((entry) => entry.model === model);
    return this.#models.get(model)?.snapshot ?? (own && snapshots.get(own.fingerprint));
  }

  /** Standalone audits that no write asks by itself; they come after what they read, or after everything. */
  #standalone(stageOf: ReadonlyMap<string, string>): readonly Stage[] {
    const { standalone = [], snapshots, environments, environment } = this.#input;
    const present = environments.find(({ name }) => name === environment)?.audits ?? [];
    return standaloneStages({
      ...{ standalone, snapshots, present },
      stagesOf: (model) => this.#stagesOf(model, stageOf),
      written: [...new Set(stageOf.values())],
      roots: this.#roots(),
      auditId,
    });
  }

  /** Ids of the stages that the models wait for, without the one they are in themselves. */
  #needs(
    models: readonly string[],
    stageOf: ReadonlyMap<string, string>,
    inside: ReadonlySet<string>,
  ): readonly string[] {
    const own = stageOf.get(models[0] ?? '');
    const needs = new Set<string>();
    for (const model of models) {
      const above = this.#aboveOf(model);
      for (const key of above.migrations) needs.add(migrateId(key));
      for (const member of above.members) needs.add(stageOf.get(member)!);
      for (const audited of above.audits)
        if (!inside.has(audited) && !this.#isFedBy(audited, own, stageOf)) needs.add(auditId(audited));
      const table = this.#members.get(model)?.table;
      if (table !== undefined && this.#migrated.has(tableKey(table))) needs.add(migrateId(tableKey(table)));
    }
    if (own !== undefined) needs.delete(own);
    return needs.size > 0 ? [...needs] : this.#roots();
  }

  /** Whether an audit would have to wait for this very stage: then it comes after it, and only the promotion waits. */
  #isFedBy(audited: string, stage: string | undefined, stageOf: ReadonlyMap<string, string>): boolean {
    if (stage === undefined) return false;
    if (stageOf.get(audited) === stage) return true;
    return [...this.#aboveOf(audited).members].some((member) => stageOf.get(member) === stage);
  }

  /** Models come upstream first, so what is above a parent is known. */
  #aboveOf(model: string): Above {
    const known = this.#above.get(model);
    if (known !== undefined) return known;
    const above = { members: new Set<string>(), audits: new Set<string>(), migrations: new Set<string>() };
    this.#above.set(model, above);
    for (const parent of this.#models.get(model)?.snapshot.parents ?? []) {
      const found = this.#models.get(parent);
      if (found === undefined) continue;
      const { snapshot, entry } = found;
      if (this.#audits.get(parent)?.isBlocking) above.audits.add(parent);
      if (entry.version !== undefined) {
        const key = tableKey({ model: parent, version: entry.version });
        if (this.#migrated.has(key)) above.migrations.add(key);
      }
      if (this.#members.has(parent)) above.members.add(parent);
      else if (!isWritten(snapshot.kind)) {
        const further = this.#aboveOf(parent);
        for (const name of further.members) above.members.add(name);
        for (const name of further.audits) above.audits.add(name);
        for (const key of further.migrations) above.migrations.add(key);
      }
    }
    return above;
  }

  #firstIds(): readonly string[] {
    return this.#input.beforeAll.length > 0 ? ['before-all'] : [];
  }

  #roots(): readonly string[] {
    return this.#schemas.length > 0 ? this.#schemas.map(({ id }) => id) : this.#firstIds();
  }
}

function upstreamFirst(models: readonly BuiltModel[]): Models {
  const byName = new Map(models.map((built) => [built.snapshot.model, built]));
  const { order } = orderByDependencies(
    new Map(models.map(({ snapshot }) => [snapshot.model, snapshot.parents])),
  );
  return new Map(order.map((model) => [model, byName.get(model)!]));
}

/** Audits between the backfills they wait for and those that wait for them. */
function inOrder(stages: readonly Stage[]): readonly Stage[] {
  const byId = new Map(stages.map((stage) => [stage.id, stage]));
  const { order, cycles } = orderByDependencies(new Map(stages.map(({ id, needs }) => [id, needs])));
  if (cycles.length > 0) throw new Error(`stages wait for one another: ${cycles[0]!.join(' → ')}`);
  return order.map((id) => byId.get(id)!);
}

function auditId(model: string): string {
  return `audit:${model}`;
}
