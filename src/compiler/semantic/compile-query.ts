import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { SemanticQuery } from '../../domain/semantic-query.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { translateQuery } from '../../foundation/sql/print/print-query.ts';
import type { SqlResult } from '../../foundation/sql/sql-error.ts';
import type { Query } from '../../foundation/sql/tree.ts';
import { parseTimeZone } from '../../foundation/time/time-zone.ts';
import { readerOf, visibilityOf } from './access/visibility.ts';
import { buildLogical } from './build-logical.ts';
import { COMPARED, comparedQueries, compareRanges } from './compare-ranges.ts';
import type { CompileOptions, CompileResult } from './compiled-query.ts';
import { explainQuery } from './explain-query.ts';
import type { ExtraTerms } from './extra-terms.ts';
import type { LogicalQuery } from './logical-query.ts';
import type { Tables } from './lower-part.ts';
import { lowerQuery } from './lower-query.ts';
import { accessOf, noAccess, permissionFirst } from './policies.ts';
import type { QuestionContext } from './question-context.ts';
import { chooseRollup } from './rollups/choose-rollup.ts';
import type { SemanticIndex } from './semantic-index.ts';
import { call, derived, projection, query as queryOf, select } from './tree-nodes.ts';
import { isWhole, visibleTables } from './visible-tables.ts';

/** Semantic query → SQL over the views of an environment, or everything that is wrong with it. */
export function compileQuery(
  index: SemanticIndex,
  query: SemanticQuery,
  options: CompileOptions,
): CompileResult {
  const compared = comparedQueries(query);
  if (compared !== undefined) return compileCompared(index, compared, options);
  const resolved = resolveQuestion(index, query, options);
  if (!resolved.ok) return resolved;
  const { tables, notes, reads } = resolved;
  // The check whether a rollup is up to date is in the words of DuckDB's ledger; others answer from the rows.
  const chosen =
    options.rollups === undefined || options.dialect !== 'duckdb'
      ? undefined
      : chooseRollup(index, resolved.logical, { ...options, rollups: options.rollups });
  const { logical } = chosen ?? resolved;
  const aliases = logical.outputs.map(({ column }) => aliasOf(column.name, options.dialect));
  const sql = print(lowerQuery(logical, tables, aliases), options.dialect);
  if (!sql.ok) return { ok: false, diagnostics: [cannotSay(options.dialect, sql.error.message)] };
  const total = query.total === true ? print(totalOf(logical, tables, aliases), options.dialect) : undefined;
  if (total?.ok === false)
    return { ok: false, diagnostics: [cannotSay(options.dialect, total.error.message)] };
  return {
    ok: true,
    compiled: {
      sql: sql.value,
      ...(total === undefined ? {} : { totalSql: total.value }),
      columns: logical.outputs.map(({ column }) => column),
      reads: [...reads],
      semantics: resolved.semantics,
      members: resolved.members,
      ...(chosen === undefined ? {} : { rollup: chosen.name }),
      notes,
      // Only `--explain` reads it.
      get explanation() {
        return explainQuery(logical, chosen?.name);
      },
    },
  };
}

function compileCompared(
  index: SemanticIndex,
  compared: NonNullable<ReturnType<typeof comparedQueries>>,
  options: CompileOptions,
): CompileResult {
  const ranges: { label: string; logical: LogicalQuery }[] = [];
  const notes = new Set<string>();
  const reads = new Set<string>();
  const semantics = new Set<string>();
  const members = new Set<string>();
  let tables: Tables | undefined;
  for (const { label, query } of compared) {
    const resolved = resolveQuestion(index, query, options, reads);
    if (!resolved.ok) return resolved;
    ranges.push({ label, logical: resolved.logical });
    for (const note of resolved.notes) notes.add(note);
    for (const name of resolved.semantics) semantics.add(name);
    for (const name of resolved.members) members.add(name);
    tables ??= resolved.tables;
  }
  const [first] = ranges;
  if (first === undefined || tables === undefined)
    return {
      ok: false,
      diagnostics: [diagnostic('semantic.bad-date-range', { member: COMPARED, detail: 'There are none.' })],
    };
  const columns = first.logical.outputs.map(({ column }) => column);
  const aliases = columns.map(({ name }) => aliasOf(name, options.dialect));
  const sql = print(compareRanges(ranges, tables, aliases), options.dialect);
  if (!sql.ok) return { ok: false, diagnostics: [cannotSay(options.dialect, sql.error.message)] };
  const all = ranges.map(({ label, logical: { limit: _, offset: __, ...logical } }) => ({
    label,
    logical: { ...logical, order: [] },
  }));
  const total =
    compared[0]?.query.total === true
      ? print(counted(compareRanges(all, tables, aliases)), options.dialect)
      : undefined;
  return {
    ok: true,
    compiled: {
      sql: sql.value,
      ...(total?.ok === true ? { totalSql: total.value } : {}),
      columns: [{ name: COMPARED, kind: 'compare', type: 'VARCHAR' }, ...columns],
      reads: [...reads],
      semantics: [...semantics],
      members: [...members],
      notes: [...notes],
      get explanation() {
        return ranges.flatMap(({ label, logical }) => [`${label}:`, ...explainQuery(logical)]);
      },
    },
  };
}

