import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Answer } from '../../domain/engine.ts';
import type { Environment } from '../../domain/environment.ts';
import { failure } from '../../domain/failure.ts';
import type { QueryColumn } from '../../domain/semantic-query.ts';
import { arrowStream } from '../../foundation/arrow/arrow-stream.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { appliedSemantics } from '../../operations/applied-semantics.ts';
import { parquetFile, writeAnswer } from '../../operations/ask/answer-file.ts';
import { viewOfGroups } from '../../operations/ask/as-group.ts';
import { metricInfos } from '../../operations/ask/metrics.ts';
import type { Semantics } from '../../operations/ask/query.ts';
import {
  type AskedQuestion,
  answerQuestion,
  compileSemantic,
  OWNER,
  readQuestion,
  type SemanticRequest,
} from '../../operations/ask/query-semantic.ts';
import { querySql } from '../../operations/ask/query-sql.ts';
import {
  bareTables,
  compileSqlQuestion,
  hasSemanticTable,
  type ModelTables,
  OPEN_TABLES,
  QUESTION_FILE,
} from '../../operations/ask/semantic-sql.ts';
import {
  appliedEnvironment,
  environmentOf,
  namingOf,
  type OpenedWorld,
  openWorld,
} from '../../operations/open-world.ts';
import type { LoadedWorkspace } from '../../operations/project/load-project.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { loadForCommand } from '../load-for-command.ts';
import { conflict, type QuestionJson, questionOf, textOf } from '../question.ts';
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
  if (question !== undefined) {
    if (written !== undefined) throw conflict('--sql', '--measures, --metric or --query');
    return askMembers(context, question);
  }
  const sql = textOf(written as string);
  // Only names without a schema can be semantic models; for others the project need not be loaded.
  const names = bareTables(sql);
  const isRestricted = context.values.has('as-group');
  if (names.length === 0 && !isRestricted) return askSql(context, sql);
  const asking = await open(context);
  return isRestricted || hasSemanticTable(asking.semantics, callerOf(context), names)
    ? askSemanticSql(context, asking, sql)
    : askSql(context, sql);
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

/** What questions are compiled from, and the world their rows are in. */
interface Asking {
  readonly world: OpenedWorld;
  readonly environment: string;
  /** Undefined when nothing was applied: then questions can be shown, not asked. */
  readonly applied?: Environment;
  readonly semantics: Semantics;
  /** Models that SQL may name, and what may be read of them. */
  readonly models: readonly string[];
  readonly tables: ModelTables;
  /** When the semantics are those of the folder. */
  readonly folder?: LoadedWorkspace;
}

/** Semantics as the environment was planned with; those of the folder with `--local`, and where nothing was stored. */
async function open(context: CommandContext): Promise<Asking> {
  const world = await openWorld(await context.workspace());
  const environment = environmentOf(world.config, context.values.get('env'));
  const isShown = context.switches.has('show-sql') || context.switches.has('explain');
  const applied = isShown
    ? await world.state.snapshots.environment(environment)
    : await appliedEnvironment(world, environment);
  const stored =
    applied === undefined || context.switches.has('local')
      ? undefined
      : await appliedSemantics(world, applied);
  const caller = callerOf(context);
  const hasStored =
    stored !== undefined &&
    (stored === 'unreadable'
      ? !caller.isUnrestricted
      : stored.semanticModels.length + stored.metrics.length > 0);
  const folder = hasStored ? undefined : await loadForCommand(context);
  const semantics = hasStored ? stored : (folder as LoadedWorkspace).project;
  const asking = {
    world,
    environment,
    ...(applied === undefined ? {} : { applied }),
    ...(folder === undefined ? {} : { folder }),
  };
  if (!caller.isUnrestricted || semantics === 'unreadable')
    return {
      ...asking,
      ...(await viewOfGroups(world, caller, { applied, semantics, folder: folder?.project })),
    };
  const models = applied?.entries.map(({ model }) => model) ?? semantics.models.map(({ name }) => name);
  return { ...asking, semantics, models, tables: OPEN_TABLES };
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

async function askSemanticSql(context: CommandContext, asking: Asking, sql: string): Promise<CommandAnswer> {
  const { world, environment, semantics, models, tables } = asking;
  const limit = countOption(context, 'limit');
  const question = {
    sql,
    caller: callerOf(context),
    now: context.executionTime,
    models,
    tables,
    ...(limit === undefined ? {} : { limit }),
  };
  const result = compileSqlQuestion(semantics, question, placeOf(world, environment));
  if (!result.ok) return refused(context, asking, { diagnostics: result.diagnostics, sql });
  return answerOf(context, asking, { plain: result.compiled, words: bareTables(sql) });
}

async function askMembers(context: CommandContext, question: QuestionJson): Promise<CommandAnswer> {
  const read = readQuestion(question);
  if (!read.ok) return refusal(read.diagnostics);
  const { query } = read;
  const isUnlimited = UNLIMITED.has(context.values.get('format') ?? '');
  const asking = await open(context);
  const { world, environment, semantics } = asking;
  const request = { query, caller: callerOf(context), now: context.executionTime, isUnlimited };
  const place = placeOf(world, environment);
  const result = compileSemantic(semantics, request, place);
  if (!result.ok) return refused(context, asking, result);
  const words = [...query.measures, ...query.dimensions];
  const hasDefaultLimit = query.limit === undefined && !isUnlimited;
  const withRollups: AskedQuestion['withRollups'] = (rollups) =>
    compileSemantic(semantics, request, { ...place, rollups });
  return answerOf(context, asking, { plain: result.compiled, withRollups, words, hasDefaultLimit });
}

async function answerOf(
  context: CommandContext,
  { world, environment, applied, semantics, folder }: Asking,
  {
    hasDefaultLimit = false,
    ...question
  }: Omit<AskedQuestion, 'environment'> & { readonly hasDefaultLimit?: boolean },
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

const placeOf = ({ config, engine }: OpenedWorld, environment: string) => ({
  naming: namingOf(config, environment, engine.capabilities.identifierMax),
  dialect: engine.dialect,
});

/** Groups are for trying policies; without any, the owner asks. */
function callerOf({ lists }: CommandContext): SemanticRequest['caller'] {
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
    else writeAnswer(output, bytes);
    return { data, print: tell };
  }
  return {
    data,
    print: (terminal) => {
      if (switches.has('chart')) drawChart(terminal, { answer, columns: columns ?? [] });
      else {
        const text = rowsText(terminal, answer, { format, formats });
        if (output !== undefined) writeAnswer(output, `${text}\n`);
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
