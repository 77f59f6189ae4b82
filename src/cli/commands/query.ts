import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Answer } from '../../domain/engine.ts';
import type { QueryColumn } from '../../domain/semantic-query.ts';
import { arrowStream } from '../../foundation/arrow/arrow-stream.ts';
import { parquetFile, writeAnswer } from '../../operations/answer-file.ts';
import type { LoadedWorkspace } from '../../operations/load-project.ts';
import { environmentOf, namingOf, type OpenedWorld, openWorld } from '../../operations/open-world.ts';
import {
  type AskedQuestion,
  answerQuestion,
  compileSemantic,
  OWNER,
  readQuestion,
  type SemanticRequest,
} from '../../operations/query-semantic.ts';
import { querySql } from '../../operations/query-sql.ts';
import {
  bareTables,
  compileSqlQuestion,
  hasSemanticTable,
  QUESTION_FILE,
} from '../../operations/semantic-sql.ts';
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
  return isRestricted || hasSemanticTable(asking.loaded.project, names)
    ? askSemanticSql(context, asking, sql)
    : askSql(context, sql);
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

/** What semantics are asked with: the project, and the world its rows are in. */
interface Asking {
  readonly loaded: LoadedWorkspace;
  readonly world: OpenedWorld;
  readonly environment: string;
}

async function open(context: CommandContext): Promise<Asking> {
  const opening = openWorld(await context.workspace());
  // Asked for first: another process opens the warehouse while this one loads without many pauses.
  await opening.catch(() => undefined);
  const [loaded, world] = await Promise.all([loadForCommand(context), opening]);
  return { loaded, world, environment: environmentOf(world.config, context.values.get('env')) };
}

async function askSemanticSql(context: CommandContext, asking: Asking, sql: string): Promise<CommandAnswer> {
  const { loaded, world, environment } = asking;
  const limit = countOption(context, 'limit');
  const question = {
    sql,
    caller: callerOf(context),
    now: context.executionTime,
    ...(limit === undefined ? {} : { limit }),
  };
  const result = compileSqlQuestion(loaded.project, question, placeOf(world, environment));
  if (!result.ok) return refusal(result.diagnostics, new Map([...loaded.sources, [QUESTION_FILE, sql]]));
  return answerOf(context, asking, { plain: result.compiled, words: bareTables(sql) });
}

async function askMembers(context: CommandContext, question: QuestionJson): Promise<CommandAnswer> {
  const read = readQuestion(question);
  if (!read.ok) return refusal(read.diagnostics);
  const { query } = read;
  const isUnlimited = UNLIMITED.has(context.values.get('format') ?? '');
  const asking = await open(context);
  const { loaded, world, environment } = asking;
  const request = { query, caller: callerOf(context), now: context.executionTime, isUnlimited };
  const result = compileSemantic(loaded.project, request, placeOf(world, environment));
  if (!result.ok) return refusal(result.diagnostics, loaded.sources);
  const words = [...query.measures, ...query.dimensions];
  const hasDefaultLimit = query.limit === undefined && !isUnlimited;
  const withRollups: AskedQuestion['withRollups'] = (rollups) =>
    compileSemantic(loaded.project, request, { ...placeOf(world, environment), rollups });
  return answerOf(context, asking, { plain: result.compiled, withRollups, words, hasDefaultLimit });
}

async function answerOf(
  context: CommandContext,
  { loaded, world, environment }: Asking,
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
  const { cancel } = context.interruption();
  const asked = { ...question, environment, signal: cancel };
  const { answer, compiled, total, changed } = await answerQuestion(world, loaded.project, asked);
  const { sql, columns, notes, rollup = null } = compiled;
  const isCut = hasDefaultLimit && answer.rows.length === LIMIT;
  const differs = `${changed.join(', ')}: as in the project folder, which differs from what ${environment} was planned with`;
  return shown(context, {
    answer,
    columns,
    more: { sql, environment, semantics: { from: 'folder', changed }, rollup, total: total ?? null, notes },
    notes: [
      ...notes,
      ...(changed.length === 0 ? [] : [differs]),
      ...(rollup === null ? [] : [`answered by the rollup ${rollup}`]),
      ...(total === undefined ? [] : [`${counted(total, 'row')} in all`]),
      ...(isCut ? [`the first ${counted(LIMIT, 'row')}; --limit or --format csv gives more`] : []),
      `${counted(answer.rows.length, 'row')} from ${environment}, by the semantics of the project folder`,
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
    throw badValue('format', format, 'a file (-o FILE) or a pipe, because it is no text');
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