/** A question before it becomes SQL. */
export type ResolvedQuestion =
  | {
      readonly ok: true;
      readonly logical: LogicalQuery;
      readonly tables: Tables;
      readonly notes: readonly string[];
      readonly semantics: readonly string[];
      readonly members: readonly string[];
      /** Filled while the question is lowered. */
      readonly reads: ReadonlySet<string>;
    }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** Looks everything up that a question names, the terms of SQL included, and asks whether the caller may see it. */
export function resolveQuestion(
  index: SemanticIndex,
  query: SemanticQuery,
  options: CompileOptions & { readonly extra?: ExtraTerms },
  reads: Set<string> = new Set(),
): ResolvedQuestion {
  const diagnostics: Diagnostic[] = [];
  const reported = new Set<string>();
  const report = (problem: Diagnostic): void => {
    const text = `${problem.code} ${problem.message}`;
    if (!reported.has(text)) diagnostics.push(problem);
    reported.add(text);
  };
  const zone = parseTimeZone(query.timezone ?? 'UTC');
  if (zone.kind === 'problem') {
    report(diagnostic('semantic.unknown-zone', { zone: query.timezone ?? '' }));
    return refused(diagnostics);
  }
  const reader = readerOf(index, options);
  const visibility = visibilityOf(index, options.caller);
  for (const word of visibility.hidesModels ? (query.joinHints ?? []).flat() : [])
    if (visibility.named(word) === undefined) report(noAccess(word));
  if (diagnostics.length > 0) return refused(diagnostics);
  const named = new Set<string>();
  const context = questionContext(options, {
    index,
    reader,
    named,
    hints: query.joinHints ?? [],
    ...(options.extra === undefined ? {} : { chosen: options.extra.chosen }),
    zone: zone.name,
    report,
    visibility,
  });
  const built = buildLogical(query, context, {
    isUnlimited: options.isUnlimited === true,
    extra: options.extra,
  });
  if (built === undefined || diagnostics.length > 0) return refused(diagnostics);
  const { logical, notes } = built;
  const walked = new Set(
    logical.parts.flatMap(({ nodes, variant }) =>
      [...nodes, ...(variant.kind === 'conversion' ? variant.other.nodes : [])].map(({ model }) => model),
    ),
  );
  // Never by its own name, which was not asked for.
  if ([...walked].some((model) => visibility.isHidden(model)))
    report(noAccess(query.measures[0] ?? query.dimensions[0] ?? 'what is asked'));
  if (diagnostics.length > 0) return refused(diagnostics);
  const tables = visibleTables({
    caller: options.caller,
    dialect: options.dialect,
    relationOf: options.relationOf,
    context: questionContext(options, {
      index,
      reader: readerOf(index, UNRESTRICTED),
      hints: [],
      zone: 'UTC',
      report,
    }),
    reads,
  });
  // Errors of a policy are reported now.
  for (const model of walked) if (!isWhole(accessOf(model, options.caller))) tables.table(model, model.name);
  const semantics = [...walked].map(({ name }) => name);
  return diagnostics.length > 0
    ? refused(diagnostics)
    : { ok: true, logical, tables, notes, semantics, members: [...named], reads };
}

const refused = (
  diagnostics: readonly Diagnostic[],
): { readonly ok: false; readonly diagnostics: readonly Diagnostic[] } => ({
  ok: false,
  diagnostics: permissionFirst(diagnostics),
});

/** The present is looked at where it matters only: answers that never did are the same at any other time. */
function questionContext(
  options: Pick<CompileOptions, 'now'>,
  rest: Omit<QuestionContext, 'now'>,
): QuestionContext {
  return {
    ...rest,
    get now() {
      return options.now;
    },
  };
}

function cannotSay(dialect: Dialect, detail: string): Diagnostic {
  return diagnostic('semantic.cannot-translate', { dialect, detail });
}

const UNRESTRICTED = { caller: { groups: [], isUnrestricted: true } };

/** BigQuery has no dots in the names of columns. */
function aliasOf(name: string, dialect: Dialect): string {
  return dialect === 'bigquery' ? name.replaceAll('.', '__') : name;
}

function totalOf(
  { limit: _, offset: __, ...logical }: LogicalQuery,
  tables: Tables,
  aliases: readonly string[],
): Query {
  return counted(lowerQuery({ ...logical, order: [] }, tables, aliases));
}

function counted(rows: Query): Query {
  return queryOf(
    select({
      projections: [projection(call('COUNT', [], { isStar: true }), 'total')],
      from: derived(rows, 'answer'),
    }),
  );
}

const print = (tree: Query, dialect: Dialect): SqlResult<string> =>
  translateQuery(tree, { from: 'duckdb', to: dialect, pretty: true });
