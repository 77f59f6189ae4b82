import { isoInstant } from '../foundation/time/iso.ts';
import { driftedColumns } from './drifted-columns.ts';
import type { ProfileEvent } from './profile-event.ts';
import type { ColumnProfile, DriftMeasures, TableProfile } from './table-profile.ts';
import type { VisibleProfile } from './visible-profile.ts';

/** A profile as every door shows it. What is not known of a column is left out; counts that are hidden from the reader are null. */
export function profileJson(profile: VisibleProfile): Readonly<Record<string, unknown>> {
  const isCounted = profile.isWithheld !== true;
  return {
    id: profile.id,
    model: profile.model,
    environment: profile.environment,
    run_id: profile.runId,
    at: isoInstant(profile.at),
    ms: profile.ms,
    data_version: profile.dataVersion,
    rows: isCounted ? profile.rows : null,
    bytes: profile.bytes ?? null,
    columns: profile.columns.map((column) => columnJson(column, isCounted)),
  };
}

function columnJson(column: ColumnProfile, isCounted: boolean): Readonly<Record<string, unknown>> {
  const { topValues, isApproximate, isWithheld, drift, shares: _shares, nulls, ...rest } = column;
  return {
    ...rest,
    nulls: isCounted ? nulls : null,
    is_approximate: isApproximate === true,
    ...(topValues === undefined ? {} : { top_values: topValues }),
    ...(isWithheld === undefined ? {} : { withheld: true }),
    drift: {
      previous: drift?.previous === undefined ? null : driftJson(drift.previous),
      baseline: drift?.baseline === undefined ? null : driftJson(drift.baseline),
    },
  };
}

const driftJson = (drift: DriftMeasures): Readonly<Record<string, unknown>> => ({
  profile: drift.profile,
  psi: drift.psi ?? null,
  null_rate: drift.nullRate,
  new_values: drift.newValues ?? [],
  vanished_values: drift.vanishedValues ?? [],
  is_drifted: drift.isDrifted,
});

/** What drifted, without what the columns look like. */
export function driftedJson(profile: TableProfile): Readonly<Record<string, unknown>> {
  return {
    id: profile.id,
    model: profile.model,
    at: isoInstant(profile.at),
    rows: profile.rows,
    drift: driftedColumns(profile).map(({ column, from, drift }) => ({
      ...{ column, against: from },
      ...driftJson(drift),
    })),
  };
}

/** The parts of an event in a stream of JSON lines; the state has the profile itself. */
export function profileEventParts(event: ProfileEvent): Readonly<Record<string, unknown>> {
  switch (event.event) {
    case 'profiles.started':
      return { run_id: event.runId, models: event.models };
    case 'model.profiled': {
      const { id, rows, ms, columns } = event.profile;
      const drifted = new Set(driftedColumns({ columns }).map(({ column }) => column));
      return { model: event.model, profile: id, rows, ms, drifted: [...drifted] };
    }
    case 'profile.left':
      return { model: event.model, reason: event.reason };
  }
}
