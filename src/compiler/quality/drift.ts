/*
 * How a column differs from earlier profiles. What is compared is in the profiles and in the answers that were counted in the bins
 * of the earlier ones, so that the figures can be checked again.
 */
import type { ColumnProfile, DriftMeasures, TableProfile } from '../../domain/table-profile.ts';
import { distance, edgesOf } from './distribution.ts';
import type { ProfileAnswers } from './profile-queries.ts';
import type { ProfiledColumn } from './profiled-column.ts';
import { sharesInBins } from './read-profile.ts';

/** Above this PSI, values are distributed otherwise. */
export const PSI_MAX = 0.2;
/** A share of NULLs that differs by less is never drift; */
export const NULL_RATE_MIN = 0.005;
/** and the difference must be this many times what chance would make of it. */
const NULL_RATE_SIGMAS = 3;
/** New and vanished values that are listed. */
const VALUES_MAX = 20;

/** The column compared with one earlier profile; undefined when that has no such column of the type. */
export function driftFrom(
  earlier: TableProfile,
  {
    column,
    profile,
    rows,
    answers,
  }: {
    readonly column: ProfiledColumn;
    readonly profile: ColumnProfile;
    readonly rows: number;
    readonly answers: ProfileAnswers;
  },
): DriftMeasures | undefined {
  const before = earlier.columns.find(({ name, type }) => name === column.name && type === column.type);
  if (before === undefined || earlier.rows === 0 || rows === 0) return undefined;
  const nullRate = profile.nulls / rows - before.nulls / earlier.rows;
  const psi = isKey(before) && isKey(profile) ? undefined : psiOf(before, column, answers);
  const { newValues, vanishedValues } = changedValues(before, profile, column, answers);
  return {
    profile: earlier.id,
    ...(psi === undefined ? {} : { psi }),
    nullRate,
    ...(newValues.length === 0 ? {} : { newValues }),
    ...(vanishedValues.length === 0 ? {} : { vanishedValues }),
    isDrifted:
      (psi ?? 0) > PSI_MAX ||
      isOtherNullRate([before.nulls, earlier.rows], [profile.nulls, rows]) ||
      newValues.length + vanishedValues.length > 0,
  };
}

function psiOf(before: ColumnProfile, column: ProfiledColumn, answers: ProfileAnswers): number | undefined {
  // Times go on: that later ones come is not drift.
  if (before.shares === undefined || column.family === 'time' || hasManyValues(before)) return undefined;
  const now = sharesInBins(column, answers, before.shares, edgesOf(before.shares));
  const isEmpty = now?.every(({ share }) => share === 0) ?? true;
  return now === undefined || isEmpty ? undefined : distance('psi', before.shares, now);
}

/** Keys and texts of their own: which of them are most frequent is chance. */
const hasManyValues = ({ family, topValues = [], distinct = 0 }: ColumnProfile): boolean =>
  family !== 'number' && distinct > topValues.length && (topValues[0]?.rows ?? 0) <= 1;

/** Whole numbers of which none repeats are numbers of things: that later ones are greater is not drift. */
const isKey = ({ type, distinct = 0, duplicates }: ColumnProfile): boolean =>
  /INT/i.test(type) && distinct > 1 && duplicates === 0;

/** Two shares, more apart than chance explains (the test of two proportions). */
function isOtherNullRate([a, n]: readonly [number, number], [b, m]: readonly [number, number]): boolean {
  const difference = Math.abs(a / n - b / m);
  const both = (a + b) / (n + m);
  const chance = Math.sqrt(both * (1 - both) * (1 / n + 1 / m));
  return difference >= NULL_RATE_MIN && difference > NULL_RATE_SIGMAS * chance;
}

/** Values that came or went, where the earlier profile lists all there were. */
function changedValues(
  before: ColumnProfile,
  profile: ColumnProfile,
  column: ProfiledColumn,
  answers: ProfileAnswers,
): { readonly newValues: readonly string[]; readonly vanishedValues: readonly string[] } {
  const [old, now] = [before.topValues, profile.topValues];
  const isList = (each: ColumnProfile): boolean => each.distinct === each.topValues?.length;
  if (
    column.family === 'number' ||
    column.family === 'time' ||
    old === undefined ||
    now === undefined ||
    !isList(before)
  )
    return { newValues: [], vanishedValues: [] };
  const known = new Set(old.map(({ value }) => value));
  const here = new Set((answers.rows(`${column.key}.values`) ?? []).map(([value]) => String(value)));
  return {
    newValues: now
      .flatMap(({ value }) => (value === null || known.has(value) ? [] : [value]))
      .slice(0, VALUES_MAX),
    vanishedValues: old
      .flatMap(({ value }) => (value === null || here.has(value) ? [] : [value]))
      .slice(0, VALUES_MAX),
  };
}
