import type { Model } from '../../../domain/model.ts';
import { unreachable } from '../../../foundation/unreachable.ts';
import { folded, type QueryChange } from './query-change.ts';

/**
 * The change of a table, given that of its query. A table that is kept up to date row by row decides by some of its
 * columns which rows it keeps: when these change, or when it watches all columns, its rows do.
 */
export function throughKind(change: QueryChange, model: Model): QueryChange {
  if (change.kind === 'same' || change.kind === 'rows') return change;
  const deciding = decidingColumns(model);
  const touched = [...change.changed, ...change.removed];
  if (deciding === 'all')
    return {
      ...change,
      kind: 'rows',
      reason: `the history keeps a row for each change of any column: ${change.reason}`,
    };
  const hit = touched.find((name) => deciding.some((text) => mentions(text, name)));
  if (hit === undefined) return change;
  return { ...change, kind: 'rows', reason: `${hit} decides which rows the table keeps, and it changed` };
}

/** Columns, or SQL texts over columns, by which the kind finds, keeps or drops rows. */
function decidingColumns({ kind, partitionedBy }: Model): readonly string[] | 'all' {
  switch (kind.kind) {
    case 'view':
    case 'full':
    case 'seed':
    case 'embedded':
    case 'external':
      return [];
    case 'incremental-by-time-range':
      return [kind.timeColumn.column];
    case 'incremental-by-unique-key':
      return [...kind.uniqueKey, kind.whenMatched ?? '', kind.mergeFilter ?? ''];
    case 'incremental-by-partition':
    case 'incremental-unmanaged':
      return partitionedBy;
    case 'scd-type-2-by-time':
      return [...kind.uniqueKey, kind.updatedAtName];
    case 'scd-type-2-by-column':
      return kind.columns === '*' ? 'all' : [...kind.uniqueKey, ...kind.columns, kind.updatedAtName ?? ''];
    case 'managed':
    case 'custom':
      return 'all';
    default:
      return unreachable(kind);
  }
}

/** Whether an SQL text uses the name anywhere: a word is enough. */
function mentions(text: string, name: string): boolean {
  return (
    folded(text)
      .split(/[^\p{L}\p{N}_$]+/u)
      .includes(name) || folded(text).includes(`"${name}"`)
  );
}
