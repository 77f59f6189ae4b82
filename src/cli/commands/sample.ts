import { failure } from '../../domain/failure.ts';
import type { FileWriter } from '../../domain/file-writer.ts';
import { sample, sampleScale } from '../../operations/project/sample.ts';
import { openFolder } from '../../operations/workspace.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { withProgress } from '../progress.ts';
import { grouped } from '../render/table.ts';
import type { Terminal } from '../terminal.ts';

export async function run({ folder, terminal, switches, values }: CommandContext): Promise<CommandAnswer> {
  const scale = sampleScale(values.get('scale') ?? '1');
  const writer = openFolder(folder);
  const entries = writer.entries();
  if (entries === undefined) throw failure('project.no-folder', { folder: writer.folder });
  if (!entries.includes('config.yaml') && !entries.includes('models'))
    throw failure('project.nothing-found', { folder: writer.folder });
  const { data, print } = await generate(writer, { scale, isForced: switches.has('force') }, terminal);
  return { data, print };
}

/** Generates the sample with progress; the answer's parts are shared with init. */
export async function generate(
  writer: FileWriter,
  { scale, isForced }: { readonly scale: number; readonly isForced: boolean },
  terminal: Terminal,
): Promise<{ readonly data: unknown; readonly print: (terminal: Terminal) => void }> {
  const began = performance.now();
  const files = await withProgress(terminal, 'Generating data', (progress) =>
    sample(writer, {
      scale,
      isForced,
      onProgress: (bytes) => progress.update(`${grouped(Math.round(bytes / 1e6))} MB`),
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  const orders = files.find(({ path }) => path === 'data/orders.csv')?.rows ?? 0;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return {
    data: { scale, files: files.map(({ path, rows, bytes: size }) => ({ path, rows, bytes: size })) },
    print: ({ out, style }) =>
      out(
        `  ${style('green', 'Data')}     ${grouped(orders)} orders over three years, ${(bytes / 1e6).toFixed(1)} MB in ${files.length} files (${seconds.toFixed(1)} s, the same on every machine)`,
      ),
  };
}
