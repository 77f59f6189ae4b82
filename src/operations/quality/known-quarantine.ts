/*
 * What audits hold back, as a caller may know it:
 *
 *   nothing of the model is hidden ─▶ how many rows, from which interval, and the rows
 *   some columns are masked        ─▶ the same, and the rows without these columns
 *   rows are filtered, or one of   ─▶ that there are some, of which run, and which audits they fail
 *   the audits may read such a column
 */
import type { HeldGroup } from '../../domain/quarantine.ts';
import { tableKey } from '../../domain/relation.ts';
import { hash128 } from '../../foundation/hash128.ts';
import { listQuarantine } from '../change/list-quarantine.ts';
import type { ProductReader } from '../product-reader.ts';
import { hiddenFrom, type QualityView } from './quality-view.ts';
import { tellsOfHidden } from './tells-of-hidden.ts';

/** Rows of one model that one run held back from one interval for the same reasons. */
export interface KnownHeld extends HeldGroup {
  /** The same as long as they are held back. */
  readonly id: string;
  /** Number and interval are not for the caller. */
  readonly isWithheld?: true;
}

/** Newest first. */
export async function knownQuarantine(
  { world }: ProductReader,
  { environment, reader, isNamed }: QualityView,
  model?: string,
): Promise<readonly KnownHeld[]> {
  if (model !== undefined && !environment.entries.some((entry) => entry.model === model)) return [];
  const groups = (
    await listQuarantine(world, {
      environment: environment.name,
      ...(model === undefined ? {} : { model }),
    })
  ).filter((each) => isNamed(each.model));
  const tells = await tellsOfHidden(world, environment, { groups, hidden: hiddenFrom(reader) });
  const found = new Map<string, KnownHeld>();
  for (const group of groups) {
    const isWithheld = tells(group);
    const id = idOf(group, isWithheld);
    const before = found.get(id);
    if (!isWithheld) found.set(id, { ...group, id });
    else {
      const audits = [...new Set([...(before?.audits ?? []), ...group.audits])].sort();
      found.set(id, { ...group, ...before, id, audits, isWithheld });
    }
  }
  return [...found.values()];
}

/** Of what is withheld all groups of a run are one. */
function idOf({ table, runId, audits, interval }: HeldGroup, isWithheld: boolean): string {
  const own = isWithheld ? [] : [...audits, String(interval.start), String(interval.end)];
  return `q_${hash128(tableKey(table), runId, ...own).slice(0, 20)}`;
}
