import { type LoadedWorkspace, loadProject } from '../operations/load-project.ts';
import { rememberNames } from '../operations/remembered-names.ts';
import type { CommandContext } from './command.ts';
import { withProgress } from './progress.ts';

/** The project of the command line, loaded with progress; leaves its names for shell completion and, with `--verbose`, says what loading cost. */
export async function loadForCommand({ terminal, workspace }: CommandContext): Promise<LoadedWorkspace> {
  const opened = await workspace();
  const began = performance.now();
  const loaded = await withProgress(terminal, 'Loading the project', () => loadProject(opened));
  const ms = performance.now() - began;
  await rememberNames(opened, loaded.project);
  const { loaded: read, analyzed, resolved } = loaded.work;
  if (terminal.isVerbose)
    terminal.note(
      `loaded in ${ms.toFixed(0)} ms: ${read} model files read, ${analyzed} queries analysed, ${resolved} resolved, the rest was known`,
    );
  return loaded;
}
