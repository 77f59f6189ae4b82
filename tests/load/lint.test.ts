import { afterEach, describe, expect, test } from 'vitest';
import type { Diagnostic } from '../../src/foundation/diagnostics/diagnostic.ts';
import { splice } from '../../src/foundation/sql/splice.ts';
import { lint } from '../../src/operations/project/lint.ts';
import { loadProject } from '../../src/operations/project/load-project.ts';
import { openWorkspace } from '../../src/operations/workspace.ts';
import { type TemporaryProject, temporaryProject } from '../support/temporary-project.ts';

let project: TemporaryProject | undefined;
afterEach(() => project?.delete());

/** Lints a project whose files mark with «…» where something must be found; gives `code: marked text` of each finding. */
async function linted(
  files: Readonly<Record<string, string>>,
  linter = 'rules: ALL',
): Promise<{
  found: readonly string[];
  diagnostics: readonly Diagnostic[];
  loading: readonly Diagnostic[];
  fixed: (path: string) => string;
}> {
  project = temporaryProject({
    'config.yaml': `linter: {enabled: true, ${linter}}\n`,
    ...Object.fromEntries(Object.entries(files).map(([path, text]) => [path, text.replace(/[«»]/g, '')])),
  });
  const workspace = openWorkspace({ folder: project.folder, variables: {}, executionTime: 0 });
  try {
    const loaded = await loadProject(workspace);
    const { diagnostics, fixes, loading } = await lint(workspace, loaded);
    const textAt = ({ at }: Diagnostic): string =>
      loaded.sources.get(at?.file ?? '')?.slice(at?.start, at?.end) ?? '';
    const places = (path: string): readonly string[] =>
      [...(files[path] ?? '').matchAll(/«([^»]*)»/g)].map((match) => match[1] as string);
    const found = diagnostics.map((each) => `${each.code}: ${textAt(each)}`);
    for (const path of Object.keys(files))
      for (const place of places(path))
        expect(diagnostics.filter(({ at }) => at?.file === path).map(textAt)).toContain(place);
    return {
      found,
      diagnostics,
      loading,
      fixed: (path) =>
        splice(
          loaded.sources.get(path) ?? '',
          fixes.filter(({ file }) => file === path),
        ),
    };
  } finally {
    await workspace.close();
  }
}

const RAW = '- name: raw.t\n  columns: {id: int, day: date}\n';
const complete = "owner mara, description 'x', grain id, audits (unique_values(columns := (id)))";
/** Every rule about models but those that such a small one cannot obey. */
const OF_PARTS =
  'rules: [no-missing-audits, no-missing-owner, no-missing-description, no-missing-grain, no-missing-unit-test]';
const testOf = (model: string): string =>
  `test_${model.replace('.', '_')}:\n  model: ${model}\n  inputs: {}\n  outputs: {query: [{id: 1}]}\n`;

