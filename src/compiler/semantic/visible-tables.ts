/*
 * Where the rows of semantic models are, as far as a caller may see them: the view of the model, or a sub-select of it with the
 * filters of the caller's policies. These filters see all rows of what they name, and no masks.
 *
 *   SELECT orders.*, region = 'EU' AS policy_1 FROM … WHERE region = 'EU' OR region = 'US'
 *
 * A column such as policy_1 says of each row whether a member that some policies mask is clear there.
 */
import type { Relation } from '../../domain/relation.ts';
import type { Caller } from '../../domain/semantic-query.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import type { Expression, TableExpression } from '../../foundation/sql/tree.ts';
import { Conditions, queryFilter, withModel } from './conditions.ts';
import type { IndexedModel } from './indexed-model.ts';
import { joinedNodes, type Tables } from './lower-part.ts';
import { MemberLookup } from './member-lookup.ts';
import { PartBuilder } from './part-builder.ts';
import { type Access, type Alternative, accessOf, flagsOf, noAccess } from './policies.ts';
import type { QuestionContext } from './question-context.ts';
import {
  allOf,
  anyOf,
  binary,
  booleanLiteral,
  call,
  caseWhen,
  column,
  derived,
  identifier,
  join,
  NOWHERE,
  numberLiteral,
  projection,
  query,
  select,
  table,
} from './tree-nodes.ts';

/** What tables are made from. */
export interface TableNeeds {
  readonly caller: Caller;
  readonly dialect: Dialect;
  readonly relationOf: (model: string) => Relation;
  /** With a reader that masks nothing. */
  readonly context: QuestionContext;
  readonly reads: Set<string>;
}

/** Every table is built when it is first needed, so that policies of models that are not asked for cost nothing. */
export function visibleTables(needs: TableNeeds): Tables {
  const open: Tables = {
    table(model, alias) {
      needs.reads.add(model.model);
      const { catalog, schema, name } = needs.relationOf(model.model);
      return table(catalog === undefined ? [schema, name] : [catalog, schema, name], alias);
    },
  };
  return {
    hasCostlyNumbers: COSTLY_NUMBERS.has(needs.dialect),
    table(model, alias) {
      const access = accessOf(model, needs.caller);
      return isWhole(access) ? open.table(model, alias) : restricted(model, access, alias, { needs, open });
    },
  };
}

/** Engines that bring all rows to one place to number them. */
const COSTLY_NUMBERS: ReadonlySet<Dialect> = new Set([
  'bigquery',
  'snowflake',
  'spark',
  'databricks',
  'trino',
  'redshift',
]);

/** Whether all rows are seen, and look the same to the caller. */
export function isWhole(access: Access): boolean {
  return access.rows === undefined && flagsOf(access).length === 0;
}

const ROW = 'policy_row';

function restricted(
  model: IndexedModel,
  access: Access,
  alias: string,
  { needs, open }: { readonly needs: TableNeeds; readonly open: Tables },
): TableExpression {
  const { context } = needs;
  const part = new PartBuilder(context, model, model.name);
  const conditions = new Conditions(context, new MemberLookup(context.index));
  const bound = (condition: Expression | Diagnostic): Expression => {
    if (!('code' in condition)) return condition;
    // A policy that cannot be understood denies; what is wrong with it would quote the policy.
    context.report(noAccess(model.name));
    return booleanLiteral(false);
  };
  const holds = (alternatives: readonly Pick<Alternative, 'filters'>[]): Expression =>
    anyOf(
      alternatives.map(
        ({ filters }) =>
          allOf(
            filters.map((each) => bound(conditions.filter(part, withModel(queryFilter(each), model.name)))),
          ) ?? booleanLiteral(true),
      ),
    );
  const where = access.rows === undefined ? undefined : holds(access.alternatives);
  const flags = flagsOf(access).map((flag) => ({ name: flag.column, value: holds(flag.alternatives) }));
  const { nodes, isFannedOut } = part.tree;
  const own = nodes[0]?.alias ?? model.name;
  const star = (qualifier?: string) =>
    projection({
      kind: 'star',
      qualifiers: qualifier === undefined ? [] : [identifier(qualifier)],
      exclude: [],
      replace: [],
      rename: [],
      span: NOWHERE,
    });
  if (!isFannedOut)
    return derived(
      query(
        select({
          projections: [
            star(nodes.length === 1 ? undefined : own),
            ...flags.map(({ name, value }) => projection(value, name)),
          ],
          from: joinedNodes({ nodes }, open),
          where,
        }),
      ),
      alias,
    );
  const number = call('ROW_NUMBER', [], { over: { partitionBy: [], orderBy: [] } });
  const numbered = derived(
    query(select({ projections: [star(), projection(number, ROW)], from: open.table(model, own) })),
    own,
  );
  const from = nodes.reduce<TableExpression>(
    (left, { model: other, alias: name, join: how }) =>
      how === undefined ? left : join(left, open.table(other, name), { type: 'left', on: how.on }),
    numbered,
  );
  const projections = [star(own), ...flags.map(({ name, value }) => projection(anyOfRow(value, own), name))];
  return derived(query(select({ projections, from, where, isDistinct: true })), alias);
}

/** Whether a condition holds for one of the matches of a row. */
function anyOfRow(condition: Expression, own: string): Expression {
  const counted = caseWhen(condition, numberLiteral(1), numberLiteral(0));
  const over = { partitionBy: [column(own, ROW)], orderBy: [] };
  return binary('=', call('MAX', [counted], { over }), numberLiteral(1));
}
