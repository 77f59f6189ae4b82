import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import { findModel } from '../../domain/find-model.ts';
import type { Model } from '../../domain/model.ts';
import { isoInstant } from '../../foundation/time/iso.ts';
import { render } from '../../operations/project/render.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { loadForCommand } from '../load-for-command.ts';
import { rangeOption } from '../times.ts';

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const { switches, values, arguments: words } = context;
  const times = { ...rangeOption(context), execution: context.executionTime };
  const loaded = await loadForCommand(context);
  const found = findModel(loaded.project, words[0] as string);
  const errors = loaded.diagnostics.filter(({ severity }) => severity === 'error');
  // A model that is missing is most often one whose file could not be read: that is reported with it.
  if (!found.ok) return { error: found.problem, diagnostics: errors, sources: loaded.sources };
  const { model } = found;
  const own = { diagnostics: errors.filter(({ at }) => at?.file === model.file), sources: loaded.sources };
  if (switches.has('raw')) return { ...rawAnswer(model), ...own };
  const rendered = await render(loaded, {
    model,
    times,
    dialect: values.get('dialect'),
    isFormatted: switches.has('format'),
  });
  const isWhole = switches.has('all');
  const statements = isWhole
    ? [...rendered.preStatements, rendered.query, ...rendered.postStatements, ...rendered.onVirtualUpdate]
    : [rendered.query];
  return {
    data: {
      model: model.name,
      dialect: rendered.dialect,
      start: isoInstant(times.start),
      end: isoInstant(times.end),
      execution_time: isoInstant(times.execution),
      sql: rendered.query,
      ...(isWhole
        ? {
            pre_statements: rendered.preStatements,
            post_statements: rendered.postStatements,
            on_virtual_update: rendered.onVirtualUpdate,
          }
        : {}),
    },
    print: (terminal) => terminal.out(isWhole ? `${statements.join(';\n\n')};` : rendered.query),
    ...own,
  };
}

function rawAnswer(model: Model): CommandAnswer {
  if (model.source.kind !== 'sql')
    return {
      error: diagnostic('cli.not-rendered', {
        model: model.name,
        detail: `a model of kind ${model.kind.kind} has no query of its own`,
      }),
    };
  const sql = model.source.query.text.trim();
  return {
    data: { model: model.name, dialect: model.dialect, sql },
    print: (terminal) => terminal.out(sql),
  };
}
