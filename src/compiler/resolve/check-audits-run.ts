import type { Audit, AuditUse } from '../../domain/audit.ts';
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Model } from '../../domain/model.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { builtInAudit } from '../load/built-in-audits.ts';

/**
 * Audits that cannot do what they promise: those of models whose rows are not written here, and blocking ones of views over
 * tables that other programs write. Audits that every model gets by default do not promise anything for this one.
 */
export function checkAuditsRun(
  models: readonly Model[],
  audits: readonly Audit[],
  brokenNames: ReadonlySet<string>,
): readonly Diagnostic[] {
  const own = new Map(audits.map((audit) => [audit.name, audit]));
  const external = externalAbove(models, brokenNames);
  return models.flatMap((model) => {
    const { name, kind, inlineAudits } = model;
    const uses = model.audits.filter(({ at }) => at.file === model.file);
    const first = uses.find((use) => {
      const audit = inlineAudits.find((one) => one.name === use.name) ?? own.get(use.name);
      return audit?.skip !== true && (kind.kind !== 'view' || isBlocking(use, audit));
    });
    if (first === undefined) return [];
    const at = { at: first.at };
    if (kind.kind === 'embedded' || kind.kind === 'external')
      return [
        diagnostic(
          'model.audits-never-run',
          { model: name, audit: first.name, kind: kind.kind.toUpperCase() },
          at,
        ),
      ];
    const table = kind.kind === 'view' ? external(name) : undefined;
    return table === undefined
      ? []
      : [diagnostic('model.view-audit-cannot-block', { model: name, audit: first.name, table }, at)];
  });
}

function isBlocking(use: AuditUse, audit: Audit | undefined): boolean {
  return use.isBlocking ?? audit?.isBlocking ?? builtInAudit(use.name)?.isNonBlocking !== true;
}

/** The first table without a model that writes it whose rows a view shows, through views and EMBEDDED models. */
function externalAbove(
  models: readonly Model[],
  brokenNames: ReadonlySet<string>,
): (model: string) => string | undefined {
  const byName = new Map(models.map((model) => [model.name, model]));
  const found = new Map<string, string | undefined>();
  const above = (name: string): string | undefined => {
    if (found.has(name)) return found.get(name);
    found.set(name, undefined);
    for (const parent of byName.get(name)?.dependencies ?? []) {
      const kind = byName.get(parent)?.kind.kind;
      const isExternal = kind === 'external' || (kind === undefined && !brokenNames.has(parent));
      const table = isExternal ? parent : kind === 'view' || kind === 'embedded' ? above(parent) : undefined;
      if (table === undefined) continue;
      found.set(name, table);
      return table;
    }
    return undefined;
  };
  return above;
}
