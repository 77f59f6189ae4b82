import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Ended,
  envelope,
  PROGRAM,
  runPlinth,
  type TemporaryProject,
  temporaryProject,
} from './run-plinth.ts';
import { SMALL_PROJECT } from './small-project.ts';

const GOLDENS = join(import.meta.dirname, '../goldens/cli');
const golden = (name: string): string => join(GOLDENS, name);

let project: TemporaryProject;
beforeAll(() => {
  project = temporaryProject(SMALL_PROJECT);
});
afterAll(() => project.remove());
const run = (...args: string[]): Promise<Ended> => runPlinth(args, { cwd: project.folder });

describe('text on stdout', () => {
  test.each([
    ['info', 'info.txt', []],
    ['lineage', 'lineage-model.txt', ['marts.days']],
    ['lineage', 'lineage-column.txt', ['marts.best.best_revenue', '--upstream']],
    ['lineage', 'lineage-project.txt', []],
    ['lineage', 'lineage.mmd', ['--format', 'mermaid']],
    ['lineage', 'lineage-column.mmd', ['marts.days.revenue', '--format', 'mermaid']],
    ['render', 'render.sql', ['marts.days']],
    ['explain', 'explain.txt', ['model.cycle']],
    ['help', 'help-render.txt', ['render']],
    ['help', 'help-exit-codes.txt', ['exit-codes']],
  ])('of %s is as in %s', async (command, file, args) => {
    const ended = await run(command, ...args);
    expect(ended.code).toBe(0);
    await expect(ended.stdout).toMatchFileSnapshot(golden(file));
  });
  test('of info is only the table: what is said about it goes to stderr', async () => {
    const { stdout, stderr } = await run('info');
    expect(stdout.split('\n')[0]).toBe('model\tkind\tcolumns\treads\towner');
    expect(stderr).toContain('4 models: 1 embedded, 1 external, 1 incremental-by-time-range, 1 view');
  });
});

describe('--json', () => {
  test.each([
    ['info', 'info.json', []],
    ['lineage', 'lineage-model.json', ['marts.days']],
    ['lineage', 'lineage-column.json', ['marts.days.revenue']],
    ['render', 'render.json', ['marts.days', '--start', '2025-01-01', '--end', '2025-01-31', '--all']],
  ])('of %s is as in %s', async (command, file, args) => {
    const ended = await run(command, ...args, '--json');
    expect(ended.code).toBe(0);
    const text = JSON.stringify(envelope(ended), null, 2);
    // How much had to be compiled depends on what ran before; hashes change with the compiler.
    const stable = text
      .replace(/"work": \{[^}]*\}/, '"work": {}')
      .replace(/"(query_hash|lineage_digest)": "\w{26}"/g, '"$1": "…"');
    await expect(`${stable}\n`).toMatchFileSnapshot(golden(file));
  });
  test.each([
    ['help', [], 0],
    ['explain', [], 0],
    ['explain', ['cli.bug'], 0],
    ['schema', [], 0],
    ['schema', ['config'], 0],
    ['completion', ['bash'], 0],
    ['doctor', [], 0],
    ['lint', [], 0],
    ['explain', ['no.such-code'], 2],
    ['render', ['marts.dayz'], 2],
    ['render', [], 2],
    ['lineage', ['marts.days', '--depth', '0'], 2],
    ['info', ['--no-such-option'], 2],
    ['nosuchcommand', [], 2],
  ])('of %s %j ends with one object, and exit code %i', async (command, args, code) => {
    const ended = await run(command, ...args, '--json');
    const { schema, ok, data, error, diagnostics } = envelope(ended);
    expect(ended.code).toBe(code);
    expect(schema).toMatch(/^plinth\.[a-z]+\/1$/);
    expect(ok).toBe(code === 0);
    expect([data === undefined, error === undefined]).toEqual([!ok, ok]);
    expect(diagnostics).toBeInstanceOf(Array);
    expect(ended.stdout.trimEnd().split('\n')).toHaveLength(1);
  });
  test('an error has its code, message, place and hint', async () => {
    expect(envelope(await run('render', 'marts.dayz', '--json')).error).toEqual({
      code: 'project.unknown-model',
      message: 'There is no model named marts.dayz in this project.',
      file: null,
      line: null,
      column: null,
      hint: 'did you mean marts.days?',
    });
  });
  test('lineage --format json is the bare data', async () => {
    const bare = JSON.parse((await run('lineage', 'marts.days', '--format', 'json')).stdout);
    expect(bare).toEqual(envelope(await run('lineage', 'marts.days', '--json')).data);
  });
});

