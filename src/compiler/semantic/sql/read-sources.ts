/*
 * The FROM of a SELECT over semantic tables: each table by its alias, and the joins, which must be the modelled ones.
 * An ON that is the condition of a modelled join says which role of a model is meant.
 */
import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { Metric } from '../../../domain/metric.ts';
import { fromTables, joinsOf } from '../../../foundation/sql/from-tables.ts';
import type {
  ColumnReference,
  Expression,
  Join,
  Select,
  TableReference,
} from '../../../foundation/sql/tree.ts';
import type { Visibility } from '../access/visibility.ts';
import type { Edge, IndexedMember, IndexedModel, Path } from '../indexed-model.ts';
import { visibleColumns } from '../member-lookup.ts';
import type { MemberReader } from '../member-reader.ts';
import { type NamedModel, namedModel, type PathChoice } from '../name-paths.ts';
import type { SemanticIndex } from '../semantic-index.ts';
import { type Problems, positionOf } from './problems.ts';

/** A semantic table of a FROM. */
export type SemanticTable =
  | {
      readonly kind: 'model';
      /** How columns name it. */
      readonly alias: string;
      /** The model or role that members are looked up in. */
      readonly word: string;
      readonly named: NamedModel;
      /** Its columns, by lower-case name. */
      readonly members: ReadonlyMap<string, IndexedMember>;
      readonly table: TableReference;
    }
  | {
      readonly kind: 'metric';
      readonly alias: string;
      readonly word: string;
      readonly metric: Metric;
      /** Names of its columns. */
      readonly columns: readonly string[];
      readonly table: TableReference;
    };

/** The tables of a FROM, and the joins between them that their conditions name. */
export interface Sources {
  readonly list: readonly SemanticTable[];
  /** The way between two of them over such joins. */
  readonly chosen: NonNullable<PathChoice['chosen']>;
}

const TABLES_MAX = 100;

/** The tables of a FROM; what cannot be read is reported. */
export function readSources(
  { from, sample, span }: Select,
  {
    index,
    reader,
    visibility,
    problems,
  }: {
    readonly index: SemanticIndex;
    readonly reader: MemberReader;
    readonly visibility: Visibility;
    readonly problems: Problems;
  },
): Sources {
  if (sample !== undefined)
    problems.add(() => diagnostic('semantic.sql-unsupported', { what: 'samples' }, { at: positionOf(span) }));
  const leaves = fromTables(from);
  if (leaves.length > TABLES_MAX) {
    const what = `more than ${TABLES_MAX} tables`;
    problems.add(() => diagnostic('semantic.sql-unsupported', { what }, { at: positionOf(span) }));
    return { list: [], chosen: () => undefined };
  }
  const sources: SemanticTable[] = [];
  const seen = new Set<string>();
  for (const leaf of leaves) {
    if (leaf.kind !== 'table') throw new Error('a block has only semantic tables');
    const source = sourceOf(index, visibility, leaf);
    if (source === undefined) continue;
    const key = source.alias.toLowerCase();
    if (seen.has(key))
      problems.add(() =>
        diagnostic('semantic.sql-same-table', { name: source.alias }, { at: positionOf(leaf.span) }),
      );
    seen.add(key);
    if (leaf.suffix !== undefined || (leaf.alias?.columns.length ?? 0) > 0)
      problems.add(() =>
        diagnostic(
          'semantic.sql-unsupported',
          { what: 'samples, or lists of column names behind a table' },
          { at: positionOf(leaf.span) },
        ),
      );
    sources.push(source);
  }
  const roles = new Map<string, string>();
  const crossed: CrossedJoin[] = [];
  for (const join of joinsOf(from)) checkJoin(join, { sources, index, reader, problems, roles, crossed });
  const meant = sources.map((source): SemanticTable => {
    const role = roles.get(source.alias.toLowerCase());
    const named = role === undefined || source.kind === 'metric' ? undefined : namedModel(index, role);
    return named === undefined || source.kind === 'metric'
      ? source
      : { ...source, word: role as string, named };
  });
  const words = new Set<string>();
  for (const { word, table, alias } of meant) {
    if (words.has(word.toLowerCase()))
      problems.add(() =>
        diagnostic('semantic.sql-same-table', { name: alias }, { at: positionOf(table.span) }),
      );
    words.add(word.toLowerCase());
  }
  return { list: meant, chosen: (fact, named) => chosenWay(meant, crossed, fact, named) };
}

