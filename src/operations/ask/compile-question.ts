/*
 * A caller's question as SQL for the engine, with everything that a statement must know of it.
 *
 *   SQL over models ──inspect (the engine's own parser)──▶ tables are models ──▶ their views are put in their place
 *   semantic SQL ──our compiler──▶ SQL ──inspect──▶ nothing but views of the environment is read
 *   SemanticQuery, metric ──our compiler──▶ SQL
 *
 * Errors in the caller's text are returned; missing permissions are thrown.
 */
import { visibilityOf } from '../../compiler/semantic/access/visibility.ts';
import { checkModels } from '../../compiler/semantic/check-models.ts';
import { compileSemantic, relationsOf } from '../../compiler/semantic/compile-semantic.ts';
import { metricQuestion } from '../../compiler/semantic/metric-question.ts';
import { readSemanticQuery } from '../../compiler/semantic/read-query.ts';
import { isRestless } from '../../compiler/semantic/rollups/rollup-sources.ts';
import { indexOf } from '../../compiler/semantic/semantic-index.ts';
import { ASKED_DIALECT } from '../../compiler/semantic/sql/asked-dialect.ts';
import {
  bareTables,
  compileSqlQuestion,
  hasSemanticTable,
  hiddenTable,
} from '../../compiler/semantic/sql/compile-sql-question.ts';
import { fillParameters, parametersOf } from '../../compiler/semantic/sql/fill-parameters.ts';
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { InspectedSql, TableInSql } from '../../domain/engine.ts';
import { Failure, failure } from '../../domain/failure.ts';
import { SINGLE_LIMITS } from '../../domain/query-limits.ts';
import type { TableId } from '../../domain/relation.ts';
import type { QueryColumn, SemanticQuery } from '../../domain/semantic-query.ts';
import type { ExecutionTask, QueryType, StatementAccess } from '../../domain/statement.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { parseModelledQuery } from '../../foundation/sql/parse/parse-query.ts';
import { splice, spliceWithMap } from '../../foundation/sql/splice.ts';
import { tokenize } from '../../foundation/sql/tokenize.ts';
import { withoutManyComments } from '../../foundation/sql/without-many-comments.ts';
import type { ProductCaches } from '../product-caches.ts';
import { bindTables, namesOf } from './bind-tables.ts';
import { compileRemembered } from './compile-remembered.ts';
import { checkReadable, type ModelReader, modelTables } from './readable-models.ts';
import { shownParts } from './statement-access.ts';
import type { Question } from './submission.ts';

/** A question that can be executed. */
export interface CompiledQuestion {
  readonly queryType: QueryType;
  /** What its owner is shown. */
  readonly sql: string;
  readonly texts: ExecutionTask['texts'];
  readonly columns?: readonly QueryColumn[];
  /** Of a question to semantic models: what it means, in words. They take longer to find than a remembered question to compile. */
  readonly explain?: () => readonly string[];
  /** Models whose rows are read. */
  readonly reads: readonly string[];
  readonly notes: readonly string[];
  /** Whether the same data always gives the same answer. */
  readonly isStable: boolean;
  /** Whether the texts contain what the caller wrote, which the engine inspected. */
  readonly isInspected: boolean;
  readonly access: StatementAccess;
}

/** What has to be done for a question. */
export const taskOf = (
  { texts, columns, isInspected }: CompiledQuestion,
  {
    rowLimit,
    tables,
    ...how
  }: Pick<ExecutionTask, 'onLimit' | 'timeoutMs'> & {
    readonly rowLimit: number | undefined;
    /** Whose data version its rows come with, when they are not shared. */
    readonly tables: readonly TableId[] | undefined;
  },
): ExecutionTask => ({
  texts,
  ...how,
  ...(rowLimit === undefined ? {} : { rowLimit }),
  ...(tables === undefined ? {} : { tables }),
  ...(columns === undefined ? {} : { semantic: columns }),
  ...(isInspected ? { isInspected: true as const } : {}),
});

export type CompiledAnswer =
  | { readonly ok: true; readonly compiled: CompiledQuestion }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** Who asks what, of what, and when. */
export interface AskContext extends ModelReader {
  readonly dialect: Dialect;
  /** Questions that were compiled before. */
  readonly compiled: ProductCaches['compiled'];
  readonly now: number;
  readonly timezone?: string | undefined;
  /** The number of rows is bounded elsewhere. */
  readonly isUnlimited: boolean;
  /** `engine.inspect`, perhaps remembered. */
  readonly inspect: (sql: string) => Promise<InspectedSql>;
}

/** Compiles a question with the policies of its caller. Throws `policy.*` for what must not be seen. */
export async function compileQuestion(asking: AskContext, question: Question): Promise<CompiledAnswer> {
  const answer = await compile(asking, question);
  const denied = answer.ok ? undefined : answer.diagnostics.find(({ code }) => code.startsWith('policy.'));
  if (denied !== undefined) throw new Failure(denied);
  return answer;
}

