/*
 * Expressions of a SELECT over semantic tables with every name bound, from the leaves up:
 *
 *   date_trunc('month', ▢row)       ──▶ ▢row, a bucket
 *   MEASURE(▢group), SUM(▢group)    ──▶ ▢made, the measure
 *   SUM(… ▢row …), COUNT(*)         ──▶ ▢made, an aggregate over the rows of one semantic model
 *   (SELECT …)                      ──▶ (SELECT * FROM asked_1), a common table before the SELECT, which sees nothing of it
 */
import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import { foldsRows } from '../../../foundation/sql/functions/folds-rows.ts';
import type { Call, ColumnReference, Expression, Query, Span } from '../../../foundation/sql/tree.ts';
import { rewrite, type SqlNode, walk } from '../../../foundation/sql/walk.ts';
import { cast, NULL_LITERAL, query, select, table } from '../tree-nodes.ts';
import { type BlockNames, isGroupName, isRowName, placeholder } from './block-names.ts';
import { type Problems, positionOf } from './problems.ts';

/** A value of groups: a measure, or an aggregate that was written. */
export type GroupValue =
  | { readonly kind: 'measure'; readonly word: string }
  | { readonly kind: 'aggregate'; readonly call: Call };

const MADE = '\uE402';

/** Whether a node stands for an aggregate that was folded. */
export function isGroupValueName(node: { readonly kind: string }): node is ColumnReference {
  return node.kind === 'column' && (node as ColumnReference).name.name.startsWith(MADE);
}

/** What a binder works with. */
export interface BinderPlace {
  readonly names: BlockNames;
  readonly problems: Problems;
  /** What the reader of the answer should know. */
  readonly notes: Set<string>;
  /** Puts a sub-query before the SELECT and gives its name. */
  readonly hoist: (query: Query) => string;
  /** The semantic model whose rows `COUNT(*)` counts, as a word; undefined when that is not clear. */
  readonly countedTable: string | undefined;
  /** Whether an aggregate is what the measure does by itself. */
  readonly isNatural: (word: string, call: Call) => boolean;
}

/** An expression of the SELECT list. */
export interface Alias {
  readonly tree: Expression;
  readonly size: number;
}

/** Nodes that names of the SELECT list may add. */
const ADDED_MAX = 200_000;

/** How names in an expression are read. */
export interface NameRules {
  /** Names of the SELECT list, when the place may use them. */
  readonly aliases?: ReadonlyMap<string, Alias>;
  /** Where aggregates are not allowed, in words. */
  readonly noAggregates?: string;
}

export class TreeBinder {
  readonly #place: BinderPlace;
  /** By the name of their placeholder, in the order of the text. */
  readonly made = new Map<string, GroupValue>();
  #added = 0;

  constructor(place: BinderPlace) {
    this.#place = place;
  }

