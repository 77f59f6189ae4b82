import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { QueryFilter, QueryTime, SemanticQuery } from '../../domain/semantic-query.ts';
import type { ExtraTerms } from './extra-terms.ts';
import { conjuncts, leavesOf } from './filter-leaves.ts';
import {
  type LookupResult,
  MemberLookup,
  type MemberRef,
  type ResolvedMeasure,
  type ResolvedMember,
} from './member-lookup.ts';
import type { QuestionContext } from './question-context.ts';

/** A column to group by; `name` is unique among keys and components. */
export interface QueryKey {
  readonly name: string;
  readonly member: ResolvedMember;
  readonly kind: 'dimension' | 'time';
}

/** A time dimension of the query with a range. */
export interface QueryRange {
  readonly member: ResolvedMember;
  readonly time: QueryTime;
}

export type OrderColumn =
  | { readonly kind: 'key'; readonly name: string }
  | { readonly kind: 'measure'; readonly measure: ResolvedMeasure };

/** What a query says, every word looked up. */
export interface ResolvedQuery {
  readonly members: MemberLookup;
  readonly keys: readonly QueryKey[];
  readonly measures: readonly ResolvedMeasure[];
  readonly segments: readonly MemberRef[];
  readonly ranges: readonly QueryRange[];
  /** Top-level conjuncts about dimensions, and those about measures. */
  readonly filters: readonly QueryFilter[];
  readonly measureFilters: readonly QueryFilter[];
  /** Terms of SQL. */
  readonly extra?: ExtraTerms;
  readonly measureOf: (word: string) => ResolvedMeasure | undefined;
  /** What an order names: a column of the answer, or any measure. */
  readonly columns: ((word: string) => OrderColumn | undefined) & {
    readonly all: { readonly keys: readonly QueryKey[]; readonly measures: readonly ResolvedMeasure[] };
  };
  /** A name for a column of the parts that no other has. */
  readonly newName: (wanted: string) => string;
}

/** Looks every word up; what is unknown is reported. */
export function resolveQuery(
  query: SemanticQuery,
  { index, report, visibility, named }: QuestionContext,
  extra?: ExtraTerms,
): ResolvedQuery {
  const members = new MemberLookup(index, visibility, named);
  const names = new Set<string>();
  const newName = (wanted: string): string => {
    const base = wanted.toLowerCase();
    let name = base;
    for (let n = 2; names.has(name); n++) name = `${base}_${n}`;
    names.add(name);
    return name;
  };
  const take = <Value>(found: LookupResult<Value>): Value[] => {
    if (found.ok) return [found.value];
    report(found.problem);
    return [];
  };
  const keys: QueryKey[] = [];
  const addKey = (requested: ResolvedMember, kind: QueryKey['kind']): void => {
    const { ref, granularity } = requested;
    const base =
      requested.computed === undefined ? (requested.metricColumn ?? ref.member.name) : requested.word;
    keys.push({
      name: newName(granularity === undefined ? base : `${base}_${granularity}`),
      member: requested,
      kind,
    });
  };
  for (const word of query.dimensions)
    for (const asked of take(members.dimension(word)))
      addKey(asked, asked.grain === undefined ? 'dimension' : 'time');
  for (const asked of extra?.keys ?? []) addKey(asked, asked.grain === undefined ? 'dimension' : 'time');
  const ranges: QueryRange[] = [];
  for (const time of query.timeDimensions ?? [])
    for (const asked of take(members.dimension(time.dimension, time.granularity))) {
      // Named as asked: the dimension and its granularity.
      const word = time.granularity === undefined ? time.dimension : `${time.dimension}.${time.granularity}`;
      if (time.granularity !== undefined) addKey({ ...asked, word }, 'time');
      if (time.dateRange !== undefined) ranges.push({ member: asked, time });
    }
  const measures = query.measures.flatMap((word) => take(members.measure(word)));
  const segments = (query.segments ?? []).flatMap((word) => take(members.refOf(word, 'segment')));
  const { filters, measureFilters } = sortFilters(query.filters ?? [], members, report);
  for (const { member } of query.order ?? []) {
    const asked = members.measure(member);
    if (!asked.ok && asked.problem.code === 'policy.no-access') report(asked.problem);
  }
  const isEmpty = keys.length === 0 && query.measures.length === 0 && query.dimensions.length === 0;
  if (isEmpty && (extra?.aggregates ?? []).length === 0) report(diagnostic('semantic.empty-query', {}));
  for (const what of ['limit', 'offset'] as const) {
    const value = query[what];
    if (value !== undefined && (!Number.isSafeInteger(value) || value < 0))
      report(diagnostic('semantic.bad-limit', { what, value: String(value) }));
  }
  const measureOf = (word: string): ResolvedMeasure | undefined => {
    const asked = members.measure(word);
    return asked.ok ? asked.value : undefined;
  };
  const columns = (word: string): OrderColumn | undefined => {
    const key = keys.find(({ member: asked }) => asked.word.toLowerCase() === word.toLowerCase());
    if (key !== undefined) return { kind: 'key', name: key.name };
    const bucket = keys.find(
      ({ member: asked, kind }) => kind === 'time' && asked.ref.word.toLowerCase() === word.toLowerCase(),
    );
    if (bucket !== undefined) return { kind: 'key', name: bucket.name };
    const measure = measureOf(word);
    return measure && { kind: 'measure', measure };
  };
  return {
    members,
    keys,
    measures,
    segments,
    ranges,
    filters,
    measureFilters,
    ...(extra === undefined ? {} : { extra }),
    measureOf,
    columns: Object.assign(columns, { all: { keys, measures } }),
    newName,
  };
}

/** Conjuncts about rows, and those about finished rows. */
function sortFilters(
  asked: readonly QueryFilter[],
  members: MemberLookup,
  report: QuestionContext['report'],
): { readonly filters: readonly QueryFilter[]; readonly measureFilters: readonly QueryFilter[] } {
  const filters: QueryFilter[] = [];
  const measureFilters: QueryFilter[] = [];
  for (const conjunct of conjuncts(asked)) {
    const leaves = leavesOf(conjunct);
    const sorts = leaves.map(({ member, operator }) =>
      sortOf(member, operator === 'measureFilter', members, report),
    );
    if (sorts.includes(undefined)) continue;
    const isMixed = sorts.includes('measure') && sorts.includes('dimension');
    if (isMixed)
      report(
        diagnostic('semantic.mixed-filter', {
          members: [...new Set(leaves.map(({ member }) => member))].slice(0, 5).join(', '),
        }),
      );
    else (sorts.includes('measure') ? measureFilters : filters).push(conjunct);
  }
  return { filters, measureFilters };
}

function sortOf(
  word: string,
  isMeasureFilter: boolean,
  members: MemberLookup,
  report: QuestionContext['report'],
): 'measure' | 'dimension' | undefined {
  const measure = members.measure(word);
  if (measure.ok) return isMeasureFilter ? 'dimension' : 'measure';
  const dimension = isMeasureFilter ? measure : members.dimension(word);
  if (dimension.ok) return 'dimension';
  report(dimension.problem);
  return undefined;
}
