/*
 * A statement in semantic SQL before anything is compiled: what each table name means, and which SELECTs read semantic tables.
 *
 *   WITH names in scope ── hide ──▶ semantic models, metrics, roles (one part) ── models (with a schema)
 *
 * Passes are loops, not recursion: a chain of UNIONs is as deep as it is long.
 */
import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { modelName } from '../../../domain/model-name.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import { didYouMean } from '../../../foundation/diagnostics/nearest.ts';
import { fromTables, joinsOf } from '../../../foundation/sql/from-tables.ts';
import type { Query, Select, Span, TableExpression, TableReference } from '../../../foundation/sql/tree.ts';
import { children, type SqlNode } from '../../../foundation/sql/walk.ts';
import type { Visibility } from '../access/visibility.ts';
import { checkFunction } from './check-function.ts';
import { checkWrittenText } from './check-written-text.ts';
import { type Problems, positionOf } from './problems.ts';

/** What a name in a FROM means. */
export type TableMeaning = 'common' | 'semantic' | 'model';

/** Everything known of a statement's tables and SELECTs, by where they stand. */
export interface SelectFacts {
  readonly meanings: ReadonlyMap<string, TableMeaning>;
  /** Models that are read as tables, by where their name stands. */
  readonly models: ReadonlyMap<string, string>;
  /** SELECTs over semantic tables alone. */
  readonly blocks: ReadonlySet<string>;
  /** SELECTs that are the whole body of a query, so that its ORDER BY is theirs. */
  readonly direct: ReadonlySet<string>;
  /** The query around each SELECT. */
  readonly owners: ReadonlyMap<string, string>;
  /** Lower-case names of all tables and common tables, so that new ones are new. */
  readonly names: ReadonlySet<string>;
}

/** A place of the text as a key. */
export const placeOf = ({ span }: { readonly span: Span }): string => `${span.start}:${span.end}`;

interface VisibleTables {
  readonly positions: ReadonlyMap<string, number>;
  /** Common tables before this one are visible. */
  readonly until: number;
  readonly outer: VisibleTables | undefined;
}

/** What a statement may read: semantic tables that the caller may know, and models. */
export interface KnownTables {
  readonly visibility: Visibility;
  /** Names of models. */
  readonly models: ReadonlySet<string>;
}

