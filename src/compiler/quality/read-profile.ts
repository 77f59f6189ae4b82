import type { ColumnProfile } from '../../domain/table-profile.ts';
import { EIGHTHS } from './column-measures.ts';
import { type BinShare, categoryShares, equiDepthEdges, numericShares } from './distribution.ts';
import type { ProfileAnswers } from './profile-queries.ts';
import { earlierEdges, type ProfiledColumn } from './profiled-column.ts';
import { TOP_VALUES } from './value-parts.ts';

const HISTOGRAM_BINS = 20;

/** What is known of a column when all passes are through; what could not be measured is absent. */
export function readProfile(
  column: ProfiledColumn,
  answers: ProfileAnswers,
  { rows, isExact }: { readonly rows: number; readonly isExact: boolean },
): ColumnProfile {
  const { key, name, type, family } = column;
  const number = (what: string): number | undefined => answers.number(`${key}.${what}`);
  const known = number('known') ?? 0;
  const values = valuesOf(column, answers);
  const distinct = known === 0 ? 0 : (values?.distinct ?? number('distinct') ?? number('about'));
  const isCounted = known === 0 || values !== undefined || number('distinct') !== undefined;
  return {
    name,
    type,
    family,
    nulls: rows - known,
    ...given('distinct', distinct),
    ...(isExact || (isCounted && family !== 'number') ? {} : { isApproximate: true }),
    ...given('duplicates', known === 0 ? 0 : values?.duplicates),
    ...given('min', endOf(column, answers, 'min')),
    ...given('max', endOf(column, answers, 'max')),
    ...(family === 'number' ? numbersOf(column, answers) : {}),
    ...(family === 'text' ? textsOf(column, answers) : {}),
    ...(family === 'time' ? given('histogram', histogramOf(column, answers)) : {}),
    ...given('topValues', values?.top),
    ...given('shares', sharesOf(column, answers, known)),
  };
}

const given = <Key extends keyof ColumnProfile>(
  key: Key,
  value: ColumnProfile[Key] | undefined,
): Partial<ColumnProfile> => (value === undefined ? {} : { [key]: value });

function endOf(
  { key, isFloating }: ProfiledColumn,
  answers: ProfileAnswers,
  end: 'min' | 'max',
): string | undefined {
  const text = answers.text(`${key}.${end}`);
  return text !== undefined && isFloating ? String(Number(text)) : text;
}

function numbersOf(column: ProfiledColumn, answers: ProfileAnswers): Partial<ColumnProfile> {
  const number = (what: string): number | undefined => answers.number(`${column.key}.${what}`);
  const [q1, q2, q3] = [number('q2'), number('q4'), number('q6')];
  return {
    ...given('avg', number('avg')),
    ...given('sum', number('sum')),
    ...given('stddev', number('stddev')),
    ...(q1 === undefined || q2 === undefined || q3 === undefined ? {} : { quartiles: [q1, q2, q3] }),
    ...given('zeros', number('zeros')),
    ...given('negatives', number('negatives')),
    ...given('histogram', histogramOf(column, answers)),
  };
}

function textsOf({ key }: ProfiledColumn, answers: ProfileAnswers): Partial<ColumnProfile> {
  const number = (what: string): number | undefined => answers.number(`${key}.${what}`);
  const [min, max, avg] = [number('shortest'), number('longest'), number('length')];
  const patterns = answers.rows(`${key}.patterns`)?.map(([pattern, rows]) => ({
    pattern: String(pattern),
    rows: Number(rows),
  }));
  return {
    ...(min === undefined || max === undefined || avg === undefined ? {} : { lengths: { min, max, avg } }),
    ...given('empties', number('empties')),
    ...given(
      'patterns',
      patterns?.toSorted((a, b) => b.rows - a.rows || (a.pattern < b.pattern ? -1 : 1)),
    ),
  };
}

interface Values {
  readonly distinct: number;
  readonly duplicates: number;
  readonly top: readonly { readonly value: string; readonly rows: number }[];
  /** Besides `top`, those that earlier profiles know. */
  readonly all: readonly { readonly value: string; readonly rows: number }[];
}

function valuesOf(column: ProfiledColumn, answers: ProfileAnswers): Values | undefined {
  const rows = answers.rows(`${column.key}.values`);
  if (rows === undefined) return undefined;
  const all = rows
    .map(([value, count, place]) => ({
      value: valueText(String(value), column),
      rows: Number(count),
      place: Number(place),
    }))
    .sort((a, b) => a.place - b.place);
  return {
    distinct: Number(rows[0]?.[3] ?? 0),
    duplicates: Number(rows[0]?.[4] ?? 0),
    top: all
      .filter(({ place }) => place <= TOP_VALUES)
      .map(({ value, rows: count }) => ({ value, rows: count })),
    all,
  };
}

