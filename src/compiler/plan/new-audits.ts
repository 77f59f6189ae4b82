import { tableKey } from '../../domain/relation.ts';
import type { RangeSet } from '../../foundation/time/ranges.ts';
import { auditUses } from './audit-definitions.ts';
import type { BuiltModel } from './build-stages.ts';
import type { Decision } from './decide-categories.ts';
import type { PlanInput } from './plan-input.ts';

/** Blocking audits that are new or say something else, of models whose rows are there already. */
export function newAudits(
  { contents, project }: PlanInput,
  {
    decisions,
    all,
    filled,
  }: {
    readonly decisions: readonly Decision[];
    readonly all: readonly BuiltModel[];
    readonly filled: ReadonlyMap<string, RangeSet>;
  },
): ReadonlyMap<string, readonly string[]> {
  const byName = new Map(project.models.map((model) => [model.name, model]));
  const projectAudits = new Map(project.audits.map((audit) => [audit.name, audit]));
  const tables = new Map(all.map(({ entry }) => [entry.model, entry]));
  const found = new Map<string, readonly string[]>();
  for (const { snapshot, previous, change, isNew } of decisions) {
    const { model: name, metadataHash } = snapshot;
    if (change === undefined || !isNew || previous === undefined || previous.metadataHash === metadataHash)
      continue;
    const model = byName.get(name);
    const version = tables.get(name)?.version;
    if (model === undefined || version === undefined) continue;
    if ((filled.get(tableKey({ model: name, version })) ?? []).length === 0) continue;
    const before = contents.get(previous.fingerprint);
    const old = new Set(
      before === undefined
        ? []
        : auditUses(before.model, new Map(before.audits.map((audit) => [audit.name, audit]))).map(
            ({ text }) => text,
          ),
    );
    const fresh = auditUses(model, projectAudits).filter(
      ({ isBlocking, text }) => isBlocking && !old.has(text),
    );
    if (fresh.length > 0) found.set(name, [...new Set(fresh.map((use) => use.name))]);
  }
  return found;
}
