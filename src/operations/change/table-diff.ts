import { type BothColumns, columnDiff, withoutColumns } from '../../compiler/render/compared-columns.ts';
import { tableDiffQueries } from '../../compiler/render/table-diff-queries.ts';
import type { AnswerColumn, EngineReader } from '../../domain/engine.ts';
import { failure } from '../../domain/failure.ts';
import { type Relation, relationText } from '../../domain/relation.ts';
import type { TableDiff, TableDiffRequest } from '../../domain/table-diff.ts';

/** Counts how two tables differ, and reads samples only of what there is any of. */
export async function tableDiff(engine: EngineReader, request: TableDiffRequest): Promise<TableDiff> {
  const columns = withoutColumns(await columnsOfBoth(engine, request), request);
  const queries = tableDiffQueries(request, columns, engine.dialect);
  const counted = await engine.query(queries.counts);
  const { rows, differing } = queries.countsOf(counted.rows[0] ?? []);
  const different = queries.different(differing.map(({ column }) => column));
  return {
    columns: columnDiff(...columns),
    rows,
    differing,
    samples: {
      ...(rows.different === 0 ? {} : { different: await engine.query(different) }),
      ...(rows.onlySource === 0 ? {} : { onlySource: await engine.query(queries.onlySource) }),
      ...(rows.onlyTarget === 0 ? {} : { onlyTarget: await engine.query(queries.onlyTarget) }),
    },
  };
}

async function columnsOfBoth(
  engine: EngineReader,
  { source, target }: Pick<TableDiffRequest, 'source' | 'target'>,
): Promise<BothColumns> {
  const found = await engine.columnsOf([source, target]);
  const of = (relation: Relation): readonly AnswerColumn[] => {
    const columns = found.get(relationText(relation));
    if (columns === undefined || columns.length === 0)
      throw failure('query.unknown-table', { name: relationText(relation) });
    return columns;
  };
  return [of(source), of(target)];
}
