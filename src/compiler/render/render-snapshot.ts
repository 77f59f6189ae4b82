/*
 * An applied snapshot as texts an engine can execute, without any file of the project:
 *
 *   content ── macros for one interval ──▶ text in the model's dialect
 *           ── tables → physical relations, EMBEDDED parents inlined ──▶ same text, other names
 *           ── translate, where the engine's dialect is another ──▶ what is sent
 */
import { Failure, failure } from '../../domain/failure.ts';
import { type Relation, relationSql } from '../../domain/relation.ts';
import type { SnapshotContent } from '../../domain/snapshot.ts';
import type { SqlText } from '../../domain/sql-text.ts';
import { castAliases } from '../../foundation/sql/cast-aliases.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { transpile } from '../../foundation/sql/library/transpile.ts';
import type { TimeRange } from '../../foundation/time/ranges.ts';
import type { ExpansionContext } from '../macros/expansion.ts';
import { expandWithAnswers } from '../resolve/analyze-model.ts';
import type { CompileContext } from '../resolve/compile-context.ts';
import { type DialectText, replaceInSql, replaceTables, type StandInOf } from './replace-tables.ts';
import { seedQuery } from './seed-query.ts';

/** An EMBEDDED model, to be inlined where its name stands. */
export interface EmbeddedSource {
  readonly content: SnapshotContent;
  readonly compileContext: CompileContext;
}

/** Where the rows of a model are found by those that read it. */
export type TableSource = Relation | EmbeddedSource;

/**
 * `@runtime_stage`: what the texts are rendered for. While a project is loaded it is `loading`, in the statements around a
 * plan or run `before_all` and `after_all`.
 */
export type RenderPhase = 'creating' | 'evaluating' | 'promoting' | 'auditing';

export interface SnapshotRendering {
  readonly compileContext: CompileContext;
  readonly range: TimeRange;
  readonly executionTime: number;
  readonly runtimeStage: RenderPhase;
  /** What `@this_model` and the model's own name stand for: its table, or for promotion its view. */
  readonly thisModel: Relation;
  /** What the model's own name stands for in its query, where its table is not there yet. */
  readonly ownRows?: TableSource | undefined;
  /** Undefined for tables that are not models: they keep their names. */
  readonly tableOf: (model: string) => TableSource | undefined;
  /** The engine's. */
  readonly dialect: Dialect;
  /** The write makes the table, too: statements that `creating` makes others than they are run as well. */
  readonly isMaking?: boolean;
}

/** None ends with a semicolon, none is empty; all in the engine's dialect. */
export interface RenderedSnapshot {
  readonly preStatements: readonly string[];
  /** Empty for promotion, where no rows are asked for. */
  readonly query: string;
  readonly postStatements: readonly string[];
  /** Of a write that makes the table: statements for its making alone, to be executed while it is empty. */
  readonly afterMaking: readonly string[];
  readonly onVirtualUpdate: readonly string[];
  /** Options of INCREMENTAL_BY_UNIQUE_KEY, macros expanded. */
  readonly whenMatched?: string;
  readonly mergeFilter?: string;
}

