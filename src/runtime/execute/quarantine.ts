/*
 * Rows that an audit holds back. The batch is staged, every row gets a flag per audit, and each row goes one way:
 *
 *   staged rows ──▶ some flag is TRUE  ──▶ quarantine table, with run, audits and interval
 *               └─▶ all others         ──▶ the model's table
 *
 * An audit that is NULL for a row says nothing against it. What a former write of the same interval, key or partition held back is
 * replaced. Input = published + quarantined is asserted before the transaction may be committed.
 *
 * A row that is held back came in all the same (`Source.all`): its key is not gone, and its partition is replaced.
 */
import { type RenderedAudit, renderAudits } from '../../compiler/render/render-audits.ts';
import { failure } from '../../domain/failure.ts';
import { quarantineRelation, type Relation } from '../../domain/relation.ts';
import type { AuditResult, ModelResult } from '../../domain/run.ts';
import { quoteText } from '../../foundation/sql/quote.ts';
import { anyFlag, countFlags, failedAudits, flaggedQuery } from './flagged-rows.ts';
import { columnsInside, HELD_COLUMNS } from './held-columns.ts';
import { hasKeyIn, keyOf } from './materialize/keys.ts';
import {
  type BatchRows,
  columnsOfQuery,
  intoStagingTable,
  listSql,
  subquery,
  type TableWrite,
  withColumns,
} from './materialize/table-write.ts';
import { timestampSql } from './materialize/time-filter.ts';
import { intervalFilter, refuseOutside } from './materialize/time-range.ts';

/** What was held back, and what is left to publish. */
export interface HeldBack {
  readonly source: BatchRows;
  readonly input: number;
  readonly quarantined: number;
  readonly audits: readonly AuditResult[];
  /** Of time-range models: rows that belong to no interval are neither published nor held back. */
  readonly rowsOutside?: number;
}

/** Moves the failing rows of a batch into the quarantine table. */
export async function holdBack(write: TableWrite, given: BatchRows): Promise<HeldBack> {
  const { batch, model, dialect, engine, relation, session, sending } = write;
  const isTimed = model.kind.kind === 'incremental-by-time-range';
  const filter = isTimed ? await intervalFilter(write, given) : undefined;
  const source = await withColumns(write, given);
  const staged = intoStagingTable(write, source);
  const audits = await renderAudits(batch.content, {
    ...batch,
    dialect,
    thisModel: relation,
    candidate: {
      relation: write.stagingTables.at(-1) as Relation,
      ...(filter === undefined ? {} : { filter }),
    },
    only: 'quarantine',
  });
  const active = audits.filter(({ isSkipped }) => !isSkipped);
  const flagged = flaggedQuery(insideOf(staged.source.query, filter), active);
  const [input = 0, quarantined = 0, ...each] = await countFlags(write, flagged, active);
  const rowsOutside = isTimed ? (await staged.rows()) - input : undefined;
  if (rowsOutside !== undefined) refuseOutside(write, rowsOutside);
  const held = quarantineRelation(batch.table, engine.capabilities.identifierMax);
  const names = source.columns.map(({ name }) => name);
  if (await prepareTable(write, held, { query: staged.source.query, isNeeded: quarantined > 0 })) {
    sending.send(session.remove(held, replacedCondition(write, staged.source.query, filter)));
    if (quarantined > 0) {
      const columns = [...names, ...HELD_COLUMNS.map(({ name }) => name)];
      const rows = await sending.send(
        session.insert(held, columns, heldQuery(write, flagged, names, active)),
      );
      if (rows !== quarantined) throw unbalanced(model.name, { input, published: input - rows, quarantined });
    }
  }
  return {
    source: {
      ...source,
      query: `SELECT ${listSql(names, dialect)} FROM ${subquery(flagged)} AS plinth__flagged WHERE NOT (${anyFlag(active)})`,
      isStaged: true,
      all: staged.source.query,
    },
    input,
    quarantined,
    audits: audits.map((audit) => {
      const failedRows = audit.isSkipped ? 0 : (each[active.indexOf(audit)] ?? 0);
      const status = audit.isSkipped ? 'skipped' : failedRows > 0 ? 'quarantined' : 'passed';
      return { name: audit.name, status, failedRows };
    }),
    ...(rowsOutside === undefined ? {} : { rowsOutside }),
  };
}

/** Throws when a row was lost or doubled on its way; that would be a bug of ours, and the write must not be kept. */
export function assertBalance(
  model: string,
  { input, quarantined }: Pick<HeldBack, 'input' | 'quarantined'>,
  published: number,
): NonNullable<ModelResult['balance']> {
  const balance = { input, published, quarantined };
  if (input !== published + quarantined) throw unbalanced(model, balance);
  return balance;
}

/** Rows that do not add up. */
export function unbalanced(
  model: string,
  { input, published, quarantined }: NonNullable<ModelResult['balance']>,
) {
  return failure('audit.row-balance', {
    model,
    input: String(input),
    published: String(published),
    quarantined: String(quarantined),
  });
}

const insideOf = (rows: string, filter: string | undefined): string =>
  filter === undefined ? rows : `SELECT * FROM ${subquery(rows)} AS plinth__rows WHERE ${filter}`;

/** The quarantine table with all columns it needs; false when there is none and none is needed. */
async function prepareTable(
  write: TableWrite,
  held: Relation,
  { query, isNeeded }: { readonly query: string; readonly isNeeded: boolean },
): Promise<boolean> {
  const { session, sending } = write;
  const existing = await columnsInside(write, held);
  if (existing.size === 0 && !isNeeded) return false;
  const wanted = [...(await columnsOfQuery(write, query)), ...HELD_COLUMNS];
  const missing = wanted.filter(({ name }) => !existing.has(name.toLowerCase()));
  if (existing.size === 0) sending.send(session.createTable(held, wanted));
  else if (missing.length > 0)
    sending.send(
      session.alterTable(
        held,
        missing.map((column) => ({ kind: 'add', column })),
      ),
    );
  return true;
}

/** Which rows of the quarantine this write takes the place of; undefined: all. */
function replacedCondition(write: TableWrite, query: string, filter: string | undefined): string | undefined {
  const { kind, partitionedBy } = write.model;
  if (write.batch.isFirst) return undefined;
  if (filter !== undefined) return filter;
  // Such a history looks at the whole source each time.
  if ('invalidateHardDeletes' in kind && kind.invalidateHardDeletes) return undefined;
  const key = keyOf(kind, partitionedBy);
  if (key.length > 0) return hasKeyIn(key, query);
  // Rows that are added take nothing's place.
  return kind.kind === 'incremental-unmanaged' && !kind.insertOverwrite ? 'FALSE' : undefined;
}

function heldQuery(
  { batch, dialect }: TableWrite,
  flagged: string,
  names: readonly string[],
  audits: readonly RenderedAudit[],
): string {
  const extra = [
    quoteText(batch.runId, dialect),
    failedAudits(audits, dialect),
    timestampSql(batch.range.start),
    timestampSql(batch.range.end),
    'CAST(CURRENT_TIMESTAMP AS TIMESTAMP)',
  ].map((text, i) => `${text} AS ${HELD_COLUMNS[i]?.name}`);
  return `SELECT ${listSql(names, dialect)}, ${extra.join(', ')} FROM ${subquery(flagged)} AS plinth__flagged WHERE ${anyFlag(audits)}`;
}
