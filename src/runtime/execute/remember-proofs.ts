import type { BackfillStage } from '../../domain/plan.ts';
import { tableKey } from '../../domain/relation.ts';
import { type RangeSet, subtractRanges } from '../../foundation/time/ranges.ts';
import type { BackfillWork } from './backfill-work.ts';
import { openTable } from './open-tables.ts';
import type { OpenTables } from './prepared-tables.ts';
import type { RunContext } from './run-context.ts';

/** What a write that passed its audits says about the tables as it left them: where its audits saw every row. */
export function rememberProofs(
  { proofs }: Pick<RunContext, 'proofs'>,
  {
    stage,
    opened,
    found,
    written,
  }: {
    readonly stage: BackfillStage;
    readonly opened: OpenTables;
    /** What each table had before, by `tableKey`. */
    readonly found: ReadonlyMap<string, RangeSet>;
    readonly written: readonly BackfillWork[];
  },
): void {
  const versions = new Map([...opened].map(([key, { dataVersion }]) => [key, dataVersion]));
  for (const { member, snapshot, left } of written) {
    const key = tableKey(member.table);
    const needed = proofs.needed(key);
    const { kind } = snapshot.content.model.kind;
    if (needed?.fingerprint !== member.fingerprint || kind === 'view') continue;
    const before = found.get(key) ?? [];
    const isWhole = member.isEmpty !== true && (kind !== 'incremental-by-time-range' || covers(left, before));
    // Rows of another program that appeared after a failed attempt were never audited.
    const isOwn = openTable(opened, member.table).foundLater.length === 0;
    if (!isOwn || (before.length > 0 && !isWhole)) continue;
    const later = new Set(member.laterAudits);
    proofs.add(
      key,
      versions,
      needed.audits.filter((name) => !later.has(name)),
    );
  }
  if (written.length === 0) return;
  for (const { table, fingerprint, audits } of stage.auditedViews)
    if (proofs.needed(tableKey(table))?.fingerprint === fingerprint)
      proofs.add(tableKey(table), versions, audits);
}

const covers = (left: RangeSet, before: RangeSet): boolean => subtractRanges(before, left).length === 0;
