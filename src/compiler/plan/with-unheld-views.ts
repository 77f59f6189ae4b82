/*
 * A view over a table that another program writes may have bad rows at any time; no write of ours could hold them back.
 * Its blocking audits are asked before anything is filled from it:
 *
 *   raw.t ─▶ v (audited) ─▶ audit v ─▶ backfill of what reads v
 */
import type { BackfillMember } from '../../domain/plan.ts';
import { isWritten } from '../../domain/snapshot.ts';
import type { AuditWork, Models } from './stage-work.ts';

/** Audits of the views that members read, through views and EMBEDDED models, and that show external rows; with those there are. */
export function withUnheldViews(
  audits: ReadonlyMap<string, AuditWork>,
  models: Models,
  members: ReadonlyMap<string, BackfillMember>,
): ReadonlyMap<string, AuditWork> {
  const all = new Map(audits);
  const isExternal = externalAbove(models);
  for (const name of viewsRead(models, members)) {
    const { snapshot, entry } = models.get(name)!;
    const known = audits.get(name);
    if (snapshot.audits === undefined || snapshot.audits.blocking.length === 0) continue;
    if (known?.reason === 'new-view' || entry.version === undefined || !isExternal(name)) continue;
    const table = { model: name, version: entry.version };
    const { fingerprint } = snapshot;
    all.set(name, { kind: 'audit', table, fingerprint, reason: 'touched', isBlocking: true });
  }
  return all;
}

function viewsRead(models: Models, members: ReadonlyMap<string, BackfillMember>): ReadonlySet<string> {
  const seen = new Set<string>();
  const open = [...members.keys()];
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const parent of models.get(next)?.snapshot.parents ?? []) {
      const kind = models.get(parent)?.snapshot.kind;
      if (kind === undefined || isWritten(kind) || seen.has(parent)) continue;
      seen.add(parent);
      open.push(parent);
    }
  return new Set([...seen].filter((name) => models.get(name)?.snapshot.kind === 'view'));
}

/** Whether a model shows rows of a table that is not written here. */
function externalAbove(models: Models): (model: string) => boolean {
  const found = new Map<string, boolean>();
  const isAbove = (name: string): boolean => {
    const known = found.get(name);
    if (known !== undefined) return known;
    found.set(name, false);
    const snapshot = models.get(name)?.snapshot;
    const answer =
      snapshot?.readsUndeclared === true ||
      (snapshot?.parents ?? []).some((parent) => {
        const kind = models.get(parent)?.snapshot.kind;
        return kind === 'external' || (kind !== undefined && !isWritten(kind) && isAbove(parent));
      });
    found.set(name, answer);
    return answer;
  };
  return isAbove;
}
