import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Answer } from '../../domain/engine.ts';
import { failure } from '../../domain/failure.ts';
import { metricInfos } from '../../domain/metric-info.ts';
import { type Caller, OWNER, QUESTION_FILE, type QueryColumn } from '../../domain/semantic-query.ts';
import { arrowStream } from '../../foundation/arrow/arrow-stream.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { answerQuestion } from '../../operations/ask/answer-question.ts';
import { compileOwn } from '../../operations/ask/compile-own.ts';
import { type OwnAsking, openOwn } from '../../operations/ask/open-own.ts';
import type { OwnCompiled, OwnQuestion } from '../../operations/ask/own-question.ts';
import { parquetFile } from '../../operations/ask/parquet-file.ts';
import { querySql } from '../../operations/ask/query-sql.ts';
import { environmentOf, openWorld } from '../../operations/open-world.ts';
import type { LoadedWorkspace } from '../../operations/project/load-project.ts';
import { openGivenFiles } from '../../operations/workspace.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { loadForCommand } from '../load-for-command.ts';
import { conflict, questionOf, textOf } from '../question.ts';
import { refusal } from '../refusal.ts';
import { chartOf } from '../render/chart.ts';
import { rowsJson, rowsText } from '../render/rows.ts';
import { counted } from '../render/table.ts';
import type { Terminal } from '../terminal.ts';
import { badValue, countOption } from '../times.ts';

const FILE_FORMATS = ['parquet', 'arrow'];
/** Formats that are read as they come have no limit but the query's. */
const UNLIMITED = new Set(['csv', 'ndjson', 'parquet', 'arrow']);
const LIMIT = 10_000;

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const isUnnamed = context.lists.get('metric')?.some((name) => name.trim() === '') === true;
  if (isUnnamed) return { error: await metricNeeded(context) };
  const question = questionOf(context);
  const written = context.values.get('sql');
  if (written === undefined && question === undefined)
    return {
      error: diagnostic('cli.missing-argument', {
        command: 'query',
        argument: 'a question: --measures, --metric, --query or --sql',
      }),
    };
  checkOutput(context);
  if (question !== undefined && written !== undefined)
    throw conflict('--sql', '--measures, --metric or --query');
  return question === undefined
    ? askText(context, textOf(written as string))
    : ask(context, {
        kind: 'json',
        data: question,
        isUnlimited: UNLIMITED.has(context.values.get('format') ?? ''),
      });
}

async function askText(context: CommandContext, sql: string): Promise<CommandAnswer> {
  const limit = countOption(context, 'limit');
  return ask(context, { kind: 'sql', sql, ...(limit === undefined ? {} : { limit }) });
}

async function ask(context: CommandContext, question: OwnQuestion): Promise<CommandAnswer> {
  const who = { caller: callerOf(context), now: context.executionTime };
  const compiled = await compileOwn(question, who, () => open(context));
  switch (compiled.kind) {
    case 'compiled':
      return answerOf(context, compiled);
    case 'tables':
      return askSql(context, (question as Extract<OwnQuestion, { readonly kind: 'sql' }>).sql);
    case 'refused':
      return compiled.asking === undefined
        ? refusal(compiled.diagnostics)
        : refused(context, compiled.asking, {
            diagnostics: compiled.diagnostics,
            ...(question.kind === 'sql' ? { sql: question.sql } : {}),
          });
  }
}

/** `--metric` without a name: those that there are. */
async function metricNeeded(context: CommandContext): Promise<Diagnostic> {
  const isRestricted = context.values.has('as-group');
  const names = isRestricted
    ? []
    : metricInfos((await loadForCommand(context)).project).map(({ name }) => name);
  const hint =
    names.length === 0 ? 'plinth metrics lists the metrics' : `the metrics are ${names.join(', ')}`;
  return diagnostic('cli.option-needs-value', { name: '--metric', value: 'NAME' }, { hint });
}

async function askSql(context: CommandContext, sql: string): Promise<CommandAnswer> {
  for (const name of ['show-sql', 'explain', 'chart'])
    if (context.switches.has(name)) throw conflict(`--${name}`, '--sql over models');
  const limit = countOption(context, 'limit');
  const world = await openWorld(await context.workspace());
  const { cancel } = context.interruption();
  const answer = await querySql(world, {
    sql,
    environment: environmentOf(world.config, context.values.get('env')),
    signal: cancel,
    ...(limit === undefined ? {} : { limit }),
  });
  return shown(context, { answer });
}

type Asking = OwnAsking<LoadedWorkspace>;

async function open(context: CommandContext): Promise<Asking> {
  const world = await openWorld(await context.workspace());
  const { switches, values } = context;
  return openOwn(world, {
    environment: environmentOf(world.config, values.get('env')),
    caller: callerOf(context),
    isLocal: switches.has('local'),
    isShown: switches.has('show-sql') || switches.has('explain'),
    load: () => loadForCommand(context),
  });
}

