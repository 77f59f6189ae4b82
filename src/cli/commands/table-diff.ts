import { environmentName } from '../../domain/environment.ts';
import { type ComparedSides, compareTables } from '../../operations/compare-tables.ts';
import { openWorld } from '../../operations/open-world.ts';
import type { TableDiff } from '../../operations/table-diff.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { rowsJson, rowsTable } from '../render/rows.ts';
import { counted, grouped } from '../render/table.ts';
import type { Terminal } from '../terminal.ts';
import { badValue, countOption } from '../times.ts';

const SAMPLES = 10;

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const { arguments: words, values, switches } = context;
  const sides = sidesOf(words[0] as string, words[1]);
  const samplesMax = countOption(context, 'limit') ?? SAMPLES;
  const on = values
    .get('on')
    ?.split(',')
    .map((column) => column.trim());
  const where = values.get('where');
  const world = await openWorld(await context.workspace());
  const diff = await compareTables(world, sides, {
    samplesMax,
    ...(on === undefined ? {} : { key: on }),
    ...(where === undefined ? {} : { where }),
  });
  const { samples, ...rest } = diff;
  return {
    ...(switches.has('exit-code') && differs(diff) ? { exitCode: EXIT.changes } : {}),
    data: {
      columns: rest.columns,
      rows: {
        source: rest.rows.source,
        target: rest.rows.target,
        equal: rest.rows.equal,
        different: rest.rows.different,
        only_source: rest.rows.onlySource,
        only_target: rest.rows.onlyTarget,
        duplicate_keys: rest.rows.duplicateKeys,
      },
      differing: rest.differing,
      samples: {
        different: samples.different === undefined ? null : rowsJson(samples.different),
        only_source: samples.onlySource === undefined ? null : rowsJson(samples.onlySource),
        only_target: samples.onlyTarget === undefined ? null : rowsJson(samples.onlyTarget),
      },
    },
    print: (terminal) => print(terminal, diff),
  };
}

function sidesOf(text: string, model: string | undefined): ComparedSides {
  const [source, target, ...more] = text.split(':');
  if (source === undefined || target === undefined || source === '' || target === '' || more.length > 0)
    throw badValue('sides', text, 'two environments or tables with a colon between them, such as prod:dev');
  if (model === undefined) return { kind: 'tables', source, target };
  return { kind: 'environments', source: environmentName(source), target: environmentName(target), model };
}

const differs = ({ rows, columns }: TableDiff): boolean =>
  rows.different + rows.onlySource + rows.onlyTarget + rows.duplicateKeys > 0 ||
  columns.added.length + columns.removed.length + columns.retyped.length > 0;

function print(terminal: Terminal, { columns, rows, differing, samples }: TableDiff): void {
  for (const { name, type } of columns.added) terminal.out(`+ column ${name} ${type}`);
  for (const { name, type } of columns.removed) terminal.out(`- column ${name} ${type}`);
  for (const { name, source, target } of columns.retyped)
    terminal.out(`~ column ${name} ${source} became ${target}`);
  terminal.out(`${counted(rows.source, 'row')} in the source, ${grouped(rows.target)} in the target`);
  terminal.out(
    `${grouped(rows.equal)} equal, ${grouped(rows.different)} different, ${grouped(rows.onlySource)} only in the source, ${grouped(rows.onlyTarget)} only in the target`,
  );
  if (rows.duplicateKeys > 0)
    terminal.out(`${counted(rows.duplicateKeys, 'key')} not unique: their rows are paired with each other`);
  for (const { column, rows: count } of differing)
    terminal.out(`  ${column} differs in ${counted(count, 'row')}`);
  const parts = [
    ['Different', samples.different],
    ['Only in the source', samples.onlySource],
    ['Only in the target', samples.onlyTarget],
  ] as const;
  for (const [title, answer] of parts)
    if (answer !== undefined) {
      terminal.out(`\n${title}`);
      terminal.out(rowsTable(terminal, answer));
    }
}
