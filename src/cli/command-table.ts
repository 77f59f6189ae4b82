import { SUPPOSED_CHANGES } from '../domain/impact.ts';
import type { Command } from './command.ts';
import { DATA_COMMANDS } from './data-commands.ts';
import { PERSPECTIVE_COMMAND } from './perspective-command.ts';
import { PLAN_COMMANDS } from './plan-commands.ts';
import { SEMANTIC_COMMANDS } from './semantic-commands.ts';
import { SERVER_COMMANDS } from './server-commands.ts';

/** As `render/lint-report.ts` writes them, which is not loaded for other commands. */
const REPORT_FORMATS = ['text', 'json', 'github', 'sarif'] as const;
const GRAPH_FORMATS = ['text', 'json', 'mermaid', 'html'] as const;

/** Every command, in the order of help. The one table behind parsing, help, completion and docs/reference/cli.md. */
export const COMMANDS: readonly Command[] = [
  {
    name: 'init',
    summary: 'make a new project: the example shop with its data, or an empty one',
    details: ['Files that exist are never overwritten.'],
    arguments: [{ name: 'folder', summary: 'folder to make (default: shop)', completion: 'folders' }],
    options: [
      { name: 'empty', summary: 'a minimal project with one model instead of the example' },
      {
        name: 'scale',
        value: 'N',
        summary: 'size of the sample data: 1 is about 23 thousand orders, at most 1000',
      },
      { name: 'force', summary: 'work in a folder that is not empty; only missing files are written' },
    ],
    examples: [
      { line: 'plinth init', does: 'the example project in ./shop' },
      { line: 'plinth init demo --scale 10', does: 'ten times the data' },
      { line: 'plinth init warehouse --empty', does: 'one model to start from' },
    ],
    load: () => import('./commands/init.ts'),
  },
  {
    name: 'sample',
    summary: 'generate the sample data of the shop project again, at any scale',
    details: [
      'Writes data/ and seeds/ of the project. The same scale gives the same bytes on every machine.',
      'Files of these names that no sample wrote are never overwritten without --force.',
    ],
    arguments: [],
    options: [
      { name: 'scale', value: 'N', summary: '1 (default) is about 23 thousand orders, at most 1000' },
      { name: 'force', summary: 'overwrite files that no sample wrote' },
    ],
    examples: [
      { line: 'plinth sample', does: 'back to scale 1' },
      { line: 'plinth sample --scale 100', does: '2.3 million orders' },
      { line: 'plinth sample --scale 10 --project demo', does: 'in another folder' },
    ],
    load: () => import('./commands/sample.ts'),
  },
  {
    name: 'info',
    summary: 'load the project and show what is in it, or all about one model',
    details: [
      'Of one model: columns with types and descriptions, kind, owner, cron, audits, checks, tests, its SQL, what it reads and what reads it.',
      'With --json every model is printed with its columns, types, dependencies and a digest of its column lineage.',
    ],
    arguments: [{ name: 'model', summary: 'name of a model; without it the project', completion: 'models' }],
    options: [],
    examples: [
      { line: 'plinth info', does: 'models, owners and what is wrong' },
      { line: 'plinth info marts.orders', does: 'one model with its columns and its SQL' },
      { line: 'plinth info --json', does: 'everything, for programs' },
    ],
    load: () => import('./commands/info.ts'),
  },
  ...PLAN_COMMANDS,
  ...SEMANTIC_COMMANDS,
  PERSPECTIVE_COMMAND,
  ...SERVER_COMMANDS,
  ...DATA_COMMANDS,
  {
    name: 'render',
    summary: 'print the SQL of a model as the engine gets it',
    details: ['Macros are expanded and embedded models are put in place; tables keep their names.'],
    arguments: [{ name: 'model', summary: 'name of a model', isRequired: true, completion: 'models' }],
    options: [
      {
        name: 'start',
        value: 'TIME',
        summary: 'start of the interval (default: the day before the end)',
        group: 'Interval',
      },
      {
        name: 'end',
        value: 'TIME',
        summary: 'end of the interval; a date includes its day (default: the last full day)',
        group: 'Interval',
      },
      {
        name: 'dialect',
        value: 'NAME',
        summary: 'print in another dialect than the one of the model',
        group: 'Output',
        completion: 'dialects',
      },
      { name: 'all', summary: 'with the statements before, after and on virtual updates', group: 'Output' },
      { name: 'raw', summary: 'the query as written, macros included', group: 'Output' },
      { name: 'format', summary: 'lay the SQL out as plinth format does', group: 'Output' },
    ],
    examples: [
      { line: 'plinth render marts.orders', does: 'the query of a model for the last full day' },
      { line: 'plinth render marts.orders --start 2025-01-01 --end 2025-01-31', does: 'for January' },
      { line: 'plinth render marts.orders --dialect snowflake', does: 'in another dialect' },
    ],
    load: () => import('./commands/render.ts'),
  },
  {
    name: 'lineage',
    summary: 'show where the data of a model or column comes from and goes to',
    details: ['Without a name the whole project is shown.'],
    arguments: [{ name: 'name', summary: 'MODEL or MODEL.COLUMN', completion: 'models' }],
    options: [
      { name: 'upstream', summary: 'only what it comes from', group: 'Selection' },
      { name: 'downstream', summary: 'only what it goes to', group: 'Selection' },
      { name: 'depth', value: 'N', summary: 'at most so many steps away', group: 'Selection' },
      {
        name: 'format',
        value: 'FORMAT',
        choices: GRAPH_FORMATS,
        summary: 'text (default), json, mermaid or html, a page that needs nothing else',
        group: 'Output',
      },
    ],
    examples: [
      { line: 'plinth lineage marts.orders', does: 'models up and down, as a tree' },
      { line: 'plinth lineage marts.orders.revenue --upstream', does: 'one column back to its sources' },
      { line: 'plinth lineage --format html > lineage.html', does: 'a picture of the whole project' },
    ],
    load: () => import('./commands/lineage.ts'),
  },
  {
    name: 'impact',
    summary: 'show what a change of a model, column, member or metric would reach',
    details: [
      'Columns, members, metrics, perspectives, followers, and callers whose questions of the last 30 days read it; and what is proven untouched.',
      'It looks at what was applied. plinth plan shows the same of what the files change.',
    ],
    arguments: [
      {
        name: 'name',
        summary: 'MODEL, MODEL.COLUMN, semantic:NAME, semantic:NAME.MEMBER or metric:NAME',
        isRequired: true,
        completion: 'models',
      },
    ],
    options: [
      {
        name: 'change',
        value: 'CHANGE',
        choices: SUPPOSED_CHANGES,
        summary: 'values (default), type, rename or drop',
      },
      {
        name: 'env',
        value: 'NAME',
        summary: 'the environment (default: the default one)',
        completion: 'environments',
      },
    ],
    examples: [
      { line: 'plinth impact marts.orders.amount', does: 'what other values of a column reach' },
      { line: 'plinth impact marts.orders.amount --change drop', does: 'what breaks without it' },
      { line: 'plinth impact semantic:orders.revenue --json', does: 'of a measure, for programs' },
    ],
    load: () => import('./commands/impact.ts'),
  },
  {
    name: 'lint',
    summary: 'check the project against its lint rules',
    details: ['Exit code 2 when a rule of severity error is broken or the project does not load.'],
    arguments: [],
    options: [
      { name: 'fix', summary: 'fix what can be fixed safely' },
      {
        name: 'format',
        value: 'FORMAT',
        choices: REPORT_FORMATS,
        summary: 'text (default), json, github (annotations of a workflow) or sarif (2.1.0)',
        group: 'Output',
      },
    ],
    examples: [
      { line: 'plinth lint', does: 'show what the rules find' },
      { line: 'plinth lint --fix', does: 'and fix what can be fixed' },
      { line: 'plinth lint --format sarif > lint.sarif', does: 'for code scanning and editors' },
    ],
    load: () => import('./commands/lint.ts'),
  },
  {
    name: 'format',
    summary: 'lay out SQL files',
    details: ['Formats models and audits. A file that cannot be read is left as it is and named.'],
    arguments: [
      {
        name: 'paths',
        summary: 'files or folders (default: the whole project)',
        isMany: true,
        completion: 'files',
      },
    ],
    options: [
      { name: 'check', summary: 'write nothing; exit code 1 when a file would change' },
      { name: 'diff', summary: 'write nothing; show what would change' },
    ],
    examples: [
      { line: 'plinth format', does: 'all models and audits' },
      { line: 'plinth format models/marts', does: 'one folder' },
      { line: 'plinth format --check', does: 'for CI' },
    ],
    load: () => import('./commands/format.ts'),
  },
  {
    name: 'external',
    nameElsewhere: 'create-external-models',
    summary: 'write external_models.yaml: the tables that models read and no model makes',
    details: [
      'Columns and types are those of the warehouse. Entries that you wrote or changed stay as they are; those that the command wrote are brought up to date.',
      'SQLMesh calls it create-external-models, which is the same here.',
    ],
    arguments: [],
    options: [
      { name: 'check', summary: 'write nothing; exit code 1 when the file would change' },
      { name: 'diff', summary: 'write nothing; show what would change' },
    ],
    examples: [
      { line: 'plinth external', does: 'write the file, or bring it up to date' },
      { line: 'plinth external --diff', does: 'show what would change' },
      { line: 'plinth external --check', does: 'for CI: has a table changed?' },
    ],
    load: () => import('./commands/external.ts'),
  },
  {
    name: 'import',
    summary:
      'write the checks of Soda or the tests of dbt as quality packs, and report what could not be said',
    details: [
      'Writes one pack for each table into dq/soda or dq/dbt. Each rule names the file and line it comes from.',
      'Every check is in the report: imported, approximated with what differs, or refused with the reason and the next step.',
      'A file that exists with another content is left alone without --force. Tables that are not models of the project keep their names, and the report lists them.',
    ],
    arguments: [
      { name: 'tool', summary: 'soda or dbt-tests', isRequired: true, choices: ['soda', 'dbt-tests'] },
      { name: 'path', summary: 'a file, or a folder with files', isRequired: true, completion: 'files' },
    ],
    options: [
      {
        name: 'as',
        value: 'FORM',
        choices: ['checks', 'audits'],
        summary:
          'checks (default), or audits: tests of dbt that fail as errors become standalone audits that block',
      },
      {
        name: 'variable',
        value: 'NAME=VALUE',
        summary: 'the value of ${NAME} in checks of Soda, of var() in tests of dbt; may be repeated',
      },
      {
        name: 'table',
        value: 'NAME=MODEL',
        summary: 'the model that a table means, where its name alone does not say it; may be repeated',
      },
      { name: 'dry-run', summary: 'write nothing; print what would be written' },
      { name: 'force', summary: 'overwrite files that exist with another content' },
    ],
    examples: [
      { line: 'plinth import soda checks/ --dry-run --table orders=marts.orders', does: 'look first' },
      { line: 'plinth import dbt-tests ../dbt_project', does: 'all tests of a dbt project' },
      {
        line: 'plinth import dbt-tests ../dbt_project --as audits',
        does: 'those that stop a dbt build stop a plan',
      },
    ],
    load: () => import('./commands/import.ts'),
  },
  {
    name: 'schema',
    summary: 'print the JSON Schema of a kind of file, for editors',
    arguments: [
      { name: 'kind', summary: 'kind of file; without it the kinds are listed', completion: 'schemas' },
    ],
    options: [
      { name: 'all', value: 'DIR', summary: 'write every schema into a folder', completion: 'folders' },
    ],
    examples: [
      { line: 'plinth schema', does: 'list the kinds' },
      { line: 'plinth schema metric', does: 'one schema' },
      { line: 'plinth schema --all .vscode/schemas', does: 'all of them as files' },
    ],
    load: () => import('./commands/schema.ts'),
  },
  {
    name: 'doctor',
    summary: 'check that Plinth can work here, and say how to fix what is wrong',
    arguments: [],
    options: [],
    examples: [
      { line: 'plinth doctor', does: 'program, machine, project and its state' },
      { line: 'plinth doctor --project shop', does: 'with another project' },
      { line: 'plinth doctor --json', does: 'for a bug report' },
    ],
    load: () => import('./commands/doctor.ts'),
  },
  {
    name: 'explain',
    summary: 'explain a diagnostic code at length',
    arguments: [
      {
        name: 'code',
        summary: 'a code such as model.cycle; without it all codes are listed',
        completion: 'codes',
      },
    ],
    options: [],
    examples: [
      { line: 'plinth explain model.cycle', does: 'what it means and what to do' },
      { line: 'plinth explain', does: 'all codes' },
      { line: 'plinth explain --json', does: 'the whole catalog' },
    ],
    load: () => import('./commands/explain.ts'),
  },
  {
    name: 'completion',
    summary: 'print a script that makes a shell complete commands, options and model names',
    arguments: [
      { name: 'shell', summary: 'bash, zsh or fish', isRequired: true, choices: ['bash', 'zsh', 'fish'] },
    ],
    options: [],
    examples: [
      { line: 'source <(plinth completion bash)', does: 'in ~/.bashrc' },
      { line: 'source <(plinth completion zsh)', does: 'in ~/.zshrc, after compinit' },
      { line: 'plinth completion fish > ~/.config/fish/completions/plinth.fish', does: 'once' },
    ],
    load: () => import('./commands/completion.ts'),
  },
  {
    name: 'help',
    summary: 'show help of a command, or of everything',
    arguments: [{ name: 'command', summary: 'a command, or exit-codes', completion: 'commands' }],
    options: [],
    examples: [
      { line: 'plinth help lineage', does: 'one command' },
      { line: 'plinth help exit-codes', does: 'what the exit codes mean' },
      { line: 'plinth help --json', does: 'the command tree, for programs' },
    ],
    load: () => import('./commands/help.ts'),
  },
];
