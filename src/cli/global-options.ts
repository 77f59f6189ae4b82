import type { CommandOption } from './command.ts';

/** Options of every command; they may also stand before its name. */
export const GLOBAL_OPTIONS: readonly CommandOption[] = [
  {
    name: 'project',
    short: 'p',
    value: 'DIR',
    summary: 'the project folder (default: the current one)',
    completion: 'folders',
  },
  { name: 'gateway', value: 'NAME', summary: 'gateway to use instead of the default one of config.yaml' },
  {
    name: 'execution-time',
    value: 'TIME',
    summary: "what counts as now: '2025-06-01', 'yesterday' (or PLINTH_NOW)",
  },
  { name: 'json', summary: 'print one JSON line {schema, ok, data | error, diagnostics}' },
  { name: 'quiet', short: 'q', summary: 'print no notes and no progress' },
  { name: 'verbose', short: 'v', summary: 'print timings, and where in the program a bug happened' },
  {
    name: 'color',
    value: 'WHEN',
    choices: ['auto', 'always', 'never'],
    summary: 'colours (also NO_COLOR and FORCE_COLOR)',
  },
  { name: 'version', short: 'V', summary: 'print the version; with --json also those of Node and DuckDB' },
  { name: 'help', short: 'h', summary: 'show help of the command' },
];
