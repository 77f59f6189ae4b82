/** What a model of the campaign is, and the files that say so to the product. */
import { type Condition, columnsRead, outputTypes, type Query, querySql, tablesOf } from './query.ts';
import { type Cell, type Columns, dayText, literal, SQL_TYPES, type Type } from './values.ts';

export type Kind =
  | { readonly kind: 'view' | 'full' | 'embedded' }
  | {
      readonly kind: 'time-range';
      readonly lookback: number;
      readonly batchSize?: number;
      readonly batchConcurrency?: number;
      readonly isForwardOnly: boolean;
      readonly allowsPartials: boolean;
    }
  | {
      readonly kind: 'unique-key';
      readonly batchSize?: number;
      readonly lookback: number;
      /** `when_matched` adds the new `v` to the old one. */
      readonly accumulates: boolean;
    }
  | { readonly kind: 'partition'; readonly by: 'day' | 'k' }
  | { readonly kind: 'unmanaged'; readonly isForwardOnly: boolean; readonly isRestatable: boolean }
  | {
      readonly kind: 'scd-time' | 'scd-column';
      readonly invalidates: boolean;
      /** `updated_at_as_valid_from`, or `execution_time_as_valid_from`. */
      readonly startsAtChange: boolean;
      /** By column: what is watched. */
      readonly watched: '*' | 'v';
      readonly isForwardOnly: boolean;
      readonly isRestatable: boolean;
    }
  | { readonly kind: 'seed' };

export type KindName = Kind['kind'] | 'external';

/** An audit of a model, or of its own. All look for a number below zero, but for `relation`: that looks for keys that another model does not have. */
export interface AuditUse {
  readonly name: string;
  readonly does: 'block' | 'warn' | 'quarantine' | 'relation';
  readonly column: string;
  /** Of a relation. */
  readonly other?: string;
}

export interface Definition {
  readonly name: string;
  readonly kind: Kind;
  /** Absent for seeds. */
  readonly query?: Query;
  readonly seed?: SeedContent;
  readonly audits: readonly AuditUse[];
  /** Whether it waits for the signal. */
  readonly hasSignal: boolean;
  /** Day. */
  readonly start: number;
  /** Metadata. */
  readonly description: string;
}

export interface SeedContent {
  readonly columns: readonly (readonly [name: string, type: Type])[];
  readonly rows: readonly (readonly Cell[])[];
}

/** A table that the campaign itself writes. */
export interface External {
  readonly name: string;
  readonly columns: readonly (readonly [name: string, type: Type])[];
}

/** An audit that belongs to no model. */
export interface Standalone {
  readonly name: string;
  readonly model: string;
  readonly column: string;
}

export interface Project {
  /** Dependencies first. */
  readonly models: readonly Definition[];
  readonly externals: readonly External[];
  readonly standalones: readonly Standalone[];
}

/** Audited condition: rows that it holds of are bad. */
export const badRows = ({ column }: { readonly column: string }): Condition => ({
  column,
  is: '<',
  value: 0,
});

/** Models and tables that a model reads, without itself. */
export function readsOf({ query, name }: Definition): readonly string[] {
  return query === undefined ? [] : [...new Set(tablesOf(query))].filter((table) => table !== name);
}

export const modelOf = ({ models }: Project, name: string): Definition | undefined =>
  models.find((model) => model.name === name);

/** Whether rows of it lie in a table. */
export const isWritten = ({ kind }: Definition): boolean => kind.kind !== 'view' && kind.kind !== 'embedded';
export const isHistory = ({ kind }: Kind): boolean => kind === 'scd-time' || kind === 'scd-column';
/** Kinds that are filled day by day. */
export const isIncremental = ({ kind }: Kind): boolean =>
  kind !== 'view' && kind !== 'full' && kind !== 'embedded' && kind !== 'seed';
/** Kinds whose days cannot be filled in any order. */
export const isOrdered = ({ kind, query }: Definition): boolean =>
  kind.kind === 'unique-key' || isHistory(kind) || query?.past !== undefined;
/** Kinds that are rebuilt from the beginning when they are restated. */
export const isRebuiltWhole = (kind: Kind): boolean =>
  kind.kind === 'unique-key' || kind.kind === 'unmanaged' || isHistory(kind);
