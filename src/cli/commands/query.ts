import { once } from 'node:events';
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Answer } from '../../domain/engine.ts';
import { metricInfos } from '../../domain/metric-info.ts';
import type { FileFormat } from '../../domain/result-format.ts';
import { type Caller, OWNER, QUESTION_FILE, type QueryColumn } from '../../domain/semantic-query.ts';
import { trustJson } from '../../domain/trust-json.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { answerOwn, type OwnAnswer } from '../../operations/ask/answer-own.ts';
import { changedSemantics } from '../../operations/ask/changed-semantics.ts';
import { compileOwn, type OwnCompiled, type OwnQuestion } from '../../operations/ask/compile-own.ts';
import { type OpenedWorld, openWorld } from '../../operations/open-world.ts';
import type { LoadedWorkspace } from '../../operations/project/load-project.ts';
import { openGivenFiles } from '../../operations/workspace.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { loadForCommand } from '../load-for-command.ts';
import { conflict, questionOf, textOf } from '../question.ts';
import { refusal } from '../refusal.ts';
import { chartOf } from '../render/chart.ts';
import { rowsJson, rowsText } from '../render/rows.ts';
import { counted } from '../render/table.ts';
import { trustNotes } from '../render/trust-notes.ts';
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
  return ask(
    context,
    question === undefined
      ? { kind: 'sql', sql: textOf(written as string) }
      : { kind: 'json', data: question },
  );
}