/** Of what a text has too many. A token has at least one character. */
function excessOf(sql: string): Diagnostic | undefined {
  const { backslashes, 'words, signs and comments': words } = SINGLE_LIMITS;
  if (sql.length <= Math.min(words, backslashes)) return undefined;
  if (sql.split('\\', backslashes + 2).length > backslashes + 1)
    return diagnostic('query.too-complex', { what: 'backslashes', max: backslashes });
  const { tokens, comments } = tokenize(sql, undefined, words);
  return tokens.length + comments.length > words
    ? diagnostic('query.too-complex', { what: 'words, signs and comments', max: words })
    : undefined;
}

async function compile(asking: AskContext, question: Question): Promise<CompiledAnswer> {
  const { semantics } = asking.context;
  const excess = 'sql' in question ? excessOf(question.sql) : undefined;
  if (excess !== undefined) return { ok: false, diagnostics: [excess] };
  if (question.kind !== 'sql') refuseUnreadable(asking);
  switch (question.kind) {
    case 'sql':
      return namesSemantic(asking, bareTables(question.sql))
        ? compileSemanticText(asking, question)
        : compilePlainText(asking, question);
    case 'semantic-sql': {
      const names = bareTables(question.sql);
      if (!namesSemantic(asking, names) && isReadable(question.sql)) {
        refuseHidden(asking, names);
        return { ok: false, diagnostics: [diagnostic('statement.not-semantic', {})] };
      }
      return compileSemanticText(asking, question);
    }
    case 'semantic-query': {
      const read = readSemanticQuery(question.query);
      return read.ok ? compileMembers(asking, 'semantic-query', read.query) : read;
    }
    case 'built-query':
      return compileMembers(asking, 'semantic-query', question.query);
    case 'metric': {
      refuseHiddenMetric(asking, question.metric);
      const asked = metricQuestion(semantics, question.metric, question.request);
      if (!asked.ok) return asked;
      const read = readSemanticQuery(asked.query);
      return read.ok ? compileMembers(asking, 'metric', read.query) : read;
    }
  }
}

function refuseUnreadable({ caller, context: { isUnreadable, environment } }: AskContext): void {
  if (isUnreadable && !caller.isUnrestricted)
    throw failure('policy.unreadable', { environment: environment.name });
}

/** Whether one of the bare names of a text is a semantic table that its caller may know. */
function namesSemantic({ caller, context }: AskContext, names: readonly string[]): boolean {
  return names.length > 0 && hasSemanticTable(context.semantics, caller, names);
}

/** A caller from whom something is hidden gets the same answer for an unknown name. */
function refuseHidden({ caller, context }: AskContext, names: readonly string[]): void {
  const name = names.length === 0 ? undefined : hiddenTable(context, caller, names);
  if (name !== undefined) throw failure('policy.no-access', { name });
}

function refuseHiddenMetric({ caller, context }: AskContext, metric: string): void {
  const visibility = visibilityOf(indexOf(context.semantics), caller);
  if (visibility.hidesModels && visibility.metric(metric) === undefined)
    throw failure('policy.no-access', { name: metric });
}

/** The compiler reports texts that our parser cannot read, with the place. */
const isReadable = (sql: string): boolean => parseModelledQuery(sql, ASKED_DIALECT).ok;

async function compileMembers(
  asking: AskContext,
  queryType: QueryType,
  asked: SemanticQuery,
): Promise<CompiledAnswer> {
  const { caller, context, dialect, compiled, now, timezone, isUnlimited } = asking;
  const query = timezone === undefined || asked.timezone !== undefined ? asked : { ...asked, timezone };
  const request = { query, caller, now, isUnlimited };
  const place = { naming: context.naming, dialect };
  const result = compileRemembered({ semantics: context.semantics, compiled }, request, place);
  if (!result.ok) return result;
  const { compiled: plain } = result;
  checkModels(context.semantics, context.environment, plain.reads);
  const rollups = await context.rollups(plain.reads);
  const again =
    rollups.size === 0 ? undefined : compileSemantic(context.semantics, request, { ...place, rollups });
  const rolled = again?.ok === true && again.compiled.rollup !== undefined ? again.compiled : undefined;
  const { sql, columns, reads, notes } = plain;
  return {
    ok: true,
    compiled: {
      queryType,
      sql,
      texts: [...(rolled === undefined ? [] : [rolled]), plain].map((each) => ({
        sql: each.sql,
        ...(each.totalSql === undefined ? {} : { totalSql: each.totalSql }),
        ...(each.rollup === undefined ? {} : { rollup: each.rollup }),
      })),
      columns,
      explain: () => plain.explanation,
      reads,
      notes,
      isStable: !isRestless(sql, dialect),
      isInspected: false,
      access: {
        semantics: shownParts(context, caller, plain.semantics),
        members: plain.members,
        models: [],
      },
    },
  };
}

