import { renderAudits } from '../../compiler/render/render-audits.ts';
import type { TableSource } from '../../compiler/render/render-snapshot.ts';
import type { CompileContext } from '../../compiler/resolve/compile-context.ts';
import type { EngineReader } from '../../domain/engine.ts';
import { physicalRelation, type Relation, relationSql, type TableId } from '../../domain/relation.ts';
import type { SnapshotContent } from '../../domain/snapshot.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { quoteName } from '../../foundation/sql/quote.ts';
import { isWholeType } from '../../foundation/sql/types/type-names.ts';
import type { TimeRange } from '../../foundation/time/ranges.ts';
import { timeFilter } from './materialize/time-filter.ts';
import { type Ask, type AuditOutcome, runAudits } from './run-audits.ts';

/** A table or view whose rows are there already. */
export interface AuditedTable {
  readonly content: SnapshotContent;
  readonly compileContext: CompileContext;
  readonly table: TableId;
  readonly executionTime: number;
  readonly tableOf: (model: string) => TableSource | undefined;
  /** What the time macros stand for; a time-range model is looked at in this interval only. Absent: all there is. */
  readonly range?: TimeRange;
  /** Looks at all rows though there is a range. */
  readonly isWhole?: boolean;
  /** Names of the audits to run; absent: all of them. */
  readonly audits?: readonly string[];
  /** Leaves out those that do not block: a view under a write is only asked what could stop it. */
  readonly isBlockingOnly?: boolean;
}

/** Runs the audits of a table as it is, by `engine.query` or inside a write by `session.query`. Nothing is held back here: such audits block or warn. */
export async function auditTable(
  ask: Ask,
  engine: EngineReader,
  audited: AuditedTable,
): Promise<AuditOutcome> {
  const { content, range, executionTime } = audited;
  const relation = physicalRelation(audited.table, engine.capabilities.identifierMax);
  const filter =
    range === undefined || audited.isWhole === true
      ? undefined
      : await intervalOf(ask, content, { range, relation, dialect: engine.dialect });
  const rendered = await renderAudits(content, {
    compileContext: audited.compileContext,
    tableOf: audited.tableOf,
    executionTime,
    range: range ?? { start: 0, end: executionTime },
    dialect: engine.dialect,
    thisModel: relation,
    candidate: { relation, ...(filter === undefined ? {} : { filter }) },
  });
  const wanted = rendered.filter(
    ({ name, isBlocking }) =>
      (audited.audits === undefined || audited.audits.includes(name)) &&
      (audited.isBlockingOnly !== true || isBlocking),
  );
  return runAudits(ask, content.model.name, wanted);
}

async function intervalOf(
  ask: Ask,
  { model, applied }: SnapshotContent,
  {
    range,
    relation,
    dialect,
  }: { readonly range: TimeRange; readonly relation: Relation; readonly dialect: Dialect },
): Promise<string | undefined> {
  const { kind } = model;
  if (kind.kind !== 'incremental-by-time-range') return undefined;
  const { timeColumn } = kind;
  const found = model.columns.find(({ name }) => name.toLowerCase() === timeColumn.column.toLowerCase());
  const column = quoteName(timeColumn.column, dialect);
  const type =
    found !== undefined && isWholeType(found.type)
      ? found.type
      : ((await ask(`SELECT ${column} FROM ${relationSql(relation, dialect)} WHERE FALSE`)).columns[0]
          ?.type ?? '');
  const defaultFormat = applied.timeColumnFormat ?? '%Y-%m-%d';
  return timeFilter({ ...timeColumn, type, defaultFormat }, range, dialect);
}
