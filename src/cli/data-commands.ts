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
    name: 'check',
    summary: "run the quality checks of an environment's dq packs now",
    details: [
      'Checks run after each plan and run that changes rows, too. They never block; results, with a sample of failing rows, are kept in the state.',
      'The packs are those that were applied: plinth plan applies edits of dq/.',
      'Exit code 1 when a check fails or cannot be evaluated by an error; a warning does not count as a failure.',
    ],
    arguments: [{ name: 'environment', summary: 'prod by default', completion: 'environments' }],
    options: [
      { name: 'select', value: 'MODELS', summary: 'only packs on these models', completion: 'models' },
      { name: 'pack', value: 'NAMES', summary: 'only packs of these names, separated by commas' },
      {
        name: 'backtest',
        summary:
          'what anomaly rules would have flagged in the history that is kept; measures and records nothing',
      },
    ],
    examples: [
      { line: "plinth check --select 'marts.*'", does: 'of some models; of all without' },
      {
        line: 'plinth check dev --pack orders_dq --json',
        does: 'one pack in another environment, for programs',
      },
      { line: 'plinth check --backtest', does: 'whether anomaly rules alarm as they should' },
    ],
    load: () => import('./commands/check.ts'),
  },
  {
    name: 'quarantine',
    summary: 'look at rows that audits hold back, release them or discard them',
    details: [
      'An audit with on_failure quarantine keeps failing rows in a table of their own. list shows how many, since when and why; show prints them.',
      'release audits rows again by the present audits of their model and publishes those that pass in one transaction. Models below are filled again by the next run. With --accept rows that still fail are published, too; the reason and who gave it are recorded.',
      'discard deletes rows. How many, why and who did it is recorded.',
    ],
    arguments: [
      {
        name: 'action',
        summary: 'list (default), show, release or discard',
        choices: ['list', 'show', 'release', 'discard'],
      },
      { name: 'model', summary: 'name of a model; list shows all without it', completion: 'models' },
    ],
    options: [
      { ...ENV, group: 'Which rows' },
      {
        name: 'run',
        value: 'ID',
        summary: 'show, release, discard: rows that this run held back',
        group: 'Which rows',
      },
      {
        name: 'audit',
        value: 'NAME',
        summary: 'show, release, discard: rows that fail this audit',
        group: 'Which rows',
      },
      {
        name: 'where',
        value: 'SQL',
        summary: 'release, discard: rows that meet a condition',
        group: 'Which rows',
      },
      { name: 'all', summary: 'release, discard: all rows of the model', group: 'Which rows' },
      { name: 'limit', value: 'N', summary: 'show: at most so many rows (default 20)', group: 'Which rows' },
      { name: 'accept', summary: 'release: also rows that still fail; needs --reason', group: 'How' },
      { name: 'reason', value: 'TEXT', summary: 'release, discard: why, as it is recorded', group: 'How' },
      {
        name: 'wait',
        value: 'TIME',
        summary: 'release, discard: wait so long (10m) when the environment is being changed',
        group: 'How',
      },
    ],
    examples: [
      { line: 'plinth quarantine', does: 'what is held back in prod' },
      { line: 'plinth quarantine release marts.orders --all', does: 'publish those that pass by now' },
      {
        line: "plinth quarantine release marts.orders --where 'store_id = 3' --accept --reason 'agreed with sales'",
        does: 'publish some that still fail',
      },
    ],
    load: () => import('./commands/quarantine.ts'),
  },
  {
    name: 'profile',
    summary: 'measure what the columns of tables look like, and how they differ from before',
    details: [
      'Per column: NULLs, different values, duplicates, least and greatest value, average, quartiles, histogram, most frequent values, lengths and patterns. Each profile is kept in the state and compared with the one before and with the first one.',
      'Without models: those whose dq pack has profiles, and of them the columns that it names. The packs are those that were applied. Filters of packs are for rules: a profile looks at all rows.',
      'Tables of up to a million rows are measured exactly. In larger ones quartiles and numbers of different values are approximate, and values are counted only where there are few.',
    ],
    arguments: [
      { name: 'models', summary: 'which models: a name, a wildcard, or an expression', completion: 'models' },
    ],
    options: [
      ENV,
      {
        name: 'html',
        value: 'FILE',
        summary: 'also write a page with pictures, which needs nothing else',
        completion: 'files',
      },
    ],
    examples: [
      { line: 'plinth profile', does: 'all that dq packs profile in prod' },
      { line: 'plinth profile --html profiles.html', does: 'a report to send to a colleague' },
      { line: "plinth profile 'staging.*' --env dev --json", does: 'some tables of dev, for programs' },
    ],
    load: () => import('./commands/profile.ts'),
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
