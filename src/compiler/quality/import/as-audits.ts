import { loadAuditFile } from '../../load/load-audit-file.ts';
import type { CheckDraft, ImportedCheck, ImportedChecks, ImportedFile } from './imported-check.ts';
import { matchTable } from './match-table.ts';
import { type PackWriting, writePacks } from './write-packs.ts';

/**
 * Tests that fail as errors become standalone audits that block, one file each; the others become checks. A check without a query of
 * its own, or with conditions on the number of its rows, stays a check, and says so.
 */
export function asAudits(drafts: readonly CheckDraft[], writing: PackWriting): ImportedChecks {
  const taken = new Set<string>();
  const audits = new Map<CheckDraft, ImportedFile & { readonly name: string; readonly table: string }>();
  for (const draft of drafts) {
    const audit = auditOf(draft, writing, taken);
    if (audit !== undefined) audits.set(draft, audit);
  }
  const rest = drafts.filter((draft) => !audits.has(draft));
  const packs = writePacks(rest.map(saysThatItStays), writing);
  const results = new Map(rest.map((draft, at) => [draft, packs.checks[at] as ImportedCheck]));
  const checks = drafts.map((draft): ImportedCheck => {
    const audit = audits.get(draft);
    if (audit === undefined || draft.translation.kind === 'refused')
      return results.get(draft) as ImportedCheck;
    const { differs } = draft.translation;
    return {
      at: draft.at,
      table: audit.table,
      outcome: differs.length === 0 ? 'imported' : 'approximated',
      files: [audit.path],
      rules: [audit.name],
      differs,
    };
  });
  const unknown = new Map(packs.unknownTables.map((table) => [table.name, table]));
  for (const { table } of audits.values()) {
    const matched = matchTable(table, writing.models);
    if (matched.kind === 'unknown') unknown.set(matched.name, matched);
  }
  return {
    files: [...[...audits.values()].map(({ path, text }) => ({ path, text })), ...packs.files],
    checks,
    unknownTables: [...unknown.values()],
  };
}

function auditOf(
  { translation, table, at }: CheckDraft,
  { tool, models, dialect }: PackWriting,
  taken: Set<string>,
): (ImportedFile & { readonly name: string; readonly table: string }) | undefined {
  if (translation.kind === 'refused' || table === undefined || translation.rules.length !== 1)
    return undefined;
  const [draft] = translation.rules;
  const options = draft?.options ?? {};
  const isConditional = ['severity', 'fail', 'warn', 'enabled'].some((key) => options[key] !== undefined);
  if (draft?.audit === undefined || isConditional || !/ = 0$|^failed rows$|^values in /.test(draft.text))
    return undefined;
  const model = matchTable(table, models).name;
  const words = typeof options['name'] === 'string' ? `${model} ${options['name']}` : `${model} ${at.text}`;
  const base = `${tool}_${words}`
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/_$/, '')
    .slice(0, 90);
  let name = base;
  for (let count = 2; taken.has(name); count++) name = `${base}_${count}`;
  const path = `audits/${tool}/${name.slice(tool.length + 1)}.sql`;
  const from = `${at.file}:${at.line}`.replace(/[\p{C}\s]+|\*\//gu, ' ');
  const owner =
    typeof options['owner'] === 'string' && /^[\w@. -]+$/.test(options['owner'])
      ? options['owner']
      : undefined;
  const head = [
    `  name ${name}`,
    '  standalone true',
    '  blocking true',
    ...(owner === undefined ? [] : [`  owner '${owner}'`]),
  ];
  const text = `AUDIT (\n${head.join(',\n')}\n);\n\n/* Written by plinth import dbt-tests from ${from} */\n${draft.audit}\n`;
  const { audits, diagnostics } = loadAuditFile({ path, text }, dialect);
  if (audits.length !== 1 || diagnostics.length > 0) return undefined;
  taken.add(name);
  return { path, text, name, table: model };
}

/** An error that cannot be an audit is a check, which never blocks: that differs. */
function saysThatItStays(draft: CheckDraft): CheckDraft {
  const { translation } = draft;
  if (
    translation.kind === 'refused' ||
    translation.rules.some(({ options }) => options['severity'] === 'warning')
  )
    return draft;
  const differs = [
    ...translation.differs,
    'it stays a check, which does not block: its rule has no query of failing rows',
  ];
  return { ...draft, translation: { ...translation, differs } };
}
