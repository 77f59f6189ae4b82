/*
 * How a table is profiled: queries go out, answers come in, three times.
 *
 *   rows, NULLs, ends, lengths ─▶ sums, quantiles, values, patterns ─▶ rows in the bins of histograms, and in those of earlier profiles
 *                             │     ▲
 *                             └─────┘ of large tables: numbers of different values, shapes of a sample of texts
 *
 * Up to `exactRowsMax` rows everything is exact. In larger tables quantiles and numbers of different values are approximate, and
 * values are counted only in columns that have few.
 */
import type { AnswerColumn } from '../../domain/engine.ts';
import { type Relation, relationSql } from '../../domain/relation.ts';
import type { ColumnDrift, ColumnProfile, DriftMeasures, TableProfile } from '../../domain/table-profile.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import {
  aboutDistinct,
  binRows,
  firstMeasures,
  numberMeasures,
  quantileMeasures,
} from './column-measures.ts';
import { driftFrom } from './drift.ts';
import { frequentShapes } from './frequent-shapes.ts';
import {
  type CellPart,
  cellQueries,
  ProfileAnswers,
  type ProfileQuery,
  rowQueries,
} from './profile-queries.ts';
import { type ProfiledColumn, profiledColumn } from './profiled-column.ts';
import { edgesToCount, readProfile } from './read-profile.ts';
import { exactDistinct, shapeSample, valueParts } from './value-parts.ts';

export interface TableToProfile {
  readonly relation: Relation;
  readonly columns: readonly AnswerColumn[];
  readonly dialect: Dialect;
  /** The profile before, and the first one that is kept. */
  readonly previous?: TableProfile;
  readonly baseline?: TableProfile;
  /** See `EngineCapabilities.quantileLists`. */
  readonly hasQuantileLists: boolean;
  readonly exactRowsMax?: number;
  readonly sampleRows?: number;
}

const EXACT_ROWS_MAX = 1_000_000;
/** A column with more different values than this has no list of them in a table that is too large to be exact. */
const FEW_VALUES = 100_000;
const CELLS_MAX = 150;
const COLUMNS_MAX = 16;
/** Values of columns that are counted at a time: more columns of small tables, one of a large one. */
const COUNTED_MAX = 1_000_000;
/** Texts whose shapes say which are frequent, and how many times as many a table must have for that to be worth a query. */
const SAMPLE_ROWS = 1_000;
const SAMPLED_FROM = 10;
/** For the values that exact quantiles hold at a time, in bytes. */
const QUANTILE_MEMORY = 256 * 1024 * 1024;

/** Yields queries in three passes; takes answers by `answers.take`, and returns the columns. */
export function* profileSteps({
  relation,
  columns: asked,
  dialect,
  previous,
  baseline,
  hasQuantileLists,
  exactRowsMax = EXACT_ROWS_MAX,
  sampleRows = SAMPLE_ROWS,
}: TableToProfile): Generator<
  { readonly queries: readonly ProfileQuery[]; readonly answers: ProfileAnswers },
  { readonly rows: number; readonly columns: readonly ColumnProfile[] },
  void
> {
  const before = [previous, baseline].filter((each) => each !== undefined);
  const from = relationSql(relation, dialect);
  const columns = asked.map((column, index) => profiledColumn(column, index, dialect, before));
  const answers = new ProfileAnswers();
  const first: readonly CellPart[] = [
    { key: 'rows', sql: 'COUNT(*)', isNeeded: true },
    ...columns.flatMap(firstMeasures),
  ];
  yield { queries: cellQueries(first, from, CELLS_MAX), answers };

  const rows = answers.number('rows') ?? 0;
  const isExact = rows <= exactRowsMax;
  const isKnown = ({ key }: ProfiledColumn): boolean => (answers.number(`${key}.known`) ?? 0) > 0;
  const filled = columns.filter(isKnown);
  if (!isExact) yield { queries: cellQueries(filled.map(aboutDistinct), from, CELLS_MAX), answers };
  const hasFew = ({ key }: ProfiledColumn): boolean =>
    isExact || (answers.number(`${key}.about`) ?? Number.POSITIVE_INFINITY) <= FEW_VALUES;

  const listed = filled.filter((column) => column.family !== 'other' && hasFew(column));
  const texts = listed.filter(({ family }) => family === 'text');
  if (rows > SAMPLED_FROM * sampleRows)
    yield {
      queries: rowQueries(
        texts.map((column) => [shapeSample(column, from, sampleRows)]),
        COLUMNS_MAX,
      ),
      answers,
    };
  yield {
    queries: valueQueries({ filled, listed, answers, from, rows }, { isExact, hasLists: hasQuantileLists }),
    answers,
  };

  const binned = filled.filter(({ family }) => family === 'number' || family === 'time');
  const bins = binned.map((column) => [binRows(column, edgesToCount(column, answers), from)]);
  yield { queries: rowQueries(bins, COLUMNS_MAX), answers };
  return {
    rows,
    columns: columns.map((column) => {
      const profile = readProfile(column, answers, { rows, isExact });
      const against = (earlier: TableProfile | undefined): DriftMeasures | undefined =>
        earlier && driftFrom(earlier, { column, profile, rows, answers });
      return withDrift(profile, against(previous), against(baseline));
    }),
  };
}

/** The second pass, over columns that have values; `listed` are those whose values are counted. */
function valueQueries(
  {
    filled,
    listed,
    answers,
    from,
    rows,
  }: {
    readonly filled: readonly ProfiledColumn[];
    readonly listed: readonly ProfiledColumn[];
    readonly answers: ProfileAnswers;
    readonly from: string;
    readonly rows: number;
  },
  { isExact, hasLists }: { readonly isExact: boolean; readonly hasLists: boolean },
): readonly ProfileQuery[] {
  const numbers = filled.filter(({ family }) => family === 'number');
  const others = filled.filter(({ family }) => family === 'other' && isExact);
  const sums = numbers.flatMap((column) => numberMeasures(column, answers, rows));
  const quantiles = numbers.flatMap((column) => quantileMeasures(column, { isExact, hasLists }));
  const held = Math.max(1, Math.floor(QUANTILE_MEMORY / (8 * Math.max(rows, 1))));
  const values = listed.map((column) => valueParts(column, from, frequentShapes(shapesOf(column, answers))));
  return [
    ...cellQueries([...sums, ...others.map(exactDistinct)], from, CELLS_MAX),
    ...cellQueries(quantiles, from, isExact ? Math.min(CELLS_MAX, held) : CELLS_MAX),
    ...rowQueries(values, Math.min(COLUMNS_MAX, Math.max(1, Math.floor(COUNTED_MAX / Math.max(rows, 1))))),
  ];
}

function shapesOf(
  { key }: ProfiledColumn,
  answers: ProfileAnswers,
): readonly { readonly shape: string; readonly rows: number }[] {
  const found = answers.rows(`${key}.shapes`) ?? [];
  return found.map(([shape, rows]) => ({ shape: String(shape), rows: Number(rows) }));
}

function withDrift(
  profile: ColumnProfile,
  previous: DriftMeasures | undefined,
  baseline: DriftMeasures | undefined,
): ColumnProfile {
  if (previous === undefined && baseline === undefined) return profile;
  const drift: ColumnDrift = {
    ...(previous === undefined ? {} : { previous }),
    ...(baseline === undefined ? {} : { baseline }),
  };
  return { ...profile, drift };
}