/** As answers show it: engines write a whole number of a floating type with its fraction. */
function valueText(text: string, { isFloating }: ProfiledColumn): string {
  if (!isFloating || text === '') return text;
  const number = Number(text.replace(/^([+-]?)inf(?:inity)?$/i, '$1Infinity').replace(/^nan$/i, 'NaN'));
  return Number.isNaN(number) && !/^nan$/i.test(text) ? text : String(number);
}

/** Shares of the column's own bins: eighths of numbers, most frequent values of the rest. */
function sharesOf(
  column: ProfiledColumn,
  answers: ProfileAnswers,
  known: number,
): readonly BinShare[] | undefined {
  if (column.family === 'number') {
    const edges = ownEdges(column, answers);
    return edges.length === 0 ? undefined : sharesInEdges(column, answers, edges);
  }
  const values = valuesOf(column, answers);
  return values === undefined ? undefined : categoryShares(values.all, known);
}

/** Shares of the bins of an earlier profile, now; undefined when they were not counted. */
export function sharesInBins(
  column: ProfiledColumn,
  answers: ProfileAnswers,
  bins: readonly BinShare[],
  edges: readonly number[] | undefined,
): readonly BinShare[] | undefined {
  if (edges !== undefined) return sharesInEdges(column, answers, edges);
  const values = valuesOf(column, answers);
  const known = answers.number(`${column.key}.known`) ?? 0;
  return values === undefined ? undefined : categoryShares(values.all, known, bins);
}

function sharesInEdges(
  column: ProfiledColumn,
  answers: ProfileAnswers,
  edges: readonly number[],
): readonly BinShare[] | undefined {
  const counts = rowsBetween(column, answers, edges);
  return counts === undefined ? undefined : numericShares(edges, counts);
}

function ownEdges({ key }: ProfiledColumn, answers: ProfileAnswers): readonly number[] {
  return equiDepthEdges(EIGHTHS.flatMap((eighth) => answers.number(`${key}.q${eighth}`) ?? []));
}

/** Every edge whose rows are needed: of the histogram, of the column's own bins, of those of earlier profiles. */
export function edgesToCount(column: ProfiledColumn, answers: ProfileAnswers): readonly number[] {
  const all = [
    ...histogramEdges(column, answers).slice(1, -1),
    ...ownEdges(column, answers),
    ...earlierEdges(column),
  ];
  return [...new Set(all)].sort((a, b) => a - b);
}

/** Ends and inner edges of bins of equal width; whole numbers of a small range have a bin each, bins of dates are whole days. */
function histogramEdges(
  { key, isFloating, type }: ProfiledColumn,
  answers: ProfileAnswers,
): readonly number[] {
  const [low, high] = [answers.number(`${key}.low`), answers.number(`${key}.high`)];
  if (low === undefined || high === undefined || !Number.isFinite(high - low)) return [];
  if (/^DATE$/i.test(type)) return dayEdges(low, high);
  if (low === high) return [low, high];
  const isWhole = !isFloating && /^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT|INTEGER)/i.test(type);
  if (isWhole && high - low < HISTOGRAM_BINS)
    return Array.from({ length: high - low + 2 }, (_, i) => low + i);
  const width = (high - low) / HISTOGRAM_BINS;
  const inner = Array.from({ length: HISTOGRAM_BINS - 1 }, (_, i) => low + width * (i + 1));
  return [...new Set([low, ...inner.filter((edge) => edge > low && edge < high), high])];
}

const DAY = 86_400;

/** As few bins of whole days as reach beyond the last day. */
function dayEdges(low: number, high: number): readonly number[] {
  const days = Math.round((high - low) / DAY) + 1;
  const width = Math.ceil(days / HISTOGRAM_BINS);
  return Array.from({ length: Math.ceil(days / width) + 1 }, (_, i) => low + i * width * DAY);
}

function histogramOf(column: ProfiledColumn, answers: ProfileAnswers): ColumnProfile['histogram'] {
  const edges = histogramEdges(column, answers);
  if (edges.length < 2) return undefined;
  const counts = rowsBetween(column, answers, edges.slice(1, -1));
  return counts?.map((rows, i) => ({ from: edges[i] as number, to: edges[i + 1] as number, rows }));
}

/** Rows in each bin between inner edges, which are among those that were counted. */
function rowsBetween(
  column: ProfiledColumn,
  answers: ProfileAnswers,
  edges: readonly number[],
): readonly number[] | undefined {
  const counted = answers.rows(`${column.key}.bins`);
  if (counted === undefined) return undefined;
  const all = edgesToCount(column, answers);
  const rowsOf = new Map(counted.map(([bin, rows]) => [Number(bin), Number(rows)]));
  const bins = Array.from({ length: edges.length + 1 }, () => 0);
  for (let i = 0; i <= all.length; i++) {
    const from = i === 0 ? Number.NEGATIVE_INFINITY : (all[i - 1] as number);
    const bin = edges.filter((edge) => edge <= from).length;
    bins[bin] = (bins[bin] as number) + (rowsOf.get(i) ?? 0);
  }
  return bins;
}
