/*
 * The SQL of members, read once and kept: every reference replaced by what it means, down to columns.
 *
 *   {size_class} = 'big' AND {customers.region} = 'EU'
 *     ──▶ CASE WHEN ▢amount > 100 THEN … END = 'big' AND ▢(customers>)region = 'EU'      ▢: a slot, a column at the end of a path
 *
 * A reader sees the members of one set of masks: a masked name is its mask wherever it stands, except in its own mask and in joins.
 * Where a mask holds for some rows only, it is CASE WHEN ▢policy_1 THEN … ELSE mask END.
 */
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { resolveQuery } from '../../foundation/sql/resolve/resolve-query.ts';
import type { Call, ColumnReference, Expression } from '../../foundation/sql/tree.ts';
import { rewrite } from '../../foundation/sql/walk.ts';
import type { LocatedText } from '../../foundation/yaml/located.ts';
import { selectOf } from '../load/yaml/check-expression.ts';
import { edgeKey } from '../load/yaml/join-graph.ts';
import { type MemberExpression, readMemberExpression } from '../load/yaml/member-expression.ts';
import { inDuckdb } from './in-duckdb.ts';
import type { Edge, IndexedMember, IndexedModel, Path, RowExpression, Slot } from './indexed-model.ts';
import { namedModel, pathTo } from './name-paths.ts';
import { withSafeDivisions } from './safe-divisions.ts';
import type { SemanticIndex } from './semantic-index.ts';
import { caseWhen, cast, column, NOWHERE, NULL_LITERAL } from './tree-nodes.ts';

/** Masked members by lower-case name of their semantic model: masked always, or in rows where a column that they come with is not true. */
export type Masks = ReadonlyMap<string, ReadonlyMap<string, true | string>>;

/** A measure's expression: aggregates over rows and other measures, by the name they have in the tree. */
export interface DerivedExpression {
  readonly tree: Expression;
  readonly aggregates: ReadonlyMap<string, RowExpression>;
  readonly measures: ReadonlyMap<string, { readonly model: IndexedModel; readonly name: string }>;
  readonly problem?: Diagnostic;
}

const SLOT = '\uE200';
const INPUT = '\uE300';
const DECLARED = { string: 'VARCHAR', number: 'DOUBLE', boolean: 'BOOLEAN', time: 'TIMESTAMP' } as const;
const FITTING = {
  string: /^(VARCHAR|UUID|ENUM|JSON)/,
  number: /^(DECIMAL|U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE|BIGNUM)/,
  boolean: /^BOOLEAN/,
  time: /^(DATE|TIMESTAMP)/,
} as const;

export class MemberReader {
  readonly #index: SemanticIndex;
  readonly #masks: Masks;
  readonly #dimensions = new Map<string, RowExpression>();
  readonly #texts = new Map<LocatedText, RowExpression>();
  /** Whose rows a text was read for last: the filter of a metric is read for each of its facts. */
  readonly #owners = new Map<LocatedText, IndexedModel>();
  readonly #derived = new Map<LocatedText, DerivedExpression>();
  readonly #active = new Set<string>();

  constructor(index: SemanticIndex, masks: Masks) {
    this.#index = index;
    this.#masks = masks;
  }

  /** A dimension, or a column that is none, of one row of its semantic model. */
  dimension(model: IndexedModel, name: string): RowExpression {
    const key = `${model.name}.${name}`.toLowerCase();
    let row = this.#dimensions.get(key);
    if (row !== undefined) return row;
    if (this.#active.has(key)) return broken(diagnostic('semantic.cycle', { path: key }));
    this.#active.add(key);
    row = this.#readDimension(model, name);
    this.#active.delete(key);
    this.#dimensions.set(key, row);
    return row;
  }

  #readDimension(model: IndexedModel, name: string): RowExpression {
    const member = model.members.get(name.toLowerCase());
    const declaredType = member?.kind === 'dimension' ? member.dimension?.type : undefined;
    const declared = declaredType === undefined ? 'UNKNOWN' : DECLARED[declaredType];
    const mask = this.#maskOf(model, name);
    if (mask === undefined) return this.#readClear(model, name);
    const masked = this.#readMask(model, name, declared);
    return mask === true ? masked : chosen(columnRow(model, mask), this.#readClear(model, name), masked);
  }

  #readMask(model: IndexedModel, name: string, declared: string): RowExpression {
    const member = model.members.get(name.toLowerCase());
    const dimension = member?.kind === 'dimension' ? member.dimension : undefined;
    if (dimension?.maskExpression !== undefined) return this.#read(model, dimension.maskExpression, name);
    // With the type of what it hides: what is computed from it keeps its own.
    const type =
      declared === 'UNKNOWN' ? (model.columns.get(name.toLowerCase())?.type ?? declared) : declared;
    return type === 'UNKNOWN' ? EMPTY : { ...EMPTY, tree: cast(NULL_LITERAL, type), type };
  }

