import type { ExternalFile, ExternalTable } from '../../domain/external-file.ts';
import { describeExternals } from '../../operations/project/describe-externals.ts';
import { openFolder } from '../../operations/workspace.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { loadForCommand } from '../load-for-command.ts';
import { counted } from '../render/table.ts';
import { unifiedDiff } from '../render/unified-diff.ts';
import type { Terminal } from '../terminal.ts';

const WORDS: Readonly<Record<ExternalTable['status'], string>> = {
  written: 'written',
  same: 'as it was',
  kept: 'yours, left as it is',
  missing: 'not in the warehouse',
  removed: 'removed: no model reads it',
};

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const { switches } = context;
  const loaded = await loadForCommand(context);
  const workspace = await context.workspace();
  const file = await describeExternals(workspace, loaded);
  const { path, before, after, tables } = file;
  const isChanged = after !== before;
  const isDry = switches.has('check') || switches.has('diff');
  if (isChanged && !isDry) {
    const writer = openFolder(workspace.folder);
    if (!writer.create(path, after)) writer.replace(path, after);
  }
  return {
    data: { path, changed: isChanged, written: isChanged && !isDry, tables },
    print: (terminal) => print(terminal, file, { isDry, hasDiff: switches.has('diff') }),
    exitCode: switches.has('check') && isChanged ? EXIT.workFailed : EXIT.ok,
    sources: loaded.sources,
  };
}

function print(
  terminal: Terminal,
  { path, before, after, tables }: ExternalFile,
  { isDry, hasDiff }: { readonly isDry: boolean; readonly hasDiff: boolean },
): void {
  if (hasDiff && after !== before) terminal.out(unifiedDiff(path, before, after));
  for (const { name, status, columns } of tables)
    terminal.out(
      `${name}  ${columns === undefined ? '' : `${counted(columns, 'column')}, `}${WORDS[status]}`,
    );
  const verb = isDry ? 'would change' : 'is written';
  if (tables.length === 0) terminal.note('every table that models read is made by a model');
  else terminal.note(after === before ? `${path} stays as it is` : `${path} ${verb}`);
}
