import type { Command, CommandArgument, CommandOption } from './command.ts';

const ENVIRONMENT: CommandArgument = {
  name: 'environment',
  summary: 'prod by default, or what default_target_environment says',
  completion: 'environments',
};
const SHARED: CommandOption = {
  name: 'shared',
  summary: 'also write tables that another environment owns, such as those of prod',
  group: 'How it is filled',
};
const YES: CommandOption = {
  name: 'yes',
  short: 'y',
  summary: 'do not ask for confirmation',
  group: 'Doing it',
};
const WAIT: CommandOption = {
  name: 'wait',
  value: 'TIME',
  summary: 'wait this long (10m) while another plan or run is changing the environment',
  group: 'Doing it',
};
const WIDER: CommandOption = {
  name: 'allow-wider-access',
  summary: 'let callers see more than before; the plan says who and what',
  group: 'Doing it',
};
const SELECT: CommandOption = {
  name: 'select',
  value: 'MODELS',
  summary: 'only these: names, wildcards, tag:x, +upstream, downstream+, git:main, joined by & | ^',
  group: 'What',
  completion: 'models',
};
const IGNORE_CRON: CommandOption = {
  name: 'ignore-cron',
  summary: 'every interval that has ended, whatever the crons say',
  group: 'What',
};
/** Which part of what is due is meant. */
const DUE: readonly CommandOption[] = [
  SELECT,
  {
    name: 'no-auto-upstream',
    summary: 'with --select: without what the models read',
    group: 'What',
  },
  { name: 'start', value: 'TIME', summary: 'nothing older than this', group: 'What' },
  { name: 'end', value: 'TIME', summary: 'nothing later than this; a date includes its day', group: 'What' },
  IGNORE_CRON,
];
const LIMIT: CommandOption = { name: 'limit', value: 'N', summary: 'at most so many (default 20)' };
const ENV_FILTER: CommandOption = {
  name: 'env',
  value: 'NAME',
  summary: 'only of this environment',
  completion: 'environments',
};