type Text = Extract<Question, { kind: 'sql' | 'semantic-sql' }>;

async function compileSemanticText(
  asking: AskContext,
  { sql, parameters = [] }: Text,
): Promise<CompiledAnswer> {
  const { caller, context, dialect, now, inspect } = asking;
  const filled = fillParameters(parametersOf(sql), parameters);
  if (!filled.ok) return filled;
  const { text, originalOffset } = spliceWithMap(sql, filled.edits);
  const result = compileSqlQuestion(
    context.semantics,
    {
      sql: text,
      caller,
      now,
      models: asking.mayReadModels ? namesOf(context, caller) : [],
      tables: await modelTables(asking),
    },
    { naming: context.naming, dialect },
  );
  if (!result.ok)
    return {
      ok: false,
      diagnostics: result.diagnostics.map(({ at, ...rest }) =>
        at === undefined
          ? rest
          : { ...rest, at: { ...at, start: originalOffset(at.start), end: originalOffset(at.end) } },
      ),
    };
  const { compiled } = result;
  checkModels(context.semantics, context.environment, compiled.reads);
  // The caller's own functions are still in it, so it is checked like any other text, but for the places, which are not those of the caller's text.
  const inspected = await inspectedOrRefused(() => inspect(compiled.sql));
  if ('diagnostics' in inspected)
    return { ok: false, diagnostics: inspected.diagnostics.map(({ at: _, ...rest }) => rest) };
  refuseOthers(asking, inspected.tables, compiled.reads);
  return {
    ok: true,
    compiled: {
      queryType: 'semantic-sql',
      sql,
      texts: [{ sql: compiled.sql }],
      columns: compiled.columns,
      explain: () => compiled.explanation,
      reads: compiled.reads,
      notes: compiled.notes,
      isStable: inspected.isStable && !isRestless(compiled.sql, dialect),
      isInspected: true,
      access: {
        semantics: shownParts(context, caller, compiled.semantics),
        members: compiled.members,
        models: result.models,
      },
    },
  };
}

/** A compiled text reads views of the models that it says it reads: anything else would be a hole in the compiler. */
function refuseOthers(
  { context }: AskContext,
  tables: readonly TableInSql[],
  reads: readonly string[],
): void {
  const relationOf = relationsOf(context.semantics, context.naming);
  const known = new Set(
    reads.map(relationOf).map(({ catalog, schema, name }) => keyOf([catalog ?? '', schema, name])),
  );
  for (const { parts } of tables)
    if (!known.has(keyOf(parts.length === 2 ? ['', ...parts] : parts)))
      throw failure('policy.no-access', { name: parts.join('.') });
}

const keyOf = (parts: readonly string[]): string => parts.join('\0').toLowerCase();

async function inspectedOrRefused(
  inspect: () => Promise<InspectedSql>,
): Promise<InspectedSql | { readonly diagnostics: readonly Diagnostic[] }> {
  try {
    return await inspect();
  } catch (error) {
    if (!(error instanceof Failure) || !error.code.startsWith('query.')) throw error;
    return { diagnostics: [error.diagnostic] };
  }
}

async function compilePlainText(asking: AskContext, question: Text): Promise<CompiledAnswer> {
  const { sql, parameters = [] } = question;
  const { caller, context, dialect } = asking;
  const text = withoutManyComments(sql, dialect);
  const inspected = await inspectedOrRefused(() => asking.inspect(text));
  if ('diagnostics' in inspected) {
    // What may be seen is decided first, also of a text that is refused for something else.
    refuseHidden(asking, bareTables(sql));
    return { ok: false, diagnostics: inspected.diagnostics };
  }
  const bare = inspected.tables.filter(({ parts }) => parts.length === 1).map(({ parts }) => parts[0] ?? '');
  if (namesSemantic(asking, bare)) return compileSemanticText(asking, question);
  refuseHidden(asking, bare);
  const filled = fillParameters(inspected.parameters, parameters);
  if (!filled.ok) return filled;
  const readable = await modelTables(asking);
  const bound = bindTables({ context, caller, readable, dialect }, inspected);
  if (!bound.ok) return bound;
  const { models } = bound;
  checkReadable(models, { sql, caller, context, tables: readable });
  return {
    ok: true,
    compiled: {
      queryType: 'sql',
      sql,
      texts: [{ sql: splice(text, [...filled.edits, ...bound.edits]) }],
      reads: models,
      notes: [],
      isStable: inspected.isStable,
      isInspected: true,
      access: { semantics: {}, members: [], models },
    },
  };
}