/** The refusal of a question; one that the folder could answer may have been asked of what was applied before. */
function refused(
  { terminal }: CommandContext,
  { folder, environment }: Asking,
  { diagnostics, sql }: { readonly diagnostics: readonly Diagnostic[]; readonly sql?: string },
): CommandAnswer {
  const sources = new Map([
    ...(folder?.sources ?? []),
    ...(sql === undefined ? [] : [[QUESTION_FILE, sql] as const]),
  ]);
  if (folder === undefined)
    terminal.note(
      `Asked as ${environment} was planned; --local asks by the definitions in the project folder.`,
    );
  return refusal(diagnostics, sources);
}

async function answerOf(
  context: CommandContext,
  {
    asking: { world, environment, applied, semantics, folder },
    question,
    hasDefaultLimit,
  }: Extract<OwnCompiled<LoadedWorkspace>, { readonly kind: 'compiled' }>,
): Promise<CommandAnswer> {
  const { switches } = context;
  if (switches.has('show-sql') || switches.has('explain')) {
    const { sql, columns, notes, explanation, rollup = null } = question.plain;
    const text = switches.has('show-sql') ? [sql] : [...explanation, ...notes.map((note) => `note: ${note}`)];
    return {
      data: { sql, explanation, notes, rollup, cols: columns },
      print: (terminal) => terminal.out(text.join('\n')),
    };
  }
  if (applied === undefined) throw failure('environment.unknown', { environment });
  const { cancel } = context.interruption();
  const { answer, compiled, total, changed } = await answerQuestion(world, semantics, {
    ...question,
    environment: applied,
    signal: cancel,
    ...(folder === undefined ? {} : { folder: folder.project }),
  });
  const { sql, columns, notes, rollup = null } = compiled;
  const isCut = hasDefaultLimit && answer.rows.length === LIMIT;
  const from = folder === undefined ? 'environment' : 'folder';
  const definitions = folder === undefined ? 'as planned' : 'by the definitions in the project folder';
  return shown(context, {
    answer,
    columns,
    more: { sql, environment, semantics: { from, changed }, rollup, total: total ?? null, notes },
    notes: [
      ...notes,
      ...(changed.length === 0 ? [] : [`${changed.join(', ')}: edited since ${environment} was planned`]),
      ...(rollup === null ? [] : [`answered by the rollup ${rollup}`]),
      ...(total === undefined ? [] : [`${counted(total, 'row')} in all`]),
      ...(isCut ? [`the first ${counted(LIMIT, 'row')}; --limit or --format csv gives more`] : []),
      `${counted(answer.rows.length, 'row')} from ${environment}, ${definitions}`,
    ],
  });
}

/** Groups are for trying policies; without any, the owner asks. */
function callerOf({ lists }: CommandContext): Caller {
  const groups = lists.get('as-group');
  return groups === undefined ? OWNER : { groups, isUnrestricted: false };
}

function checkOutput({ values, switches, terminal }: CommandContext): void {
  const format = values.get('format');
  if (format === undefined || !FILE_FORMATS.includes(format)) return;
  if (switches.has('chart')) throw conflict('--chart', `--format ${format}`);
  if (terminal.mode === 'json') throw conflict('--json', `--format ${format}`);
  if (!values.has('output') && process.stdout.isTTY === true)
    throw badValue('format', format, 'a file (-o FILE) or a pipe, because it is not text');
}

interface Shown {
  readonly answer: Answer;
  /** What is known of semantic columns. */
  readonly columns?: readonly QueryColumn[];
  /** Beside the rows in `--json`. */
  readonly more?: Readonly<Record<string, unknown>>;
  readonly notes?: readonly string[];
}

async function shown(
  context: CommandContext,
  { answer, columns, more, notes = [] }: Shown,
): Promise<CommandAnswer> {
  const { values, switches } = context;
  const format = values.get('format');
  const output = values.get('output');
  const formats = columns?.map((column) => column.format) ?? [];
  const data = { ...rowsJson(answer), ...more };
  const tell = (terminal: Terminal): void => {
    for (const note of notes) terminal.note(note);
  };
  if (format === 'parquet' || format === 'arrow') {
    const bytes =
      format === 'arrow'
        ? arrowStream(answer.columns, answer.rows)
        : await parquetFile(await context.workspace(), answer);
    if (output === undefined) process.stdout.write(bytes);
    else openGivenFiles().write(output, bytes);
    return { data, print: tell };
  }
  return {
    data,
    print: (terminal) => {
      if (switches.has('chart')) drawChart(terminal, { answer, columns: columns ?? [] });
      else {
        const text = rowsText(terminal, answer, { format, formats });
        if (output !== undefined) openGivenFiles().write(output, `${text}\n`);
        else if (text !== '') terminal.out(text);
      }
      tell(terminal);
    },
  };
}

function drawChart(
  terminal: Terminal,
  { answer, columns }: { readonly answer: Answer; readonly columns: readonly QueryColumn[] },
): void {
  const chart = chartOf({ answer, columns, width: terminal.width, hasUnicode: terminal.hasUnicode });
  if (chart.ok) {
    terminal.out(chart.text);
    return;
  }
  terminal.note(`no chart suits this answer: ${chart.why}`);
  const formats = columns.map((column) => column.format);
  terminal.out(rowsText(terminal, answer, { formats }));
}
