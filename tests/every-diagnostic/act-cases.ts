import { join } from 'node:path';
import { init } from '../../src/operations/project/init.ts';
import { sample } from '../../src/operations/project/sample.ts';
import { openFolder } from '../../src/operations/workspace.ts';
import { envelope, runPlinth } from '../e2e/run-plinth.ts';
import { temporaryProject } from '../support/temporary-project.ts';
import { codeOf, inFolder } from './code-of.ts';
import { acting, type DiagnosticCase } from './diagnostic-case.ts';

const FILES = {
  'models/a.sql': 'MODEL (name m.a);\nSELECT 1 AS id\n',
  'external_models.yaml': '- {name: raw.t, columns: {id: int}}\n',
};

/** The code a command line ends with, nowhere unless `at` says where; in a project with the model m.a and the external table raw.t. */
const command = (
  code: string,
  args: readonly string[],
  files: Readonly<Record<string, string>> = FILES,
  at?: string,
): DiagnosticCase =>
  acting(code, async () => {
    const project = temporaryProject(files);
    try {
      const { error, diagnostics } = envelope(await runPlinth([...args, '--json'], { cwd: project.folder }));
      const { code: found, file, line, column } = error ?? diagnostics[0] ?? {};
      const place = file === null ? undefined : `${file}:${line}:${column}`;
      if (place !== at) throw new Error(`it is at ${place} and not at ${at}`);
      return found as string | undefined;
    } finally {
      project.delete();
    }
  });

/** The code of what an operation throws, in an empty folder. */
const throwing = (code: string, run: (folder: string) => Promise<unknown>): DiagnosticCase =>
  acting(code, () => inFolder((folder) => codeOf(run(folder))));

/** What is wrong with a command line, a folder or a project. */
export const actCases: readonly DiagnosticCase[] = [
  command('cli.unknown-command', ['nosuch']),
  command('cli.unknown-option', ['info', '--nosuch']),
  command('cli.option-needs-value', ['lineage', '--depth']),
  command('cli.option-takes-no-value', ['lint', '--fix=all']),
  command('cli.bad-value', ['lineage', '--depth', 'deep']),
  command('cli.conflicting-options', ['lineage', '--upstream', '--downstream']),
  command('cli.missing-argument', ['render']),
  command('cli.too-many-arguments', ['status', 'prod', 'more']),
  command('cli.option-without-effect', ['plan', '--include-unmodified']),
  command('cli.unknown-code', ['explain', 'no.such-code']),
  command('cli.folder-not-empty', ['init', '.']),
  command('cli.cannot-write', ['schema', '--all', 'models/a.sql']),
  command('external.not-a-list', ['external'], {
    ...FILES,
    'external_models.yaml': '[{name: raw.t, columns: {id: int}}]\n',
  }),
  command('dq.nothing-to-import', ['import', 'soda', 'models']),
  command('cli.not-rendered', ['render', 'raw.t', '--raw']),
  command(
    'cli.not-formatted',
    ['format'],
    { 'models/a.sql': "MODEL (name m.a);\nSELECT 'x\n" },
    'models/a.sql:2:8',
  ),
  throwing('cli.no-example', async (folder) =>
    init(openFolder(folder), { example: 'no-such', isForced: false }),
  ),
  throwing('cli.sample-overwrites', async (folder) => {
    const writer = openFolder(folder);
    writer.create('data/orders.csv', 'mine\n');
    await sample(writer, { scale: 1, isForced: false, onProgress: () => {} });
  }),
  acting('cli.interrupted', () =>
    inFolder(async (folder) => {
      const ended = await runPlinth(['init', join(folder, 'big'), '--scale', '1000', '--json'], {
        meanwhile: (child) => setTimeout(() => child.kill('SIGINT'), 2_500),
      });
      return envelope(ended).error?.['code'] as string | undefined;
    }),
  ),
  acting('cli.system-refused', async () => {
    const thrown = `Object.assign(new%20Error(42),{code:'EIO',syscall:'unlink'})`;
    const NODE_OPTIONS = `--import=data:text/javascript,Date.now=()=>{throw%20${thrown}}`;
    const ended = await runPlinth(['info', '--json'], { variables: { NODE_OPTIONS } });
    return envelope(ended).error?.['code'] as string | undefined;
  }),
  acting('cli.bug', async () => {
    const NODE_OPTIONS = '--import=data:text/javascript,Date.now=()=>{throw%20new%20Error(42)}';
    const ended = await runPlinth(['info', '--json'], { variables: { NODE_OPTIONS } });
    return envelope(ended).error?.['code'] as string | undefined;
  }),

  command('project.no-folder', ['info', '--project', 'no/such/folder']),
  command('project.nothing-found', ['info'], { 'README.md': '' }),
  command('project.dbt', ['info'], { 'dbt_project.yml': 'name: x\n', 'models/a.sql': 'SELECT 1' }),
  command('project.unknown-model', ['render', 'm.b']),
  command('project.unknown-column', ['lineage', 'm.a.idd']),
];
