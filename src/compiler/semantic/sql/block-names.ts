/*
 * The columns of a SELECT over semantic tables and what they mean. In trees a bound column is a placeholder:
 *
 *   orders.status ──▶ ▢row orders.status        a dimension or segment: has a value in each row
 *   revenue       ──▶ ▢group orders.revenue     a measure: has a value in each group
 */
import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { didYouMean } from '../../../foundation/diagnostics/nearest.ts';
import type { ColumnReference, Expression, Span } from '../../../foundation/sql/tree.ts';
import type { Visibility } from '../access/visibility.ts';
import { isTime } from '../bind-filter.ts';
import { MemberLookup, type ResolvedMember } from '../member-lookup.ts';
import type { MemberReader } from '../member-reader.ts';
import type { SemanticIndex } from '../semantic-index.ts';
import { type Problems, positionOf } from './problems.ts';
import type { SemanticTable } from './read-sources.ts';

/** What a placeholder stands for. */
export type BoundName =
  | {
      readonly kind: 'row';
      /** As it is in a row. */
      readonly member: ResolvedMember;
      /** As it is grouped by when it stands alone: the time of a metric has a granularity of its own. */
      readonly key: ResolvedMember;
      readonly type: string;
      readonly source: SemanticTable;
      /** Of a bucket: the placeholder of its time. */
      readonly bucketOf?: string;
    }
  | { readonly kind: 'group'; readonly word: string; readonly source: SemanticTable };

const ROW = '\uE400';
const GROUP = '\uE401';

/** Whether a node stands for a value of rows. */
export function isRowName(node: { readonly kind: string }): node is ColumnReference {
  return node.kind === 'column' && (node as ColumnReference).name.name.startsWith(ROW);
}

/** Whether a node stands for a measure as a column, outside any aggregate. */
export function isGroupName(node: { readonly kind: string }): node is ColumnReference {
  return node.kind === 'column' && (node as ColumnReference).name.name.startsWith(GROUP);
}

/** A column that stands for something. */
export function placeholder(name: string, span: Span): ColumnReference {
  return { kind: 'column', name: { name, quoted: true, span }, qualifiers: [], span };
}

/** The names of one SELECT. */
export class BlockNames {
  readonly sources: readonly SemanticTable[];
  readonly #reader: MemberReader;
  readonly #members: MemberLookup;
  readonly #problems: Problems;
  readonly #bound = new Map<string, BoundName>();
  readonly #places = new Map<string, Span>();

  constructor(
    sources: readonly SemanticTable[],
    {
      index,
      reader,
      visibility,
      members,
      problems,
    }: {
      readonly index: SemanticIndex;
      readonly reader: MemberReader;
      readonly visibility: Visibility;
      readonly members: Set<string>;
      readonly problems: Problems;
    },
  ) {
    this.sources = sources;
    this.#reader = reader;
    this.#members = new MemberLookup(index, visibility, members);
    this.#problems = problems;
  }

  /** What a placeholder of this SELECT stands for. */
  of({ name }: ColumnReference): BoundName {
    const bound = this.#bound.get(name.name);
    if (bound === undefined) throw new Error('a placeholder of another SELECT');
    return bound;
  }

  /** The name of a member as messages show it. */
  shown(node: ColumnReference): string {
    const bound = this.of(node);
    return bound.kind === 'row' ? bound.member.word : bound.word;
  }

