import type { Audit, AuditUse } from '../../domain/audit.ts';
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { ModelDefinition } from '../../domain/model.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { didYouMean } from '../../foundation/diagnostics/nearest.ts';
import { BUILT_IN_AUDITS, builtInAudit } from './built-in-audits.ts';

/** Whether every audit that a model asks for exists and gets the arguments it has. Default audits are reported once, not per model. */
export function checkAuditUses(
  definitions: readonly ModelDefinition[],
  audits: readonly Audit[],
): readonly Diagnostic[] {
  const project = new Map(audits.map((audit) => [audit.name, audit]));
  const diagnostics: Diagnostic[] = [];
  const seen = new Set<string>();
  for (const definition of definitions) {
    const inline = new Map(definition.inlineAudits.map((audit) => [audit.name, audit]));
    for (const use of definition.audits) {
      const own = inline.get(use.name) ?? project.get(use.name);
      const found =
        own !== undefined
          ? checkOwn(use, own)
          : checkBuiltIn(use, definition, [...inline.keys(), ...project.keys()]);
      for (const d of found) {
        const key = `${d.code}\0${d.at?.file}\0${d.at?.start}\0${d.message}`;
        if (!seen.has(key)) diagnostics.push(d);
        seen.add(key);
      }
    }
  }
  return diagnostics;
}

/** Arguments of a project's audit are known only by the names its query mentions. */
function checkOwn(use: AuditUse, audit: Audit): readonly Diagnostic[] {
  const text = [audit.query.text, ...audit.statements.map((s) => s.text)].join('\n').toLowerCase();
  const mentions = new Set([...text.matchAll(/@\{?(\w+)|\b(\w+)\b/g)].map((m) => m[1] ?? m[2] ?? ''));
  return Object.keys(use.arguments)
    .filter((argument) => !mentions.has(argument))
    .map((argument) =>
      diagnostic(
        'audit.unused-argument',
        { argument, name: use.name },
        { at: use.at, hint: didYouMean(argument, Object.keys(audit.defaults)) },
      ),
    );
}

function checkBuiltIn(
  use: AuditUse,
  definition: ModelDefinition,
  others: readonly string[],
): readonly Diagnostic[] {
  const found = builtInAudit(use.name);
  if (found === undefined) {
    const hint =
      didYouMean(use.name, [...others, ...Object.keys(BUILT_IN_AUDITS)]) ??
      'define it in audits/, or use a built-in one';
    return [diagnostic('audit.unknown', { model: definition.name, name: use.name }, { at: use.at, hint })];
  }
  const { required, optional } = found.audit;
  const known = [...required, ...optional];
  const given = Object.keys(use.arguments);
  return [
    ...given
      .filter((argument) => !known.includes(argument))
      .map((argument) =>
        diagnostic(
          'audit.unknown-argument',
          { argument, name: use.name },
          { at: use.at, hint: didYouMean(argument, known) ?? `its arguments are ${known.join(', ')}` },
        ),
      ),
    ...required
      .filter((argument) => !given.includes(argument))
      .map((argument) => diagnostic('audit.missing-argument', { name: use.name, argument }, { at: use.at })),
  ];
}

/** Audits of one name in two places, and those that hide a built-in one. */
export function checkAuditNames(audits: readonly Audit[]): readonly Diagnostic[] {
  const first = new Map<string, Audit>();
  return audits.flatMap((audit) => {
    const other = first.get(audit.name);
    if (other !== undefined)
      return [diagnostic('audit.duplicate-name', { name: audit.name, other: other.file }, { at: audit.at })];
    first.set(audit.name, audit);
    return builtInAudit(audit.name) === undefined
      ? []
      : [diagnostic('audit.shadows-built-in', { name: audit.name }, { at: audit.at })];
  });
}
