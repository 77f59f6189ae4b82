import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import type { Dialect } from '../../../foundation/sql/dialect.ts';
import type { Data } from '../../../foundation/yaml/data.ts';
import { checkDqPacks } from '../../load/yaml/check-dq.ts';
import { loadDefinition } from '../../load/yaml/load-definition.ts';
import type { CheckDraft, ImportedCheck, ImportedChecks, ImportedFile, RuleDraft } from './imported-check.ts';
import type { ImportedModel } from './imported-model.ts';
import { matchTable } from './match-table.ts';
import { withModelNames } from './with-model-names.ts';
import { yamlItem, yamlRule, yamlScalar } from './yaml-text.ts';

export interface PackWriting {
  /** `soda` or `dbt`: folder below dq/ and beginning of the names of packs. */
  readonly tool: string;
  readonly models: readonly ImportedModel[];
  readonly dialect: Dialect;
}

interface Pack {
  readonly name: string;
  readonly path: string;
  readonly model: string;
  readonly filter: string | undefined;
  readonly checks: { readonly draft: CheckDraft; readonly rules: readonly RuleDraft[] }[];
}

/**
 * Checks as packs of ours, one for each table and part of it. Each rule is read and checked by our own loader before it is written, so that
 * everything written loads; a rule that does not is refused with the loader's words.
 */
export function writePacks(drafts: readonly CheckDraft[], writing: PackWriting): ImportedChecks {
  const packs = new Map<string, Pack>();
  const results = new Map<CheckDraft, ImportedCheck>();
  const unknown = new Map<string, { readonly name: string; readonly why: string }>();
  for (const draft of drafts) {
    const { translation, table } = draft;
    if (translation.kind === 'refused') {
      results.set(draft, refusedCheck(draft, translation.why, translation.next));
      continue;
    }
    if (table === undefined) {
      results.set(draft, refusedCheck(draft, 'the check is of no table', 'name the table it is about'));
      continue;
    }
    const matched = matchTable(table, writing.models);
    if (matched.kind === 'unknown') unknown.set(matched.name, matched);
    const pack = packFor(packs, { draft, model: matched.name, tool: writing.tool });
    const drafted = translation.rules.map((each) => withNamesOfModels(each, writing));
    const problem = firstProblem(pack, drafted, writing);
    if (problem !== undefined) {
      results.set(
        draft,
        refusedCheck(
          draft,
          problem.message,
          problem.hint ?? 'correct it in the file it comes from, and import again',
        ),
      );
      continue;
    }
    const rules = withUniqueNames(drafted, pack);
    pack.checks.push({ draft, rules });
    results.set(draft, {
      at: draft.at,
      table: pack.model,
      outcome: translation.differs.length === 0 ? 'imported' : 'approximated',
      files: [pack.path],
      rules: rules.map(nameOf),
      differs: translation.differs,
    });
  }
  const files = [...packs.values()]
    .filter(({ checks }) => checks.length > 0)
    .map((pack): ImportedFile => ({ path: pack.path, text: packText(pack, writing.tool) }));
  for (const name of otherUnknown(files, writing)) {
    const matched = matchTable(name, writing.models);
    if (matched.kind === 'unknown' && !unknown.has(name)) unknown.set(name, { ...matched, name });
  }
  return {
    files,
    checks: drafts.map((draft) => results.get(draft) as ImportedCheck),
    unknownTables: [...unknown.values()].filter(({ name }) => files.some(({ text }) => text.includes(name))),
  };
}

/** Tables that rules compare with. */
function otherUnknown(files: readonly ImportedFile[], { models }: PackWriting): readonly string[] {
  const packs = files.flatMap((file) => loadDefinition(file).dqPack ?? []);
  return checkDqPacks(packs, models).flatMap(({ code, at }) => {
    const file = files.find(({ path }) => path === at?.file);
    return code === 'dq.unknown-model' && file !== undefined && at !== undefined
      ? [file.text.slice(at.start, at.end)]
      : [];
  });
}

export function refusedCheck({ at, table }: CheckDraft, why: string, next: string): ImportedCheck {
  return {
    at,
    ...(table === undefined ? {} : { table }),
    outcome: 'refused',
    files: [],
    rules: [],
    differs: [],
    why,
    next,
  };
}