  #readClear(model: IndexedModel, name: string): RowExpression {
    const member = model.members.get(name.toLowerCase());
    const dimension = member?.kind === 'dimension' ? member.dimension : undefined;
    if (dimension?.expression === undefined) return columnRow(model, name);
    const row = this.#read(model, dimension.expression, name);
    // What is found out is finer than what is declared, but does not overrule it.
    const isFitting = dimension.type === undefined || FITTING[dimension.type].test(row.type);
    return isFitting ? row : { ...row, type: DECLARED[dimension.type] };
  }

  #maskOf(model: IndexedModel, name: string): true | string | undefined {
    return this.#masks.get(model.name.toLowerCase())?.get(name.toLowerCase());
  }

  /** SQL over one row: a segment, a filter, the input of an aggregate. */
  row(model: IndexedModel, text: LocatedText): RowExpression {
    let row = this.#texts.get(text);
    if (row === undefined || this.#owners.get(text) !== model) {
      row = this.#read(model, text, undefined);
      this.#texts.set(text, row);
      this.#owners.set(text, model);
    }
    return row;
  }

  /** `own` is the member the text belongs to: its name inside means the column. */
  #read(model: IndexedModel, text: LocatedText, own: string | undefined): RowExpression {
    const read = this.#parse(model, text);
    if ('code' in read) return broken(read);
    const parts = new Map<string, RowExpression>();
    for (const { parts: names, placeholder } of read.references) {
      const row = this.#reference(model, names, own);
      if (row.problem !== undefined) return row;
      parts.set(placeholder, row);
    }
    return this.#assemble(model, read.tree, parts, own);
  }

  #parse(model: IndexedModel, text: LocatedText): MemberExpression | Diagnostic {
    const read = readMemberExpression(text.value, model.dialect);
    if (!read.ok) return diagnostic('semantic.bad-expression', { detail: read.error.message });
    return inDuckdb(read.value, model.dialect);
  }

  #reference(model: IndexedModel, names: readonly string[], own: string | undefined): RowExpression {
    const [first = '', second] = names;
    if (names.length > 2) return broken(diagnostic('semantic.bad-reference', { reference: names.join('.') }));
    if (second === undefined) return this.#inside(model, first, own);
    const way = this.#way(model, first);
    if ('code' in way) return broken(way);
    return behind(way.path, this.#inside(way.model, second, way.path.length === 0 ? own : undefined));
  }

  /** Names in expressions mean columns first, which masks cover as well. */
  #inside(model: IndexedModel, name: string, own: string | undefined): RowExpression {
    const key = name.toLowerCase();
    if (own?.toLowerCase() === key) return columnRow(model, name);
    const isMasked = this.#maskOf(model, name) !== undefined;
    const isPlain = model.columns.has(key) && !isMasked;
    if (isPlain) return columnRow(model, name);
    const member = model.members.get(key);
    if (member?.kind === 'dimension' || !model.knowsColumns || isMasked) return this.dimension(model, name);
    return broken(diagnostic('semantic.unknown-member', { member: name, model: model.name }));
  }

  /** The one way to a role of the model, or to another semantic model. */
  #way(
    model: IndexedModel,
    name: string,
  ): { readonly model: IndexedModel; readonly path: Path } | Diagnostic {
    const key = name.toLowerCase();
    if (model.name.toLowerCase() === key) return { model, path: [] };
    const start = model.name.toLowerCase();
    const roles = this.#index.roles.get(key) ?? [];
    const own = roles.find(({ owner }) => owner === start);
    if (own !== undefined && own.endings.length === 1) {
      const target = this.#index.models.get(own.to);
      if (target !== undefined) return { model: target, path: own.endings[0] as Path };
    }
    const named = namedModel(this.#index, name);
    if (named === undefined) return diagnostic('semantic.unknown-semantic-model', { name });
    const path = pathTo(this.#index, model, named);
    return 'code' in path ? path : { model: named.model, path };
  }

  #assemble(
    model: IndexedModel,
    tree: Expression,
    parts: ReadonlyMap<string, RowExpression>,
    own: string | undefined,
  ): RowExpression {
    const single = tree.kind === 'column' ? parts.get(tree.name.name) : undefined;
    if (single !== undefined) return single;
    const slots = new Map<string, Slot>();
    let problem: Diagnostic | undefined;
    const put = (row: RowExpression): Expression => {
      for (const [name, slot] of row.slots) slots.set(name, slot);
      problem ??= row.problem;
      return row.tree;
    };
    const bound = rewrite(tree, (node) => {
      if (node.kind !== 'column') return node;
      const part = node.qualifiers.length === 0 ? parts.get(node.name.name) : undefined;
      if (part !== undefined) return put(part);
      return this.#bareColumn(model, node, own, put);
    });
    const type = problem === undefined ? typeOf(bound, slots) : 'UNKNOWN';
    return { tree: bound, slots, type, ...(problem === undefined ? {} : { problem }) };
  }

  /** A column written without braces, perhaps with its table before or fields of a struct behind it. */
  #bareColumn(
    model: IndexedModel,
    node: ColumnReference,
    own: string | undefined,
    put: (row: RowExpression) => Expression,
  ): Expression {
    const names = [...node.qualifiers, node.name];
    const at = names.findIndex(({ name }) => model.columns.has(name.toLowerCase()));
    if (at < 0 && (model.knowsColumns || names.length > 1)) return node;
    const name = names[Math.max(at, 0)]?.name ?? '';
    return names
      .slice(Math.max(at, 0) + 1)
      .reduce<Expression>(
        (operand, field) => ({ kind: 'field', operand, field, isVariantPath: false, span: NOWHERE }),
        put(this.#inside(model, name, own)),
      );
  }

  /** The expression of a measure of measures. */
  derived(model: IndexedModel, text: LocatedText): DerivedExpression {
    let derived = this.#derived.get(text);
    if (derived === undefined) {
      derived = this.#readDerived(model, text);
      this.#derived.set(text, derived);
    }
    return derived;
  }

  #readDerived(model: IndexedModel, text: LocatedText): DerivedExpression {
    const none = { tree: NULL_LITERAL, aggregates: new Map(), measures: new Map() };
    const read = this.#parse(model, text);
    if ('code' in read) return { ...none, problem: read };
    const parts = new Map<string, RowExpression>();
    const measures = new Map<string, { model: IndexedModel; name: string }>();
    for (const { parts: names, placeholder, isAggregated } of read.references) {
      if (isAggregated) {
        const row = this.#reference(model, names, undefined);
        if (row.problem !== undefined) return { ...none, problem: row.problem };
        parts.set(placeholder, row);
        continue;
      }
      const found = this.#measure(model, names);
      if ('code' in found) return { ...none, problem: found };
      measures.set(placeholder, found);
    }
    const aggregates = new Map<string, RowExpression>();
    const calls = new Map<Call, string>();
    for (const call of read.aggregates) {
      const row = this.#assemble(model, withSafeDivisions(call), parts, undefined);
      if (row.problem !== undefined) return { ...none, problem: row.problem };
      const name = `${INPUT}${aggregates.size}`;
      calls.set(call, name);
      aggregates.set(name, row);
    }
    // Parents are rewritten after their children, so a call is found by where it stands.
    const places = new Map([...calls].map(([{ span }, name]) => [`${span.start}:${span.end}`, name]));
    const outside = rewrite(read.tree, (node) => {
      const name = node.kind === 'call' ? places.get(`${node.span.start}:${node.span.end}`) : undefined;
      return name === undefined ? node : column(undefined, name);
    });
    return { tree: withSafeDivisions(outside), aggregates, measures };
  }

  #measure(
    model: IndexedModel,
    names: readonly string[],
  ): { readonly model: IndexedModel; readonly name: string } | Diagnostic {
    const [first = '', second] = names;
    const key = first.toLowerCase();
    const target =
      second === undefined
        ? model
        : (this.#index.models.get(key) ?? this.#index.models.get(this.#index.roles.get(key)?.[0]?.to ?? ''));
    const name = second ?? first;
    const member = target?.members.get(name.toLowerCase());
    if (target === undefined) return diagnostic('semantic.unknown-semantic-model', { name: first });
    if (member?.kind !== 'measure')
      return diagnostic('semantic.not-aggregated', { name, what: `a measure of ${model.name}` });
    return { model: target, name: member.name };
  }

  /** Which rows a join brings together: slots of its owner have no path, those of the other side one edge. */
  on(owner: IndexedModel, edge: Edge): RowExpression {
    const { join } = edge;
    let row = this.#texts.get(join.on);
    if (row === undefined) {
      row = this.#readOn(owner, edge);
      this.#texts.set(join.on, row);
    }
    return row;
  }

  #readOn(owner: IndexedModel, edge: Edge): RowExpression {
    const { join } = edge;
    const read = this.#parse(owner, join.on);
    if ('code' in read) return broken(read);
    const target = this.#index.models.get(join.model.value.toLowerCase());
    const raw = new MemberReader(this.#index, new Map());
    const parts = new Map<string, RowExpression>();
    for (const { parts: names, placeholder } of read.references) {
      const [first = '', second] = names;
      const side = first.toLowerCase();
      const isTarget =
        second !== undefined &&
        (side === join.name.value.toLowerCase() || side === join.model.value.toLowerCase());
      const row =
        isTarget && target !== undefined
          ? behind([{ ...edge, isReversed: false }], raw.#inside(target, second, undefined))
          : raw.#inside(owner, second ?? first, undefined);
      if ([...row.slots.values()].some(({ path }) => path.length > (isTarget ? 1 : 0)))
        return broken(diagnostic('semantic.join-foreign-model', { name: join.name.value, model: first }));
      parts.set(placeholder, row);
    }
    return raw.#assemble(owner, read.tree, parts, undefined);
  }

  /** A member of a semantic model by name. */
  member(model: IndexedModel, name: string): IndexedMember | undefined {
    return model.members.get(name.toLowerCase());
  }
}

const EMPTY: RowExpression = { tree: NULL_LITERAL, slots: new Map(), type: 'UNKNOWN' };

function broken(problem: Diagnostic): RowExpression {
  return { ...EMPTY, problem };
}

function columnRow(model: IndexedModel, name: string): RowExpression {
  const known = model.columns.get(name.toLowerCase());
  const slot: Slot = { path: [], column: known?.name ?? name, type: known?.type ?? 'UNKNOWN' };
  const key = slotName(slot);
  return { tree: slotColumn(key), slots: new Map([[key, slot]]), type: slot.type };
}

/** One expression where the first is true, else another; what text cannot be read as a value of the other's type makes both text. */
function chosen(when: RowExpression, clear: RowExpression, masked: RowExpression): RowExpression {
  const problem = clear.problem ?? masked.problem;
  const isText = masked.type === 'VARCHAR' && clear.type !== 'VARCHAR';
  const tree = caseWhen(when.tree, isText ? cast(clear.tree, 'VARCHAR') : clear.tree, masked.tree);
  const slots = new Map([...when.slots, ...clear.slots, ...masked.slots]);
  const type = isText ? 'VARCHAR' : masked.type === clear.type ? clear.type : typeOf(tree, slots);
  return { tree, slots, type, ...(problem === undefined ? {} : { problem }) };
}

function slotName({ path, column: name }: Slot): string {
  return `${SLOT}${path.map(edgeKey).join('')}.${name}`;
}

function slotColumn(key: string): ColumnReference {
  return {
    kind: 'column',
    name: { name: key, quoted: true, span: NOWHERE },
    qualifiers: [],
    span: NOWHERE,
  };
}

/** The same expression seen from where the path begins. */
function behind(path: Path, row: RowExpression): RowExpression {
  if (path.length === 0 || row.problem !== undefined) return row;
  const slots = new Map<string, Slot>();
  const names = new Map<string, string>();
  for (const [name, slot] of row.slots) {
    const moved = { ...slot, path: [...path, ...slot.path] };
    const key = slotName(moved);
    names.set(name, key);
    slots.set(key, moved);
  }
  const tree = rewrite(row.tree, (node) => {
    const key = node.kind === 'column' ? names.get(node.name.name) : undefined;
    return key === undefined ? node : slotColumn(key);
  });
  return { ...row, tree, slots };
}

function typeOf(tree: Expression, slots: ReadonlyMap<string, Slot>): string {
  const columns = [...slots].map(([name, { type }]) => ({ name, type }));
  return resolveQuery(selectOf(tree), () => ({ columns })).columns[0]?.type ?? 'UNKNOWN';
}
