import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import { type MetricInfo, metricInfos } from '../../domain/metric-info.ts';
import { didYouMean } from '../../foundation/diagnostics/nearest.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { loadForCommand } from '../load-for-command.ts';
import { printable } from '../render/printable.ts';
import { counted, renderTable } from '../render/table.ts';
import type { Terminal } from '../terminal.ts';

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const { project, diagnostics, sources } = await loadForCommand(context);
  const metrics = metricInfos(project);
  const [wanted] = context.arguments;
  if (wanted === undefined)
    return { data: { metrics }, diagnostics, sources, print: (terminal) => list(terminal, metrics) };
  const metric = metrics.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  if (metric === undefined) {
    const names = metrics.map(({ name }) => name);
    const hint = didYouMean(wanted, names) ?? 'plinth metrics lists them';
    return { error: diagnostic('cli.unknown-metric', { name: wanted }, { hint }) };
  }
  return { data: metric, print: (terminal) => detail(terminal, metric) };
}

function list(terminal: Terminal, metrics: readonly MetricInfo[]): void {
  if (metrics.length > 0)
    terminal.out(
      renderTable(
        terminal,
        [
          { title: 'metric' },
          { title: 'type' },
          { title: 'by' },
          { title: 'dimensions', isElastic: true },
          { title: 'description', isElastic: true },
        ],
        metrics.map(({ name, type, granularity, dimensions, description }) => [
          name,
          type,
          granularity ?? '',
          dimensions.map((dimension) => dimension.name).join(', '),
          description ?? '',
        ]),
      ),
    );
  terminal.note(counted(metrics.length, 'metric'));
}

function detail(terminal: Terminal, metric: MetricInfo): void {
  const lines: readonly (readonly [string, string])[] = [
    ['type', metric.type],
    ['of', metric.of],
    ['time', [metric.ts, metric.granularity].filter(Boolean).join(', by ')],
    [
      'dimensions',
      metric.dimensions
        .map(({ name, ref }) => (ref.endsWith(`.${name}`) ? ref : `${name} (${ref})`))
        .join(', '),
    ],
    ['segments', metric.segments.join(', ')],
    ['filters', metric.has_filters ? `see ${metric.file}` : ''],
    ['format', metric.format ?? ''],
    ['owner', metric.owner ?? ''],
    ['tags', metric.tags.join(', ')],
    ['terms', metric.terms.join(', ')],
    ['synonyms', metric.synonyms.join(', ')],
    ['target', metric.target === null ? '' : JSON.stringify(metric.target)],
    ['file', metric.file],
  ];
  terminal.out(terminal.style('bold', metric.title ?? metric.name));
  if (metric.description !== null) terminal.out(printable(metric.description));
  for (const [label, text] of lines)
    if (text !== '') terminal.out(`  ${label.padEnd(10)}  ${printable(text)}`);
  terminal.note(`ask it: plinth query --metric ${metric.name}`);
}
