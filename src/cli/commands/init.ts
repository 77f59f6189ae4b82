import { relative, resolve } from 'node:path';
import { init } from '../../operations/project/init.ts';
import { refuseForeignFiles } from '../../operations/project/sample/sample-marker.ts';
import { sampleScale } from '../../operations/project/sample.ts';
import { openFolder } from '../../operations/workspace.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { counted } from '../render/table.ts';
import { generate } from './sample.ts';

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const { switches, values, terminal } = context;
  const isEmpty = switches.has('empty');
  // Checked before anything is written.
  const scale = sampleScale(values.get('scale') ?? '1');
  const given = context.arguments[0] ?? values.get('project') ?? 'shop';
  const writer = openFolder(given);
  // Before anything is written; --force only adds what is missing.
  if (!isEmpty && switches.has('force')) refuseForeignFiles(writer);
  const { created, kept } = init(writer, {
    example: isEmpty ? undefined : 'shop',
    isForced: switches.has('force'),
  });
  const sampled = isEmpty ? undefined : await generate(writer, { scale, isForced: false }, terminal);
  return {
    data: { folder: writer.folder, created, kept, sample: sampled?.data ?? null },
    print: ({ out, style }) => {
      const shown = relative(process.cwd(), resolve(given)) || '.';
      const models = created.filter((path) => path.startsWith('models/') && path.endsWith('.sql')).length;
      const what = isEmpty
        ? 'a project with one model'
        : `the shop example, ${counted(models, 'model file')}`;
      out(`  ${style('green', 'Created')}  ${shown}/  ${what}`);
      if (kept.length > 0) out(`  Kept     ${counted(kept.length, 'file')} that existed already`);
      sampled?.print(terminal);
      out('');
      out(`  ${style('bold', 'Next')}`);
      if (shown !== '.') out(`    cd ${/\s/.test(shown) ? `'${shown}'` : shown}`);
      for (const [line, does] of nextSteps(isEmpty)) out(`    ${style('cyan', line.padEnd(36))} ${does}`);
      if (!isEmpty) out('\n  More data: plinth sample --scale 10');
    },
  };
}

function nextSteps(isEmpty: boolean): readonly (readonly [line: string, does: string])[] {
  return [
    ['plinth info', 'what is in it'],
    ['plinth plan', 'what would be built, and build it'],
    isEmpty
      ? ['plinth render marts.first_model', 'the SQL of the model']
      : ['plinth lineage marts.orders.revenue', 'where a number comes from'],
  ];
}
