/*
 * SQL over semantic models, metrics and models, made SQL over the views of an environment.
 *
 *   text ─ parse ─▶ tree ─ which SELECTs read semantic tables? ─▶ each is compiled by the core and takes its own place
 *
 * Everything around them (common tables, windows, set operations, joins of sub-queries) stays as it was written and is the engine's.
 * No limit is put into them, and no text is pasted: values are literals of the tree.
 */
import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { modelName } from '../../../domain/model-name.ts';
import type { QueryColumn } from '../../../domain/semantic-query.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import { parseModelledQuery } from '../../../foundation/sql/parse/parse-query.ts';
import { translateQuery } from '../../../foundation/sql/print/print-query.ts';
import { resolveQuery } from '../../../foundation/sql/resolve/resolve-query.ts';
import type { ColumnReference, CommonTable, Query, TableReference } from '../../../foundation/sql/tree.ts';
import { rewrite, type SqlNode } from '../../../foundation/sql/walk.ts';
import { columnsRead, type ReadTable } from '../access/columns-read.ts';
import type { HiddenColumns } from '../access/protected-data.ts';
import { readerOf, type Visibility, visibilityOf } from '../access/visibility.ts';
import type { CompileOptions } from '../compiled-query.ts';
import { permissionFirst } from '../policies.ts';
import type { SemanticIndex } from '../semantic-index.ts';
import {
  column,
  identifier,
  NOWHERE,
  NULL_LITERAL,
  projection,
  query as queryOf,
  select,
  table,
} from '../tree-nodes.ts';
import { ASKED_DIALECT } from './asked-dialect.ts';
import type { BlockPlace } from './bind-block.ts';
import { compileBlock } from './compile-block.ts';
import type { BlockOutput } from './compiled-block.ts';
import { Problems, positionOf } from './problems.ts';
import { placeOf, readSelects, type SelectFacts } from './read-selects.ts';

/** What semantic SQL is compiled for. */
export interface SqlOptions extends CompileOptions {
  /** Names of the models that SQL may read by schema and name. */
  readonly models: ReadonlySet<string>;
  readonly tables: ModelTables;
}

/** What decides about models that are read as tables. */
export interface ModelTables {
  hidden(model: string): HiddenColumns;
  /** Why these columns of it must not be read; undefined when they may. */
  refusal(model: string, read: 'all' | ReadonlySet<string>): Diagnostic | undefined;
  /** In the order in which the model shows them; empty when they are not known. */
  columns(model: string): readonly string[];
}

/** For callers who are exempt from policies. */
export const OPEN_TABLES: ModelTables = {
  hidden: () => 'none',
  refusal: () => undefined,
  columns: () => [],
};

/** A statement in SQL over the views of an environment. Places of diagnostics are offsets into the text, under the file `<query>`. */
export type SqlCompileResult =
  | {
      readonly ok: true;
      readonly sql: string;
      readonly columns: readonly QueryColumn[];
      /** Models whose rows are read, each once. */
      readonly reads: readonly string[];
      /** Those of them that the text itself names as tables. */
      readonly models: readonly string[];
      /** Semantic models that it is about or comes by. */
      readonly semantics: readonly string[];
      readonly members: readonly string[];
      readonly notes: readonly string[];
      readonly explanation: readonly string[];
    }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

const LENGTH_MAX = 1_000_000;