/** Answers a question of the owner of the folder, by the options of the command. */
export async function ask(context: CommandContext, question: OwnQuestion): Promise<CommandAnswer> {
  const { switches, values } = context;
  const rowLimit = question.kind === 'sql' ? countOption(context, 'limit') : undefined;
  const open = async (): Promise<OpenedWorld> => openWorld(await context.workspace());
  const compiled = await compileOwn(open, question, {
    caller: callerOf(context),
    now: context.executionTime,
    environment: values.get('env'),
    isLocal: switches.has('local'),
    isShown: isShown(context),
    isUnlimited: UNLIMITED.has(values.get('format') ?? ''),
    load: () => loadForCommand(context),
  });
  if (!compiled.ok) return refused(context, compiled, question);
  return isShown(context) ? explained(context, compiled) : answered(context, compiled, rowLimit);
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

const isShown = ({ switches }: CommandContext): boolean =>
  switches.has('show-sql') || switches.has('explain');

type Compiled = Extract<OwnCompiled<LoadedWorkspace>, { readonly ok: true }>;

/** The refusal of a question; one that the folder could answer may have been asked of what was applied before. */
function refused(
  { terminal }: CommandContext,
  { diagnostics, own }: Extract<OwnCompiled<LoadedWorkspace>, { readonly ok: false }>,
  question: OwnQuestion,
): CommandAnswer {
  if (own === undefined) return refusal(diagnostics);
  const { context, folder } = own;
  if (folder === undefined)
    terminal.note(
      `Asked as ${context.environment.name} was planned; --local asks by the definitions in the project folder.`,
    );
  const text = question.kind === 'sql' ? [[QUESTION_FILE, question.sql] as const] : [];
  return refusal(diagnostics, new Map([...(folder?.sources ?? []), ...text]));
}

/** Nothing of a semantic model can be said of SQL over models. */
function refuseForTables({ switches }: CommandContext, { compiled }: Compiled): void {
  if (compiled.queryType !== 'sql') return;
  for (const name of ['show-sql', 'explain', 'chart'])
    if (switches.has(name)) throw conflict(`--${name}`, '--sql over models');
}

function explained(context: CommandContext, asked: Compiled): CommandAnswer {
  refuseForTables(context, asked);
  const { texts, columns, notes, explain } = asked.compiled;
  const explanation = explain?.() ?? [];
  const sql = texts.at(-1)?.sql ?? '';
  const isSql = context.switches.has('show-sql');
  const text = isSql ? [sql] : [...explanation, ...notes.map((note) => `note: ${note}`)];
  return {
    data: { sql, explanation, notes, rollup: null, cols: columns },
    print: (terminal) => terminal.out(text.join('\n')),
  };
}

async function answered(
  context: CommandContext,
  asked: Compiled,
  rowLimit: number | undefined,
): Promise<CommandAnswer> {
  refuseForTables(context, asked);
  const { world, compiled, hasDefaultLimit } = asked;
  const { folder, context: source } = asked.own;
  const { cancel: signal } = context.interruption();
  const asking = { compiled, context: source, rowLimit, signal };
  const answer = await answerOwn(await context.workspace(), world, asking);
  const observed = await answer.trust();
  const trust = trustJson({ ...answer, trust: observed });
  const doubts = trustNotes(observed);
  if (compiled.queryType === 'sql') return shown(context, { answer, more: { trust }, notes: doubts });
  const { name: environment } = source.environment;
  const { columns, texts, notes } = compiled;
  const { rowCount, total, rollup = null } = answer;
  const changed = folder === undefined ? [] : changedSemantics(folder.project, source.environment, compiled);
  const isCut = hasDefaultLimit && rowCount === LIMIT;
  const from = folder === undefined ? 'environment' : 'folder';
  const definitions = folder === undefined ? 'as planned' : 'by the definitions in the project folder';
  const sql = texts.find((each) => (each.rollup ?? null) === rollup)?.sql ?? '';
  return shown(context, {
    answer,
    ...(columns === undefined ? {} : { columns }),
    more: { sql, environment, semantics: { from, changed }, rollup, total: total ?? null, notes, trust },
    notes: [
      ...notes,
      ...doubts,
      ...(changed.length === 0 ? [] : [`${changed.join(', ')}: edited since ${environment} was planned`]),
      ...(rollup === null ? [] : [`answered by the rollup ${rollup}`]),
      ...(total === undefined ? [] : [`${counted(total, 'row')} in all`]),
      ...(isCut ? [`the first ${counted(LIMIT, 'row')}; --limit or --format csv gives more`] : []),
      `${counted(rowCount, 'row')} from ${environment}, ${definitions}`,
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
  readonly answer: OwnAnswer;
  /** What is known of semantic columns. */
  readonly columns?: readonly QueryColumn[];
  /** Beside the rows in `--json`. */
  readonly more?: Readonly<Record<string, unknown>>;
  readonly notes?: readonly string[];
}

async function shown(
  context: CommandContext,
  { answer, columns = [], more, notes = [] }: Shown,
): Promise<CommandAnswer> {
  const { values, switches, terminal } = context;
  const format = values.get('format');
  const output = values.get('output');
  const tell = (to: Terminal): void => {
    for (const note of notes) to.note(note);
  };
  if (isFile(format) && terminal.mode !== 'json' && !switches.has('chart')) {
    await writeOut(answer.file(format), output);
    return { print: tell };
  }
  const rows = answer.rows();
  return {
    data: { ...rowsJson(rows), ...more },
    print: (to) => {
      if (switches.has('chart')) drawChart(to, { answer: rows, columns });
      else {
        const text = rowsText(to, rows, { format, formats: columns.map((column) => column.format) });
        if (output !== undefined) openGivenFiles().write(output, `${text}\n`);
        else if (text !== '') to.out(text);
      }
      tell(to);
    },
  };
}

const isFile = (format: string | undefined): format is FileFormat => UNLIMITED.has(format ?? '');

async function writeOut(pieces: AsyncIterable<Buffer>, output: string | undefined): Promise<void> {
  const held: Buffer[] = [];
  for await (const piece of pieces)
    if (output !== undefined) held.push(piece);
    else if (!process.stdout.write(piece)) await once(process.stdout, 'drain');
  if (output !== undefined) openGivenFiles().write(output, Buffer.concat(held));
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
