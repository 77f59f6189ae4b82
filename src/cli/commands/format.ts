import { relative, resolve, sep } from 'node:path';
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import { Failure } from '../../domain/failure.ts';
import { didYouMean } from '../../foundation/diagnostics/nearest.ts';
import { type FormatResult, formatFiles, formattablePaths } from '../../operations/project/format-files.ts';
import type { LoadedWorkspace } from '../../operations/project/load-project.ts';
import { openFolder } from '../../operations/workspace.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { loadForCommand } from '../load-for-command.ts';
import { counted } from '../render/table.ts';
import { unifiedDiff } from '../render/unified-diff.ts';
import type { Terminal } from '../terminal.ts';

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const { switches } = context;
  const loaded = await loadForCommand(context);
  const { folder } = await context.workspace();
  const result = formatFiles(loaded, wantedPaths(context, folder, loaded));
  const isDry = switches.has('check') || switches.has('diff');
  const writer = openFolder(folder);
  if (!isDry) for (const { path, after } of result.changed) writer.replace(path, after);
  return {
    data: { files: result.files, changed: result.changed.map(({ path }) => path), written: !isDry },
    print: (terminal) => print(terminal, result, { isDry, hasDiff: switches.has('diff') }),
    exitCode: switches.has('check') && result.changed.length > 0 ? EXIT.workFailed : EXIT.ok,
    diagnostics: result.diagnostics,
    sources: loaded.sources,
  };
}

function print(
  terminal: Terminal,
  { files, changed }: FormatResult,
  { isDry, hasDiff }: { readonly isDry: boolean; readonly hasDiff: boolean },
): void {
  for (const { path, before, after } of changed)
    terminal.out(hasDiff ? painted(terminal, unifiedDiff(path, before, after)) : path);
  const verb = isDry ? 'would change' : changed.length === 1 ? 'was laid out' : 'were laid out';
  terminal.note(
    changed.length === 0
      ? `${counted(files, 'file')}, all laid out as they should be`
      : `${changed.length} of ${counted(files, 'file')} ${verb}`,
  );
}

function painted(terminal: Terminal, diff: string): string {
  return diff
    .split('\n')
    .map((line) =>
      line.startsWith('+')
        ? terminal.style('green', line)
        : line.startsWith('-')
          ? terminal.style('red', line)
          : line,
    )
    .join('\n');
}

/** Paths are the shell's, so they are relative to where the command was started, else to the project; each must name something. */
function wantedPaths(
  { arguments: words }: CommandContext,
  folder: string,
  loaded: LoadedWorkspace,
): (path: string) => boolean {
  if (words.length === 0) return () => true;
  const known = formattablePaths(loaded);
  const wanted = words.map((word) => {
    const meant = [resolve(word), resolve(folder, word)].map((path) =>
      relative(folder, path).replaceAll(sep, '/'),
    );
    for (const inside of meant) {
      const covers = (path: string): boolean =>
        inside === '' || path === inside || path.startsWith(`${inside}/`);
      if (known.some(covers)) return covers;
    }
    const expected = 'a .sql file or folder below models/ or audits/ of the project';
    throw new Failure(
      diagnostic(
        'cli.bad-value',
        { name: 'paths', value: word, expected },
        { hint: didYouMean(meant.find((path) => !path.startsWith('../')) ?? word, known) },
      ),
    );
  });
  return (path) => wanted.some((covers) => covers(path));
}