export function compileSemanticSql(index: SemanticIndex, sql: string, options: SqlOptions): SqlCompileResult {
  if (sql.length > LENGTH_MAX) {
    const problem = `${sql.length} characters, where ${LENGTH_MAX} are the most`;
    return { ok: false, diagnostics: [diagnostic('sql.too-long', { problem })] };
  }
  const parsed = parseModelledQuery(sql, ASKED_DIALECT);
  if (!parsed.ok) {
    const { kind, message, span } = parsed.error;
    return {
      ok: false,
      diagnostics: [diagnostic(`sql.${kind}`, { problem: message }, { at: positionOf(span) })],
    };
  }
  try {
    return new StatementCompiler(index, options).compile(parsed.value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const problem = 'an expression has too many levels';
    return { ok: false, diagnostics: [diagnostic('sql.too-deep', { problem })] };
  }
}

class StatementCompiler {
  readonly #index: SemanticIndex;
  readonly #options: SqlOptions;
  readonly #visibility: Visibility;
  readonly #problems = new Problems();
  readonly #notes = new Set<string>();
  readonly #reads = new Set<string>();
  readonly #semantics = new Set<string>();
  readonly #members = new Set<string>();
  readonly #explanation: string[] = [];
  readonly #hoisted = new Map<string, CommonTable[]>();
  #hoistedCount = 0;
  #outputs: { readonly place: string; readonly list: readonly BlockOutput[] } | undefined;

  constructor(index: SemanticIndex, options: SqlOptions) {
    this.#index = index;
    this.#options = options;
    this.#visibility = visibilityOf(index, options.caller);
  }

  compile(root: Query): SqlCompileResult {
    const { models } = this.#options;
    const statement = readSelects(root, { visibility: this.#visibility, models }, this.#problems);
    this.#checkModels(root, statement);
    if (this.#problems.count > 0) return this.#refused();
    const tree = rewrite(root, (node) => this.#change(node, statement));
    if (this.#problems.count > 0) return this.#refused();
    const { dialect } = this.#options;
    const printed = translateQuery(tree, { from: ASKED_DIALECT, to: dialect, pretty: true });
    if (!printed.ok) {
      this.#problems.add(() =>
        diagnostic('semantic.cannot-translate', { dialect, detail: printed.error.message }),
      );
      return this.#refused();
    }
    return {
      ok: true,
      sql: printed.value,
      columns: this.#columns(tree, placeOf(root)),
      reads: [...this.#reads],
      models: [...new Set(statement.models.values())],
      semantics: [...this.#semantics],
      members: [...this.#members],
      notes: [...this.#notes],
      explanation: this.#explanation,
    };
  }

  #refused(): SqlCompileResult {
    return { ok: false, diagnostics: permissionFirst(this.#problems.list) };
  }

  /** Policies of semantic models hold for the rows below them too. */
  #checkModels(root: Query, { models }: SelectFacts): void {
    const { tables } = this.#options;
    if ([...models.values()].every((name) => tables.hidden(name) === 'none')) return;
    const read = columnsRead(root, (parts) =>
      tableIn(parts, { ...this.#options, visibility: this.#visibility }),
    );
    for (const [place, name] of models) {
      const [start = 0, end = 0] = place.split(':').map(Number);
      const refusal = tables.refusal(name, read(name));
      if (refusal !== undefined) this.#problems.add(() => ({ ...refusal, at: positionOf({ start, end }) }));
    }
  }

  #change(node: SqlNode, statement: SelectFacts): SqlNode {
    if (node.kind === 'table') return this.#table(node, statement);
    if (node.kind === 'column' && node.qualifiers.length > 1) return withoutSchema(node, statement);
    if (node.kind === 'select' && statement.blocks.has(placeOf(node)) && !statement.direct.has(placeOf(node)))
      return (
        compileBlock(node, [], this.#place(statement.owners.get(placeOf(node)) ?? '', statement))?.select ??
        node
      );
    return node.kind === 'query' ? this.#query(node, statement) : node;
  }

  #query(node: Query, statement: SelectFacts): Query {
    const place = placeOf(node);
    let changed = node;
    if (node.body.kind === 'select' && statement.blocks.has(placeOf(node.body))) {
      const block = compileBlock(node.body, node.orderBy, this.#place(place, statement));
      if (block !== undefined) {
        changed = { ...node, body: block.select, orderBy: block.orderBy };
        this.#outputs = { place, list: block.outputs };
      }
    }
    const hoisted = this.#hoisted.get(place);
    if (hoisted === undefined) return changed;
    this.#hoisted.delete(place);
    const { recursive, tables } = changed.with ?? { recursive: false, tables: [] };
    return { ...changed, with: { recursive, tables: [...tables, ...hoisted] } };
  }

  #table(node: TableReference, { models }: SelectFacts): SqlNode {
    const model = models.get(placeOf(node));
    if (model === undefined) return node;
    this.#reads.add(model);
    const { catalog, schema, name } = this.#options.relationOf(model);
    const alias = node.alias ?? { name: identifier(node.parts.at(-1)?.name ?? name), columns: [] };
    const relation = table(
      catalog === undefined ? [schema, name] : [catalog, schema, name],
    ) as TableReference;
    const { tables } = this.#options;
    const hidden = tables.hidden(model);
    if (hidden === 'none') return { ...node, parts: relation.parts, alias };
    // Nothing was found to read them, so nothing can.
    const projections = tables
      .columns(model)
      .map((each) =>
        projection(
          hidden === 'all' || hidden.has(each.toLowerCase()) ? NULL_LITERAL : column(undefined, each),
          each,
        ),
      );
    const shown = queryOf(select({ projections, from: relation }));
    const sample = node.suffix === undefined ? {} : { suffix: node.suffix };
    return { kind: 'derived', query: shown, lateral: false, alias, ...sample, span: node.span };
  }

  #place(owner: string, { names }: SelectFacts): BlockPlace {
    return {
      index: this.#index,
      reader: readerOf(this.#index, this.#options),
      visibility: this.#visibility,
      options: this.#options,
      problems: this.#problems,
      notes: this.#notes,
      reads: this.#reads,
      semantics: this.#semantics,
      members: this.#members,
      explanation: this.#explanation,
      hoist: (query) => {
        let name = `asked_${++this.#hoistedCount}`;
        while (names.has(name) || this.#index.models.has(name)) name = `asked_${++this.#hoistedCount}`;
        const common: CommonTable = { name: identifier(name), columns: [], query, span: NOWHERE };
        const known = this.#hoisted.get(owner);
        if (known === undefined) this.#hoisted.set(owner, [common]);
        else known.push(common);
        return name;
      },
    };
  }

  /** Types as far as they are known, and what the project says of columns that are members. */
  #columns(tree: Query, root: string): readonly QueryColumn[] {
    const shown = this.#outputs?.place === root ? this.#outputs.list : [];
    const members = shown.flatMap(({ name, of }) => (of === undefined ? [] : [{ ...of, name }]));
    if (members.length > 0 && members.length === shown.length) return members;
    const schemas = new Map<
      string,
      { readonly columns: readonly { readonly name: string; readonly type: string }[] }
    >();
    for (const model of this.#index.models.values()) {
      if (!this.#reads.has(model.model)) continue;
      const { catalog, schema, name } = this.#options.relationOf(model.model);
      const columns = [...model.columns.values()];
      schemas.set([...(catalog === undefined ? [] : [catalog]), schema, name].join('.').toLowerCase(), {
        columns,
      });
    }
    const { columns } = resolveQuery(tree, (parts) => schemas.get(parts.join('.').toLowerCase()));
    return columns.map(({ name, type }, i): QueryColumn => {
      const member = shown[i]?.of;
      return member === undefined
        ? { name, kind: 'dimension', type }
        : { ...member, name, type: member.type === 'UNKNOWN' ? type : member.type };
    });
  }
}

/** Models get their own names as aliases, so columns need no schema before them. */
function withoutSchema(node: ColumnReference, { models }: SelectFacts): ColumnReference {
  const { qualifiers } = node;
  const wanted = modelName(qualifiers, ASKED_DIALECT);
  return [...models.values()].includes(wanted) ? { ...node, qualifiers: qualifiers.slice(-1) } : node;
}

/** What a table of a text is and which columns it has, as far as they are known: a semantic table, without a model's name, or a model. */
export function tableIn(
  parts: readonly string[],
  { visibility, models, tables }: Pick<SqlOptions, 'models' | 'tables'> & { readonly visibility: Visibility },
): ReadTable | undefined {
  const [word = ''] = parts;
  const named = parts.length === 1 ? visibility.named(word) : undefined;
  if (named !== undefined)
    return { model: '', columns: [...visibility.members(named.model).values()].map(({ name }) => name) };
  const quoted = parts.map((name) => ({ name, quoted: true }));
  const model = [modelName(quoted, ASKED_DIALECT), modelName(quoted.slice(-2), ASKED_DIALECT)].find((name) =>
    models.has(name),
  );
  return model === undefined ? undefined : { model, columns: tables.columns(model) };
}