  bind<Tree extends SqlNode>(tree: Tree, reading: NameRules = {}): Tree {
    const { names } = this.#place;
    const { inner, hidden } = this.#untouched(tree);
    return rewrite(tree, (node) => {
      if (node.kind === 'query' && inner.has(node)) return this.#hoisted(node);
      if (hidden.has(node)) return node;
      if (node.kind === 'column') {
        const alias = node.qualifiers.length === 0 ? node.name.name.toLowerCase() : undefined;
        const found =
          names.bind(node) ??
          this.#alias(alias === undefined ? undefined : reading.aliases?.get(alias), node.span);
        if (found !== undefined) return found;
        names.unknown(node);
        return NULL_LITERAL;
      }
      // Inside the core they would mean the columns of the tables below.
      if (node.kind === 'star' || (node.kind === 'call' && node.name.name.toLowerCase() === 'columns')) {
        const what = 'a star, or COLUMNS, inside an expression';
        this.#place.problems.add(() =>
          diagnostic('semantic.sql-unsupported', { what }, { at: positionOf(node.span) }),
        );
        return NULL_LITERAL;
      }
      return node.kind === 'call' ? this.#call(node, reading) : node;
    });
  }

  #alias(alias: Alias | undefined, span: Span): Expression | undefined {
    this.#added += alias?.size ?? 0;
    if (this.#added <= ADDED_MAX) return alias?.tree;
    this.#place.problems.add(() =>
      diagnostic(
        'semantic.sql-unsupported',
        { what: 'so many uses of long expressions' },
        { at: positionOf(span) },
      ),
    );
    return NULL_LITERAL;
  }

  /** Sub-queries, the outermost ones, and nodes whose names are not those of the tables: inside them, and parameters of lambdas. */
  #untouched(tree: SqlNode): { readonly inner: ReadonlySet<SqlNode>; readonly hidden: ReadonlySet<SqlNode> } {
    const inner = new Set<SqlNode>();
    const hidden = new Set<SqlNode>();
    walk(tree, (node) => {
      if (node.kind === 'query') {
        inner.add(node);
        walk(node, (each) => hidden.add(each));
        return false;
      }
      const [variables, bodies] =
        node.kind === 'lambda'
          ? [node.parameters, [node.body]]
          : node.kind === 'comprehension'
            ? [
                [node.variable, node.index],
                [node.result, node.condition],
              ]
            : [[], []];
      const own = new Set(variables.map((variable) => variable?.name.toLowerCase()));
      for (const body of bodies)
        if (body !== undefined)
          walk(body, (each) => {
            if (
              each.kind === 'column' &&
              each.qualifiers.length === 0 &&
              own.has(each.name.name.toLowerCase())
            )
              hidden.add(each);
          });
      return true;
    });
    return { inner, hidden };
  }

  /** A sub-query cannot refer to the rows around it. */
  #hoisted(node: Query): Query {
    const { names, problems, hoist } = this.#place;
    const own = new Set<string>();
    walk(node, (each) => {
      if (each.kind === 'table') own.add((each.alias?.name ?? each.parts.at(-1))?.name.toLowerCase() ?? '');
      else if ('alias' in each && each.alias !== undefined) own.add(each.alias.name.name.toLowerCase());
    });
    const outerAliases = new Set(names.sources.map(({ alias }) => alias.toLowerCase()));
    walk(node, (each) => {
      if (each.kind !== 'column') return;
      const first = each.qualifiers[0]?.name.toLowerCase();
      if (first !== undefined && outerAliases.has(first) && !own.has(first))
        problems.add(() =>
          diagnostic(
            'semantic.sql-correlated',
            { name: `${first}.${each.name.name}` },
            { at: positionOf(each.span) },
          ),
        );
    });
    const star = {
      kind: 'star',
      qualifiers: [],
      exclude: [],
      replace: [],
      rename: [],
      span: node.span,
    } as const;
    return query(
      select({ projections: [{ expression: star, span: node.span }], from: table([hoist(node)]) }),
    );
  }

  #call(call: Call, reading: NameRules): Expression {
    const name = call.qualifiers.length === 0 ? call.name.name.toLowerCase() : '';
    if (name === 'date_trunc' || name === 'datetrunc') return this.#bucket(call) ?? call;
    const isMeasure = name === 'measure' || name === 'aggregate';
    if (!isMeasure && (!foldsRows(name) || call.over !== undefined)) return call;
    if (reading.noAggregates !== undefined)
      return this.#refuse(`An aggregate cannot stand in ${reading.noAggregates}`, call.span);
    return isMeasure ? this.#measure(call) : this.#aggregate(call, name);
  }

  /** Also of a time that is cast before it is cut. */
  #bucket({ arguments: given }: Call): Expression | undefined {
    const { names } = this.#place;
    const [unit, time] = given.map(({ value }) => value);
    if (given.length !== 2 || unit?.kind !== 'literal' || unit.type !== 'string' || time === undefined)
      return undefined;
    if (isRowName(time)) return names.bucket(time, unit.text);
    if (time.kind !== 'cast' || time.isTry || !isRowName(time.operand)) return undefined;
    const bound = names.of(time.operand);
    const isTimestamp = ['TIMESTAMP', 'DATETIME', 'TIMESTAMP WITHOUT TIME ZONE'].includes(time.type.name);
    if (bound.kind !== 'row' || !isTimestamp || !['DATE', 'TIMESTAMP'].includes(bound.type)) return undefined;
    const bucket = names.bucket(time.operand, unit.text);
    return bucket && cast(bucket, 'TIMESTAMP');
  }

  #measure(call: Call): Expression {
    const { names, problems } = this.#place;
    const [argument, ...more] = call.arguments;
    const value = argument?.value;
    if (
      value !== undefined &&
      isGroupName(value) &&
      more.length === 0 &&
      call.over === undefined &&
      call.filter === undefined
    )
      return this.#make({ kind: 'measure', word: names.shown(value) }, call.span);
    const found = value !== undefined && isRowName(value) ? 'a dimension' : 'none';
    const name = value !== undefined && isRowName(value) ? names.shown(value) : 'this';
    problems.add(() =>
      diagnostic('semantic.sql-not-measure', { name, found }, { at: positionOf(call.span) }),
    );
    return NULL_LITERAL;
  }

  #aggregate(call: Call, name: string): Expression {
    const { names, notes, isNatural, countedTable, problems } = this.#place;
    let [rows, groups, made] = [0, 0, 0];
    walk(call, (node) => {
      if (isRowName(node)) rows++;
      else if (isGroupName(node)) groups++;
      else if (isGroupValueName(node)) made++;
    });
    if (made > 0) return this.#refuse(`${name} is over another aggregate`, call.span);
    const value = call.arguments.length === 1 ? call.arguments[0]?.value : undefined;
    if (value !== undefined && isGroupName(value)) {
      const word = names.shown(value);
      if (call.filter !== undefined)
        return this.#refuse(`FILTER cannot narrow the measure ${word}`, call.span);
      if (!isNatural(word, call))
        notes.add(
          `${call.name.name.toUpperCase()} of ${word} is the measure itself, computed for each group.`,
        );
      return this.#make({ kind: 'measure', word }, call.span);
    }
    if (groups > 0) return this.#refuse(`${name} is over an expression with a measure`, call.span);
    const isOfRows = rows === 0 && call.filter === undefined && !call.isDistinct && name === 'count';
    const isPlain = call.isStar || (value?.kind === 'literal' && value.type !== 'null');
    if (isOfRows && isPlain && countedTable !== undefined)
      return this.#make({ kind: 'measure', word: `${countedTable}.count` }, call.span);
    if (rows === 0 && countedTable === undefined) {
      problems.add(() => this.#unclear(call));
      return NULL_LITERAL;
    }
    return this.#make({ kind: 'aggregate', call }, call.span);
  }

  #unclear(call: Call): Diagnostic {
    const { names } = this.#place;
    const tables = names.sources.map(({ alias }) => alias).join(', ');
    return diagnostic(
      'semantic.sql-aggregate-rows',
      {
        call: `${call.name.name.toUpperCase()}(${call.isStar ? '*' : '…'})`,
        tables,
        example: `${names.sources[0]?.alias ?? ''}.count`,
      },
      { at: positionOf(call.span) },
    );
  }

  #refuse(what: string, span: Span): Expression {
    this.#place.problems.add(() => diagnostic('semantic.sql-aggregate', { what }, { at: positionOf(span) }));
    return NULL_LITERAL;
  }

  /** Equal measures and equal aggregates are made once. */
  #make(made: GroupValue, span: Span): Expression {
    const key = made.kind === 'measure' ? made.word.toLowerCase() : this.#aggregateKey(made.call);
    const name = `${MADE}${key}`;
    if (!this.made.has(name)) this.made.set(name, made);
    return placeholder(name, span);
  }

  #aggregateKey(call: Call): string {
    return JSON.stringify(call, (key, value) => (key === 'span' || key === 'nameSpan' ? undefined : value));
  }

  /** A measure that stands as a column. */
  bare(node: ColumnReference): Expression {
    return this.#make({ kind: 'measure', word: this.#place.names.shown(node) }, node.span);
  }
}
