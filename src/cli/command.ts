import type { Diagnostic } from '../foundation/diagnostics/diagnostic.ts';
import type { StartServer } from '../operations/serve/running-server.ts';
import type { Workspace } from '../operations/workspace.ts';
import type { InterruptibleWork, Interruption } from './interruption.ts';
import type { Terminal } from './terminal.ts';

/** What the shell can offer for a value: fixed words come from `choices`, these need a look at the project or the catalog. */
export type Completion =
  | 'models'
  | 'environments'
  | 'codes'
  | 'schemas'
  | 'commands'
  | 'dialects'
  | 'files'
  | 'folders';

/** One `--option`. Without `value` it is a switch. */
export interface CommandOption {
  readonly name: string;
  readonly short?: string;
  /** What stands for the value in help: `DIR`. */
  readonly value?: string;
  /** Two words, a name and its value: `--var day 2024-01-31`; it is kept as `day=2024-01-31`, and may be written so. */
  readonly isPair?: boolean;
  readonly choices?: readonly string[];
  /** Without a value it is given as an empty one, and the command says what could be meant. */
  readonly mayBeEmpty?: boolean;
  readonly summary: string;
  readonly group?: string;
  readonly completion?: Completion;
}

export interface CommandArgument {
  readonly name: string;
  readonly summary: string;
  readonly isRequired?: boolean;
  readonly isMany?: boolean;
  readonly choices?: readonly string[];
  readonly completion?: Completion;
}

/** A line to paste, with what it does. */
export interface CommandExample {
  readonly line: string;
  readonly does: string;
}

/** One row of the command table: all that parsing, help, completion and the reference page know of a command. */
export interface Command {
  readonly name: string;
  /** What SQLMesh calls it, where that is another word: it is answered, too. */
  readonly nameElsewhere?: string;
  readonly summary: string;
  /** Paragraphs below the summary in help. */
  readonly details?: readonly string[];
  readonly arguments: readonly CommandArgument[];
  readonly options: readonly CommandOption[];
  readonly examples: readonly CommandExample[];
  /** Works, but is not shown: early commands. */
  readonly isHidden?: boolean;
  readonly load: () => Promise<CommandModule>;
}

/** Whether a word names this command. */
export const isNamed = ({ name, nameElsewhere }: Command, word: string): boolean =>
  name === word || nameElsewhere === word;

/** What a command's file exports. */
export interface CommandModule {
  readonly run: (context: CommandContext) => Promise<CommandAnswer>;
}

/** The parsed command line of one command. */
export interface Invocation {
  readonly arguments: readonly string[];
  /** Switches that were given. */
  readonly switches: ReadonlySet<string>;
  /** The last value of each option. */
  readonly values: ReadonlyMap<string, string>;
  /** Every value of each option, in order: for those that may be repeated. */
  readonly lists: ReadonlyMap<string, readonly string[]>;
}

/** What a command is given: the parsed line, the terminal, and a workspace when it asks for one. */
export interface CommandContext extends Invocation {
  readonly command: Command;
  readonly commands: readonly Command[];
  readonly terminal: Terminal;
  /** The project folder: `--project`, else the current folder. */
  readonly folder: string;
  /** Epoch milliseconds: `--execution-time`, else PLINTH_NOW, else now. */
  readonly executionTime: number;
  /** Opened at the first call and closed when the command ends. */
  readonly workspace: () => Promise<Workspace>;
  /** Takes Ctrl-C over: from now on it stops work in an orderly way instead of ending the process. */
  readonly interruption: (options?: { readonly drains: boolean }) => Interruption;
  /** Says from now on what is being worked on, for the message after Ctrl-C. */
  readonly reportWork: (work: InterruptibleWork) => void;
  readonly doors: Doors;
}

/** What the roof (src/main.ts) hands to commands that open other doors. */
export interface Doors {
  readonly startServer: StartServer;
}

/** How a command ended. Text is printed by `print`, `--json` prints `data`; diagnostics follow on stderr or in the envelope. */
export interface CommandAnswer {
  /** Derived from `error` and `diagnostics` when absent. */
  readonly exitCode?: number;
  readonly print?: (terminal: Terminal) => void;
  /** Beside an `error`: what was done before it, as in a run of which some models failed. */
  readonly data?: unknown;
  /** The JSON text of `data` in pieces, for answers too large to build at once. */
  readonly dataPieces?: () => Iterable<string>;
  readonly error?: Diagnostic;
  readonly diagnostics?: readonly Diagnostic[];
  /** Texts the diagnostics point into. */
  readonly sources?: ReadonlyMap<string, string>;
}