/** A modelled join that a condition names, between two aliases. */
interface CrossedJoin {
  readonly from: string;
  readonly to: string;
  readonly edge: Edge;
}

/** Conditions join each table to one before it, so that there is one way at most. */
function chosenWay(
  sources: readonly SemanticTable[],
  crossed: readonly CrossedJoin[],
  fact: IndexedModel,
  named: NamedModel,
): Path | undefined {
  if (crossed.length === 0) return undefined;
  const models = sources.flatMap((source) => (source.kind === 'model' ? [source] : []));
  const own = models.filter((source) => source.named.model === fact);
  const [start] = own.filter(
    ({ word }) => own.length === 1 || word.toLowerCase() === fact.name.toLowerCase(),
  );
  const goal = models.find(({ word }) => word.toLowerCase() === named.word.toLowerCase());
  if (start === undefined || goal === undefined) return undefined;
  const ways = new Map<string, Path>([[start.alias.toLowerCase(), []]]);
  for (const [alias, path] of ways)
    for (const { from, to, edge } of crossed)
      if (from === alias && !ways.has(to)) ways.set(to, [...path, edge]);
  const way = ways.get(goal.alias.toLowerCase());
  const isSimple =
    new Set([fact.name.toLowerCase(), ...(way ?? []).map(({ to }) => to)]).size === (way?.length ?? 0) + 1;
  return isSimple ? way : undefined;
}

function sourceOf(
  index: SemanticIndex,
  visibility: Visibility,
  table: TableReference,
): SemanticTable | undefined {
  const written = table.parts[0]?.name ?? '';
  const alias = table.alias?.name.name ?? written;
  const metric = visibility.metric(written);
  if (metric !== undefined) {
    const columns = [...visibleColumns(index, visibility, metric), metric.name.value];
    return { kind: 'metric', alias, word: written, metric, columns, table };
  }
  const named = visibility.named(written);
  return (
    named && { kind: 'model', alias, word: written, named, members: visibility.members(named.model), table }
  );
}

interface JoinPlace {
  readonly sources: readonly SemanticTable[];
  readonly index: SemanticIndex;
  readonly reader: MemberReader;
  readonly problems: Problems;
  /** Roles that conditions have chosen, by alias. */
  readonly roles: Map<string, string>;
  /** In both directions. */
  readonly crossed: CrossedJoin[];
}

function checkJoin(join: Join, place: JoinPlace): void {
  const refuse = (how: string, span = join.span): void =>
    place.problems.add(() => diagnostic('semantic.sql-join', { how }, { at: positionOf(span) }));
  if (join.natural || join.asof || !['inner', 'left', 'cross'].includes(join.type)) {
    refuse(`by ${join.natural ? 'NATURAL' : join.asof ? 'ASOF' : join.type.toUpperCase()} JOIN`);
    return;
  }
  const pairs = join.using === undefined ? equalities(join.on) : usingPairs(join, place.sources);
  if (pairs === undefined) refuse('by other conditions', join.on?.span);
  else if (pairs.length > 0 && !matches(pairs, place)) refuse('by other columns', join.on?.span);
}

interface Side {
  readonly table: string | undefined;
  readonly column: string;
}
type Pair = readonly [Side, Side];

/** The equalities of columns that an ON is made of; none for one that is always true, undefined for anything else. */
function equalities(on: Expression | undefined): readonly Pair[] | undefined {
  const pairs: Pair[] = [];
  const pending: Expression[] = on === undefined ? [] : [on];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (next.kind === 'literal' && next.type === 'boolean' && next.text.toUpperCase() === 'TRUE') continue;
    if (next.kind !== 'binary') return undefined;
    const { left, right, operator } = next;
    if (operator === 'AND') pending.push(right, left);
    else if (operator !== '=') return undefined;
    else if (left.kind === 'column' && right.kind === 'column') pairs.push([sideOf(left), sideOf(right)]);
    else if (!(left.kind === 'literal' && right.kind === 'literal' && left.text === right.text))
      return undefined;
  }
  return pairs;
}

