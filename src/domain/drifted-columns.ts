import type { DriftMeasures, TableProfile } from './table-profile.ts';

/** A column that is not as an earlier profile had it. */
export interface DriftedColumn {
  readonly column: string;
  readonly from: 'previous' | 'baseline';
  readonly drift: DriftMeasures;
}

/** Columns that drifted, and from which profile. */
export function driftedColumns(profile: Pick<TableProfile, 'columns'>): readonly DriftedColumn[] {
  return profile.columns.flatMap(({ name, drift }) =>
    (['previous', 'baseline'] as const).flatMap((from) => {
      const measures = drift?.[from];
      return measures?.isDrifted === true ? [{ column: name, from, drift: measures }] : [];
    }),
  );
}
