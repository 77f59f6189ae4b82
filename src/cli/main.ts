/**
 * A terminal: flags in, one operation, text or one JSON line out.
 *
 *   argv ─▶ parseArguments (command-table.ts) ─▶ commands/<name>.ts, imported when used ─▶ answer ─▶ showAnswer ─▶ exit code
 *
 * Only what every command needs is imported here: starting must stay quick.
 */
import { diagnostic } from '../domain/diagnostics/catalog.ts';
import { Failure } from '../domain/failure.ts';
import { hiddenDiagnostic } from '../domain/secret-values.ts';
import type { Diagnostic } from '../foundation/diagnostics/diagnostic.ts';
import { parseTime } from '../foundation/time/relative-date.ts';
import type { Workspace } from '../operations/workspace.ts';
import type { Command, CommandAnswer, CommandContext, CommandModule, Doors } from './command.ts';
import { COMMANDS } from './command-table.ts';
import { exitCodeOf } from './exit-code.ts';
import { GLOBAL_OPTIONS } from './global-options.ts';
import { type InterruptionWatch, interruptedText, interruptionWatch } from './interruption.ts';
import { type ParsedLine, parseArguments } from './parse-arguments.ts';
import { showAnswer } from './show-answer.ts';
import { systemRefusal } from './system-refusal.ts';
import { createTerminal, type Terminal } from './terminal.ts';

/** Runs one command line and sets the exit code; never throws and never ends the process with output pending. */
export async function main(argv: readonly string[], doors: Doors): Promise<void> {
  if (argv[0] === '__complete') {
    const { complete } = await import('./completion/complete.ts');
    process.stdout.write(await complete(argv.slice(1), process.cwd()));
    return;
  }
  const line = parseArguments(argv, { commands: COMMANDS, globalOptions: GLOBAL_OPTIONS });
  const terminal = terminalOf(line);
  const name = line.command?.name ?? 'help';
  const watch = interruptionWatch();
  watchProcess(terminal, name, watch);
  const answer = await answerOf(line, { terminal, watch, doors });
  process.exitCode = showAnswer(terminal, name, answer);
}

interface CommandHost {
  readonly terminal: Terminal;
  readonly watch: InterruptionWatch;
  readonly doors: Doors;
}

async function answerOf(line: ParsedLine, host: CommandHost): Promise<CommandAnswer> {
  if (!line.ok) return { error: line.problem };
  const { terminal } = host;
  const { opened, context } = contextOf(line, host);
  try {
    return hidden(await (await moduleOf(line, terminal)).run(context()), opened());
  } catch (error) {
    const shown = {
      ...terminal,
      error: (text: string) => terminal.error(opened()?.secrets.hide(text) ?? text),
    };
    return hidden({ error: diagnosticOf(error, shown) }, opened());
  } finally {
    await opened()?.close();
  }
}

/** Errors quote statements, and macros put values of the environment into those. */
function hidden(answer: CommandAnswer, workspace: Workspace | undefined): CommandAnswer {
  if (workspace === undefined) return answer;
  const { error, diagnostics } = answer;
  const hide = (found: Diagnostic): Diagnostic => hiddenDiagnostic(found, workspace.secrets.hide);
  return {
    ...answer,
    ...(error === undefined ? {} : { error: hide(error) }),
    ...(diagnostics === undefined ? {} : { diagnostics: diagnostics.map(hide) }),
  };
}

/** `--help` of a command, and no command at all, are the help command. */
async function moduleOf(line: ParsedLine & { ok: true }, terminal: Terminal): Promise<CommandModule> {
  if (line.command !== undefined && !line.switches.has('help')) return line.command.load();
  const help = await import('./commands/help.ts');
  return {
    run: () => help.helpFor(line.command?.name, { commands: COMMANDS, terminal }),
  };
}

