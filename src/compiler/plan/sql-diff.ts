import type { SnapshotContent } from '../../domain/snapshot.ts';
import { lineDiff } from '../../foundation/line-diff.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { formatSql } from '../../foundation/sql/format/format-sql.ts';

/**
 * How the query of a model changed: as it is written, so that macros (those of time among them) stand as their author knows
 * them. Where the same text means something else now (a macro or a variable changed) it is shown with its macros filled.
 */
export function contentDiff(before: SnapshotContent, after: SnapshotContent): string {
  const dialects = { before: before.model.dialect, after: after.model.dialect };
  const written = diffOf([writtenQuery(before), writtenQuery(after)], dialects);
  return written === '' ? diffOf([before.expandedQuery, after.expandedQuery], dialects) : written;
}

const writtenQuery = ({ model: { source } }: SnapshotContent): string | undefined =>
  source.kind === 'sql' ? source.query.text : undefined;

function diffOf(
  [before, after]: readonly [before: string | undefined, after: string | undefined],
  dialects: { readonly before: Dialect; readonly after: Dialect },
): string {
  if (before === undefined || after === undefined) return '';
  return sqlDiff({ text: before, dialect: dialects.before }, { text: after, dialect: dialects.after });
}

/** A unified diff of two queries, both laid out the same way first, so that only what differs in meaning or words is shown. */
export function sqlDiff(
  before: { readonly text: string; readonly dialect: Dialect },
  after: { readonly text: string; readonly dialect: Dialect },
): string {
  return lineDiff(layOut(before).split('\n'), layOut(after).split('\n'));
}

function layOut({ text, dialect }: { readonly text: string; readonly dialect: Dialect }): string {
  const formatted = formatSql(text, dialect);
  return (formatted.ok ? formatted.value : text).trim();
}
