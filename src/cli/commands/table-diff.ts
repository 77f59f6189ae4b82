import { environmentName } from '../../domain/environment.ts';
import type { TableDiff } from '../../domain/table-diff.ts';
import { compareModels } from '../../operations/change/compare-models.ts';
import { type ComparisonOptions, compareTables } from '../../operations/change/compare-tables.ts';
import { openWorld } from '../../operations/open-world.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { rowsJson, rowsTable } from '../render/rows.ts';
import { counted, grouped } from '../render/table.ts';
import type { Terminal } from '../terminal.ts';
import { badValue, countOption } from '../times.ts';

const SAMPLES = 10;

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const { arguments: words, switches } = context;
  const [text = '', ...models] = words;
  const [source, target] = sidesOf(text);
  const options = optionsOf(context);
  const world = await openWorld(await context.workspace());
  const exitCodeOf = (diffs: readonly TableDiff[]): Pick<CommandAnswer, 'exitCode'> =>
    switches.has('exit-code') && diffs.some(differs) ? { exitCode: EXIT.changes } : {};
  if (models.length === 0) {
    const diff = await compareTables(world, { source, target }, options);
    return { ...exitCodeOf([diff]), data: diffJson(diff), print: (terminal) => print(terminal, diff) };
  }
  const sides = { source: environmentName(source), target: environmentName(target) };
  const comparisons = await compareModels(world, sides, models, options);
  const diffs = comparisons.filter((each) => 'diff' in each);
  const left = comparisons.filter((each) => 'reason' in each);
  const [first] = diffs;
  const isOne = models.length === 1 && first !== undefined && comparisons.length === 1;
  return {
    ...exitCodeOf(diffs.map(({ diff }) => diff)),
    data: isOne
      ? diffJson(first.diff)
      : { tables: diffs.map(({ model, diff }) => ({ model, ...diffJson(diff) })), not_compared: left },
    print: (terminal) => {
      for (const [index, { model, diff }] of diffs.entries()) {
        if (!isOne) terminal.out(`${index === 0 ? '' : '\n'}${terminal.style('bold', model)}`);
        print(terminal, diff);
      }
      for (const { model, reason } of left)
        terminal.out(`\n${terminal.style('bold', model)}\nnot compared: ${reason}`);
    },
  };
}

function optionsOf(context: CommandContext): ComparisonOptions {
  const { values } = context;
  const listOf = (name: string): readonly string[] | undefined =>
    values
      .get(name)
      ?.split(',')
      .map((column) => column.trim());
  const [key, where, skipped] = [listOf('on'), values.get('where'), listOf('skip-columns')];
  const written = values.get('decimals');
  if (written !== undefined && !/^\d{1,2}$/.test(written))
    throw badValue('decimals', written, 'a whole number from 0 to 99');
  return {
    samplesMax: countOption(context, 'limit') ?? SAMPLES,
    ...(key === undefined ? {} : { key }),
    ...(where === undefined ? {} : { where }),
    ...(skipped === undefined ? {} : { skipped }),
    ...(written === undefined ? {} : { decimals: Number(written) }),
  };
}

function diffJson({ samples, columns, rows, differing }: TableDiff): Readonly<Record<string, unknown>> {
  return {
    columns,
    rows: {
      source: rows.source,
      target: rows.target,
      equal: rows.equal,
      different: rows.different,
      only_source: rows.onlySource,
      only_target: rows.onlyTarget,
      duplicate_keys: rows.duplicateKeys,
    },
    differing,
    samples: {
      different: samples.different === undefined ? null : rowsJson(samples.different),
      only_source: samples.onlySource === undefined ? null : rowsJson(samples.onlySource),
      only_target: samples.onlyTarget === undefined ? null : rowsJson(samples.onlyTarget),
    },
  };
}

function sidesOf(text: string): readonly [string, string] {
  const [source, target, ...more] = text.split(':');
  if (source === undefined || target === undefined || source === '' || target === '' || more.length > 0)
    throw badValue('sides', text, 'two environments or tables with a colon between them, such as prod:dev');
  return [source, target];
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
