/** Every built-in rule, by the examples on its own page: what it must find, what it must not, and what its fix leaves. */
import { describe, expect, test } from 'vitest';
import { builtInRules } from '../../src/compiler/lint/built-in-rules.ts';
import type { ExampleFiles, LintRule } from '../../src/compiler/lint/lint-rule.ts';
import { ruleReference } from '../../src/compiler/lint/rule-reference.ts';
import { catalog } from '../../src/domain/diagnostics/catalog.ts';
import type { Model } from '../../src/domain/model.ts';
import { hasErrors } from '../../src/foundation/diagnostics/diagnostic.ts';
import { splice } from '../../src/foundation/sql/splice.ts';
import { lint, type ProjectLint } from '../../src/operations/project/lint.ts';
import { type LoadedWorkspace, loadProject } from '../../src/operations/project/load-project.ts';
import { openWorkspace } from '../../src/operations/workspace.ts';
import { EXAMPLE_TABLES } from '../support/example-tables.ts';
import { marked } from '../support/marked-source.ts';
import { temporaryProject } from '../support/temporary-project.ts';

interface Linted {
  readonly loaded: LoadedWorkspace;
  readonly result: ProjectLint;
  /** `file: text` of each finding of the rule. */
  readonly found: readonly string[];
}

async function linted(files: ExampleFiles, rule: LintRule): Promise<Linted> {
  const { 'config.yaml': config = '', ...others } = files;
  const project = temporaryProject({
    'external_models.yaml': EXAMPLE_TABLES,
    ...others,
    'config.yaml': `${config}linter: {rules: [${rule.name}]}\n`,
  });
  const workspace = openWorkspace({ folder: project.folder, variables: {}, executionTime: 0 });
  try {
    const loaded = await loadProject(workspace);
    const result = await lint(workspace, loaded);
    const found = result.diagnostics
      .filter(({ code }) => code === `lint.${rule.name}`)
      .map(({ at, severity }) => {
        expect(severity).toBe('error');
        return `${at?.file}: ${loaded.sources.get(at?.file ?? '')?.slice(at?.start, at?.end)}`;
      });
    return { loaded, result, found };
  } finally {
    await workspace.close();
    project.delete();
  }
}

const unmarked = (files: ExampleFiles): ExampleFiles =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [path, text.replace(/[«»]/g, '')]));

const places = (files: ExampleFiles): readonly string[] =>
  Object.entries(files).flatMap(([path, source]) => {
    const { text, ranges } = marked(source);
    return source.includes('«') ? ranges.map(({ start, end }) => `${path}: ${text.slice(start, end)}`) : [];
  });

/** What of a model a fix must leave as it is. */
const meaning = ({ name, kind, columns, grains, audits }: Model): unknown => ({
  name,
  kind,
  columns,
  grains,
  audits: audits.map((audit) => audit.name),
});

test('each rule has a name of its own, words in the catalog, examples, and a file', () => {
  const names = builtInRules.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { name, examples } of builtInRules) {
    expect(name).toMatch(/^[a-z]+(?:-[a-z]+)*$/);
    expect(Object.keys(catalog)).toContain(`lint.${name}`);
    expect(places(examples?.bad ?? {}), name).not.toEqual([]);
    expect(places(examples?.good ?? { none: '«»' }), name).toEqual([]);
  }
});

test('no words in the catalog are without a rule', () => {
  const settings = ['unknown-rule', 'python-not-yet', 'rule-failed', 'custom'];
  const codes = Object.keys(catalog).flatMap((code) => (code.startsWith('lint.') ? code.slice(5) : []));
  const names = builtInRules.map(({ name }) => name);
  expect(codes.filter((code) => !settings.includes(code)).toSorted()).toEqual(names.toSorted());
});

describe.each(builtInRules.map((rule) => [rule.name, rule] as const))('%s', (name, rule) => {
  const { bad = {}, good = {}, unless = [] } = rule.examples ?? {};

  test('finds what its page says it finds, at the marked places', async () => {
    const { found, loaded } = await linted(unmarked(bad), rule);
    expect(loaded.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(found.toSorted()).toEqual(places(bad).toSorted());
  });

  test('finds nothing in its good example', async () => {
    const { found, loaded } = await linted(good, rule);
    expect(loaded.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(found).toEqual([]);
  });

  test.each(unless.map(({ because, files }) => [because, files] as const))(
    'finds nothing where %s',
    async (_, files) => {
      const { found, loaded } = await linted(files, rule);
      expect(loaded.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
      expect(found).toEqual([]);
    },
  );

  test('has a section with both examples on the page of rules', () => {
    const page = ruleReference();
    const [, section = ''] = page.split(`\n## ${name}\n`);
    for (const text of [...Object.values(unmarked(bad)), ...Object.values(good)])
      expect(section).toContain(text.trimEnd());
    expect(section).toContain(rule.why);
  });

  test('fixes what it says it fixes, once, and leaves the project as it was', async () => {
    const before = await linted(unmarked(bad), rule);
    expect(before.result.fixes.length > 0).toBe(rule.fixes !== undefined);
    if (before.result.fixes.length === 0) return;
    const files = Object.fromEntries(
      Object.entries(unmarked(bad)).map(([path, text]) => [
        path,
        splice(
          text,
          before.result.fixes.filter((fix) => fix.file === path),
        ),
      ]),
    );
    const after = await linted(files, rule);
    expect(hasErrors(after.loaded.diagnostics)).toBe(false);
    expect(after.found).toEqual([]);
    expect(after.result.fixes).toEqual([]);
    expect(after.loaded.project.models.map(meaning)).toEqual(before.loaded.project.models.map(meaning));
  });
});
