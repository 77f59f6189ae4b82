import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import { didYouMean } from '../../foundation/diagnostics/nearest.ts';
import { type Command, type CommandAnswer, type CommandContext, isNamed } from '../command.ts';
import { commandHelp, commandTree, exitCodesHelp, type HelpStyle, programHelp } from '../help-text.ts';
import type { Terminal } from '../terminal.ts';

export async function run({
  arguments: [topic],
  commands,
  terminal,
}: CommandContext): Promise<CommandAnswer> {
  return helpFor(topic, { commands, terminal });
}

/** Whom help is for, and what there is. */
export interface HelpRequest {
  readonly commands: readonly Command[];
  readonly terminal: Terminal;
}

/** Help of one command, or of everything; for `--json` the command tree. */
export async function helpFor(
  topic: string | undefined,
  { commands, terminal }: HelpRequest,
): Promise<CommandAnswer> {
  if (topic === 'exit-codes')
    return { print: () => terminal.out(exitCodesHelp(styleOf(terminal))), data: commandTree([]) };
  const found = commands.filter((each) => topic === undefined || isNamed(each, topic));
  if (found.length === 0) {
    const hint = didYouMean(
      topic ?? '',
      commands.map(({ name }) => name),
    );
    return { error: diagnostic('cli.unknown-command', { name: topic ?? '' }, { hint }) };
  }
  const tree = commandTree(found);
  return {
    data: tree,
    print: () => {
      if (topic === undefined) terminal.out(programHelp(commands, styleOf(terminal)));
      else for (const command of found) terminal.out(commandHelp(command, styleOf(terminal)));
    },
  };
}

function styleOf(terminal: Terminal): HelpStyle {
  return {
    heading: (text) => terminal.style('bold', text),
    name: (text) => terminal.style('cyan', text),
    faint: (text) => terminal.style('dim', text),
    width: Math.min(terminal.width, 110),
  };
}