describe('a project with errors', () => {
  let broken: TemporaryProject;
  beforeAll(() => {
    broken = temporaryProject({
      ...SMALL_PROJECT,
      'models/marts/broken.sql': 'MODEL (name marts.broken, knd FULL);\nSELECT amout FROM staging.orders\n',
    });
  });
  afterAll(() => broken.remove());

  test('is shown as far as it could be loaded, exit code 2', async () => {
    const ended = await runPlinth(['info', '--json'], { cwd: broken.folder });
    const { ok, data, error, diagnostics } = envelope(ended);
    expect(ended.code).toBe(2);
    expect(ok).toBe(false);
    expect((data?.['models'] as { name: string }[] | undefined)?.map(({ name }) => name)).toContain(
      'marts.days',
    );
    expect(error).toBeUndefined();
    expect(diagnostics.find(({ code }) => code === 'model.unknown-property')).toMatchObject({
      severity: 'error',
      line: 1,
      column: 27,
      end_line: 1,
      end_column: 30,
      hint: 'did you mean kind?',
    });
  });
  test('has its errors on stderr, with the line and a caret', async () => {
    const { code, stderr } = await runPlinth(['info'], { cwd: broken.folder });
    expect(code).toBe(2);
    expect(stderr).toContain(
      '  --> models/marts/broken.sql:1:27\n    1 | MODEL (name marts.broken, knd FULL);\n                                  ^^^\n  hint: did you mean kind?',
    );
  });
  test('cannot make the terminal do anything', async () => {
    const hostile = temporaryProject({
      'config.yaml': 'description: "a\\e]0;title\\a\\e[2J"\nowner: "\\e[31mred"\nwrong\\e: 1\n',
      'models/x.sql': 'MODEL (name "a\u001b[2J".b, owner "\u001b[31m", knd\u001b[2J FULL); SELECT 1 AS x\n',
    });
    for (const command of ['info', 'lineage', 'lint']) {
      const { stdout, stderr } = await runPlinth([command], { cwd: hostile.folder });
      expect(stdout + stderr).not.toContain('\u001b');
    }
    hostile.remove();
  });
  test('still renders its healthy models, exit code 0', async () => {
    const { code, stdout } = await runPlinth(['render', 'marts.best'], { cwd: broken.folder });
    expect([code, stdout]).toEqual([0, 'SELECT MAX(revenue) AS best_revenue FROM marts.days\n']);
  });
});

describe('render', () => {
  test('fills the interval it is given; a date as end includes its day', async () => {
    const { stdout } = await run('render', 'marts.days', '--start', '2025-01-01', '--end', '2025-01-31');
    expect(stdout).toContain("BETWEEN '2025-01-01' AND '2025-01-31'");
  });
  test('by default fills the last full day before the execution time', async () => {
    expect((await run('render', 'marts.days')).stdout).toContain("BETWEEN '2025-06-14' AND '2025-06-14'");
    expect((await run('render', 'marts.days', '--execution-time', '2024-03-01')).stdout).toContain(
      "BETWEEN '2024-02-29'",
    );
  });
  test('puts embedded models in place', async () => {
    expect((await run('render', 'marts.days')).stdout).toContain('FROM (SELECT');
  });
  test('--raw prints the query as it is written', async () => {
    expect((await run('render', 'marts.days', '--raw')).stdout).toContain(
      'WHERE day BETWEEN @start_ds AND @end_ds',
    );
  });
  test('--dialect prints another dialect', async () => {
    expect((await run('render', 'marts.best', '--dialect', 'bigquery')).stdout).toMatch(
      /^SELECT MAX\(revenue\) AS best_revenue FROM marts\.days\n$/,
    );
    const wrong = await run('render', 'marts.best', '--dialect', 'snowfake', '--json');
    expect(envelope(wrong).error).toMatchObject({ code: 'cli.bad-value', hint: 'did you mean snowflake?' });
  });
  test('has nothing raw to show of an external table', async () => {
    expect(envelope(await run('render', 'raw.orders', '--raw', '--json')).error).toMatchObject({
      code: 'cli.not-rendered',
    });
  });
  test('refuses an interval that ends before it starts', async () => {
    const ended = await run('render', 'marts.days', '--start', '2025-02-01', '--end', '2025-01-01', '--json');
    expect([ended.code, envelope(ended).error]).toMatchObject([
      2,
      {
        code: 'cli.bad-value',
        message: '2025-02-01 is not a value of --start, which takes a time before the end, 2025-01-01.',
        hint: 'give --start such a value; the command with --help shows examples',
      },
    ]);
  });
});

