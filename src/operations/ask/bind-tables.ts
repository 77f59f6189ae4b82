/*
 * Tables in the SQL of a caller are models: their views of an environment are put in their places.
 *
 *   prod   FROM marts.orders               ──▶  FROM "marts"."orders"
 *   dev    SELECT marts.orders.id          ──▶  SELECT "orders".id
 *          FROM marts.orders                    FROM "marts__dev"."orders" AS "orders"
 */
import { ROLLUP_SCHEMA } from '../../compiler/semantic/rollups/rollup-shape.ts';
import type { ModelTables } from '../../compiler/semantic/sql/compile-semantic-sql.ts';
import type { StatementContext } from '../../compiler/semantic/statement-context.ts';
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { InspectedSql, TableInSql } from '../../domain/engine.ts';
import { failure } from '../../domain/failure.ts';
import { modelName } from '../../domain/model-name.ts';
import { relationSql, viewRelation } from '../../domain/relation.ts';
import type { Caller } from '../../domain/semantic-query.ts';
import { QUESTION_FILE } from '../../domain/semantic-query.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { didYouMean } from '../../foundation/diagnostics/nearest.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { quoteName } from '../../foundation/sql/quote.ts';
import type { Edit } from '../../foundation/sql/splice.ts';

/** Whose text it is, and what its tables may be. */
export interface TableBinding {
  readonly context: StatementContext;
  readonly caller: Caller;
  readonly dialect: Dialect;
  readonly readable: ModelTables;
}

export type BoundTables =
  | { readonly ok: true; readonly models: readonly string[]; readonly edits: readonly Edit[] }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

interface Bound {
  readonly model: string;
  readonly edit: Edit;
}

/** Throws `policy.no-access` for what must not be named. */
export function bindTables(
  binding: TableBinding,
  { tables, mentions }: Pick<InspectedSql, 'tables' | 'mentions'>,
): BoundTables {
  const mentioned = new Set(mentions.map(({ parts }) => keyOf(parts)));
  const aliasOf = (table: TableInSql): string => {
    const name = table.parts.at(-1) ?? '';
    const isAlone = tables.every(
      (other) =>
        other.hasAlias || !isSame(other.parts.at(-1), name) || keyOf(other.parts) === keyOf(table.parts),
    );
    return isAlone || !mentioned.has(keyOf(table.parts)) ? name : table.parts.join('.');
  };
  const renamed = new Map<string, string>();
  const bound = tables.map((table) =>
    bind(binding, table, () => {
      const alias = quoteName(aliasOf(table), binding.dialect);
      renamed.set(keyOf(table.parts), alias);
      return alias;
    }),
  );
  const diagnostics = bound.filter((each): each is Diagnostic => 'code' in each);
  if (diagnostics.length > 0) return { ok: false, diagnostics };
  const found = bound.filter((each): each is Bound => 'model' in each);
  return {
    ok: true,
    models: [...new Set(found.map(({ model }) => model))].sort(),
    edits: [
      ...found.map(({ edit }) => edit),
      ...mentions.flatMap(({ parts, start, end }): readonly Edit[] => {
        const text = renamed.get(keyOf(parts));
        return text === undefined ? [] : [{ start, end, text }];
      }),
    ],
  };
}

const keyOf = (parts: readonly string[]): string => parts.join('\0').toLowerCase();

const isSame = (a: string | undefined, b: string | undefined): boolean =>
  a?.toLowerCase() === b?.toLowerCase();

/** The view that a name means in this environment; `alias` is asked where the view has another name. */
function bind(
  { context, caller, dialect, readable }: TableBinding,
  { parts, start, end, hasAlias }: TableInSql,
  alias: () => string,
): Bound | Diagnostic {
  const { models, naming, environment } = context;
  const named = (some: readonly string[]): string =>
    modelName(
      some.map((name) => ({ name, quoted: true })),
      dialect,
    );
  const name = [named(parts), named(parts.slice(-2))].find((each) => models.has(each));
  const shown = name === undefined ? undefined : models.get(name);
  const at = { file: QUESTION_FILE, start, end };
  // The names of rollups are made from those of semantic models: one that is there answers like one that is not.
  if (!caller.isUnrestricted && (shown?.isRollup ?? parts.at(-2)?.toLowerCase() === ROLLUP_SCHEMA))
    throw failure('policy.no-access', { name: parts.join('.') });
  if (name === undefined || shown === undefined)
    return diagnostic(
      'query.unknown-model',
      { name: parts.join('.'), environment: environment.name },
      { at, hint: didYouMean(named(parts), namesOf(context, caller)) ?? 'models are named schema.model' },
    );
  if (shown.kind === 'embedded') return diagnostic('query.no-table', { model: name }, { at });
  // A table of others keeps its name in every environment.
  const relation = viewRelation(
    name,
    shown.kind === 'external' ? { environment: 'prod', suffixTarget: 'schema' } : naming,
  );
  const view = relationSql(relation, dialect);
  const text = shownColumns(view, readable, { model: name, dialect });
  const keepsName =
    hasAlias ||
    (text === view &&
      parts.length > 1 &&
      isSame(parts.at(-1), relation.name) &&
      isSame(parts.at(-2), relation.schema));
  return { model: name, edit: { start, end, text: keepsName ? text : `${text} AS ${alias()}` } };
}

/** A view without the columns that must not be read of it: nothing was found to read them, so nothing can. */
function shownColumns(
  view: string,
  readable: ModelTables,
  { model, dialect }: { readonly model: string; readonly dialect: Dialect },
): string {
  const hidden = readable.hidden(model);
  if (hidden === 'none') return view;
  const columns = readable.columns(model).map((name) => {
    const quoted = quoteName(name, dialect);
    return hidden === 'all' || hidden.has(name.toLowerCase()) ? `NULL AS ${quoted}` : quoted;
  });
  return `(SELECT ${columns.join(', ')} FROM ${view})`;
}

/** Models that a caller may name. */
export function namesOf({ models }: StatementContext, { isUnrestricted }: Caller): readonly string[] {
  return [...models].flatMap(([name, { isRollup }]) => (isUnrestricted || !isRollup ? [name] : []));
}