/** The commands that change environments, and those that show what became of them. */
export const PLAN_COMMANDS: readonly Command[] = [
  {
    name: 'plan',
    summary: 'show what the project would change in an environment, ask, and do it',
    details: [
      'Rows are written, audited and published in one step: a row that fails a blocking audit is never visible in any environment.',
      'The tests of what changes are run first; one that fails stops the plan.',
      'Without a terminal it cannot ask: pass --yes to apply; with --json, --explain or -o the plan is only shown.',
    ],
    arguments: [ENVIRONMENT],
    options: [
      SELECT,
      {
        name: 'restate-model',
        value: 'MODEL',
        summary: 'fill again what is already filled, of this model and what reads it (repeatable)',
        group: 'What',
        completion: 'models',
      },
      { name: 'start', value: 'TIME', summary: 'fill from here', group: 'What' },
      { name: 'end', value: 'TIME', summary: 'fill to here; a date includes its day', group: 'What' },
      {
        name: 'include-unmodified',
        summary: 'no effect: an environment always shows every model',
        group: 'What',
      },
      {
        name: 'backfill-model',
        value: 'MODELS',
        summary: 'fill only these and what they read; the others stay as they are (repeatable)',
        group: 'What',
        completion: 'models',
      },
      { name: 'run', summary: 'also fill what the crons make due', group: 'What' },
      IGNORE_CRON,
      {
        name: 'create-from',
        value: 'ENVIRONMENT',
        summary: 'begin a new environment from this one instead of prod',
        group: 'What',
        completion: 'environments',
      },
      {
        name: 'forward-only',
        summary: 'keep the tables: changes apply from now on only',
        group: 'How changes count',
      },
      {
        name: 'effective-from',
        value: 'TIME',
        summary: 'with --forward-only: fill again from here',
        group: 'How changes count',
      },
      {
        name: 'category',
        value: 'MODEL=CATEGORY',
        summary: 'say what a change is: breaking, non-breaking or forward-only (repeatable)',
        group: 'How changes count',
      },
      {
        name: 'allow-destructive-model',
        value: 'MODEL',
        summary: 'let a column of this model be dropped or narrowed in place (repeatable)',
        group: 'How changes count',
        completion: 'models',
      },
      { name: 'skip-backfill', summary: 'fill nothing now', group: 'How it is filled' },
      {
        name: 'empty-backfill',
        summary: 'make empty tables and mark their intervals as filled',
        group: 'How it is filled',
      },
      SHARED,
      {
        name: 'no-gaps',
        summary: 'refuse when a table would show less than the environment shows now',
        group: 'How it is filled',
      },
      {
        name: 'skip-tests',
        summary: 'do not run the tests of what changes',
        group: 'Doing it',
      },
      YES,
      WIDER,
      WAIT,
      { name: 'explain', summary: 'show the stages, do nothing', group: 'Output' },
      {
        name: 'output',
        short: 'o',
        value: 'FILE',
        summary: 'write the plan to a file for plinth apply, do nothing',
        group: 'Output',
        completion: 'files',
      },
      { name: 'exit-code', summary: 'exit code 3 when there are changes', group: 'Output' },
      { name: 'no-diff', summary: 'do not show what changed in the SQL', group: 'Output' },
    ],
    examples: [
      { line: 'plinth plan', does: 'show what would change in prod, and ask' },
      { line: 'plinth plan dev', does: 'the same in an environment of its own; what is unchanged is shared' },
      { line: 'plinth plan --yes --json', does: 'for CI: events as JSON lines, then one object' },
    ],
    load: () => import('./commands/plan.ts'),
  },
  {
    name: 'apply',
    summary: 'do what a stored plan says',
    details: [
      'The plan is a file that plan -o wrote, or the id of a plan. It is refused when the environment has changed since.',
    ],
    arguments: [{ name: 'plan', summary: 'a file or a plan id', isRequired: true, completion: 'files' }],
    options: [YES, WIDER, WAIT],
    examples: [
      { line: 'plinth apply plan.json --yes', does: 'exactly what was reviewed' },
      { line: 'plinth apply p_01hxyz --yes', does: 'a plan by its id' },
      { line: 'plinth apply plan.json --yes --json', does: 'for CI' },
    ],
    load: () => import('./commands/apply.ts'),
  },
  {
    name: 'run',
    summary: 'fill what is due, from what was applied; edits in the project folder are ignored',
    details: [
      'With --select the models that they read are filled too. --start and --end never leave a gap in a table: filling continues where the table ends.',
    ],
    arguments: [ENVIRONMENT],
    options: [...DUE, SHARED, WAIT],
    examples: [
      { line: 'plinth run', does: 'what the crons make due in prod' },
      { line: 'plinth run --select marts.orders', does: 'of this model and what it reads' },
      { line: 'plinth run --json', does: 'events, then one object with every model' },
    ],
    load: () => import('./commands/run.ts'),
  },
  {
    name: 'rollback',
    summary: 'point an environment back at what it showed before',
    details: ['Only views change, no data is written; refused across a migration that dropped columns.'],
    arguments: [ENVIRONMENT],
    options: [
      {
        name: 'to',
        value: 'PLAN',
        summary: 'the plan to go back to (default: the one before)',
        group: 'What',
      },
      YES,
      WIDER,
      WAIT,
    ],
    examples: [
      { line: 'plinth rollback --yes', does: 'prod as it was before the last plan' },
      { line: 'plinth rollback dev --to p_01hxyz', does: 'as that plan left it' },
      { line: 'plinth plans --env prod', does: 'the plans one can go back to' },
    ],
    load: () => import('./commands/rollback.ts'),
  },
  {
    name: 'diff',
    summary: 'show how the project, or another environment, differs from an environment',
    arguments: [
      ENVIRONMENT,
      { name: 'other', summary: 'compare with this environment instead', completion: 'environments' },
    ],
    options: [
      { name: 'exit-code', summary: 'exit code 3 when there are differences' },
      { name: 'no-diff', summary: 'do not show what changed in the SQL' },
    ],
    examples: [
      { line: 'plinth diff', does: 'the project against prod' },
      { line: 'plinth diff prod dev', does: 'what dev has that prod has not' },
      { line: 'plinth diff --exit-code', does: 'for CI' },
    ],
    load: () => import('./commands/diff.ts'),
  },
  {
    name: 'status',
    summary: 'show what is due, late, stale, running and broken',
    arguments: [ENVIRONMENT],
    options: [{ name: 'all', summary: 'also models that are fine' }],
    examples: [
      { line: 'plinth status', does: 'of prod' },
      { line: 'plinth status dev --all', does: 'every model of dev' },
      { line: 'plinth status --json', does: 'for monitoring' },
    ],
    load: () => import('./commands/status.ts'),
  },
  {
    name: 'check-intervals',
    summary: 'list the intervals that a run would fill, and those that wait; fills nothing',
    arguments: [ENVIRONMENT],
    options: [...DUE, SHARED, { name: 'exit-code', summary: 'exit code 3 when a run would fill something' }],
    examples: [
      { line: 'plinth check-intervals', does: 'of prod' },
      { line: "plinth check-intervals dev --select 'marts.*'", does: 'of some models of dev' },
      { line: 'plinth check-intervals --json', does: 'for programs' },
    ],
    load: () => import('./commands/check-intervals.ts'),
  },
  {
    name: 'plans',
    summary: 'list plans, or show one again',
    arguments: [{ name: 'id', summary: 'a plan id' }],
    options: [ENV_FILTER, LIMIT, { name: 'explain', summary: 'with an id: its stages' }],
    examples: [
      { line: 'plinth plans', does: 'the last twenty' },
      { line: 'plinth plans p_01hxyz', does: 'one, as it was shown' },
      { line: 'plinth plans --env prod --json', does: 'for programs' },
    ],
    load: () => import('./commands/plans.ts'),
  },
  {
    name: 'runs',
    summary: 'list runs, or show the outcome of each model in one',
    arguments: [{ name: 'id', summary: 'a run id' }],
    options: [ENV_FILTER, LIMIT],
    examples: [
      { line: 'plinth runs', does: 'the last twenty' },
      { line: 'plinth runs r_01hxyz', does: 'one, model by model' },
      { line: 'plinth runs --env prod --json', does: 'for programs' },
    ],
    load: () => import('./commands/runs.ts'),
  },
  {
    name: 'environments',
    summary: 'list the environments',
    arguments: [],
    options: [],
    examples: [
      { line: 'plinth environments', does: 'with their plans and when they expire' },
      { line: 'plinth environments --json', does: 'for programs' },
      { line: 'plinth invalidate dev', does: 'mark one for removal' },
    ],
    load: () => import('./commands/environments.ts'),
  },
  {
    name: 'invalidate',
    summary: 'mark an environment for removal by the janitor',
    arguments: [{ name: 'environment', summary: 'its name', isRequired: true, completion: 'environments' }],
    options: [
      { name: 'sync', summary: 'remove its views at once; its tables go after janitor.snapshot_ttl' },
      WAIT,
    ],
    examples: [
      { line: 'plinth invalidate dev', does: 'it expires now; plinth janitor removes it' },
      { line: 'plinth invalidate dev --sync', does: 'remove it now' },
      { line: 'plinth environments', does: 'what is left' },
    ],
    load: () => import('./commands/invalidate.ts'),
  },
  {
    name: 'janitor',
    summary: 'remove expired environments and tables that nothing uses',
    details: ['Drops only what Plinth made, never what an unfinished plan names, and says what it dropped.'],
    arguments: [],
    options: [
      { name: 'dry-run', summary: 'only say what would be removed' },
      {
        name: 'ignore-ttl',
        summary: 'also what is younger than janitor.snapshot_ttl; a rollback to it is then impossible',
      },
      WAIT,
    ],
    examples: [
      { line: 'plinth janitor --dry-run', does: 'what would go' },
      { line: 'plinth janitor', does: 'remove it' },
      { line: 'plinth janitor --ignore-ttl', does: 'with all that no environment shows' },
    ],
    load: () => import('./commands/janitor.ts'),
  },
  {
    name: 'clean',
    summary: 'remove the caches of the project; they are made again when they are needed',
    arguments: [],
    options: [],
    examples: [
      { line: 'plinth clean', does: 'of this folder' },
      { line: 'plinth clean --project shop', does: 'of another folder' },
      { line: 'plinth clean --json', does: 'for programs' },
    ],
    load: () => import('./commands/clean.ts'),
  },
  {
    name: 'destroy',
    summary: 'remove every environment and table that Plinth made, after asking',
    details: [
      'Tables that Plinth did not make stay, and so do users, tokens and the records of plans and runs. The next plan builds everything again.',
    ],
    arguments: [],
    options: [YES, WAIT],
    examples: [
      { line: 'plinth destroy', does: 'says what would go, and asks' },
      { line: 'plinth destroy --yes', does: 'without asking' },
      { line: 'plinth destroy --yes --json', does: 'for programs' },
    ],
    load: () => import('./commands/destroy.ts'),
  },
  {
    name: 'worker',
    summary: 'run what is due until it is stopped',
    details: [
      'Several workers elect a leader by a lease; another takes over when it dies. Missed intervals are filled.',
    ],
    arguments: [
      { name: 'environments', summary: 'prod by default', isMany: true, completion: 'environments' },
    ],
    options: [{ name: 'once', summary: 'end after what is due now' }],
    examples: [
      { line: 'plinth worker', does: 'the crons of prod' },
      { line: 'plinth worker prod dev', does: 'of two environments' },
      { line: 'plinth worker --once', does: 'what is due now, then end' },
    ],
    load: () => import('./commands/worker.ts'),
  },
];
