import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import { didYouMean } from '../../../foundation/diagnostics/nearest.ts';
import type { TableColumns } from '../../../foundation/sql/query-facts.ts';
import { resolveQuery } from '../../../foundation/sql/resolve/resolve-query.ts';
import type { Expression, Query } from '../../../foundation/sql/tree.ts';
import { type LocatedText, rangeInText } from '../../../foundation/yaml/located.ts';
import { type ExpressionOwner, FanOutCheck } from './fan-out-check.ts';
import { type MemberExpression, type MemberReference, readMemberExpression } from './member-expression.ts';
import type { MemberResolver, Target } from './member-resolver.ts';
import type { NamedSemantic } from './semantic-world.ts';

/** What an expression may be made of: rows only, rows under the aggregate of its measure's type, measures, or (when that type is not known) any of them. */
export interface ExpressionUse {
  readonly kind: 'row' | 'aggregated' | 'derived' | 'any';
  /** How messages call the owner: `the dimension size_class`. */
  readonly what: string;
  /** The measure type, for aggregated ones. */
  readonly type?: string;
  /** When it matters whether a row has one value of it. */
  readonly owner?: ExpressionOwner;
}

export interface CheckedExpression {
  readonly expression: MemberExpression;
  readonly targets: ReadonlyMap<MemberReference, Target>;
}

/** Checks the SQL of one member: it parses, its references and columns exist, and it aggregates where it may. */
export class ExpressionChecker {
  readonly #resolver: MemberResolver;
  readonly #report: (diagnostic: Diagnostic) => void;
  readonly fanOuts: FanOutCheck;

  constructor(resolver: MemberResolver, report: (diagnostic: Diagnostic) => void) {
    this.#resolver = resolver;
    this.#report = report;
    this.fanOuts = new FanOutCheck(resolver, report);
  }

  check(text: LocatedText, scope: NamedSemantic, use: ExpressionUse): CheckedExpression | undefined {
    const { file } = scope.semantic;
    const read = readMemberExpression(text.value, scope.model?.dialect ?? 'duckdb');
    if (!read.ok) {
      const { message, span } = read.error;
      this.#report(
        diagnostic(
          'semantic.bad-expression',
          { detail: message },
          { at: rangeInText(file, text, span.start, span.end) },
        ),
      );
      return undefined;
    }
    const expression = read.value;
    const targets = new Map<MemberReference, Target>();
    for (const reference of expression.references) {
      const at = rangeInText(file, text, reference.start, reference.end);
      const prefers = use.kind === 'derived' && !reference.isAggregated ? 'measure' : 'column';
      const target = this.#resolver.resolve(
        { parts: reference.parts, at, prefers, allowsColumns: true },
        scope,
      );
      if (target === undefined) continue;
      targets.set(reference, target);
      this.#checkPlace(reference, target, use, at);
    }
    if (use.owner !== undefined) this.fanOuts.add(use.owner, scope, { text, targets });
    this.#checkColumns(expression, text, scope, use);
    this.#checkAggregates(expression, text, scope, use);
    return { expression, targets };
  }

  #checkPlace(
    reference: MemberReference,
    target: Target,
    use: ExpressionUse,
    at: { file: string; start: number; end: number },
  ): void {
    const name = reference.parts.join('.');
    const kind = target.kind === 'column' ? 'column' : target.member.kind;
    if (kind === 'segment') {
      this.#report(
        diagnostic(
          'semantic.wrong-member',
          {
            name,
            found: 'a segment',
            model: target.scope.name,
            expected: 'a column, a dimension or a measure',
          },
          { at },
        ),
      );
      return;
    }
    if (use.kind === 'any') return;
    const isRowPlace = use.kind !== 'derived' || reference.isAggregated;
    if (isRowPlace && kind === 'measure')
      this.#report(diagnostic('semantic.measure-in-row', { name, what: use.what }, { at }));
    if (!isRowPlace && kind !== 'measure')
      this.#report(diagnostic('semantic.not-aggregated', { name, what: use.what }, { at }));
  }

  #checkColumns(
    expression: MemberExpression,
    text: LocatedText,
    scope: NamedSemantic,
    use: ExpressionUse,
  ): void {
    for (const { column, isAggregated } of expression.columns) {
      const at = rangeInText(scope.semantic.file, text, column.span.start, column.span.end);
      const name = column.name.name;
      const base = (column.qualifiers[0]?.name ?? name).toLowerCase();
      const isKnown =
        scope.columns.has(base) || (column.qualifiers.length > 0 && scope.columns.has(name.toLowerCase()));
      if (!isKnown && scope.knowsColumns && scope.model !== undefined)
        this.#report(
          diagnostic(
            'semantic.unknown-column',
            { model: scope.model.name, column: name },
            { at, hint: didYouMean(name, scope.columns.keys()) },
          ),
        );
      else if (use.kind === 'derived' && !isAggregated)
        this.#report(diagnostic('semantic.not-aggregated', { name, what: use.what }, { at }));
    }
  }

  #checkAggregates(
    expression: MemberExpression,
    text: LocatedText,
    scope: NamedSemantic,
    use: ExpressionUse,
  ): void {
    if (use.kind === 'derived' || use.kind === 'any') return;
    for (const call of expression.aggregates) {
      const at = rangeInText(scope.semantic.file, text, call.name.span.start, call.name.span.end);
      const name = call.name.name.toUpperCase();
      if (use.kind === 'row')
        this.#report(diagnostic('semantic.aggregate-in-row', { function: name, what: use.what }, { at }));
      else
        this.#report(
          diagnostic('semantic.aggregate-in-expression', { function: name, type: use.type ?? '' }, { at }),
        );
    }
  }
}

