import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import { didYouMean } from '../../foundation/diagnostics/nearest.ts';
import { schemas } from '../../operations/project/schemas.ts';
import { openFolder } from '../../operations/workspace.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { counted, renderTable } from '../render/table.ts';

export async function run({ arguments: [kind], values }: CommandContext): Promise<CommandAnswer> {
  const all = schemas();
  const kinds = Object.keys(all);
  const folder = values.get('all');
  if (folder !== undefined) {
    if (kind !== undefined)
      return { error: diagnostic('cli.conflicting-options', { one: '--all', other: kind }) };
    return writeAll(all, folder);
  }
  if (kind === undefined)
    return {
      data: { kinds },
      print: (terminal) =>
        terminal.out(
          renderTable(
            terminal,
            [{ title: 'kind' }, { title: 'files', isElastic: true }],
            Object.entries(all).map(([name, schema]) => [name, titleOf(schema)]),
          ),
        ),
    };
  if (!Object.hasOwn(all, kind))
    return {
      error: diagnostic(
        'cli.bad-value',
        { name: 'kind', value: kind, expected: kinds.join(', ') },
        { hint: didYouMean(kind, kinds) },
      ),
    };
  return { data: all[kind], print: (terminal) => terminal.out(JSON.stringify(all[kind], null, 2)) };
}

function writeAll(all: Readonly<Record<string, unknown>>, folder: string): CommandAnswer {
  const writer = openFolder(folder);
  const files = Object.keys(all).map((kind) => `${kind}.json`);
  for (const [kind, schema] of Object.entries(all))
    writer.replace(`${kind}.json`, `${JSON.stringify(schema, null, 2)}\n`);
  return {
    data: { folder: writer.folder, files },
    print: (terminal) => terminal.note(`wrote ${counted(files.length, 'schema')} to ${folder}`),
  };
}

function titleOf(schema: unknown): string {
  const title = (schema as { readonly title?: unknown }).title;
  return typeof title === 'string' ? title.replace(/^Plinth: /, '') : '';
}
