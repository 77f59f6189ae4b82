import { diagnostic } from '../domain/diagnostics/catalog.ts';
import type { Diagnostic } from '../foundation/diagnostics/diagnostic.ts';
import { didYouMean } from '../foundation/diagnostics/nearest.ts';
import {
  type Command,
  type CommandArgument,
  type CommandOption,
  type Invocation,
  isNamed,
} from './command.ts';
import { commandElsewhere, optionElsewhere } from './other-tools.ts';

/** A command line understood, or the first thing wrong with it. `command` is absent when none was named. */
export type ParsedLine =
  | ({ readonly ok: true; readonly command?: Command } & Invocation)
  | {
      readonly ok: false;
      readonly command?: Command;
      readonly switches: ReadonlySet<string>;
      readonly problem: Diagnostic;
    };

/** The options every command has, and the commands: what a command line is read against. */
export interface CommandLanguage {
  readonly commands: readonly Command[];
  readonly globalOptions: readonly CommandOption[];
}

/**
 * Reads a command line. The first word that is not an option is the command; global options may stand before it, its own only after it.
 * Reading goes on after a mistake, so that `--json` behind it still decides how the mistake is reported.
 */
export function parseArguments(
  argv: readonly string[],
  { commands, globalOptions }: CommandLanguage,
): ParsedLine {
  let command: Command | undefined;
  let problem: Diagnostic | undefined;
  const complain = (found: Diagnostic): void => {
    problem ??= found;
  };
  const words: string[] = [];
  const switches = new Set<string>();
  const values = new Map<string, string>();
  const lists = new Map<string, readonly string[]>();
  let isAfterDashes = false;

  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] as string;
    if (isAfterDashes || word === '-' || !word.startsWith('-') || isNegativeNumber(word)) {
      if (command !== undefined) words.push(word);
      else {
        command = commands.find((each) => isNamed(each, word));
        if (command === undefined) complain(unknownCommand(word, commands));
        if (problem !== undefined && command === undefined) command = NO_COMMAND;
      }
      continue;
    }
    if (word === '--') {
      isAfterDashes = true;
      continue;
    }
    const options = command === undefined ? globalOptions : [...command.options, ...globalOptions];
    const equals = word.indexOf('=');
    const spelled = equals < 0 ? word : word.slice(0, equals);
    const option = options.find(({ name, short }) => spelled === `--${name}` || spelled === `-${short}`);
    if (option === undefined) {
      if (command !== NO_COMMAND) complain(unknownOption(spelled, command, options));
      continue;
    }
    const given = equals < 0 ? undefined : word.slice(equals + 1);
    if (option.value === undefined) {
      if (given !== undefined)
        complain(diagnostic('cli.option-takes-no-value', { name: `--${option.name}`, value: given }));
      switches.add(option.name);
      continue;
    }
    const { value, taken } = givenValue(argv, i + 1, { given, isPair: option.isPair === true });
    i += taken;
    if ((value === undefined || value === '') && option.mayBeEmpty !== true)
      complain(
        diagnostic('cli.option-needs-value', {
          name: `--${option.name}`,
          value: option.choices?.join(', ') ?? option.value,
        }),
      );
    else if (value !== undefined && option.choices !== undefined && !option.choices.includes(value))
      complain(badChoice(`--${option.name}`, value, option.choices));
    else {
      values.set(option.name, value ?? '');
      lists.set(option.name, [...(lists.get(option.name) ?? []), value ?? '']);
    }
  }
  if (command === NO_COMMAND) command = undefined;
  if (problem === undefined && command !== undefined && !switches.has('help'))
    problem = argumentProblem(command, words);
  const named = command === undefined ? {} : { command };
  return problem === undefined
    ? { ok: true, ...named, arguments: words, switches, values, lists }
    : { ok: false, ...named, switches, problem };
}

/** Stands for a command that was named wrongly: the words behind it belong to it and are not complained about. */
const NO_COMMAND: Command = {
  name: '',
  summary: '',
  arguments: [],
  options: [],
  examples: [],
  load: () => Promise.reject(new Error('no command')),
};

const isNegativeNumber = (word: string): boolean => /^-\d/.test(word);

/** The value of an option, and how many words it takes. */
function givenValue(
  argv: readonly string[],
  at: number,
  { given, isPair }: { readonly given: string | undefined; readonly isPair: boolean },
): { readonly value: string | undefined; readonly taken: number } {
  const first = given ?? valueAt(argv, at);
  const own = given === undefined && first !== undefined ? 1 : 0;
  if (!isPair || first === undefined || first.includes('=')) return { value: first, taken: own };
  const second = valueAt(argv, at + own);
  return second === undefined
    ? { value: undefined, taken: own }
    : { value: `${first}=${second}`, taken: own + 1 };
}

/** The next word, unless it is an option itself; `-1d` and `-` are values. */
function valueAt(argv: readonly string[], index: number): string | undefined {
  const word = argv[index];
  if (word === undefined || (word.startsWith('-') && word !== '-' && !isNegativeNumber(word)))
    return undefined;
  return word;
}

function unknownCommand(name: string, commands: readonly Command[]): Diagnostic {
  const names = commands.filter(({ isHidden }) => isHidden !== true).map((command) => command.name);
  return diagnostic(
    'cli.unknown-command',
    { name },
    { hint: commandElsewhere(name) ?? didYouMean(name, names) },
  );
}

function unknownOption(
  name: string,
  command: Command | undefined,
  options: readonly CommandOption[],
): Diagnostic {
  const names = options.map((option) => `--${option.name}`);
  const hint = optionElsewhere(name) ?? didYouMean(name, names);
  return diagnostic(
    'cli.unknown-option',
    { command: command?.name ?? 'plinth', name },
    {
      hint:
        hint ??
        (command === undefined
          ? 'options of a command come after its name; plinth help lists the commands'
          : undefined),
    },
  );
}

function badChoice(name: string, value: string, choices: readonly string[]): Diagnostic {
  return diagnostic(
    'cli.bad-value',
    { name, value, expected: choices.join(', ') },
    { hint: didYouMean(value, choices) },
  );
}

function argumentProblem(command: Command, words: readonly string[]): Diagnostic | undefined {
  const expected = command.arguments;
  const missing = expected.find(({ isRequired }, index) => isRequired === true && words[index] === undefined);
  if (missing !== undefined)
    return diagnostic('cli.missing-argument', {
      command: command.name,
      argument: `${missing.name} (${missing.summary})`,
    });
  const isOpen = expected.at(-1)?.isMany === true;
  if (words.length > expected.length && !isOpen)
    return diagnostic('cli.too-many-arguments', {
      command: command.name,
      value: words[expected.length] as string,
    });
  for (const [index, word] of words.entries()) {
    const argument = (expected[index] ?? expected.at(-1)) as CommandArgument;
    if (argument.choices !== undefined && !argument.choices.includes(word))
      return badChoice(argument.name, word, argument.choices);
  }
  return undefined;
}
