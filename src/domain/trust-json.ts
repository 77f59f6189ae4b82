import { isoInstant } from '../foundation/time/iso.ts';
import type { StatementTrust } from './statement-trust.ts';

/** A statement, or an answer that was never stored, as far as trust is concerned. */
export interface Trusted {
  readonly trust: StatementTrust;
  /** Of the data that the rows were read from; absent before they were, and where nothing can say it. */
  readonly dataVersion?: string;
  /** The reader may not see activity: checks and incidents are counted, not named. */
  readonly isUnnamed?: boolean;
}

const timeOrNull = (at: number | undefined): string | null => (at === undefined ? null : isoInstant(at));

/** The trust block of an answer, as every door shows it. */
export function trustJson({
  trust,
  dataVersion,
  isUnnamed = false,
}: Trusted): Readonly<Record<string, unknown>> {
  const { promotionId, promotedAt, observed } = trust;
  const { at, newest, promise } = observed ?? {};
  const isNamed = observed !== undefined && !isUnnamed;
  return {
    promotion_id: promotionId,
    promoted_at: timeOrNull(promotedAt),
    as_of: timeOrNull(at),
    data_version: dataVersion ?? null,
    newest: timeOrNull(newest),
    age_seconds: at === undefined || newest === undefined ? null : Math.round((at - newest) / 1000),
    max_age: promise?.maxAge ?? null,
    freshness: promise?.state ?? null,
    failing_checks: isNamed
      ? observed.checks.map(({ id, at: found, ...check }) => ({
          ...check,
          result_id: id,
          at: isoInstant(found),
        }))
      : null,
    failing_checks_total: observed?.checksTotal ?? null,
    open_incidents: isNamed
      ? observed.incidents.map(({ openedAt, ...incident }) => ({
          ...incident,
          opened_at: isoInstant(openedAt),
        }))
      : null,
    open_incidents_total: observed?.incidentsTotal ?? null,
  };
}
