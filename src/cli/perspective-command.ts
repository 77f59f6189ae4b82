import { VISIBILITIES } from '../domain/perspective.ts';
import { RESULT_FORMATS } from '../domain/result-format.ts';
import type { Command } from './command.ts';

/** Questions with a name. */
export const PERSPECTIVE_COMMAND: Command = {
  name: 'perspective',
  summary: 'name questions, share them, and ask them by their names',
  details: [
    'A perspective is a saved semantic query or SQL, with parameters. Its readers get the rows that policies leave them.',
    'Commands work as the owner of the folder, called local-admin: they show perspectives of local-admin and those that are shared or the product’s. Private perspectives of users are theirs alone.',
    'rewrite gives a perspective the new names after a plan renamed members that it asks for.',
  ],
  arguments: [
    {
      name: 'action',
      summary: 'list (default), show, create, change, result, versions, transfer, rewrite or remove',
      choices: ['list', 'show', 'create', 'change', 'result', 'versions', 'transfer', 'rewrite', 'remove'],
    },
    { name: 'perspective', summary: 'its slug or id; create: its name' },
  ],
  options: [
    { name: 'query', value: 'JSON', summary: 'a semantic query, @file, or - for stdin', group: 'Question' },
    { name: 'sql', value: 'SQL', summary: 'SQL, @file, or - for stdin', group: 'Question' },
    { name: 'statement', value: 'ID', summary: 'create: the question of a statement', group: 'Question' },
    {
      name: 'params',
      value: 'JSON',
      summary: 'create, change: a list of parameters; result: an object with their values',
      group: 'Question',
    },
    { name: 'name', value: 'NAME', summary: 'change: another name', group: 'About it' },
    {
      name: 'slug',
      value: 'SLUG',
      summary: 'create, change: its slug (default: made of the name)',
      group: 'About it',
    },
    { name: 'description', value: 'TEXT', summary: 'create, change: what it is for', group: 'About it' },
    {
      name: 'visibility',
      value: 'WORD',
      choices: VISIBILITIES,
      summary: 'create, change: who sees it (default: private); list: only those',
      group: 'About it',
    },
    {
      name: 'with',
      value: 'LIST',
      summary: 'create, change: users and group:NAME that it is shared with',
      group: 'About it',
    },
    { name: 'tags', value: 'LIST', summary: 'create, change: words to find it by', group: 'About it' },
    {
      name: 'auto-refresh',
      value: 'WORD',
      choices: ['on', 'off'],
      summary: 'create, change: make its answer again after the data have changed',
      group: 'About it',
    },
    { name: 'owner', value: 'NAME', summary: 'transfer: the new owner', group: 'About it' },
    {
      name: 'env',
      value: 'NAME',
      summary: 'result: the environment (default: prod)',
      completion: 'environments',
      group: 'Output',
    },
    {
      name: 'format',
      value: 'FORMAT',
      choices: ['table', ...RESULT_FORMATS],
      summary: 'result: table (default), json, csv, ndjson, arrow or parquet',
      group: 'Output',
    },
    {
      name: 'output',
      short: 'o',
      value: 'FILE',
      summary: 'result: write the answer to a file',
      group: 'Output',
      completion: 'files',
    },
  ],
  examples: [
    {
      line: `plinth perspective create 'Revenue by region' --query '{"measures": ["orders.revenue"], "dimensions": ["orders.region"]}' --visibility product`,
      does: 'a question that every caller of the product sees',
    },
    { line: 'plinth perspective result revenue-by-region --format csv', does: 'its rows' },
    { line: 'plinth perspective rewrite revenue-by-region', does: 'the new names, after a rename' },
  ],
  load: () => import('./commands/perspective.ts'),
};
