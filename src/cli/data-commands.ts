import type { Command, CommandOption } from './command.ts';

const ENV: CommandOption = {
  name: 'env',
  value: 'NAME',
  summary: 'the environment (default: prod)',
  completion: 'environments',
};
const FORMAT: CommandOption = {
  name: 'format',
  value: 'FORMAT',
  choices: ['table', 'json', 'csv'],
  summary: 'table (default), json or csv',
  group: 'Output',
};

/** The commands that look at data, and those that carry state elsewhere. */
export const DATA_COMMANDS: readonly Command[] = [
  {
    name: 'evaluate',
    summary: 'preview the rows a model would have; writes nothing',
    details: [
      'The query is the one in the project folder. What it reads are the tables of the environment; a model that has none yet is computed in place.',
    ],
    arguments: [{ name: 'model', summary: 'name of a model', isRequired: true, completion: 'models' }],
    options: [
      {
        name: 'start',
        value: 'TIME',
        summary: 'start of the interval (default: the day before the end)',
        group: 'What',
      },
      {
        name: 'end',
        value: 'TIME',
        summary: 'end of the interval; a date includes its day (default: the last full day)',
        group: 'What',
      },
      { ...ENV, group: 'What' },
      { name: 'limit', value: 'N', summary: 'at most so many rows (default 20)', group: 'What' },
      FORMAT,
    ],
    examples: [
      { line: 'plinth evaluate marts.orders', does: 'twenty rows of the last full day' },
      { line: 'plinth evaluate marts.orders --start 2025-01-01 --end 2025-01-31', does: 'of January' },
      { line: 'plinth evaluate marts.orders --limit 1000 --format csv', does: 'more of them, as CSV' },
    ],
    load: () => import('./commands/evaluate.ts'),
  },
  {
    name: 'table-diff',
    summary: 'compare models between two environments, or two tables: columns and rows',
    arguments: [
      { name: 'sides', summary: 'two environments as prod:dev, or two tables as a.b:c.d', isRequired: true },
      {
        name: 'models',
        summary: 'with environments: the models, also as marts.* or tag:x',
        isMany: true,
        completion: 'models',
      },
    ],
    options: [
      { name: 'on', value: 'COLUMNS', summary: 'what identifies a row (default: the grain of the model)' },
      { name: 'where', value: 'SQL', summary: 'only rows for which this holds' },
      { name: 'skip-columns', value: 'COLUMNS', summary: 'columns that are not compared' },
      {
        name: 'decimals',
        value: 'N',
        summary: 'round fractions to so many places before they are compared (default: exact)',
      },
      { name: 'limit', value: 'N', summary: 'sample rows of each kind (default 10)' },
      { name: 'exit-code', summary: 'exit code 3 when they differ' },
    ],
    examples: [
      { line: 'plinth table-diff prod:dev marts.orders', does: 'by the grain of the model' },
      { line: "plinth table-diff prod:dev 'marts.*' --decimals 2", does: 'several models, cents only' },
      { line: 'plinth table-diff old.orders:new.orders --on order_id', does: 'any two tables' },
    ],
    load: () => import('./commands/table-diff.ts'),
  },
  {
    name: 'table-name',
    summary: 'print the physical table behind a model',
    arguments: [{ name: 'model', summary: 'name of a model', isRequired: true, completion: 'models' }],
    options: [ENV],
    examples: [
      { line: 'plinth table-name marts.orders', does: 'of prod' },
      { line: 'plinth table-name marts.orders --env dev', does: 'of another environment' },
      { line: 'plinth table-name marts.orders --json', does: 'with its version and intervals' },
    ],
    load: () => import('./commands/table-name.ts'),
  },
  {
    name: 'audit',
    summary: "run the audits of models, and standalone ones, over an environment's tables",
    arguments: [{ name: 'environment', summary: 'prod by default', completion: 'environments' }],
    options: [
      {
        name: 'select',
        value: 'MODELS',
        summary: 'only of these models, and standalone ones that read them',
        completion: 'models',
      },
      { name: 'wait', value: 'TIME', summary: 'wait so long (10m) when the environment is being changed' },
    ],
    examples: [
      { line: 'plinth audit', does: 'every audit of prod' },
      { line: "plinth audit --select 'marts.*'", does: 'of some models' },
      { line: 'plinth audit dev --json', does: 'of another environment, for programs' },
    ],
    load: () => import('./commands/audit.ts'),
  },
  {
    name: 'state',
    summary: 'carry the state elsewhere (export, import), or build a lost one again (rebuild)',
    details: [
      'rebuild restores a lost state from the warehouse. It uses what promotions recorded in the warehouse, where the project defines the same; it names what cannot be proven, and the next plan rebuilds that. It changes nothing in the warehouse.',
      'The history of plans and runs, users, tokens and grants are not in the warehouse: only an export brings them back.',
    ],
    arguments: [
      {
        name: 'action',
        summary: 'export, import or rebuild',
        isRequired: true,
        choices: ['export', 'import', 'rebuild'],
      },
      { name: 'file', summary: 'file to write or read (default: stdout or stdin)', completion: 'files' },
    ],
    options: [
      { name: 'afresh', summary: 'rebuild: ignore all records, so that the next plan rebuilds every model' },
      { name: 'yes', short: 'y', summary: 'rebuild: do it without asking' },
    ],
    examples: [
      { line: 'plinth state export state.jsonl', does: 'one JSON text per line' },
      { line: 'plinth state import state.jsonl', does: 'into a state that is empty' },
      { line: 'plinth state rebuild', does: 'after rm -rf .plinth, from the warehouse and the project' },
    ],
    load: () => import('./commands/state.ts'),
  },
];