describe('built-in rules', () => {
  test('a model with everything is not mentioned', async () => {
    const { found } = await linted(
      {
        'external_models.yaml': RAW,
        'models/a.sql': `MODEL (name m.a, kind FULL, ${complete});\nSELECT id FROM raw.t`,
        'tests/test_a.yaml': testOf('m.a'),
      },
      OF_PARTS,
    );
    expect(found).toEqual([]);
  });
  test('each missing part is reported at the name of the model', async () => {
    const { found } = await linted(
      {
        'external_models.yaml': RAW,
        'models/a.sql': 'MODEL (name «m.a», kind FULL);\nSELECT id FROM raw.t',
      },
      OF_PARTS,
    );
    expect(found).toEqual([
      'lint.no-missing-audits: m.a',
      'lint.no-missing-description: m.a',
      'lint.no-missing-grain: m.a',
      'lint.no-missing-owner: m.a',
      'lint.no-missing-unit-test: m.a',
    ]);
  });
  test('a star in the outermost select is found at its place and --fix lists the columns', async () => {
    const { found, fixed } = await linted(
      {
        'external_models.yaml': RAW,
        'models/a.sql': 'MODEL (name m.a);\nWITH c AS (SELECT * FROM raw.t) SELECT «*» FROM c',
      },
      'rules: [no-select-star]',
    );
    expect(found).toEqual(['lint.no-select-star: *']);
    expect(fixed('models/a.sql')).toBe(
      'MODEL (name m.a);\nWITH c AS (SELECT * FROM raw.t) SELECT id,\n  day FROM c',
    );
  });
  test('a star with other projections or over a join is found and not rewritten', async () => {
    const { found, fixed } = await linted(
      {
        'external_models.yaml': RAW,
        'models/a.sql': 'MODEL (name m.a);\nSELECT «*», 1 AS one FROM raw.t',
        'models/b.sql': 'MODEL (name m.b);\nSELECT «a.*» FROM m.a AS a CROSS JOIN raw.t',
      },
      'rules: [noselectstar]',
    );
    expect(found).toEqual(['lint.no-select-star: *', 'lint.no-select-star: a.*']);
    expect(fixed('models/a.sql')).toContain('SELECT *, 1 AS one');
  });
  test('what cannot be resolved for want of columns is the business of three rules', async () => {
    const { found, loading } = await linted(
      {
        'models/a.sql': 'MODEL (name m.a);\nSELECT «*» FROM «ext.t»',
        'external_models.yaml': RAW,
        'models/b.sql': 'MODEL (name m.b);\nSELECT «nothing» FROM ext.t AS t CROSS JOIN m.a AS a',
      },
      'rules: [ambiguous-or-invalid-column, invalid-select-star-expansion, no-missing-external]',
    );
    expect(found).toEqual([
      'lint.invalid-select-star-expansion: *',
      'lint.no-missing-external: ext.t',
      'lint.ambiguous-or-invalid-column: nothing',
      'lint.no-missing-external: ext.t',
    ]);
    // What loading warned of at these places is not said again.
    expect(loading.map(({ code }) => code)).toEqual([]);
  });
  test('a model that runs more often than what it reads is found at its cron', async () => {
    const { found } = await linted(
      {
        'models/a.sql': "MODEL (name m.a, kind FULL, cron '@daily');\nSELECT 1 AS id",
        'models/b.sql': "MODEL (name m.b, kind FULL, cron «'@hourly'»);\nSELECT id FROM m.a",
        'models/c.sql': "MODEL (name m.c, kind FULL, cron '@weekly');\nSELECT id FROM m.a",
      },
      'rules: []',
    );
    expect(found).toEqual(["lint.cron-finer-than-upstream: '@hourly'"]);
  });
});

describe('settings', () => {
  const files = {
    'external_models.yaml': RAW,
    'models/a.sql': 'MODEL (name m.a, kind FULL);\nSELECT * FROM raw.t',
    'models/b.sql': 'MODEL (name m.b, kind FULL, ignored_rules (noselectstar));\nSELECT * FROM raw.t',
  };
  test('rules are errors, warn_rules warnings, ignored_rules off, and a model can switch a rule off', async () => {
    const { diagnostics } = await linted(
      files,
      'rules: [no-select-star, no-missing-owner], warn_rules: [no-missing-grain], ignored_rules: [no-missing-owner]',
    );
    expect(diagnostics.map(({ code, severity, at }) => `${severity} ${code} ${at?.file}`)).toEqual([
      'warning lint.no-missing-grain models/a.sql',
      'error lint.no-select-star models/a.sql',
      'warning lint.no-missing-grain models/b.sql',
    ]);
  });
  test('ignored_rules ALL silences a model', async () => {
    const { found } = await linted({
      'config.yaml': 'name: a\nowner: mara\ndescription: x\nlinter: {rules: ALL}\n',
      'models/a.sql': 'MODEL (name m.a, ignored_rules ALL);\nSELECT * FROM x.y',
    });
    expect(found).toEqual([]);
  });
  test('ignored_in leaves rules out by the path of a file, of whatever kind it is', async () => {
    const { found } = await linted(
      {
        ...files,
        'models/old/c.sql': 'MODEL (name m.c, kind FULL);\nSELECT * FROM raw.t',
        'dq/a.yml': 'kind: dq\nname: «a»\ndepends_on: m.a\nrules:\n  - row_count > 0\n',
        'dq/legacy_b.yml': 'kind: dq\nname: b\ndepends_on: m.a\nrules:\n  - row_count > 1\n',
      },
      "rules: [no-select-star, dq-without-owner], ignored_in: {'models/old/**': ALL, 'dq/legacy_*.yml': [dqwithoutowner], 'models/*/b.sql': [no-select-star]}",
    );
    expect(found).toEqual(['lint.dq-without-owner: a', 'lint.no-select-star: *']);
  });
  test('a disabled linter finds nothing', async () => {
    project = temporaryProject({
      'config.yaml': 'linter: {enabled: false, rules: ALL}\n',
      'models/a.sql': 'MODEL (name m.a);\nSELECT * FROM x.y',
    });
    const workspace = openWorkspace({ folder: project.folder, variables: {}, executionTime: 0 });
    expect((await lint(workspace, await loadProject(workspace))).diagnostics).toEqual([]);
    await workspace.close();
  });
  test('an unknown rule is an error with a suggestion, in config and in a model', async () => {
    const { found, diagnostics } = await linted(
      { 'models/a.sql': 'MODEL (name m.a, ignored_rules «(no_select_sta)»);\nSELECT 1 AS x' },
      'rules: [no-mising-owner]',
    );
    expect(found[0]).toBe('lint.unknown-rule: no-mising-owner');
    expect(diagnostics.map(({ code, hint }) => `${code} ${hint}`)).toEqual([
      'lint.unknown-rule did you mean no-missing-owner?',
      'lint.unknown-rule did you mean no-select-star?',
    ]);
  });
});

