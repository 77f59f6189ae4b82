import type { Command, CommandOption } from './command.ts';
import { COMMANDS } from './command-table.ts';
import { EXIT_CODES } from './exit-code.ts';
import { GLOBAL_OPTIONS } from './global-options.ts';
import { argumentWord, optionWord, usageOf } from './help-text.ts';

/** docs/reference/cli.md, generated from the command table. */
export function cliReference(): string {
  const shown = COMMANDS.filter(({ isHidden }) => isHidden !== true);
  return `${[
    '# Command line',
    '',
    'Generated from `src/cli/command-table.ts` by `npm run generate`; `plinth help COMMAND` shows the same in a terminal.',
    '',
    'Data goes to stdout, everything else (notes, progress, diagnostics) to stderr. On a terminal tables are drawn for eyes; piped they are tab-separated and whole.',
    'No command asks questions when stdin is not a terminal. Plinth sends no telemetry.',
    '',
    '## Options of every command',
    '',
    ...optionTable(GLOBAL_OPTIONS),
    '',
    'Colours: `--color`, then `NO_COLOR`, then `FORCE_COLOR`, then whether the stream is a terminal (`TERM=dumb` is none). `PLINTH_NOW` is the execution time when `--execution-time` is not given.',
    '',
    '## Machine output',
    '',
    'With `--json` the last line of stdout is one object:',
    '',
    '```json',
    '{"schema": "plinth.<command>/1", "ok": true, "data": {}, "diagnostics": []}',
    '{"schema": "plinth.<command>/1", "ok": false, "data": {}, "diagnostics": [{"severity": "error"}]}',
    '{"schema": "plinth.<command>/1", "ok": false, "error": {"code": "", "message": "", "file": null, "line": null, "column": null, "hint": null}, "diagnostics": []}',
    '```',
    '',
    'Each diagnostic is `{code, severity, message, file, line, column, end_line, end_column, hint}`; what is not known is null. The second line is a command that did its work and found errors: a project with load or lint errors has `ok: false`, still `data` with everything that could be loaded, the errors among its diagnostics, and no `error`. The third line is a command that could not do its work (wrong usage, an unknown model, an engine that is down): it has `error` and no `data`. Fields may be added; none is renamed or removed within a version of a schema. `plinth schema output` is the schema of this line.',
    '',
    'Diagnostics are ordered by file, then position, then code, in text and in JSON; those without a place come first.',
    '',
    '## Exit codes',
    '',
    '| code | meaning |',
    '|---|---|',
    ...EXIT_CODES.map(({ code, means }) => `| ${code} | ${means} |`),
    ...shown.flatMap(commandSection),
  ].join('\n')}\n`;
}

function commandSection(command: Command): readonly string[] {
  const { name, summary, details = [], examples, options } = command;
  return [
    '',
    `## ${name}`,
    '',
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.${details.map((text) => ` ${text}`).join('')}`,
    '',
    '```',
    usageOf(command),
    '```',
    '',
    '| example | what it does |',
    '|---|---|',
    ...examples.map(({ line, does }) => `| \`${line.replaceAll('|', '\\|')}\` | ${does} |`),
    ...(command.arguments.length === 0
      ? []
      : [
          '',
          '| argument | meaning |',
          '|---|---|',
          ...command.arguments.map((argument) => `| \`${argumentWord(argument)}\` | ${argument.summary} |`),
        ]),
    ...(options.length === 0 ? [] : ['', ...optionTable(options)]),
  ];
}

function optionTable(options: readonly CommandOption[]): readonly string[] {
  return [
    '| option | meaning |',
    '|---|---|',
    ...options.map((option) => `| \`${optionWord(option)}\` | ${option.summary.replaceAll('|', '\\|')} |`),
  ];
}