  /** The column as a placeholder; undefined when no table has it. An ambiguous name is reported. */
  bind(node: ColumnReference): Expression | undefined {
    const names = [...node.qualifiers, node.name].map(({ name }) => name);
    const [first = '', second, third] = names;
    if (names.length > 3) return undefined;
    const table = second === undefined ? undefined : this.#source(first);
    if (table !== undefined && second !== undefined) return this.#member(table, second, third, node.span);
    if (third !== undefined) return undefined;
    const having = this.sources.filter((source) => hasColumn(source, first));
    const [only] = having;
    if (only === undefined) return undefined;
    if (having.length > 1)
      this.#problems.add(() =>
        diagnostic(
          'semantic.sql-ambiguous-column',
          { name: first, candidates: having.map(({ alias }) => `${alias}.${first}`).join(' or ') },
          { at: positionOf(node.span) },
        ),
      );
    return this.#member(only, first, second, node.span);
  }

  #source(alias: string): SemanticTable | undefined {
    const key = alias.toLowerCase();
    return this.sources.find((source) => source.alias.toLowerCase() === key);
  }

  /** A member of a table, or a bucket of it. */
  #member(
    source: SemanticTable,
    name: string,
    granularity: string | undefined,
    span: Span,
  ): Expression | undefined {
    if (!hasColumn(source, name)) return undefined;
    const word = `${source.word}.${name}`;
    if (!this.#places.has(word)) this.#places.set(word, span);
    if (sortOf(source, name) === 'measure') {
      const key = `${GROUP}${word.toLowerCase()}`;
      this.#bound.set(key, { kind: 'group', word, source });
      return granularity === undefined ? placeholder(key, span) : undefined;
    }
    const key = `${ROW}${word.toLowerCase()}`;
    if (!this.#bound.has(key)) {
      const bound = this.#row(source, word, name);
      if (bound === undefined) return undefined;
      this.#bound.set(key, bound);
    }
    const column = placeholder(key, span);
    return granularity === undefined ? column : this.bucket(column, granularity);
  }

  #row(source: SemanticTable, word: string, name: string): BoundName | undefined {
    const segment = sortOf(source, name) === 'segment' ? this.#members.refOf(word, 'segment') : undefined;
    if (segment?.ok === true) {
      const requested: ResolvedMember = { word, ref: segment.value };
      return { kind: 'row', member: requested, key: requested, type: 'BOOLEAN', source };
    }
    const found = this.#members.dimension(word);
    if (!found.ok) return undefined;
    const key = found.value;
    const { ref, metricColumn } = key;
    const asked = { word, ref, ...(metricColumn === undefined ? {} : { metricColumn }) };
    const { type } = this.#reader.dimension(ref.named.model, ref.member.name);
    return { kind: 'row', member: asked, key: name.toLowerCase() === 'ts' ? key : asked, type, source };
  }

  /** `date_trunc(granularity, column)` as a bucket of the calendar or of the dimension's own; undefined when it is none. */
  bucket(column: ColumnReference, granularity: string): Expression | undefined {
    const bound = this.of(column);
    if (bound.kind !== 'row' || bound.member.grain !== undefined) return undefined;
    if (!isTime(bound.type) && bound.type !== 'UNKNOWN') return undefined;
    const found = this.#members.dimension(bound.member.word, granularity.toLowerCase());
    if (!found.ok) return undefined;
    const word = `${bound.member.word}.${granularity.toLowerCase()}`;
    const key = `${ROW}${word.toLowerCase()}`;
    const requested: ResolvedMember = { ...found.value, word };
    this.#bound.set(key, { ...bound, member: requested, key: requested, bucketOf: column.name.name });
    return placeholder(key, column.span);
  }

  /** Every column `*` means: dimensions, then measures. */
  star(source: SemanticTable, isNeeded: (name: string) => boolean): readonly string[] {
    if (source.kind === 'metric')
      return ['ts', ...source.metric.dimensions.map(({ name }) => name), 'measure'].filter((name) =>
        hasColumn(source, name),
      );
    const shown = (kind: 'dimension' | 'measure'): readonly string[] =>
      [...source.members.values()].flatMap((member) =>
        member.kind === kind && isNeeded(member.name) ? [member.name] : [],
      );
    return [...shown('dimension'), ...shown('measure')];
  }

  /** Where the member stands that a message speaks of. */
  placeIn(message: string): Span | undefined {
    const [found] = [...this.#places]
      .filter(([word]) => message.includes(word))
      .sort(([a], [b]) => b.length - a.length);
    return found?.[1];
  }

  unknown(node: ColumnReference): void {
    const names = [...node.qualifiers, node.name].map(({ name }) => name);
    const [table, column] =
      names.length > 1 ? [names[0] as string, names[1] as string] : [undefined, names[0] as string];
    const source = table === undefined ? undefined : this.#source(table);
    const tables = source === undefined ? this.sources : [source];
    this.#problems.add(() => {
      const known =
        table !== undefined && source === undefined
          ? this.sources.map(({ alias }) => alias)
          : tables.flatMap(columnsOf);
      const wanted = table !== undefined && source === undefined ? table : column;
      return diagnostic(
        'semantic.sql-unknown-column',
        { name: names.join('.'), tables: tables.map(({ alias }) => alias).join(', ') },
        { at: positionOf(node.span), hint: didYouMean(wanted, known) },
      );
    });
  }
}

function columnsOf(source: SemanticTable): readonly string[] {
  return source.kind === 'model' ? [...source.members.values()].map(({ name }) => name) : source.columns;
}

/** What a column of a table is. */
function sortOf(source: SemanticTable, name: string): 'measure' | 'dimension' | 'segment' | undefined {
  const key = name.toLowerCase();
  if (source.kind === 'model') return source.members.get(key)?.kind;
  return key === 'measure' || key === source.metric.name.value.toLowerCase() ? 'measure' : 'dimension';
}

function hasColumn(source: SemanticTable, name: string): boolean {
  const key = name.toLowerCase();
  if (source.kind === 'model') return source.members.has(key);
  return columnsOf(source).some((each) => each.toLowerCase() === key);
}