describe('rules of the project’s own', () => {
  const model = { 'models/a.sql': 'MODEL (name m.a);\nSELECT 1 AS BAD' };
  test('see the models and report at their names', async () => {
    const { diagnostics } = await linted(
      {
        ...model,
        'linter/names.ts':
          "import type { LintedProject } from 'plinth';\nexport function noBadColumns(project: LintedProject) {\n  return project.models.filter((m) => m.columns.some((c) => c.name.toLowerCase() === 'bad')).map((m) => ({ model: m.name, message: 'bad column', hint: 'rename it' }));\n}\n",
      },
      'rules: [no-bad-columns]',
    );
    expect(diagnostics).toMatchObject([
      { code: 'lint.custom', severity: 'error', message: 'no-bad-columns: bad column', hint: 'rename it' },
    ]);
  });
  test.each([
    ['throws', "export function broken() {\n  «throw new Error('no idea');»\n}\n", 'no idea'],
    ['returns nonsense', 'export const «broken» = () => 42;\n', 'it did not return a list of findings'],
    ['cannot be loaded', 'export const broken = ;\n', ''],
    [
      'finds something without words',
      'export const «broken» = () => [{ model: 1 }];\n',
      'a finding needs a message',
    ],
  ])('a rule that %s is reported and stops nothing else', async (_, text, problem) => {
    const { diagnostics } = await linted(
      { 'models/a.sql': 'MODEL (name m.a, kind FULL);\nSELECT 1 AS x', 'linter/broken.ts': text },
      'rules: [no-missing-owner]',
    );
    expect(diagnostics.map(({ code }) => code)).toEqual(['lint.rule-failed', 'lint.no-missing-owner']);
    expect(diagnostics[0]?.message).toContain(problem);
  });
  test('may not import from outside their folder', async () => {
    const { diagnostics } = await linted(
      {
        ...model,
        'linter/a.ts': "«import { readFileSync } from 'node:fs';»\nexport const quiet = () => [];\n",
      },
      'rules: []',
    );
    expect(diagnostics.map(({ code }) => code)).toEqual(['macro.import-outside']);
  });
});

test('a common table that reads a table of its own name through a query is looked at to an end', async () => {
  const { found, loading } = await linted(
    {
      'external_models.yaml': RAW,
      'models/a.sql':
        'MODEL (name m.a, kind FULL);\nWITH t AS (SELECT d.id FROM (SELECT t.id FROM t) AS d)\nSELECT t.id, r.day FROM t, «raw.t AS r»\n',
    },
    'rules: [cartesian-join]',
  );
  expect(loading.map(({ code }) => code)).not.toContain('model.internal-error');
  expect(found).toContain('lint.cartesian-join: raw.t AS r');
});