/** Renders all texts of a snapshot for one interval. */
export async function renderSnapshot(
  content: SnapshotContent,
  options: SnapshotRendering,
): Promise<RenderedSnapshot> {
  const { model } = content;
  if (model.source.kind === 'external')
    return { preStatements: [], query: '', postStatements: [], afterMaking: [], onVirtualUpdate: [] };
  const { preStatements, postStatements, onVirtualUpdate } = model.source;
  const own = model.source.kind === 'sql' ? [model.source.query] : [];
  const merge = mergeTexts(content);
  const texts = [...preStatements, ...own, ...postStatements, ...onVirtualUpdate, ...merge.texts];
  const counts = [preStatements, own, postStatements, onVirtualUpdate, merge.texts].map(
    ({ length }) => length,
  );
  const expandedFor = async (runtimeStage: RenderPhase): Promise<readonly (readonly string[])[]> =>
    cutInto(await expandTexts(content, texts, { ...options, runtimeStage }), counts);
  const { runtimeStage } = options;
  const [pre = [], query = [], post = [], virtual = [], merging = []] = await expandedFor(runtimeStage);
  // A function of the user's may look at the stage without naming it.
  const hasMacros = [...preStatements, ...postStatements].some(({ text }) => /[@{]/.test(text));
  const isStaged = options.isMaking === true && hasMacros;
  const [preMaking = [], , postMaking = []] =
    isStaged && runtimeStage !== 'creating' ? await expandedFor('creating') : [pre, query, post];
  const [preFilling = [], , postFilling = []] =
    isStaged && runtimeStage === 'creating' ? await expandedFor('evaluating') : [pre, query, post];
  const isPromoting = runtimeStage === 'promoting';
  const statements = async (texts: readonly (string | undefined)[]): Promise<readonly string[]> => {
    const present = texts.flatMap((text) => (text === undefined || text === '' ? [] : [text]));
    return isPromoting ? [] : Promise.all(present.map((text) => renderStatement(content, text, options)));
  };
  return {
    preStatements: await statements(
      preFilling.flatMap((text, i) => (text === preMaking[i] ? [text] : [preMaking[i], text])),
    ),
    query: isPromoting ? '' : await finishedQuery(content, query[0], options),
    afterMaking: await statements(postMaking.filter((text, i) => text !== postFilling[i])),
    postStatements: await statements(postFilling),
    onVirtualUpdate: await Promise.all(
      virtual.filter((text) => text !== '').map((text) => renderStatement(content, text, options)),
    ),
    ...Object.fromEntries(merge.names.map((name, i) => [name, merging[i]])),
  };
}

/** Consecutive parts of these lengths. */
function cutInto(texts: readonly string[], lengths: readonly number[]): readonly (readonly string[])[] {
  let at = 0;
  return lengths.map((length) => {
    at += length;
    return texts.slice(at - length, at);
  });
}

/** The rows of a snapshot as one query in the dialect asked for. */
export async function renderRows(content: SnapshotContent, options: SnapshotRendering): Promise<string> {
  const { source } = content.model;
  if (source.kind !== 'sql') return finishedQuery(content, undefined, options);
  const expanded = await expandTexts(content, [...source.preStatements, source.query], options);
  return finishedQuery(content, expanded.at(-1), options);
}

async function finishedQuery(
  content: SnapshotContent,
  expanded: string | undefined,
  options: SnapshotRendering,
): Promise<string> {
  const { model } = content;
  if (model.source.kind === 'seed') return seedQuery(model);
  const text = { text: expanded ?? '', dialect: model.dialect };
  return renderText(content, text, options, standInsFor(content, options));
}

/** Replaces the tables of an expanded query and translates it. */
export async function renderText(
  { model }: Pick<SnapshotContent, 'model'>,
  text: DialectText,
  { compileContext, dialect }: Pick<SnapshotRendering, 'compileContext' | 'dialect'>,
  standIns: StandInOf,
): Promise<string> {
  const replaced = await replaceTables(text, standIns, {
    more: castAliases,
    library: compileContext.library,
  });
  if (replaced === undefined)
    throw failure('sql.unsupported', { problem: `no parser here can read the query of ${model.name}` });
  return translated(replaced, dialect, model.name);
}

/** What the names in a text of this snapshot stand for. */
export function standInsFor({ model }: SnapshotContent, options: SnapshotRendering): StandInOf {
  return async (parts, dialect) => {
    const name = options.compileContext.tableName(parts, dialect);
    const source = name === model.name ? (options.ownRows ?? options.thisModel) : options.tableOf(name);
    if (source === undefined) return undefined;
    if (!('content' in source)) return { kind: 'table', sql: relationSql(source, dialect) };
    const sql = await renderRows(source.content, {
      ...options,
      compileContext: source.compileContext,
      dialect,
    });
    return { kind: 'query', sql };
  };
}

/** Expands texts of a snapshot in order; the first error of a macro is thrown, since nothing wrong may be executed. */
export async function expandTexts(
  { model, applied }: SnapshotContent,
  texts: readonly SqlText[],
  options: Omit<SnapshotRendering, 'tableOf' | 'dialect'>,
  more: Partial<ExpansionContext> = {},
): Promise<readonly string[]> {
  const { compileContext, range, executionTime, runtimeStage, thisModel } = options;
  const context = compileContext.macroContext(model, (table) => {
    const parts = table.split('.').map((name) => ({ name, quoted: true }));
    return applied.columns?.[compileContext.tableName(parts, model.dialect)];
  });
  const { fillTemplates } = compileContext;
  const expansion = await expandWithAnswers(
    fillTemplates === undefined
      ? texts
      : texts.map((each) => (each.isDefault === true ? { ...each, text: fillTemplates(each.text) } : each)),
    {
      ...context,
      times: { ...range, execution: executionTime },
      runtimeStage,
      thisModel: relationSql(thisModel, model.dialect),
      ...more,
    },
    compileContext.userCode,
  );
  const wrong = expansion.diagnostics.find(({ severity }) => severity === 'error');
  if (wrong !== undefined) throw new Failure(wrong);
  return expansion.statements.map(({ text }) => text.trim().replace(/;$/, ''));
}

async function renderStatement(
  content: SnapshotContent,
  text: string,
  options: SnapshotRendering,
): Promise<string> {
  const { dialect } = content.model;
  const standIns = standInsFor(content, options);
  const replaced = /^\s*(?:SELECT|WITH|FROM)\b/i.test(text)
    ? await replaceTables({ text, dialect }, standIns, { library: options.compileContext.library })
    : undefined;
  return translated(
    replaced ?? { text: await replaceInSql({ text, dialect }, standIns), dialect },
    options.dialect,
    content.model.name,
  );
}

async function translated({ text, dialect }: DialectText, to: Dialect, model: string): Promise<string> {
  if (dialect === to) return text;
  const result = await transpile(text, dialect, to);
  if (result.ok) return result.value;
  throw failure('sql.unsupported', {
    problem: `${model} cannot be said in the dialect of the engine, ${to}: ${result.error.message}`,
  });
}

function mergeTexts({ model: { kind } }: SnapshotContent): {
  readonly names: readonly ('whenMatched' | 'mergeFilter')[];
  readonly texts: readonly SqlText[];
} {
  if (kind.kind !== 'incremental-by-unique-key') return { names: [], texts: [] };
  const names = (['whenMatched', 'mergeFilter'] as const).filter((name) => kind[name] !== undefined);
  return { names, texts: names.map((name) => ({ text: kind[name] ?? '', start: 0, isJinja: false })) };
}
