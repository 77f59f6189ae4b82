/*
 * What a reader may know of a profile. Numbers of rows, NULLs and different values are for every reader of the product; values, and
 * what is computed of them, follow the policies:
 *
 *   nothing of the model is hidden ─▶ everything
 *   some columns are masked        ─▶ of these only how many rows, NULLs and different values they have
 *   rows are filtered              ─▶ names and types of columns
 */
import type { ColumnProfile, TableProfile } from './table-profile.ts';
import type { HiddenOfModel } from './visible-check.ts';

/** `isWithheld`: how many rows there are is not for the reader either. */
export type VisibleProfile = TableProfile & { readonly isWithheld?: true };

/** The profile as its reader may see it. */
export function visibleProfile(
  profile: TableProfile,
  hidden: (model: string) => HiddenOfModel,
): VisibleProfile {
  const columns = hidden(profile.model);
  if (columns === 'none') return profile;
  if (columns === 'all') {
    const { bytes: _bytes, ...rest } = profile;
    return { ...rest, rows: 0, columns: profile.columns.map(nameOnly), isWithheld: true };
  }
  return {
    ...profile,
    columns: profile.columns.map((column) =>
      columns.has(column.name.toLowerCase()) ? countsOnly(column) : column,
    ),
  };
}

const nameOnly = ({ name, type, family }: ColumnProfile): ColumnProfile => ({
  name,
  type,
  family,
  nulls: 0,
  isWithheld: true,
});

function countsOnly({ distinct, duplicates, isApproximate, nulls, ...column }: ColumnProfile): ColumnProfile {
  return {
    ...nameOnly({ ...column, nulls }),
    nulls,
    ...(distinct === undefined ? {} : { distinct }),
    ...(duplicates === undefined ? {} : { duplicates }),
    ...(isApproximate === undefined ? {} : { isApproximate }),
  };
}
