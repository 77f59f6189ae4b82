import type { Audit, AuditUse } from '../../domain/audit.ts';
import type { Model } from '../../domain/model.ts';
import type { AuditFacts } from '../../domain/snapshot.ts';
import { builtInAudit } from '../load/built-in-audits.ts';

/** The audits of a model by what they do to a plan; undefined when it has none. */
export function auditFacts(
  model: Pick<Model, 'audits' | 'inlineAudits'>,
  audits: ReadonlyMap<string, Audit>,
): AuditFacts | undefined {
  if (model.audits.length === 0) return undefined;
  const blocking: string[] = [];
  const others: string[] = [];
  let readsOthers = false;
  for (const use of model.audits) {
    const own = model.inlineAudits.find(({ name }) => name === use.name) ?? audits.get(use.name);
    if (own?.skip === true) continue;
    (isBlocking(use, own) ? blocking : others).push(use.name);
    readsOthers ||= own === undefined ? builtInAudit(use.name)?.name === 'relationship' : !isPlainFilter(own);
  }
  return blocking.length + others.length === 0 ? undefined : { blocking, others, readsOthers };
}

function isBlocking(use: AuditUse, own: Audit | undefined): boolean {
  return use.isBlocking ?? own?.isBlocking ?? builtInAudit(use.name)?.isNonBlocking !== true;
}

/** `SELECT … FROM @this_model WHERE …` and nothing that could name another table; anything less plain counts as reading others. */
function isPlainFilter({ query, statements }: Audit): boolean {
  const words = query.text.toLowerCase();
  return (
    statements.length === 0 &&
    /^\s*select\s+\*\s+from\s+@this_model\s+where\b/.test(words) &&
    words.match(/\b(select|from|join|table|values)\b|@\w+\s*\(/g)?.length === 2
  );
}
