import { failure } from '../../domain/failure.ts';
import { exportState } from '../../operations/change/export-state.ts';
import { importState } from '../../operations/change/import-state.ts';
import { openWorld } from '../../operations/open-world.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { counted } from '../render/table.ts';
import { rebuild } from './state-rebuild.ts';

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const [action, file] = context.arguments;
  const { terminal } = context;
  if (action === 'rebuild') return rebuild(context);
  for (const option of ['afresh', 'yes'])
    if (context.switches.has(option))
      throw failure('cli.unknown-option', { name: `--${option}`, command: `state ${action}` });
  const workspace = await context.workspace();
  if (action === 'import') {
    const lines = await importState(workspace, file);
    return {
      data: { lines },
      print: () => terminal.note(`${counted(lines, 'record')} imported`),
    };
  }
  if (file === undefined && terminal.mode === 'json')
    throw failure('cli.missing-argument', {
      command: 'state export',
      argument: 'a file, because --json prints one line only',
    });
  const world = await openWorld(workspace);
  const write =
    file === undefined && terminal.mode !== 'json' ? (line: string) => terminal.out(line) : undefined;
  const lines = await exportState(world, { file, write });
  return {
    data: { lines, file: file ?? null },
    print: () => terminal.note(`${counted(lines, 'record')} exported`),
  };
}
