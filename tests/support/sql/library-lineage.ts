import { type LibraryClient, libraryClient } from '../../../src/foundation/sql/library/library-client.ts';
import { libraryDialectOf } from '../../../src/foundation/sql/library/library-dialect.ts';
import type { LibraryTable } from '../../../src/foundation/sql/library/library-protocol.ts';
import type { SqlResult } from '../../../src/foundation/sql/sql-error.ts';

/** What to ask the library's lineage: one output column by its name, or by its position where the name is not unique. */
export interface LineageQuestion {
  readonly text: string;
  readonly dialect: string;
  readonly column: string | number;
  readonly tables: readonly LibraryTable[];
}

/** The source columns (`table.column`, lower-case, sorted) the library sees behind an output column: an oracle for tests, never used by the product. */
export async function libraryLineage(
  question: LineageQuestion,
  client: LibraryClient = libraryClient(),
): Promise<SqlResult<readonly string[]>> {
  const dialect = libraryDialectOf(question.dialect) ?? question.dialect;
  const answer = await client.ask({ kind: 'lineage', ...question, dialect });
  return answer.ok ? { ok: true, value: answer.value as readonly string[] } : answer;
}