export function readSelects(root: Query, known: KnownTables, problems: Problems): SelectFacts {
  const meanings = new Map<string, TableMeaning>();
  const models = new Map<string, string>();
  const blocks = new Set<string>();
  const names = new Set<string>();
  const direct = new Set<string>();
  const owners = new Map<string, string>();
  const selects: Select[] = [];
  const semantic: TableReference[] = [];
  const pending: {
    readonly node: SqlNode;
    readonly scope: VisibleTables | undefined;
    readonly owner: string;
  }[] = [{ node: root, scope: undefined, owner: placeOf(root) }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node } = next;
    let { scope, owner } = next;
    if (node.kind === 'query') {
      owner = placeOf(node);
      if (node.body.kind === 'select') direct.add(placeOf(node.body));
    }
    if (node.kind === 'query' && node.with !== undefined) {
      const { tables, recursive } = node.with;
      const positions = new Map(tables.map(({ name }, i) => [name.name.toLowerCase(), i]));
      const outer = scope;
      for (const [i, table] of tables.entries()) {
        names.add(table.name.name.toLowerCase());
        pending.push({ node: table.query, scope: { positions, until: recursive ? i + 1 : i, outer }, owner });
      }
      scope = { positions, until: tables.length, outer };
      const inner = new Set<SqlNode>(tables.map(({ query }) => query));
      for (const child of children(node)) if (!inner.has(child)) pending.push({ node: child, scope, owner });
      continue;
    }
    if (node.kind === 'select') {
      selects.push(node);
      owners.set(placeOf(node), owner);
    }
    if (node.kind === 'parameter')
      problems.add(() =>
        diagnostic(
          'semantic.sql-unsupported',
          { what: 'parameters' },
          {
            at: positionOf(node.span),
            hint: 'write the value',
          },
        ),
      );
    checkFunction(node, problems);
    checkWrittenText(node, problems);
    if (node.kind === 'table') {
      const meaning = meaningOf(node, scope, known);
      names.add((node.alias?.name ?? node.parts.at(-1))?.name.toLowerCase() ?? '');
      if (typeof meaning === 'object') models.set(placeOf(node), meaning.model);
      if (meaning === undefined) problems.add(() => unknownTable(node, known));
      else meanings.set(placeOf(node), typeof meaning === 'object' ? 'model' : meaning);
      if (meaning === 'semantic') semantic.push(node);
    }
    // The call of a table function is looked at with its table.
    const inner = node.kind === 'table-function' ? node.call : node;
    for (const child of children(inner)) pending.push({ node: child, scope, owner });
  }
  const inBlocks = new Set<string>();
  for (const select of selects) {
    const leaves = fromTables(select.from);
    const isSemantic = (leaf: TableExpression): boolean => meanings.get(placeOf(leaf)) === 'semantic';
    const own = leaves.filter(isSemantic);
    const [first] = own;
    if (first === undefined) {
      checkConditions(select.from, problems);
      continue;
    }
    for (const leaf of own) inBlocks.add(placeOf(leaf));
    const other = leaves.find((leaf) => !isSemantic(leaf));
    if (other === undefined) blocks.add(placeOf(select));
    else
      problems.add(() =>
        diagnostic(
          'semantic.sql-mixed-tables',
          { semantic: (first as TableReference).parts[0]?.name ?? '', other: leafName(other) },
          { at: positionOf(other.span) },
        ),
      );
  }
  for (const table of semantic)
    if (!inBlocks.has(placeOf(table)))
      problems.add(() =>
        diagnostic(
          'semantic.sql-unsupported',
          { what: 'PIVOT, or an alias around their joins' },
          { at: positionOf(table.span) },
        ),
      );
  return { meanings, models, blocks, direct, owners, names };
}

/** Only semantic tables know how they are joined. */
function checkConditions(from: Select['from'], problems: Problems): void {
  for (const { type, natural, on, using, span, right } of joinsOf(from)) {
    if (type === 'cross' || type === 'positional' || natural || on !== undefined || using !== undefined)
      continue;
    const problem = `expected ON or USING after ${leafName(right)}`;
    problems.add(() => diagnostic('sql.syntax', { problem }, { at: positionOf(span) }));
  }
}

function meaningOf(
  { parts, isFile }: TableReference,
  scope: VisibleTables | undefined,
  { visibility, models }: KnownTables,
): 'common' | 'semantic' | { readonly model: string } | undefined {
  const [first, second] = parts;
  if (isFile || first === undefined) return undefined;
  const key = first.name.toLowerCase();
  if (second !== undefined) {
    const model = [modelName(parts, 'duckdb'), modelName(parts.slice(-2), 'duckdb')].find((name) =>
      models.has(name),
    );
    return model === undefined ? undefined : { model };
  }
  for (let frame = scope; frame !== undefined; frame = frame.outer) {
    const at = frame.positions.get(key);
    if (at !== undefined && at < frame.until) return 'common';
  }
  return visibility.knows(key) ? 'semantic' : undefined;
}

function unknownTable({ parts, nameSpan }: TableReference, { visibility, models }: KnownTables): Diagnostic {
  const name = parts.map((part) => part.name).join('.');
  // Whom something is hidden from does not learn whether the name is it.
  if (parts.length === 1 && visibility.hidesModels)
    return diagnostic('policy.no-access', { name }, { at: positionOf(nameSpan) });
  const known = parts.length > 1 ? [...models] : visibility.names();
  return diagnostic(
    'semantic.sql-unknown-table',
    { name },
    { at: positionOf(nameSpan), hint: didYouMean(name.toLowerCase(), known) },
  );
}

function leafName(leaf: TableExpression): string {
  if (leaf.kind === 'table') return leaf.parts.map(({ name }) => name).join('.');
  return 'alias' in leaf && leaf.alias !== undefined ? leaf.alias.name.name : 'other rows';
}
