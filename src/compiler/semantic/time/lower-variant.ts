/*
 * Parts that are more than a GROUP BY, as SQL. Windows and shifts become plain parts with one more table, the buckets:
 *
 *   SELECT buckets.bucket, status, SUM(amount)
 *   FROM orders JOIN (all buckets) AS buckets ON day >= buckets.bucket - INTERVAL 6 DAY AND day < buckets.bucket + INTERVAL 1 DAY
 *
 * Stocks and conversions choose among the rows of a part before they are aggregated.
 */
import type { Query } from '../../../foundation/sql/tree.ts';
import { unreachable } from '../../../foundation/unreachable.ts';
import type { Part } from '../logical-query.ts';
import { plainPart, type Tables } from '../lower-part.ts';
import { lowerConversion } from './lower-conversion.ts';
import { lowerStock } from './lower-stock.ts';
import { isSummable, lowerSums } from './lower-sums.ts';
import { withoutWindow } from './without-window.ts';

/** A part of any variant as a query of its own: keys, then components, by their names. */
export function lowerVariant(part: Part, tables: Tables, zone: string): Query {
  if (isSummable(part)) return lowerSums(part, { tables, zone });
  const found = withoutWindow(part, { tables, zone });
  const { variant } = found;
  switch (variant.kind) {
    case 'plain':
      return plainPart(found, tables);
    case 'stock':
      return lowerStock({ ...found, variant }, tables);
    case 'conversion':
      return lowerConversion({ ...found, variant }, tables);
    case 'rolling':
    case 'shift':
      throw new Error(`${variant.kind} of a ${part.variant.kind} is not taken apart`);
    default:
      return unreachable(variant);
  }
}
