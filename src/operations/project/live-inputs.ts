import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { AnswerColumn } from '../../domain/engine.ts';
import { Failure } from '../../domain/failure.ts';
import type { Model } from '../../domain/model.ts';
import type { TestRow } from '../../domain/model-test.ts';
import { testRowsOf } from '../../domain/test-yaml.ts';
import { withCells } from '../../domain/with-cells.ts';
import { isWholeType } from '../../foundation/sql/types/type-names.ts';
import type { OpenedWorldReader } from '../open-world.ts';
import type { LoadedWorkspace } from './load-project.ts';
import { foldedName } from './test-context.ts';

const ROWS_MAX = 1_000;

interface LiveInputs {
  readonly model: Model;
  readonly queries: readonly { readonly table: string; readonly sql: string }[];
  /** Of the test. */
  readonly name: string;
}

interface LiveInput {
  readonly name: string;
  readonly rows: readonly TestRow[];
  readonly columns: readonly AnswerColumn[];
}

/** Rows of the warehouse for every table that the model reads; types that no model says are written down with them. */
export async function liveInputs(
  { engine }: OpenedWorldReader,
  { project, compileContext }: LoadedWorkspace,
  { model, queries, name }: LiveInputs,
): Promise<readonly LiveInput[]> {
  const dialect = project.config.modelDefaults.dialect;
  const asked = new Map(
    queries.map(({ table, sql }) => [foldedName(table, dialect, compileContext.defaultCatalog), sql]),
  );
  const missing = model.dependencies.find((table) => table !== model.name && !asked.has(table));
  if (missing !== undefined)
    throw new Failure(
      diagnostic(
        'test.missing-input',
        { model: model.name, input: missing, name },
        { hint: `add --query ${missing} "SELECT * FROM ${missing} LIMIT 10"` },
      ),
    );
  const models = new Map(project.models.map((each) => [each.name, each]));
  return Promise.all(
    [...asked].map(async ([table, sql]) => {
      const answer = withCells(await engine.query(sql, { rowsMax: ROWS_MAX }));
      const known = new Map(
        models.get(table)?.columns.map((column) => [column.name.toLowerCase(), column.type]) ?? [],
      );
      const columns = answer.columns.filter((column) => {
        const type = known.get(column.name.toLowerCase());
        return type === undefined || !isWholeType(type);
      });
      return { name: table, rows: testRowsOf(answer), columns };
    }),
  );
}
