import { findModel } from '../../domain/find-model.ts';
import { modelInfo } from '../../domain/model-info.ts';
import { countsByKind, projectInfo, undeclaredExternals } from '../../domain/project-info.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { describeModel } from '../../operations/project/describe-model.ts';
import type { LoadedWorkspace } from '../../operations/project/load-project.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { loadForCommand } from '../load-for-command.ts';
import { modelText } from '../render/model-text.ts';
import { printable } from '../render/printable.ts';
import { counted, renderTable, wrap } from '../render/table.ts';
import type { Terminal } from '../terminal.ts';
import { rangeOption } from '../times.ts';

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const loaded = await loadForCommand(context);
  const [name] = context.arguments;
  if (name !== undefined) return aboutModel(context, loaded, name);
  return {
    dataPieces: () => infoPieces(loaded),
    print: (terminal) => print(terminal, loaded),
    diagnostics: loaded.diagnostics,
    sources: loaded.sources,
  };
}

async function aboutModel(
  context: CommandContext,
  loaded: LoadedWorkspace,
  name: string,
): Promise<CommandAnswer> {
  const found = findModel(loaded.project, name);
  const { sources } = loaded;
  // A model that is missing is most often one whose file could not be read: that is reported with it.
  if (!found.ok)
    return {
      error: found.problem,
      diagnostics: loaded.diagnostics.filter(({ severity }) => severity === 'error'),
      sources,
    };
  const { model } = found;
  const own = loaded.diagnostics.filter(({ at }) => at?.file === model.file);
  const times = { ...rangeOption(context), execution: context.executionTime };
  const { detail, problem } = await describeModel(loaded, model, times);
  return {
    data: detail,
    ...(problem === undefined ? {} : { error: problem }),
    diagnostics: own,
    sources,
    print: (terminal) => {
      for (const line of modelText(terminal, detail)) terminal.out(line);
    },
  };
}

/** The project first, then one model after the other: ten thousand of them are never one object. */
function* infoPieces(loaded: LoadedWorkspace): Generator<string> {
  yield `${JSON.stringify(projectInfo(loaded)).slice(0, -1)},"models":[`;
  let separator = '';
  for (const model of loaded.project.models) {
    yield `${separator}${JSON.stringify(modelInfo(model))}`;
    separator = ',';
  }
  yield ']}';
}

function print(terminal: Terminal, loaded: LoadedWorkspace): void {
  const { project, diagnostics } = loaded;
  // Piped, the table alone is data; everything said about it goes to stderr.
  const say = terminal.mode === 'rich' ? terminal.out : terminal.note;
  for (const line of heading(terminal, loaded)) say(line);
  terminal.out(
    renderTable(
      terminal,
      [
        { title: 'model' },
        { title: 'kind' },
        { title: 'columns', align: 'right' },
        { title: 'reads', isElastic: true },
        { title: 'owner' },
      ],
      project.models.map(({ name, kind, columns, hasAllColumns, dependencies, owner }) => [
        name,
        kind.kind,
        `${columns.length}${hasAllColumns ? '' : '+'}`,
        dependencies.join(', '),
        owner ?? '',
      ]),
    ),
  );
  const externals = undeclaredExternals(loaded);
  if (externals.length > 0) {
    say('');
    const text = `Reads ${counted(externals.length, 'table')} that no file defines: ${listed(externals)}`;
    for (const line of fitted(terminal, text)) say(line);
  }
  say('');
  say(summary(diagnostics));
}

function heading(terminal: Terminal, { project }: LoadedWorkspace): readonly string[] {
  const { config, models, semanticModels, metrics, audits, dqPacks, tests } = project;
  const kinds = Object.entries(countsByKind(project)).map(([kind, count]) => `${count} ${kind}`);
  const rest = [
    [semanticModels.length, 'semantic model'],
    [metrics.length, 'metric'],
    [audits.length, 'audit'],
    [dqPacks.length, 'dq pack'],
    [tests.length, 'model test'],
  ] as const;
  const others = rest.filter(([count]) => count > 0).map(([count, noun]) => counted(count, noun));
  return [
    `${terminal.style('bold', printable(config.displayName ?? config.name))}${config.version === undefined ? '' : ` ${config.version}`}`,
    ...(config.description === undefined ? [] : fitted(terminal, config.description)),
    '',
    ...fitted(
      terminal,
      `${counted(models.length, 'model')}${kinds.length === 0 ? '' : `: ${kinds.join(', ')}`}`,
    ),
    ...(others.length === 0 ? [] : fitted(terminal, others.join(', '))),
    '',
  ];
}

/** Broken into lines for eyes, whole for logs. */
const fitted = (terminal: Terminal, text: string): readonly string[] =>
  terminal.mode === 'rich' ? wrap(printable(text), terminal.width) : [printable(text)];

/** `No errors, 2 warnings` */
function summary(diagnostics: readonly Diagnostic[]): string {
  const count = (severity: Diagnostic['severity']): number =>
    diagnostics.filter((found) => found.severity === severity).length;
  const [errors, warnings, notes] = [count('error'), count('warning'), count('note')];
  return [
    errors === 0 ? 'No errors' : counted(errors, 'error'),
    ...(warnings === 0 ? [] : [counted(warnings, 'warning')]),
    ...(notes === 0 ? [] : [counted(notes, 'note')]),
  ].join(', ');
}

const LISTED_MAX = 12;

function listed(names: readonly string[]): string {
  const shown = names.slice(0, LISTED_MAX).join(', ');
  return names.length > LISTED_MAX ? `${shown} and ${names.length - LISTED_MAX} more` : shown;
}