/** A change of such a model counts from now on. */
export function isForwardOnlyKind(kind: Kind): boolean {
  return kind.kind === 'partition' || ('isForwardOnly' in kind && kind.isForwardOnly);
}
/** Whether `--restate-model` fills it again. */
export const isRestatable = (kind: Kind): boolean => !('isRestatable' in kind) || kind.isRestatable;

/** Columns of a model's rows, its history's included. */
export function columnsOf(definition: Definition, project: Project): Columns {
  const { seed, query, kind } = definition;
  if (seed !== undefined) return new Map(seed.columns);
  if (query === undefined) throw new Error(`${definition.name} has neither a query nor content`);
  const columns = outputTypes(query, typesFor(query, project));
  if (!isHistory(kind)) return columns;
  return new Map([...columns, ['valid_from', 'time'], ['valid_to', 'time']]);
}

function typesFor(query: Query, project: Project): { readonly a: Columns; readonly b: Columns } {
  return {
    a: sourceColumns(query.from, project),
    b: query.join === undefined ? new Map() : sourceColumns(query.join.table, project),
  };
}

/** Columns of a model or of an external table. */
export function sourceColumns(name: string, project: Project): Columns {
  const model = modelOf(project, name);
  if (model !== undefined) return columnsOf(model, project);
  const external = project.externals.find((table) => table.name === name);
  if (external === undefined) throw new Error(`nothing is called ${name}`);
  return new Map(external.columns);
}

/** Whether anything but this model reads a column of it. */
export function isColumnRead(project: Project, model: string, column: string): boolean {
  return project.models.some(
    ({ query, name }) => query !== undefined && name !== model && columnsRead(query, model).has(column),
  );
}

/** The part of a definition that says which rows it has: its key for the oracle. */
export function dataPart({ name, kind, query, seed }: Definition): string {
  const {
    lookback: _,
    batchSize: __,
    batchConcurrency: ___,
    ...data
  } = { lookback: 0, ...kind } as Record<string, unknown>;
  const { isForwardOnly: _a, allowsPartials: _b, isRestatable: _c, ...rows } = data;
  return JSON.stringify([name, rows, query === undefined ? null : { ...query, style: 0 }, seed ?? null]);
}

/** Every file of a project. */
export function filesOf(project: Project): Readonly<Record<string, string>> {
  const files: Record<string, string> = {
    'config.yaml': [
      'name: rows',
      'gateways:',
      '  local: {connection: {type: duckdb, database: rows.duckdb}}',
      `model_defaults: {dialect: duckdb, start: '${dayText(0)}'}`,
      '',
    ].join('\n'),
    'external_models.yaml': project.externals
      .map(
        ({ name, columns }) =>
          `- name: ${name}\n  columns: {${columns.map(([column, type]) => `${column}: ${SQL_TYPES[type]}`).join(', ')}}\n`,
      )
      .join(''),
    'signals/held.ts': 'export function held(): boolean {\n  return true;\n}\n',
  };
  for (const model of project.models) {
    const file = model.name.split('.')[1];
    files[`models/${file}.sql`] = modelSql(model, project);
    if (model.seed !== undefined) files[`seeds/${file}.csv`] = csv(model.seed);
    for (const audit of model.audits) files[`audits/${audit.name}.sql`] = auditSql(audit);
  }
  for (const { name, model, column } of project.standalones)
    files[`audits/${name}.sql`] =
      `AUDIT (name ${name}, standalone true);\nSELECT * FROM ${model} WHERE ${column} < 0;\n`;
  return files;
}

function csv({ columns, rows }: SeedContent): string {
  return `${[columns.map(([name]) => name), ...rows.map((row) => row.map((cell) => cell ?? ''))].map((cells) => cells.join(',')).join('\n')}\n`;
}

function auditSql({ name, does, column, other }: AuditUse): string {
  const options =
    does === 'quarantine' ? ', on_failure quarantine' : does === 'warn' ? ', blocking false' : '';
  const condition =
    does === 'relation'
      ? `NOT EXISTS (SELECT 1 FROM ${other} AS o WHERE o.${column} = t.${column})`
      : `t.${column} < 0`;
  return `AUDIT (name ${name}${options});\nSELECT * FROM @this_model AS t WHERE ${condition};\n`;
}

