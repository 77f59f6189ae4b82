import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { FileColumns } from '../../domain/file-schemas.ts';
import type { Column, ColumnLineage, ModelDefinition } from '../../domain/model.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { didYouMean } from '../../foundation/diagnostics/nearest.ts';
import type { QueryFacts, QueryProblem } from '../../foundation/sql/query-facts.ts';
import { resolveQuery } from '../../foundation/sql/resolve/resolve-query.ts';
import { tokenize } from '../../foundation/sql/tokenize.ts';
import { columnComments, commentsOfQuery } from '../load/column-comments.ts';
import { fileTableText } from './file-tables.ts';
import type { ModelResolution } from './model-facts.ts';
import type { ParsedModel } from './parsed-model.ts';

/** Columns of a table as far as they are known. */
export interface KnownColumns {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly isComplete: boolean;
}

/** Finds columns, types and lineage of a model once the columns of what it reads are known. */
export function resolveModel(
  definition: ModelDefinition,
  parsed: ParsedModel,
  known: {
    readonly schemaKey: string;
    readonly columnsOf: (table: string) => KnownColumns | undefined;
    readonly tableName: (parts: readonly string[]) => string;
    /** Of files, by their text in the query. */
    readonly files?: ReadonlyMap<string, FileColumns>;
  },
): ModelResolution {
  const facts = resolveQuery(
    parsed.query,
    (parts) => {
      const found = known.columnsOf(known.tableName(parts));
      return found?.isComplete === true ? { columns: found.columns } : undefined;
    },
    // What only the library reads is rendered without edits, so its casts are called as the engine calls them.
    {
      dialect: definition.dialect,
      castsKeepNames: !parsed.hasForeignSpans,
      fileSchemaOf: (table) => {
        const columns = known.files?.get(fileTableText(table, parsed.text));
        return columns === undefined ? undefined : { columns };
      },
    },
  );
  const canonical = (table: string): string => known.tableName(table.split('.'));
  return {
    schemaKey: known.schemaKey,
    columns: columnsOf(definition, facts, parsed),
    hasAllColumns: facts.isComplete || definition.declaredColumns !== undefined,
    lineage: facts.columns.map(
      (column): ColumnLineage => ({
        column: column.name,
        transformation: column.transformation,
        sources: column.sources.map(({ table, column: source }) => ({
          model: canonical(table),
          column: source,
        })),
      }),
    ),
    reads: Object.fromEntries(
      facts.reads.map(({ table, columns, readsAll }) => [canonical(table), readsAll ? '*' : columns]),
    ),
    deciding: decidingOf(facts, canonical),
    joining: byTable(facts.joining, canonical),
    diagnostics: [
      ...(parsed.hasForeignSpans
        ? []
        : oncePerPlace(facts.problems.map((problem) => describe(problem, definition, parsed)))),
      ...checkDeclared(definition, facts),
    ],
  };
}

/** What was not found may be any column of any table. */
function decidingOf(
  { reads, deciding, problems }: QueryFacts,
  canonical: (table: string) => string,
): ModelResolution['deciding'] {
  if (problems.some(({ kind }) => kind !== 'duplicate-column'))
    return Object.fromEntries(reads.map(({ table }) => [canonical(table), '*' as const]));
  return byTable(deciding, canonical);
}

function byTable(
  sources: QueryFacts['deciding'],
  canonical: (table: string) => string,
): Readonly<Record<string, readonly string[]>> {
  const tables = Map.groupBy(sources, ({ table }) => canonical(table));
  return Object.fromEntries(
    [...tables].map(([table, columns]) => [table, columns.map(({ column }) => column)]),
  );
}

/** Declared types win: the table is created with them. SCD 2 tables have two columns more than their query. */
function columnsOf(definition: ModelDefinition, facts: QueryFacts, parsed: ParsedModel): readonly Column[] {
  const comments = commentsOf(definition, parsed);
  const described = ({ name, type }: { readonly name: string; readonly type: string }): Column => {
    const description = definition.columnDescriptions[name.toLowerCase()] ?? comments[name.toLowerCase()];
    return description === undefined ? { name, type } : { name, type, description };
  };
  const inferred = definition.declaredColumns ?? facts.columns;
  return withManaged(definition, inferred).map(described);
}

/** Comments beside projections, by lower-case column name. Text that no macro touched has its comments already; other text is cut again. */
function commentsOf(
  { source, dialect }: ModelDefinition,
  { query, text, hasForeignSpans }: ParsedModel,
): Readonly<Record<string, string>> {
  if (source.kind !== 'sql' || hasForeignSpans || source.comments.length === 0) return {};
  return columnComments(
    query,
    text,
    text === source.query.text ? commentsOfQuery(source) : tokenize(text, dialect).comments,
  );
}

