/**
 * What a shell asks when a user presses Tab: `plinth __complete WORD…`, the last word being the one to complete. Answers one candidate a line,
 * `candidate<TAB>meaning`; a line `:files` or `:folders` leaves it to the shell. Loads no project: names of models come from the cache.
 */
import {
  type Command,
  type CommandArgument,
  type CommandOption,
  type Completion,
  isNamed,
} from '../command.ts';
import { COMMANDS } from '../command-table.ts';
import { GLOBAL_OPTIONS } from '../global-options.ts';

interface Candidate {
  readonly text: string;
  readonly meaning: string;
}

/** The answer to a shell's question as text; never an error, because a shell could not show it. */
export async function complete(words: readonly string[], folder: string): Promise<string> {
  const current = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const command = COMMANDS.find((each) => isNamed(each, commandWord(before) ?? ''));
  const options = [...(command?.options ?? []), ...GLOBAL_OPTIONS];
  const candidates = await candidatesFor({
    current,
    before,
    command,
    options,
    folder: projectOf(before) ?? folder,
  });
  return candidates
    .filter(({ text }) => text.startsWith(current) || text.startsWith(':'))
    .map(({ text, meaning }) => `${text}\t${meaning}\n`)
    .join('');
}

interface Question {
  readonly current: string;
  readonly before: readonly string[];
  readonly command: Command | undefined;
  readonly options: readonly CommandOption[];
  readonly folder: string;
}

async function candidatesFor(question: Question): Promise<readonly Candidate[]> {
  const { current, before, command, options } = question;
  const previous = before.at(-1);
  const wanting = options.find(
    ({ name, short, value }) => value !== undefined && (previous === `--${name}` || previous === `-${short}`),
  );
  if (wanting !== undefined) return valuesOf(wanting, question);
  if (current.startsWith('-'))
    return options.map(({ name, summary }) => ({ text: `--${name}`, meaning: summary }));
  if (command === undefined) return commandNames();
  const place = positionals(before, options).length - 1;
  const argument =
    command.arguments[place] ??
    (command.arguments.at(-1)?.isMany === true ? command.arguments.at(-1) : undefined);
  return argument === undefined ? [] : valuesOf(argument, question);
}

function valuesOf(
  { choices, completion }: CommandArgument | CommandOption,
  question: Question,
): Promise<readonly Candidate[]> | readonly Candidate[] {
  if (choices !== undefined) return choices.map((text) => ({ text, meaning: '' }));
  return completion === undefined ? [] : found(completion, question);
}

async function found(
  completion: Completion,
  { current, folder, command }: Question,
): Promise<readonly Candidate[]> {
  switch (completion) {
    case 'files':
    case 'folders':
      return [{ text: `:${completion}`, meaning: '' }];
    case 'commands':
      return [...commandNames(), { text: 'exit-codes', meaning: 'what the exit codes mean' }];
    case 'codes': {
      const { catalog } = await import('../../domain/diagnostics/catalog.ts');
      return Object.entries(catalog).map(([code, { message }]) => ({ text: code, meaning: message }));
    }
    case 'dialects': {
      const { DIALECTS } = await import('../../foundation/sql/dialect.ts');
      return DIALECTS.map((text) => ({ text, meaning: '' }));
    }
    case 'schemas': {
      const { schemas } = await import('../../operations/project/schemas.ts');
      return Object.keys(schemas()).map((text) => ({ text, meaning: '' }));
    }
    case 'environments':
      return environmentNames(folder);
    case 'models':
      return modelNames(folder, current, command?.name === 'lineage');
  }
}

async function modelNames(
  folder: string,
  current: string,
  hasColumns: boolean,
): Promise<readonly Candidate[]> {
  try {
    const { openWorkspace } = await import('../../operations/workspace.ts');
    const { rememberedNames } = await import('../../operations/project/remembered-names.ts');
    const workspace = openWorkspace({ folder, variables: {}, executionTime: 0 });
    const names = await rememberedNames(workspace);
    const models = [...names.keys()].map((text) => ({ text, meaning: '' }));
    if (!hasColumns) return models;
    const columns = [...names].filter(([name]) => current.startsWith(`${name}.`));
    return [
      ...models,
      ...columns.flatMap(([name, list]) =>
        list.map((column) => ({ text: `${name}.${column}`, meaning: '' })),
      ),
    ];
  } catch {
    // No project here: there is nothing to offer, and a shell has no place for the reason.
    return [];
  }
}

async function environmentNames(folder: string): Promise<readonly Candidate[]> {
  try {
    const { openWorkspace } = await import('../../operations/workspace.ts');
    const { rememberedEnvironments } = await import('../../operations/project/remembered-names.ts');
    const names = await rememberedEnvironments(openWorkspace({ folder, variables: {}, executionTime: 0 }));
    return [...new Set(['prod', ...names])].map((text) => ({ text, meaning: '' }));
  } catch {
    // As above: a shell has no place for the reason.
    return [];
  }
}

function commandNames(): readonly Candidate[] {
  return COMMANDS.filter(({ isHidden }) => isHidden !== true).map(({ name, summary }) => ({
    text: name,
    meaning: summary,
  }));
}

/** Words that are neither options nor their values. */
function positionals(words: readonly string[], options: readonly CommandOption[]): readonly string[] {
  const taking = new Set(
    options
      .filter(({ value }) => value !== undefined)
      .flatMap(({ name, short }) => [`--${name}`, `-${short}`]),
  );
  return words.filter((word, index) => !word.startsWith('-') && !taking.has(words[index - 1] ?? ''));
}

const commandWord = (words: readonly string[]): string | undefined => positionals(words, GLOBAL_OPTIONS)[0];

function projectOf(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => word === '--project' || word === '-p');
  return (
    words.find((word) => word.startsWith('--project='))?.slice('--project='.length) ??
    (at < 0 ? undefined : words[at + 1])
  );
}
