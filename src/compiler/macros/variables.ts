/** Which value a variable has, in the order: lambda, @DEF, what the platform gives, blueprint and audit arguments, config. */
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { quoteText } from '../../foundation/sql/quote.ts';
import {
  TIME_MACRO_NAMES,
  type TimeMacroValue,
  timeMacroName,
  timeMacroValue,
} from '../../foundation/time/time-macro.ts';
import type { Expansion, ExpansionContext } from './expansion.ts';
import { valueSql } from './values.ts';

type UsedContext = Expansion['usedContext'][number];

/** What a run of the expansion looked at; the cache asks again only if one of these changed. */
export interface MacroReads {
  readonly variables: Set<string>;
  readonly functions: Set<string>;
  readonly tables: Set<string>;
  readonly context: Set<UsedContext>;
}

export const CONTEXT_NAMES: readonly string[] = ['this_model', 'runtime_stage', 'gateway', 'this_env'];

/** The SQL text of a variable that no lambda and no @DEF defines; undefined when it has none. */
export function outerVariable(
  name: string,
  context: ExpansionContext,
  reads: MacroReads,
): string | undefined {
  const own = platformVariable(name, context, reads);
  if (own !== undefined) return own;
  return blueprintVariable(name, context) ?? configVariable(name, context, reads, 'tuple');
}

/** A variable of the blueprint, or an argument of the audit. */
export function blueprintVariable(name: string, context: ExpansionContext): string | undefined {
  return Object.hasOwn(context.sqlVariables, name) ? context.sqlVariables[name] : undefined;
}

/** A variable of config, gateway or command line. */
export function configVariable(
  name: string,
  context: ExpansionContext,
  reads: MacroReads,
  lists: 'tuple' | 'array',
): string | undefined {
  if (name === 'gateway') {
    reads.context.add('gateway');
    return quoteText(context.gateway, context.dialect);
  }
  reads.variables.add(name);
  const value = Object.hasOwn(context.variables, name) ? context.variables[name] : undefined;
  return value === undefined ? undefined : valueSql(value, context.dialect, lists);
}

function platformVariable(name: string, context: ExpansionContext, reads: MacroReads): string | undefined {
  const time = timeMacroName(name);
  if (time !== undefined) {
    reads.context.add('times');
    const { start, end, execution } = context.times;
    return timeSql(timeMacroValue(time, { start, end }, execution), context.dialect);
  }
  switch (name) {
    case 'this_model':
      return context.thisModel;
    case 'runtime_stage':
      reads.context.add('runtime-stage');
      return quoteText(context.runtimeStage, context.dialect);
    case 'this_env':
      reads.context.add('environment');
      return quoteText(context.environment, context.dialect);
    default:
      return undefined;
  }
}

const TIMESTAMPS: Partial<Readonly<Record<Dialect, string>>> = {
  mysql: 'DATETIME',
  bigquery: 'DATETIME',
  clickhouse: 'DateTime64(6)',
  tsql: 'DATETIME2',
  sqlite: 'TEXT',
};

const TIMESTAMPS_WITH_ZONE: Partial<Readonly<Record<Dialect, string>>> = {
  spark: 'TIMESTAMP',
  databricks: 'TIMESTAMP',
  bigquery: 'TIMESTAMP',
  trino: 'TIMESTAMP WITH TIME ZONE',
  redshift: 'TIMESTAMP WITH TIME ZONE',
  tsql: 'DATETIMEOFFSET',
  sqlite: 'TEXT',
};

function timeSql({ kind, text }: TimeMacroValue, dialect: Dialect): string {
  switch (kind) {
    case 'number':
      return text;
    case 'text':
      return `'${text}'`;
    case 'date':
      return `CAST('${text}' AS DATE)`;
    case 'timestamp':
      return `CAST('${text}' AS ${TIMESTAMPS[dialect] ?? 'TIMESTAMP'})`;
    case 'timestamptz':
      if (dialect === 'mysql') return `TIMESTAMP('${text}')`;
      if (dialect === 'clickhouse') return `CAST('${text.replace('+00:00', '')}' AS DateTime64(6, 'UTC'))`;
      return `CAST('${text}' AS ${TIMESTAMPS_WITH_ZONE[dialect] ?? 'TIMESTAMPTZ'})`;
  }
}

/** Names a user may have meant. */
export function* variableNames(context: ExpansionContext): Iterable<string> {
  yield* Object.keys(context.sqlVariables);
  yield* Object.keys(context.variables);
  yield* CONTEXT_NAMES;
  yield* TIME_MACRO_NAMES;
}
