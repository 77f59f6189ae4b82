import type { ComparedModel } from '../../src/compiler/plan/categorize/query-change.ts';
import type { Model } from '../../src/domain/model.ts';
import type { ModelKind } from '../../src/domain/model-kind.ts';
import { NOTHING_DECLARED } from '../../src/domain/nothing-declared.ts';
import type { Dialect } from '../../src/foundation/sql/dialect.ts';
import { parseQuery } from '../../src/foundation/sql/parse/parse-query.ts';
import { tableUses } from '../../src/foundation/sql/table-uses.ts';

/** Columns by table. */
export type Tables = Readonly<Record<string, readonly string[]>>;

/** A model of which the comparison sees what it needs: name, kind, dialect, dependencies and no columns of its own. */
export function compared(
  query: string,
  tables: Tables,
  options: {
    readonly kind?: ModelKind;
    readonly dialect?: Dialect;
    readonly name?: string;
    readonly columns?: Model['columns'];
    readonly types?: Readonly<Record<string, string>>;
  } = {},
): ComparedModel {
  const dialect = options.dialect ?? 'duckdb';
  const parsed = parseQuery(query, dialect);
  const dependencies = parsed.ok
    ? [
        ...new Set(
          tableUses(parsed.value).map((use) => use.parts.map((part) => part.name.toLowerCase()).join('.')),
        ),
      ]
    : [];
  const name = options.name ?? 'test.subject';
  const model: Model = {
    name,
    file: 'models/subject.sql',
    kind: options.kind ?? { kind: 'full' },
    source: {
      kind: 'sql',
      query: { text: query, start: 0, end: query.length } as never,
      preStatements: [],
      postStatements: [],
      onVirtualUpdate: [],
      comments: [],
    },
    dialect,
    cron: '@daily',
    grains: [],
    references: [],
    tags: [],
    terms: [],
    columnDescriptions: {},
    ...NOTHING_DECLARED,
    audits: [],
    isEnabled: true,
    allowPartials: false,
    ignoredRules: [],
    signals: [],
    profiles: [],
    optimizeQuery: false,
    blueprint: {},
    ranges: {},
    dependencies,
    columns: options.columns ?? [],
    hasAllColumns: true,
    lineage: [],
    reads: dependencies.includes(name) ? { [name]: '*' } : {},
    usedMacros: {},
  };
  const { types } = options;
  return {
    model,
    query,
    columnsOf: (table) => tables[table],
    ...(types !== undefined && { typeOf: (table: string, column: string) => types[`${table}.${column}`] }),
  };
}
