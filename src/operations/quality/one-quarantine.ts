import { failure } from '../../domain/failure.ts';
import type { HeldRows } from '../../domain/quarantine.ts';
import { quoteText } from '../../foundation/sql/quote.ts';
import { timestampSql } from '../../runtime/execute/materialize/time-filter.ts';
import { showQuarantine } from '../change/show-quarantine.ts';
import type { ProductReader } from '../product-reader.ts';
import { type KnownHeld, knownQuarantine } from './known-quarantine.ts';
import { hiddenFrom, type QualityView } from './quality-view.ts';

/** Rows that are held back together; without rows where they are not for the caller. */
export interface OneQuarantine {
  readonly held: KnownHeld;
  readonly rows?: HeldRows;
}

/** Masked columns are NULL before the rows leave the engine, and left out here. */
export async function oneQuarantine(
  product: ProductReader,
  view: QualityView,
  { id, limit }: { readonly id: string; readonly limit: number },
): Promise<OneQuarantine> {
  const { world } = product;
  const held = (await knownQuarantine(product, view)).find((each) => each.id === id);
  if (held === undefined) throw failure('dq.not-found', { id });
  if (held.isWithheld === true) return { held };
  const hidden = hiddenFrom(view.reader)(held.model);
  const masked: ReadonlySet<string> = typeof hidden === 'string' ? new Set() : hidden;
  const { dialect } = world.engine;
  const audits = held.audits.map((name) => quoteText(name, dialect)).join(', ');
  const rows = await showQuarantine(world, {
    ...{ environment: view.environment.name, model: held.model, limit },
    selection: { runId: held.runId },
    limits: {
      masks: new Map([...masked].map((column) => [column, 'NULL'])),
      condition: [
        `plinth__audits = [${audits}]`,
        `plinth__interval_start = ${timestampSql(held.interval.start)}`,
        `plinth__interval_end = ${timestampSql(held.interval.end)}`,
      ].join(' AND '),
    },
  });
  const kept = rows.columns.flatMap(({ name }, index) => (masked.has(name.toLowerCase()) ? [] : [index]));
  return {
    held,
    rows: {
      ...rows,
      columns: kept.flatMap((index) => rows.columns[index] ?? []),
      rows: rows.rows.map((row) => ({ ...row, cells: kept.map((index) => row.cells[index]) })),
    },
  };
}