function contextOf(
  line: ParsedLine & { ok: true },
  { terminal, watch, doors }: CommandHost,
): {
  readonly opened: () => Workspace | undefined;
  readonly context: () => CommandContext;
} {
  let workspace: Workspace | undefined;
  return {
    opened: () => workspace,
    context: () => {
      const folder = line.values.get('project') ?? '.';
      const executionTime = executionTimeOf(line);
      return {
        ...line,
        command: line.command as Command,
        commands: COMMANDS,
        terminal,
        folder,
        executionTime,
        interruption: (options) => watch.claim(options),
        reportWork: (work) => watch.reportWork(work),
        doors,
        async workspace() {
          if (workspace !== undefined) return workspace;
          const { openWorkspace } = await import('../operations/workspace.ts');
          workspace = openWorkspace({
            folder,
            variables: process.env,
            executionTime,
            isTimeGiven: timeOf(line).text !== '',
            gateway: line.values.get('gateway'),
          });
          return workspace;
        },
      };
    },
  };
}

/** What counts as now, as it was written; empty when it was not. */
function timeOf({ values }: ParsedLine & { ok: true }): { readonly name: string; readonly text: string } {
  const given = values.get('execution-time');
  return given === undefined
    ? { name: 'PLINTH_NOW', text: process.env['PLINTH_NOW'] ?? '' }
    : { name: '--execution-time', text: given };
}

function executionTimeOf(line: ParsedLine & { ok: true }): number {
  const now = Date.now();
  const { name, text } = timeOf(line);
  if (text === '') return now;
  const time = parseTime(text, now);
  if (time.kind === 'time') return time.at;
  throw new Failure(
    diagnostic('cli.bad-value', {
      name,
      value: text,
      expected: "a time such as '2025-06-01' or 'yesterday'",
    }),
  );
}

function terminalOf(line: ParsedLine): Terminal {
  return createTerminal({
    stdout: process.stdout,
    stderr: process.stderr,
    isInputTerminal: process.stdin.isTTY === true,
    variables: process.env,
    color: line.ok ? ((line.values.get('color') ?? 'auto') as 'auto' | 'always' | 'never') : 'auto',
    isJson: line.switches.has('json'),
    isQuiet: line.switches.has('quiet'),
    isVerbose: line.switches.has('verbose'),
    platform: process.platform,
  });
}

/** A failure is shown in its own words; anything else that is thrown is our bug, whose place only `--verbose` shows. */
function diagnosticOf(error: unknown, terminal: Terminal): Diagnostic {
  if (error instanceof Failure) {
    if (terminal.isVerbose && error.cause !== undefined) terminal.error(String(error.cause));
    return error.diagnostic;
  }
  if (isWriteError(error))
    return diagnostic('cli.cannot-write', {
      path: 'the output',
      detail: error.code === 'ENOSPC' ? 'the disk is full' : (error.code ?? error.message),
    });
  const refused = systemRefusal(error);
  if (refused !== undefined) return refused;
  if (terminal.isVerbose)
    terminal.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
  const detail = error instanceof Error ? `${error.name}, ${error.message}` : String(error);
  return diagnostic('cli.bug', { detail: detail.replaceAll(/\s+/g, ' ').replace(/[.\s]+$/, '') });
}

/** Commands write files through ports that throw failures, so a bare error of this kind is about our own output. */
function isWriteError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && (error as NodeJS.ErrnoException).syscall === 'write';
}

/** What can happen besides the command: the reader of our output leaves, Ctrl-C, an unhandled rejection. */
function watchProcess(terminal: Terminal, name: string, watch: InterruptionWatch): void {
  const leave = (error: Diagnostic): never => process.exit(showAnswer(terminal, name, { error }));
  const fail = (thrown: unknown): void => {
    const error = diagnosticOf(thrown, terminal);
    if (!isWriteError(thrown)) leave(error);
    // stdout itself is what cannot be written: stderr is all that is left.
    terminal.error(`error ${error.code}: ${error.message}`);
    process.exit(exitCodeOf(error.code));
  };
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // `plinth info | head`: the reader has what it wanted.
      if (error.code === 'EPIPE') process.exit(0);
      fail(error);
    });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      if (!watch.interrupt(signal !== 'SIGINT')) leave(diagnostic('cli.interrupted', {}));
      if (watch.count !== 1 || signal !== 'SIGINT') return;
      const { models, note } = watch.work ?? { models: () => [], note: terminal.note };
      note(interruptedText(models()));
    });
  process.on('uncaughtException', fail);
}
