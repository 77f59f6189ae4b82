import type { FileTable } from '../../domain/file-schemas.ts';
import type { QueryNodes } from '../../foundation/sql/query-nodes.ts';
import type { Expression, TableFunction, TableReference } from '../../foundation/sql/tree.ts';

/** Functions that read one sort of files; what the others give follows from their name. */
const READERS = /^(?:read_(?:parquet|csv|csv_auto|json\w*|ndjson\w*)|parquet_scan)$/i;

/** The tables of a query that are files, with the paths that its text says. Each text once. */
export function fileTables({ of }: QueryNodes, text: string): readonly FileTable[] {
  const found = new Map<string, FileTable>();
  for (const node of [...of('table').filter(({ isFile }) => isFile), ...of('table-function')]) {
    const paths = node.kind === 'table' ? [node.parts[0]?.name ?? ''] : pathsOf(node);
    if (paths.length === 0) continue;
    const written = fileTableText(node, text);
    found.set(written, { text: written, paths });
  }
  return [...found.values()];
}

/** A file or a reader of files as the query writes it, without alias and sample. */
export function fileTableText(table: TableReference | TableFunction, text: string): string {
  const { start, end } = table.kind === 'table' ? table.nameSpan : table.call.span;
  return text.slice(start, end);
}

/** What the first argument says; none where it is computed. */
function pathsOf({ call }: TableFunction): readonly string[] {
  const given = call.arguments[0];
  if (!READERS.test(call.name.name) || call.qualifiers.length > 0 || given?.name !== undefined) return [];
  const texts = given?.value.kind === 'list' ? given.value.items : [given?.value];
  const paths = texts.flatMap((each) => literalText(each) ?? []);
  return paths.length === texts.length ? paths : [];
}

function literalText(e: Expression | undefined): string | undefined {
  return e?.kind === 'literal' && e.type === 'string' ? e.text : undefined;
}
