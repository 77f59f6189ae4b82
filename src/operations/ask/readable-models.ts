/*
 * Whether a caller may read a model as a table, for every door through which rows leave or are quoted. The decision itself is pure:
 * compiler/semantic/access/protected-data.ts.
 */
import {
  type HiddenColumns,
  hiddenColumns,
  type Protection,
  semanticModelsInstead,
} from '../../compiler/semantic/access/protected-data.ts';
import { indexOf } from '../../compiler/semantic/semantic-index.ts';
import { type ModelTables, OPEN_TABLES } from '../../compiler/semantic/sql/compile-semantic-sql.ts';
import { columnsOfText } from '../../compiler/semantic/sql/compile-sql-question.ts';
import type { StatementContext } from '../../compiler/semantic/statement-context.ts';
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import { Failure } from '../../domain/failure.ts';
import type { Caller } from '../../domain/semantic-query.ts';
import type { Semantics } from '../../domain/semantics.ts';

/** A caller of one environment, and whether models may be named as tables: that needs a right of its own. */
export interface ModelReader {
  readonly caller: Caller;
  readonly mayReadModels: boolean;
  readonly context: StatementContext;
}

/** Models of an environment as tables. */
export async function modelTables({ caller, mayReadModels, context }: ModelReader): Promise<ModelTables> {
  if (!mayReadModels) return CLOSED_TABLES;
  if (caller.isUnrestricted) return OPEN_TABLES;
  const { semantics, models } = context;
  const columns = (model: string): readonly string[] => models.get(model)?.entry.columns ?? [];
  return tablesFor(caller, { protection: await context.protection(), semantics, columns });
}

const CLOSED_TABLES: ModelTables = {
  hidden: () => 'all',
  refusal: (name) => diagnostic('policy.no-access', { name }),
  columns: () => [],
};

/** Models as tables for a caller that policies restrict. */
export function tablesFor(
  caller: Caller,
  {
    protection,
    semantics,
    columns,
  }: {
    readonly protection: Protection;
    readonly semantics: Semantics;
    readonly columns: ModelTables['columns'];
  },
): ModelTables {
  const hidden = (model: string): HiddenColumns => {
    const found = hiddenColumns(protection, caller, model);
    // What a model shows must be known to leave some of it out.
    return typeof found === 'object' && columns(model).length === 0 ? 'all' : found;
  };
  return {
    hidden,
    columns,
    refusal(model, read) {
      const found = hidden(model);
      if (found === 'none') return undefined;
      if (protection.rollups.has(model)) return diagnostic('policy.model-restricted', { name: model });
      const isHarmless = found !== 'all' && read !== 'all' && [...read].every((name) => !found.has(name));
      if (isHarmless) return undefined;
      const instead = semanticModelsInstead(protection, indexOf(semantics), { caller, model });
      const open = found === 'all' ? [] : columns(model).filter((name) => !found.has(name.toLowerCase()));
      const hint = [
        ...(instead.length === 0 ? [] : [`ask ${instead.join(' or ')} instead`]),
        ...(open.length === 0 ? [] : [`read no other columns than ${open.slice(0, COLUMNS_MAX).join(', ')}`]),
      ].join(', or ');
      return diagnostic('policy.model-restricted', { name: model }, hint === '' ? {} : { hint });
    },
  };
}

const COLUMNS_MAX = 10;

/** Throws `policy.*` where a text reads what its caller may not read of these models. */
export function checkReadable(
  names: readonly string[],
  {
    sql,
    caller,
    context: { semantics, models },
    tables,
  }: {
    readonly sql: string;
    readonly caller: Caller;
    readonly context: Pick<StatementContext, 'semantics' | 'models'>;
    readonly tables: ModelTables;
  },
): void {
  // The text is read where some columns of a model may be read and others not.
  let read: ReturnType<typeof columnsOfText> | undefined;
  const columnsOf = (model: string): 'all' | ReadonlySet<string> => {
    if (typeof tables.hidden(model) === 'string') return 'all';
    read ??= columnsOfText(sql, { semantics, caller, models: new Set(models.keys()), tables });
    return read(model);
  };
  for (const model of names) {
    const refusal = tables.refusal(model, columnsOf(model));
    if (refusal !== undefined) throw new Failure(refusal);
  }
}