function sideOf({ name, qualifiers }: ColumnReference): Side {
  return { table: qualifiers.at(-1)?.name.toLowerCase(), column: name.name.toLowerCase() };
}

/** USING names a column of the right table and of one before it. */
function usingPairs(
  { using = [], right }: Join,
  sources: readonly SemanticTable[],
): readonly Pair[] | undefined {
  const [own] = fromTables([right]);
  const alias = sources.find(({ table }) => table === own)?.alias.toLowerCase();
  const before = sources.findIndex(({ table }) => table === own) - 1;
  const left = sources[before]?.alias.toLowerCase();
  if (alias === undefined || left === undefined) return undefined;
  return using.map(({ name }) => [
    { table: left, column: name.toLowerCase() },
    { table: alias, column: name.toLowerCase() },
  ]);
}

/** Whether a modelled join has exactly these conditions; its role is noted for the table it leads to. */
function matches(pairs: readonly Pair[], { sources, index, reader, roles, crossed }: JoinPlace): boolean {
  const tableOf = ({ table, column }: Side): SemanticTable | undefined => {
    if (table !== undefined) return sources.find(({ alias }) => alias.toLowerCase() === table);
    const having = sources.filter((each) => each.kind === 'model' && each.named.model.columns.has(column));
    return having.length === 1 ? having[0] : undefined;
  };
  const [first] = pairs;
  const [a, b] = first === undefined ? [] : first.map(tableOf);
  if (a?.kind !== 'model' || b?.kind !== 'model' || a === b) return false;
  const wanted = new Set<string>();
  for (const [one, other] of pairs) {
    const [oneTable, otherTable] = [tableOf(one), tableOf(other)];
    if (oneTable === a && otherTable === b) wanted.add(`${one.column}=${other.column}`);
    else if (oneTable === b && otherTable === a) wanted.add(`${other.column}=${one.column}`);
    else return false;
  }
  for (const edge of a.named.model.edges) {
    if (edge.to !== b.named.model.name.toLowerCase()) continue;
    const found = conditionOf(index, reader, edge);
    if (found === undefined || found.size !== wanted.size || ![...wanted].every((pair) => found.has(pair)))
      continue;
    const back = b.named.model.edges.find(
      ({ join, isReversed }) => join === edge.join && isReversed !== edge.isReversed,
    );
    const [from, to] = [a.alias.toLowerCase(), b.alias.toLowerCase()];
    crossed.push({ from, to, edge }, ...(back === undefined ? [] : [{ from: to, to: from, edge: back }]));
    const target = edge.isReversed ? a : b;
    if (!target.named.isRole && edge.role.toLowerCase() !== target.word.toLowerCase())
      roles.set(target.alias.toLowerCase(), edge.role);
    return true;
  }
  return false;
}

/** The equalities of a join as `from=to`, seen in the direction of the edge. */
function conditionOf(
  index: SemanticIndex,
  reader: MemberReader,
  edge: Edge,
): ReadonlySet<string> | undefined {
  const { tree, slots, problem } = reader.on(index.models.get(edge.owner) as IndexedModel, edge);
  if (problem !== undefined) return undefined;
  const found = new Set<string>();
  const pending: Expression[] = [tree];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (next.kind !== 'binary') return undefined;
    const { left, right, operator } = next;
    if (operator === 'AND') {
      pending.push(left, right);
      continue;
    }
    const sides = [left, right].map((side) =>
      side.kind === 'column' ? slots.get(side.name.name) : undefined,
    );
    const own = sides.find((slot) => slot?.path.length === 0)?.column.toLowerCase();
    const other = sides.find((slot) => slot?.path.length === 1)?.column.toLowerCase();
    if (operator !== '=' || own === undefined || other === undefined) return undefined;
    found.add(edge.isReversed ? `${other}=${own}` : `${own}=${other}`);
  }
  return found;
}
