import type { ModelDetail } from '../../domain/model-detail.ts';
import type { Terminal } from '../terminal.ts';
import { printable } from './printable.ts';
import { renderTable, wrap } from './table.ts';

/** One model for eyes: what it is, what guards and reads it, its columns, its SQL. */
export function* modelText(terminal: Terminal, model: ModelDetail): Generator<string> {
  const options = Object.entries(model.kind_options).map(([name, value]) => `${name} ${value}`);
  const kind = `${model.kind}${options.length === 0 ? '' : ` (${options.join(', ')})`}`;
  yield `${terminal.style('bold', printable(model.name))}  ${printable(kind)}`;
  if (model.description !== null)
    yield* terminal.mode === 'rich'
      ? wrap(printable(model.description), terminal.width)
      : [printable(model.description)];
  yield '';
  for (const [label, text] of factsOf(model)) if (text !== '') yield* fact(terminal, label, text);
  yield '';
  if (model.columns.length > 0)
    yield renderTable(
      terminal,
      [{ title: 'column' }, { title: 'type' }, { title: 'description', isElastic: true }],
      model.columns.map(({ name, type, description }) => [name, type, description ?? '']),
    );
  if (!model.has_all_columns) yield 'and the columns of a table that no file describes';
  if (model.sql !== null) yield* ['', printable(model.sql)];
}

const factsOf = (model: ModelDetail): readonly (readonly [string, string])[] => [
  ['file', model.file],
  ['owner', model.owner ?? ''],
  ['cron', model.cron],
  ['start', model.start ?? ''],
  ['grain', model.grains.map((grain) => grain.join(', ')).join('; ')],
  ['tags', model.tags.join(', ')],
  ['reads', model.dependencies.join(', ')],
  ['read by', readersText(model.read_by)],
  [
    'audits',
    [...model.audit_calls, ...model.standalone_audits.map((name) => `standalone ${name}`)].join(', '),
  ],
  ['checks', model.dq_packs.join(', ')],
  ['tests', model.tests.join(', ')],
];

const readersText = ({ models, semantic_models, metrics }: ModelDetail['read_by']): string =>
  [
    ...models,
    ...semantic_models.map((name) => `semantic model ${name}`),
    ...metrics.map((name) => `metric ${name}`),
  ].join(', ');

const LABEL_WIDTH = 9;

function* fact(terminal: Terminal, label: string, text: string): Generator<string> {
  const lines =
    terminal.mode === 'rich'
      ? wrap(printable(text), Math.max(20, terminal.width - LABEL_WIDTH - 2))
      : [printable(text)];
  for (const [index, line] of lines.entries())
    yield `  ${(index === 0 ? label : '').padEnd(LABEL_WIDTH)}${line}`;
}
