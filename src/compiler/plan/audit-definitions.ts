import type { Audit, AuditUse } from '../../domain/audit.ts';
import type { Model } from '../../domain/model.ts';
import { canonicalJson } from '../../foundation/canonical-json.ts';
import { canonicalTokens } from '../../foundation/sql/canonical/canonical-tokens.ts';
import { builtInAudit } from '../load/built-in-audits.ts';

/** The audit a use means: one of the model's own file, else one of the project; undefined for a built-in one. */
function definitionOf(use: AuditUse, model: Model, audits: ReadonlyMap<string, Audit>): Audit | undefined {
  return model.inlineAudits.find(({ name }) => name === use.name) ?? audits.get(use.name);
}

/** What an audit demands, as text: equal text means that it needs no new look at old rows. */
export function auditText({ name, dialect, defaults, query, statements, ...rest }: Audit): string {
  const sql = (text: string): string => canonicalTokens(text, dialect);
  return canonicalJson({
    name,
    dialect,
    defaults: Object.fromEntries(Object.entries(defaults).map(([key, text]) => [key, sql(text)])),
    query: sql(query.text),
    statements: statements.map(({ text }) => sql(text)),
    isBlocking: rest.isBlocking,
    isStandalone: rest.isStandalone,
    skip: rest.skip,
    onFailure: rest.onFailure,
    dependsOn: rest.dependsOn,
  });
}

/** Each use of an audit by a model, with its definition and arguments as one comparable text. */
export function auditUses(
  model: Model,
  audits: ReadonlyMap<string, Audit>,
): readonly { readonly name: string; readonly isBlocking: boolean; readonly text: string }[] {
  return model.audits.map((use) => {
    const definition = definitionOf(use, model, audits);
    const isBlocking =
      use.isBlocking ?? definition?.isBlocking ?? builtInAudit(use.name)?.isNonBlocking !== true;
    const given = Object.entries(use.arguments).map(([key, text]) => [
      key,
      canonicalTokens(text, model.dialect),
    ]);
    const text = canonicalJson([
      use.name,
      Object.fromEntries(given),
      isBlocking,
      use.onFailure,
      definition === undefined ? 'built-in' : auditText(definition),
    ]);
    return { name: use.name, isBlocking: isBlocking && definition?.skip !== true, text };
  });
}