const COMPARISONS = new Set(['AND', 'OR', '=', '<>', '<', '>', '<=', '>=']);

/** Whether an expression is true or false whatever it is made of: what conditions nearly always are, so that their types need not be found. */
export function isConditionByForm(tree: Expression): boolean {
  if (tree.kind === 'binary') return COMPARISONS.has(tree.operator);
  const { kind } = tree;
  return kind === 'like' || kind === 'between' || kind === 'is' || kind === 'in' || kind === 'exists';
}

/** The type of a checked expression; UNKNOWN when it cannot be known. */
export function typeOfExpression(checked: CheckedExpression, scope: NamedSemantic): string {
  const { expression, targets } = checked;
  const [only] = expression.references;
  if (only !== undefined && expression.tree.kind === 'column') return targets.get(only)?.type ?? 'UNKNOWN';
  if ([...targets.values()].some((target) => target.type === 'UNKNOWN')) return 'UNKNOWN';
  const marks = marksTable([...targets].map(([{ placeholder }, { type }]) => ({ name: placeholder, type })));
  const facts = resolveQuery(
    selectOf(expression.tree, ['t'], [MARKS]),
    ([name]) => (name === MARKS ? marks : scope.table),
    { dialect: scope.model?.dialect ?? 'duckdb' },
  );
  return facts.columns[0]?.type ?? 'UNKNOWN';
}

/** The table of what references stand for, under a name that no text can contain. */
const MARKS = '\uf8ff';

const marksTables = new Map<string, TableColumns>();

/** One object for equal columns, because what is prepared of a table is kept by it; placeholders have few lengths and columns few types. */
function marksTable(columns: TableColumns['columns']): TableColumns {
  const key = columns.map(({ name, type }) => `${name}${type}`).join('\0');
  let table = marksTables.get(key);
  if (table === undefined) {
    table = { columns };
    if (marksTables.size > 10_000) marksTables.clear();
    marksTables.set(key, table);
  }
  return table;
}

const NOWHERE = { start: 0, end: 0 };

/** `SELECT expression FROM table, …`, as a tree. */
export function selectOf(
  expression: Expression,
  table: readonly string[] = ['t'],
  ...others: readonly (readonly string[])[]
): Query {
  return {
    kind: 'query',
    orderBy: [],
    span: NOWHERE,
    body: {
      kind: 'select',
      distinct: 'none',
      projections: [{ expression, alias: { name: 'x', quoted: false, span: NOWHERE }, span: NOWHERE }],
      from: [table, ...others].map((names) => ({
        kind: 'table',
        parts: names.map((name) => ({ name, quoted: false, span: NOWHERE })),
        isFile: false,
        nameSpan: NOWHERE,
        span: NOWHERE,
      })),
      windows: [],
      span: NOWHERE,
    },
  };
}