/** The columns that say from when to when a version holds have the kind's type, wherever the query puts them. */
function withManaged(
  { kind }: ModelDefinition,
  given: readonly { readonly name: string; readonly type: string }[],
): readonly { readonly name: string; readonly type: string }[] {
  if (kind.kind !== 'scd-type-2-by-time' && kind.kind !== 'scd-type-2-by-column') return given;
  const managed = new Map(
    [kind.validFromName, kind.validToName].map((name) => [
      name.toLowerCase(),
      { name, type: kind.timeDataType },
    ]),
  );
  const typed = given.map((column) => {
    const own = managed.get(column.name.toLowerCase());
    managed.delete(column.name.toLowerCase());
    return own === undefined ? column : { name: column.name, type: own.type };
  });
  return [...typed, ...managed.values()];
}

/** A table is created with its declared columns and filled by their names; those the query does not return cannot be filled. */
function checkDeclared(definition: ModelDefinition, facts: QueryFacts): readonly Diagnostic[] {
  const { declaredColumns, kind, ranges, name: model } = definition;
  if (declaredColumns === undefined || kind.kind === 'external') return [];
  if (!facts.isComplete || facts.columns.length === 0) return [];
  const names = facts.columns.map(({ name }) => name);
  const returned = new Set(names.map((name) => name.toLowerCase()));
  if ('validFromName' in kind)
    for (const name of [kind.validFromName, kind.validToName]) returned.add(name.toLowerCase());
  return declaredColumns
    .filter(({ name }) => !returned.has(name.toLowerCase()))
    .map(({ name: column }) =>
      diagnostic(
        'model.unknown-column-in-block',
        { property: 'columns', column, model },
        {
          at: ranges[`columns.${column}`] ?? ranges['columns'],
          hint: didYouMean(column, names) ?? knownHint(names),
        },
      ),
    );
}

/** A macro such as @EACH repeats the text it stands for, and with it what is wrong there. */
function oncePerPlace(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const seen = new Set<string>();
  return diagnostics.filter(({ code, message, at }) => {
    const place = `${code} ${at?.start} ${at?.end} ${message}`;
    if (seen.has(place)) return false;
    seen.add(place);
    return true;
  });
}

/** A static finding is an error only where the engine is certain to refuse the query as well. */
function describe(
  problem: QueryProblem,
  definition: ModelDefinition,
  { map, text }: ParsedModel,
): Diagnostic {
  const at = { file: definition.file, ...map.original(problem.span.start, problem.span.end) };
  const severity = problem.isCertain ? 'error' : 'warning';
  const hint = didYouMean(problem.name, problem.candidates);
  const parameters = { name: problem.name, model: definition.name };
  switch (problem.kind) {
    case 'unknown-column':
      return diagnostic('sql.unknown-column', parameters, {
        at,
        severity,
        hint: hint ?? knownHint(problem.candidates),
      });
    case 'ambiguous-column':
      return diagnostic(
        'sql.ambiguous-column',
        { ...parameters, tables: problem.candidates.join(', ') },
        { at, severity },
      );
    case 'unknown-table-alias':
      return diagnostic('sql.unknown-alias', parameters, {
        at,
        severity,
        hint: hint ?? knownHint(problem.candidates),
      });
    case 'star-not-expanded':
      return diagnostic('sql.star-not-expanded', parameters, { at });
    case 'star-without-from': {
      // A misspelled FROM behind the star is read as its alias.
      const next = /^\s+(\w+)/.exec(text.slice(problem.span.end))?.[1]?.toUpperCase();
      const hint = next === undefined ? undefined : didYouMean(next, ['FROM']);
      return diagnostic('sql.star-without-from', parameters, { at, severity, hint });
    }
    case 'column-count':
      return diagnostic('sql.column-count', { ...parameters, detail: problem.name }, { at, severity });
    case 'duplicate-column':
      return diagnostic('sql.duplicate-column', parameters, { at });
    case 'too-deep':
      return diagnostic(
        'sql.too-deep',
        { problem: 'columns and types are not followed to this depth' },
        { at },
      );
    case 'too-much-work':
      return diagnostic(
        'sql.too-long',
        { problem: 'finding its columns and types would take too much time and memory' },
        { at },
      );
  }
}

function knownHint(candidates: readonly string[]): string | undefined {
  return candidates.length === 0
    ? undefined
    : `known here: ${candidates.slice(0, 8).join(', ')}${candidates.length > 8 ? ', …' : ''}`;
}