describe('lineage', () => {
  test('is limited by --depth and direction', async () => {
    const names = async (...args: string[]): Promise<string[]> =>
      (
        JSON.parse((await run('lineage', ...args, '--format', 'json')).stdout) as { nodes: { id: string }[] }
      ).nodes.map(({ id }) => id);
    expect(await names('marts.days', '--depth', '1')).toEqual([
      'staging.orders',
      'marts.days',
      'marts.best',
      'semantic:days',
    ]);
    expect(await names('marts.days', '--downstream')).toEqual([
      'marts.days',
      'marts.best',
      'semantic:days',
      'metric:revenue',
    ]);
  });
  test('cannot look up and down only at once', async () => {
    expect(
      envelope(await run('lineage', 'marts.days', '--upstream', '--downstream', '--json')).error,
    ).toMatchObject({ code: 'cli.conflicting-options' });
  });
  test('knows the columns of a model', async () => {
    expect(envelope(await run('lineage', 'marts.days.revenu', '--json')).error).toMatchObject({
      code: 'project.unknown-column',
      hint: 'did you mean revenue?',
    });
  });
  test('as a page loads nothing from elsewhere and lets no name out of its place', async () => {
    const { stdout } = await run('lineage', '--format', 'html');
    expect(stdout).toMatch(/^<!doctype html>/);
    expect(stdout).not.toMatch(/https?:|<link|<img|@import|url\((?!#)/);
    expect(stdout).toContain('marts.days');
  });
});

describe('the program itself', () => {
  test('says the nearest command and option, exit code 2, and nothing on stdout', async () => {
    const command = await run('lineag');
    expect([command.code, command.stdout]).toEqual([2, '']);
    expect(command.stderr).toBe(
      'error cli.unknown-command: There is no command lineag.\n  hint: did you mean lineage?\n',
    );
    const option = await run('info', '--jsn');
    expect([option.code, option.stderr]).toEqual([
      2,
      'error cli.unknown-option: The command info has no option --jsn.\n  hint: did you mean --json?\n',
    ]);
  });
  test('without a command prints help, the command tree only with --json', async () => {
    const ended = await run();
    expect([ended.code, ended.stdout]).toEqual([0, (await run('help')).stdout]);
    expect(ended.stdout).toContain('plinth');
    expect(envelope(await run('--json')).schema).toBe('plinth.help/1');
  });
  test('prints its version, whatever else is asked', async () => {
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
    for (const args of [['--version'], ['-V'], ['--quiet', '--version'], ['--version', '--color', 'never']])
      expect(await run(...args)).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' });
    expect(envelope(await run('--version', '--json'))).toEqual({
      schema: 'plinth.version/1',
      ok: true,
      data: { version, node: expect.stringMatching(/^\d+\.\d+/), duckdb: expect.stringMatching(/^\d/) },
      diagnostics: [],
    });
  });
  test('shows the same help for --help and help', async () => {
    expect((await run('lineage', '--help')).stdout).toBe((await run('help', 'lineage')).stdout);
  });
  test('ends quietly when its reader leaves', async () => {
    const ended = await runPlinth(['lineage', '--format', 'html'], {
      cwd: project.folder,
      meanwhile: (child) => child.stdout?.once('data', () => child.stdout?.destroy()),
    });
    expect(ended.stderr).toBe('');
    expect([0, null]).toContain(ended.code);
  });
  test('closed stdout is no error, either', async () => {
    const ended = await runPlinth(['explain'], {
      cwd: project.folder,
      meanwhile: (child) => child.stdout?.destroy(),
    });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
  });
  test('paints only when asked to, NO_COLOR wins over FORCE_COLOR', async () => {
    const escapeCode = '\u001b[';
    expect((await run('explain', 'cli.bug')).stdout).not.toContain(escapeCode);
    expect((await run('explain', 'cli.bug', '--color', 'always')).stdout).toContain(escapeCode);
    const forced = await runPlinth(['explain', 'cli.bug'], { variables: { FORCE_COLOR: '1' } });
    expect(forced.stdout).toContain(escapeCode);
    const both = await runPlinth(['explain', 'cli.bug'], { variables: { FORCE_COLOR: '1', NO_COLOR: '1' } });
    expect(both.stdout).not.toContain(escapeCode);
  });
  test('in a folder without a project says so', async () => {
    const ended = await runPlinth(['info', '--json'], { cwd: join(project.folder, 'models/marts') });
    expect([ended.code, envelope(ended).error?.['code']]).toEqual([2, 'project.nothing-found']);
  });
  test.runIf(existsSync('/dev/full'))('says that its output cannot be written, exit code 1', async () => {
    for (const flag of ['--quiet', '--json']) {
      const ended = spawnSync('sh', ['-c', `'${PROGRAM}' explain ${flag} > /dev/full`], { encoding: 'utf8' });
      expect(ended.status).toBe(1);
      expect(ended.stderr).toContain('the output cannot be written: the disk is full.');
    }
  });
  test('does not take a gateway that the project has not', async () => {
    const ended = await run('info', '--gateway', 'locl', '--json');
    expect([ended.code, envelope(ended).error?.['hint']]).toEqual([2, 'did you mean local?']);
  });
  test.each([
    [['explain', 'model.cycl'], 'cli.unknown-code', 'did you mean model.cycle?'],
    [
      ['info', '--project', 'no/such/folder'],
      'project.no-folder',
      'run plinth init to make an example project, or pass --project FOLDER',
    ],
    [['help', 'rendr'], 'cli.unknown-command', 'did you mean render?'],
  ])('answers %j with %s', async (args, code, hint) => {
    const ended = await run(...args, '--json');
    expect([ended.code, envelope(ended).error]).toEqual([2, expect.objectContaining({ code, hint })]);
  });
  test('does not understand every time', async () => {
    const ended = await run('info', '--execution-time', 'someday', '--json');
    expect([ended.code, envelope(ended).error?.['code']]).toEqual([2, 'cli.bad-value']);
  });
  test('can be interrupted, exit code 130, with an object at the end', async () => {
    const folder = temporaryProject({ 'config.yaml': '' });
    const ended = await runPlinth(['init', join(folder.folder, 'big'), '--scale', '200', '--json'], {
      meanwhile: (child) => setTimeout(() => child.kill('SIGINT'), 2_500),
    });
    expect([ended.code, envelope(ended).error?.['code']]).toEqual([130, 'cli.interrupted']);
    const left = existsSync(join(folder.folder, 'big/data'))
      ? readdirSync(join(folder.folder, 'big/data'))
      : [];
    expect(left).toEqual([]);
    folder.remove();
  });
});

describe('completion', () => {
  test('completes commands, options, codes and, once the project was loaded, names', async () => {
    const words = async (...args: string[]): Promise<string[]> =>
      (await run('__complete', ...args)).stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => line.split('\t')[0] as string);
    await run('info');
    expect(await words('in')).toEqual(['init', 'info', 'invalidate']);
    expect(await words('lineage', '--f')).toEqual(['--format']);
    expect(await words('lineage', '--format', 'm')).toEqual(['mermaid']);
    expect(await words('render', 'marts.')).toEqual(['marts.days', 'marts.best']);
    expect(await words('lineage', 'marts.days.r')).toEqual(['marts.days.revenue']);
    expect(await words('render', 'marts.days', '--dialect', 'sno')).toEqual(['snowflake']);
    expect(await words('explain', 'cli.bu')).toEqual(['cli.bug']);
    expect(await words('--project', project.folder, 'render', 'marts.b')).toEqual(['marts.best']);
    expect(await words('init', '')).toEqual([':folders']);
  });
});

describe('the reference page', () => {
  test('describes every command of the table', async () => {
    const { cliReference } = await import('../../src/cli/cli-reference.ts');
    expect(readFileSync(join(import.meta.dirname, '../../docs/reference/cli.md'), 'utf8')).toBe(
      cliReference(),
    );
  });
});
