import { diagnostic } from '../domain/diagnostics/catalog.ts';
import { Failure } from '../domain/failure.ts';
import { didYouMean } from '../foundation/diagnostics/nearest.ts';
import { type LoadedWorkspace, loadProject } from '../operations/project/load-project.ts';
import { rememberNames } from '../operations/project/remembered-names.ts';
import type { CommandContext } from './command.ts';
import { withProgress } from './progress.ts';
import { counted } from './render/table.ts';

/** The project of the command line, loaded with progress; leaves its names for shell completion and, with `--verbose`, says what loading cost. */
export async function loadForCommand({
  terminal,
  values,
  workspace,
}: CommandContext): Promise<LoadedWorkspace> {
  const opened = await workspace();
  const began = performance.now();
  const loaded = await withProgress(terminal, 'Loading the project', () => loadProject(opened));
  const ms = performance.now() - began;
  await rememberNames(opened, loaded.project);
  checkGateway(values.get('gateway'), Object.keys(loaded.project.config.gateways));
  const { loaded: read, analyzed, resolved } = loaded.work;
  if (terminal.isVerbose)
    terminal.note(
      `loaded in ${ms.toFixed(0)} ms: ${counted(read, 'model file')} read, ${counted(analyzed, 'query', 'queries')} analysed, ${resolved} resolved, the rest was known`,
    );
  return loaded;
}

/** A gateway that is misspelled must not silently become the default one. */
function checkGateway(name: string | undefined, known: readonly string[]): void {
  if (name === undefined || known.includes(name)) return;
  throw new Failure(
    diagnostic(
      'cli.bad-value',
      { name: '--gateway', value: name, expected: known.join(', ') },
      { hint: didYouMean(name, known) },
    ),
  );
}
