/*
 * Audits that read other models wait for them, though those are not parents:
 *
 *   backfill a ◀── the audits of a read b ── backfill b      a waits for b
 *   backfill a ──▶ backfill b (b reads a)                    b cannot come first: what b has already is what the audit of
 *                                                            a sees; when b has nothing yet, the audit comes after b
 */
import type { BackfillMember, BackfillStage, Stage } from '../../domain/plan.ts';

export interface AuditReads {
  /** Models that the audits of a model read, by audit. */
  readonly readsOf: (model: string) => Readonly<Record<string, readonly string[]>>;
  /** Stages that make what a model shows. */
  readonly stagesOf: (model: string) => readonly string[];
  /** Whether nothing of a model is there before these stages. */
  readonly isNew: (model: string) => boolean;
  readonly auditId: (model: string) => string;
}

/** The stages with what their audits wait for; audits that cannot wait where they are become stages of their own. */
export function waitForAuditReads(stages: readonly Stage[], reads: AuditReads): readonly Stage[] {
  const all = new Map(stages.map((stage) => [stage.id, stage]));
  for (const { id } of stages) {
    const stage = all.get(id)!;
    if (stage.kind === 'backfill') waitInBackfill(all, stage, reads);
  }
  for (const stage of all.values()) if (stage.kind === 'audit') waitInAudit(all, stage, reads);
  return [...all.values()];
}

function waitInBackfill(
  all: Map<string, Stage>,
  stage: BackfillStage,
  { readsOf, stagesOf, isNew, auditId }: AuditReads,
): void {
  const needs = new Set(stage.needs);
  const members: BackfillMember[] = [];
  for (const [place, member] of stage.members.entries()) {
    const later: string[] = [];
    for (const [audit, models] of Object.entries(readsOf(member.model)))
      for (const read of models) {
        let isLater = stage.members.findIndex(({ model }) => model === read) > place;
        for (const needed of stagesOf(read)) {
          if (needed === stage.id) continue;
          if (isAbove(all, needed, stage.id)) isLater = true;
          else needs.add(needed);
        }
        if (isLater && isNew(read)) later.push(audit);
      }
    if (later.length === 0) members.push(member);
    else {
      const names = [...new Set(later)];
      members.push({ ...member, laterAudits: [...new Set([...(member.laterAudits ?? []), ...names])] });
      auditLater(all, member, { id: auditId(member.model), names, after: stage.id });
    }
    all.set(stage.id, {
      ...stage,
      needs: [...needs],
      members: [...members, ...stage.members.slice(place + 1)],
    });
  }
}

function auditLater(
  all: Map<string, Stage>,
  { table, fingerprint }: BackfillMember,
  { id, names, after }: { readonly id: string; readonly names: readonly string[]; readonly after: string },
): void {
  const found = all.get(id);
  if (found?.kind !== 'audit')
    all.set(id, {
      id,
      needs: [after],
      kind: 'audit',
      table,
      fingerprint,
      audits: names,
      reason: 'new-audit',
    });
  else if (found.audits !== undefined)
    all.set(id, { ...found, audits: [...new Set([...found.audits, ...names])] });
}

/** What the audit reads must not wait for the audit: then only the promotion does. */
function waitInAudit(
  all: Map<string, Stage>,
  { id, needs, table, audits }: Extract<Stage, { kind: 'audit' }>,
  { readsOf, stagesOf }: AuditReads,
): void {
  for (const [audit, models] of Object.entries(readsOf(table.model))) {
    if (audits !== undefined && !audits.includes(audit)) continue;
    for (const needed of models.flatMap(stagesOf)) {
      if (isAbove(all, needed, id))
        for (const between of [needed, ...above(all, needed)]) {
          const stage = all.get(between)!;
          if (!stage.needs.includes(id)) continue;
          const left = stage.needs.filter((name) => name !== id);
          // It still waits for what the audit waited for.
          all.set(between, { ...stage, needs: [...new Set([...left, ...needs])] });
        }
      const stage = all.get(id)!;
      if (!stage.needs.includes(needed)) all.set(id, { ...stage, needs: [...stage.needs, needed] });
    }
  }
}

function isAbove(all: ReadonlyMap<string, Stage>, stage: string, wanted: string): boolean {
  return above(all, stage).has(wanted);
}

/** Everything a stage waits for, directly or not. */
function above(all: ReadonlyMap<string, Stage>, id: string): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [id];
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const needed of all.get(next)?.needs ?? [])
      if (!found.has(needed) && all.has(needed)) {
        found.add(needed);
        open.push(needed);
      }
  return found;
}
