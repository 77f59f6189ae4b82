import type { Command, CommandArgument, CommandOption } from './command.ts';

import { EXIT_CODES } from './exit-code.ts';
import { GLOBAL_OPTIONS } from './global-options.ts';
import { wrap } from './render/table.ts';

/** Paints headings and names; the identity where there is no colour. */
export interface HelpStyle {
  readonly heading: (text: string) => string;
  readonly name: (text: string) => string;
  readonly faint: (text: string) => string;
  readonly width: number;
}

/** How a command is written: `plinth render [options] MODEL`. */
export function usageOf(command: Command): string {
  const words = command.arguments.map(argumentWord);
  const options = command.options.length === 0 ? [] : ['[options]'];
  return ['plinth', command.name, ...options, ...words].join(' ');
}

export function argumentWord({ name, isRequired, isMany }: CommandArgument): string {
  const word = `${name.toUpperCase()}${isMany === true ? '…' : ''}`;
  return isRequired === true ? word : `[${word}]`;
}

/** `-p, --project DIR` */
export function optionWord({ name, short, value }: CommandOption): string {
  return `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`;
}

/** Options by the title they are shown under, in the order of the table. */
export function optionGroups(
  command: Command,
): readonly (readonly [title: string, options: readonly CommandOption[]])[] {
  return [
    ...Map.groupBy(command.options, ({ group }) => group ?? 'Options'),
    ['Every command', GLOBAL_OPTIONS],
  ];
}

/** Help of one command: how it is written, examples, then arguments and options. */
export function commandHelp(command: Command, style: HelpStyle): string {
  const lines = [`${usageOf(command)}`, '', sentence(command.summary)];
  for (const paragraph of command.details ?? []) lines.push(...wrap(paragraph, style.width));
  lines.push('', style.heading('Examples'));
  for (const { line, does } of command.examples)
    lines.push(`  ${style.name(line)}`, style.faint(`      ${does}`));
  if (command.arguments.length > 0) {
    lines.push('', style.heading('Arguments'));
    lines.push(
      ...definitions(
        command.arguments.map((argument) => [argumentWord(argument), argument.summary]),
        style,
      ),
    );
  }
  for (const [title, options] of optionGroups(command)) {
    lines.push('', style.heading(title));
    lines.push(
      ...definitions(
        options.map((option) => [optionWord(option), option.summary]),
        style,
      ),
    );
  }
  return lines.join('\n');
}

/** Help of the whole program. */
export function programHelp(commands: readonly Command[], style: HelpStyle): string {
  const shown = commands.filter(({ isHidden }) => isHidden !== true);
  return [
    'plinth COMMAND [options]',
    '',
    ...wrap(
      'One folder of SQL models, quality controls and semantics becomes a governed data product.',
      style.width,
    ),
    '',
    style.heading('Examples'),
    `  ${style.name('plinth init')}`,
    style.faint('      make the example project in ./shop'),
    `  ${style.name('plinth plan --project shop')}`,
    style.faint('      show what would be built, ask, and build it'),
    `  ${style.name('plinth lineage marts.orders.revenue --project shop')}`,
    style.faint('      where a number comes from'),
    '',
    style.heading('Commands'),
    ...definitions(
      shown.map(({ name, summary }) => [name, summary]),
      style,
    ),
    '',
    style.heading('Every command'),
    ...definitions(
      GLOBAL_OPTIONS.map((option) => [optionWord(option), option.summary]),
      style,
    ),
    '',
    ...wrap(
      'plinth help COMMAND shows more; plinth explain CODE explains a message; plinth --version. Plinth sends no telemetry and checks for no updates.',
      style.width,
    ),
  ].join('\n');
}

/** `plinth help exit-codes`. */
export function exitCodesHelp(style: HelpStyle): string {
  return [
    style.heading('Exit codes'),
    ...definitions(
      EXIT_CODES.map(({ code, means }) => [String(code), means]),
      style,
    ),
  ].join('\n');
}

/** The command tree as data, for programs and agents. */
export function commandTree(commands: readonly Command[]): unknown {
  const optionOf = ({ name, short, value, choices, summary }: CommandOption): unknown => ({
    name: `--${name}`,
    short: short === undefined ? null : `-${short}`,
    value: value ?? null,
    choices: choices ?? null,
    summary,
  });
  return {
    global_options: GLOBAL_OPTIONS.map(optionOf),
    exit_codes: EXIT_CODES,
    commands: commands
      .filter(({ isHidden }) => isHidden !== true)
      .map((command) => ({
        name: command.name,
        usage: usageOf(command),
        summary: command.summary,
        details: command.details ?? [],
        arguments: command.arguments.map(({ name, summary, isRequired, isMany, choices }) => ({
          name,
          summary,
          required: isRequired === true,
          many: isMany === true,
          choices: choices ?? null,
        })),
        options: command.options.map(optionOf),
        examples: command.examples.map(({ line, does }) => ({ line, does })),
      })),
  };
}

/** Names in a column, their meaning beside them, broken into lines that fit. */
function definitions(
  rows: readonly (readonly [name: string, meaning: string])[],
  style: HelpStyle,
): readonly string[] {
  const column = Math.min(28, Math.max(...rows.map(([name]) => name.length))) + 4;
  return rows.flatMap(([name, meaning]) => {
    const [first = '', ...rest] = wrap(meaning, Math.max(30, style.width - column));
    const head = `  ${style.name(name)}${' '.repeat(Math.max(2, column - 2 - name.length))}${first}`;
    return [head, ...rest.map((line) => `${' '.repeat(column)}${line}`)];
  });
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
