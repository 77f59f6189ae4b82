/** What lies around models and is no edit of them, or is one: values of the environment, statements around everything, code of signals. */
import { afterEach, describe, expect, test } from 'vitest';
import { envelope, runPlinth, type TemporaryProject, temporaryProject } from './run-plinth.ts';

const CONFIG = `name: around
gateways: {local: {connection: {type: duckdb, database: around.duckdb}}}
model_defaults: {dialect: duckdb, start: '2025-01-01', cron: '@daily'}
`;
let project: TemporaryProject;
afterEach(() => project.remove());

async function json(args: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  const ended = await runPlinth([...args, '--json'], {
    cwd: project.folder,
    variables: { PLINTH_NOW: '2025-01-05', ...variables },
  });
  return { ...envelope(ended), code: ended.code };
}
const rows = async (sql: string, variables: Readonly<Record<string, string>> = {}): Promise<unknown> => {
  const { stdout } = await runPlinth(['query', '--format', 'json', '--sql', sql], {
    cwd: project.folder,
    variables,
  });
  return (JSON.parse(stdout) as { rows: unknown }).rows;
};

describe('a value of the environment', () => {
  test('is no edit when it changes: runs read it anew, plans find nothing', async () => {
    project = temporaryProject({
      'config.yaml': `${CONFIG}variables: {who: "{{ env_var('WHO') }}", factor: "{{ env_var('FACTOR') }}", where: '1=1'}\n`,
      'models/a.sql':
        'MODEL (name s.a, kind FULL);\nSELECT @who AS who, 2 * @factor::INTEGER AS n WHERE @SQL(@where)\n',
      'models/b.sql':
        "MODEL (name s.b, kind FULL);\nJINJA_QUERY_BEGIN;\nSELECT '{{ var('who') }}' AS who\nJINJA_END;\n",
      'models/c.sql':
        "MODEL (name s.c, kind FULL);\nSELECT @IF(@runtime_stage = 'evaluating', @who, 'nobody') AS who\n",
    });
    const [ann, bob] = [
      { WHO: 'ann', FACTOR: '1' },
      { WHO: 'bob', FACTOR: '2' },
    ];
    expect((await json(['plan', '--yes'], ann)).code).toBe(0);
    expect(await json(['plan'], bob)).toMatchObject({ data: { changes: [], stages: [] } });
    const run = await json(['run', '--execution-time', '2025-01-06'], bob);
    expect(run).toMatchObject({ code: 0, data: { ignored_edits: [] } });
    expect(await rows('SELECT who, n::INTEGER FROM s.a', bob)).toEqual([['bob', 4]]);
    expect(await rows('SELECT who FROM s.b UNION ALL SELECT who FROM s.c', bob)).toEqual([['bob'], ['bob']]);

    // What is written beside it is an edit as ever.
    project.write(
      'models/a.sql',
      'MODEL (name s.a, kind FULL);\nSELECT @who AS who, 3 * @factor::INTEGER AS n WHERE @SQL(@where)\n',
    );
    expect(await json(['run', '--execution-time', '2025-01-07'], ann)).toMatchObject({
      data: { ignored_edits: ['s.a'] },
    });
    expect((await json(['plan'], ann)).data).toMatchObject({ changes: [{ name: 's.a', change: 'direct' }] });
  });
});

describe('statements around everything', () => {
  test('are said to have changed, by plan and diff', async () => {
    project = temporaryProject({
      'config.yaml': `${CONFIG}before_all: ["SELECT 1"]\n`,
      'models/a.sql': 'MODEL (name s.a, kind FULL);\nSELECT 1 AS x\n',
    });
    expect((await json(['plan', '--yes'])).code).toBe(0);
    project.write('config.yaml', `${CONFIG}before_all: ["SELECT 2"]\nafter_all: ["SELECT 3"]\n`);
    const here = { cwd: project.folder, variables: { PLINTH_NOW: '2025-01-05' } };
    const shown = await runPlinth(['plan', '--explain'], here);
    expect(shown.stdout).toContain('before_all and after_all changed · nothing to fill');
    expect(shown.stdout).not.toContain('No changes');
    expect((await json(['plan'])).data).toMatchObject({
      changes: [],
      statements_changed: ['before_all', 'after_all'],
    });
    const diff = await runPlinth(['diff', '--exit-code'], here);
    expect(diff).toMatchObject({ code: 3, stdout: expect.stringContaining('~ before_all') });
    expect((await json(['plan', '--yes'])).code).toBe(0);
    expect((await runPlinth(['diff', '--exit-code'], here)).code).toBe(0);
  });
});

describe('settings of plans', () => {
  const model = (value: number): string => `MODEL (name s.a, kind FULL);\nSELECT ${value} AS x\n`;
  const codes = ({ diagnostics }: { readonly diagnostics: readonly Record<string, unknown>[] }): unknown =>
    diagnostics.map(({ code }) => code);

  test('semi asks for a category by flag, auto_apply needs no --yes, no_diff shows no SQL', async () => {
    project = temporaryProject({
      'config.yaml': `${CONFIG}plan: {auto_categorize: semi, auto_apply: true, no_diff: true}\n`,
      'models/a.sql': model(1),
    });
    const here = { cwd: project.folder, variables: { PLINTH_NOW: '2025-01-05' } };
    expect((await runPlinth(['plan'], here)).code).toBe(0);
    project.write('models/a.sql', model(2));
    const asked = await json(['plan']);
    expect(asked).toMatchObject({ code: 2, error: { code: 'plan.category-needed' } });
    expect(asked.error?.['hint']).toContain('--category s.a=breaking');
    const diff = await runPlinth(['diff'], here);
    expect(diff).toMatchObject({ code: 0, stdout: expect.stringContaining('~ s.a') });
    expect(diff.stdout).not.toContain('2 AS x');
    const said = await runPlinth(['plan', '--category', 's.a=breaking'], here);
    expect(said.code, said.stderr).toBe(0);
    expect(said.stdout).not.toContain('2 AS x');
    expect(await rows('SELECT x FROM s.a')).toEqual([[2]]);
  });

  test('an option and keys of other tools that do nothing here are said to', async () => {
    project = temporaryProject({
      'config.yaml': `${CONFIG}plan: {include_unmodified: true, enable_preview: false}\n`,
      'models/a.sql': model(1),
    });
    expect(codes(await json(['plan', '--include-unmodified']))).toEqual([
      'cli.option-without-effect',
      'config.key-without-effect',
      'config.key-without-effect',
    ]);
  });
});
