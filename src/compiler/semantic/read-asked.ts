import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { QueryFilter, QueryTime, SemanticQuery } from '../../domain/semantic-query.ts';
import {
  type Asked,
  type AskedMeasure,
  type AskedMember,
  AskedMembers,
  type MemberRef,
} from './asked-members.ts';
import type { ExtraTerms } from './extra-terms.ts';
import { conjuncts, leavesOf } from './filter-leaves.ts';
import type { QuestionContext } from './question-context.ts';

/** A column to group by; `name` is unique among keys and components. */
export interface AskedKey {
  readonly name: string;
  readonly asked: AskedMember;
  readonly kind: 'dimension' | 'time';
}

/** A time dimension of the query with a range. */
export interface AskedRange {
  readonly asked: AskedMember;
  readonly time: QueryTime;
}

export type AskedColumn =
  | { readonly kind: 'key'; readonly name: string }
  | { readonly kind: 'measure'; readonly measure: AskedMeasure };

/** What a query says, every word looked up. */
export interface AskedQuery {
  readonly members: AskedMembers;
  readonly keys: readonly AskedKey[];
  readonly measures: readonly AskedMeasure[];
  readonly segments: readonly MemberRef[];
  readonly ranges: readonly AskedRange[];
  /** Top-level conjuncts about dimensions, and those about measures. */
  readonly filters: readonly QueryFilter[];
  readonly measureFilters: readonly QueryFilter[];
  /** Terms of SQL. */
  readonly extra?: ExtraTerms;
  readonly measureOf: (word: string) => AskedMeasure | undefined;
  /** What an order names: a column of the answer, or any measure. */
  readonly columns: ((word: string) => AskedColumn | undefined) & {
    readonly all: { readonly keys: readonly AskedKey[]; readonly measures: readonly AskedMeasure[] };
  };
  /** A name for a column of the parts that no other has. */
  readonly newName: (wanted: string) => string;
}

/** Looks every word up; what is unknown is reported. */
export function readAsked(
  query: SemanticQuery,
  { index, report, visibility, named }: QuestionContext,
  extra?: ExtraTerms,
): AskedQuery {
  const members = new AskedMembers(index, visibility, named);
  const names = new Set<string>();
  const newName = (wanted: string): string => {
    const base = wanted.toLowerCase();
    let name = base;
    for (let n = 2; names.has(name); n++) name = `${base}_${n}`;
    names.add(name);
    return name;
  };
  const take = <Value>(asked: Asked<Value>): Value[] => {
    if (asked.ok) return [asked.value];
    report(asked.problem);
    return [];
  };
  const keys: AskedKey[] = [];
  const addKey = (asked: AskedMember, kind: AskedKey['kind']): void => {
    const { ref, granularity } = asked;
    const base = asked.computed === undefined ? (asked.metricColumn ?? ref.member.name) : asked.word;
    keys.push({ name: newName(granularity === undefined ? base : `${base}_${granularity}`), asked, kind });
  };
  for (const word of query.dimensions)
    for (const asked of take(members.dimension(word)))
      addKey(asked, asked.grain === undefined ? 'dimension' : 'time');
  for (const asked of extra?.keys ?? []) addKey(asked, asked.grain === undefined ? 'dimension' : 'time');
  const ranges: AskedRange[] = [];
  for (const time of query.timeDimensions ?? [])
    for (const asked of take(members.dimension(time.dimension, time.granularity))) {
      // Named as asked: the dimension and its granularity.
      const word = time.granularity === undefined ? time.dimension : `${time.dimension}.${time.granularity}`;
      if (time.granularity !== undefined) addKey({ ...asked, word }, 'time');
      if (time.dateRange !== undefined) ranges.push({ asked, time });
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
  const measureOf = (word: string): AskedMeasure | undefined => {
    const asked = members.measure(word);
    return asked.ok ? asked.value : undefined;
  };
  const columns = (word: string): AskedColumn | undefined => {
    const key = keys.find(({ asked }) => asked.word.toLowerCase() === word.toLowerCase());
    if (key !== undefined) return { kind: 'key', name: key.name };
    const bucket = keys.find(
      ({ asked, kind }) => kind === 'time' && asked.ref.word.toLowerCase() === word.toLowerCase(),
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
  members: AskedMembers,
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
  members: AskedMembers,
  report: QuestionContext['report'],
): 'measure' | 'dimension' | undefined {
  const measure = members.measure(word);
  if (measure.ok) return isMeasureFilter ? 'dimension' : 'measure';
  const dimension = isMeasureFilter ? measure : members.dimension(word);
  if (dimension.ok) return 'dimension';
  report(dimension.problem);
  return undefined;
}