function modelSql(model: Definition, project: Project): string {
  const { name, kind, query, seed, audits, hasSignal, start, description } = model;
  const properties = [
    `name ${name}`,
    `kind ${kindSql(model)}`,
    ...(start === 0 ? [] : [`start '${dayText(start)}'`]),
    ...(kind.kind === 'partition' ? [`partitioned_by (${kind.by})`] : []),
    ...(kind.kind === 'time-range' && kind.allowsPartials ? ['allow_partials true'] : []),
    ...(seed === undefined && query?.past === undefined
      ? []
      : [
          `columns (${[...columnsOf(model, project)].map(([column, type]) => `${column} ${SQL_TYPES[type]}`).join(', ')})`,
        ]),
    ...(audits.length === 0 ? [] : [`audits (${audits.map((audit) => audit.name).join(', ')})`]),
    ...(hasSignal ? ['signals (held())'] : []),
    ...(description === '' ? [] : [`description '${description}'`]),
  ];
  const body = query === undefined ? '' : `${querySql(query, name, typesFor(query, project))}\n`;
  return `MODEL (\n  ${properties.join(',\n  ')}\n);\n${body}`;
}

function kindSql({ name, kind, query }: Definition): string {
  switch (kind.kind) {
    case 'view':
    case 'full':
    case 'embedded':
      return kind.kind.toUpperCase();
    case 'seed':
      return `SEED (path '../seeds/${name.split('.')[1]}.csv')`;
    case 'partition':
      return 'INCREMENTAL_BY_PARTITION';
    case 'unmanaged':
      return `INCREMENTAL_UNMANAGED (${changeOptions(kind)})`;
    case 'time-range':
      return `INCREMENTAL_BY_TIME_RANGE (${[
        'time_column day',
        ...(kind.lookback === 0 ? [] : [`lookback ${kind.lookback}`]),
        ...(kind.batchSize === undefined ? [] : [`batch_size ${kind.batchSize}`]),
        ...(kind.batchConcurrency === undefined ? [] : [`batch_concurrency ${kind.batchConcurrency}`]),
        ...(kind.isForwardOnly ? ['forward_only true'] : []),
      ].join(', ')})`;
    case 'unique-key':
      return `INCREMENTAL_BY_UNIQUE_KEY (${[
        'unique_key k',
        ...(kind.lookback === 0 ? [] : [`lookback ${kind.lookback}`]),
        ...(kind.batchSize === undefined ? [] : [`batch_size ${kind.batchSize}`]),
        ...(kind.accumulates ? [`when_matched (WHEN MATCHED THEN UPDATE SET ${accumulation(query)})`] : []),
      ].join(', ')})`;
    case 'scd-time':
    case 'scd-column':
      return `SCD_TYPE_2_BY_${kind.kind === 'scd-time' ? 'TIME' : 'COLUMN'} (${[
        'unique_key k',
        kind.kind === 'scd-time' ? 'updated_at_name u' : `columns ${kind.watched === '*' ? '*' : '[v]'}`,
        ...(kind.startsAtChange
          ? [kind.kind === 'scd-time' ? 'updated_at_as_valid_from true' : 'execution_time_as_valid_from true']
          : []),
        ...(kind.invalidates ? ['invalidate_hard_deletes true'] : []),
        changeOptions(kind),
      ].join(', ')})`;
  }
}

const changeOptions = (kind: { readonly isForwardOnly: boolean; readonly isRestatable: boolean }): string =>
  `forward_only ${kind.isForwardOnly}, disable_restatement ${!kind.isRestatable}`;

/** `v` is added up, all other columns are replaced. */
function accumulation(query: Query | undefined): string {
  return (query?.outputs ?? [])
    .filter(({ name }) => name !== 'k')
    .map(({ name }) => (name === 'v' ? 'target.v = target.v + source.v' : `target.${name} = source.${name}`))
    .join(', ');
}

/** Statements that make an external table and its rows. */
export function createExternalSql(
  { name, columns }: External,
  rows: readonly Readonly<Record<string, Cell>>[],
): string {
  const types = columns.map(([column, type]) => `${column} ${SQL_TYPES[type]}`).join(', ');
  const values = rows.map(
    (row) => `(${columns.map(([column, type]) => literal(row[column] ?? null, type)).join(', ')})`,
  );
  return `CREATE OR REPLACE TABLE ${name} (${types});${values.length === 0 ? '' : ` INSERT INTO ${name} VALUES ${values.join(', ')};`}`;
}