function packFor(
  packs: Map<string, Pack>,
  { draft, model, tool }: { draft: CheckDraft; model: string; tool: string },
): Pack {
  const key = JSON.stringify([model, draft.part?.name ?? null, draft.part?.where ?? null]);
  const known = packs.get(key);
  if (known !== undefined) return known;
  const base = [model, draft.part?.name]
    .filter((each) => each !== undefined)
    .join('_')
    .replace(/[^A-Za-z0-9_]+/g, '_')
    .slice(0, 80);
  const taken = new Set([...packs.values()].map(({ name }) => name.toLowerCase()));
  let name = `${tool}_${base}`;
  for (let count = 2; taken.has(name.toLowerCase()); count++) name = `${tool}_${base}_${count}`;
  const path = `dq/${tool}/${name.slice(tool.length + 1)}.yml`;
  const pack: Pack = { name, path, model, filter: draft.part?.where, checks: [] };
  packs.set(key, pack);
  return pack;
}

/** What our loader finds wrong with rules, other than that their tables are not models. */
function firstProblem(
  pack: Pack,
  drafts: readonly RuleDraft[],
  { models, dialect }: PackWriting,
): Diagnostic | undefined {
  const text = packText({ ...pack, checks: [{ draft: NOWHERE, rules: drafts }] }, 'x');
  const file = { path: pack.path, text };
  const { dqPack, diagnostics } = loadDefinition(file);
  // A pack whose model is not known is checked as far as its SQL goes, in the project's dialect.
  const known = models.some(({ name }) => name === pack.model)
    ? models
    : [...models, { name: pack.model, columns: [], hasAllColumns: false, grains: [], dialect }];
  const found = [...diagnostics, ...(dqPack === undefined ? [] : checkDqPacks([dqPack], known))];
  return found.find(({ code }) => code !== 'dq.unknown-model');
}

const NOWHERE: CheckDraft = {
  at: { file: '', line: 0, text: '' },
  translation: { kind: 'rules', rules: [], differs: [] },
};

/** Queries of the other tool name tables as that does. */
function withNamesOfModels(draft: RuleDraft, { models, dialect }: PackWriting): RuleDraft {
  const query = draft.options['fail_query'];
  if (typeof query !== 'string') return draft;
  return { ...draft, options: { ...draft.options, fail_query: withModelNames(query, models, dialect) } };
}

/** Rules keep their history under their names, so two alike get a number. */
function withUniqueNames(drafts: readonly RuleDraft[], pack: Pack): readonly RuleDraft[] {
  const taken = new Set(pack.checks.flatMap(({ rules }) => rules.map(nameOf)));
  return drafts.map((draft) => {
    const name = nameOf(draft);
    let unique = name;
    for (let count = 2; taken.has(unique); count++) unique = `${name} (${count})`;
    taken.add(unique);
    return unique === name ? draft : { ...draft, options: { ...draft.options, name: unique } };
  });
}

function nameOf({ text, options }: RuleDraft): string {
  const name = options['name'];
  return typeof name === 'string' ? name : text.trim().replace(/\s+/g, ' ');
}

function packText({ name, model, filter, checks }: Pack, tool: string): string {
  const lines = [
    `# Written by plinth import ${tool === 'dbt' ? 'dbt-tests' : tool}. Each rule names the place it comes from.`,
    'kind: dq',
    `name: ${yamlScalar(name)}`,
    `depends_on: ${/^[A-Za-z_][\w.]*$/.test(model) ? model : JSON.stringify(model)}`,
    ...(filter === undefined ? [] : [`filter: ${JSON.stringify(filter)}`]),
    'rules:',
  ];
  for (const { draft, rules } of checks) {
    if (draft !== NOWHERE) lines.push(`  # ${comment(`${draft.at.file}:${draft.at.line}`)}`);
    if (draft.translation.kind === 'rules')
      for (const difference of draft.translation.differs) lines.push(`  # differs: ${comment(difference)}`);
    for (const { text, options } of rules) {
      const item: Data = Object.keys(options).length === 0 ? text : { [text]: options };
      lines.push(...(typeof item === 'string' ? [`  - ${yamlRule(item)}`] : yamlItem(item, '  ')));
    }
  }
  return `${lines.join('\n')}\n`;
}

const comment = (text: string): string => text.replace(/[\p{C}\s]+/gu, ' ');
