/*
 * The columns that an answer rests on: those that its text reads, and those that these are made of by value, through all models.
 *
 *   SELECT revenue FROM marts.daily   ─▶ marts.daily {revenue} ─▶ marts.orders {amount, quantity} ─▶ raw.orders {amount, quantity}
 */
import type { Dialect } from '../../../foundation/sql/dialect.ts';
import { parseModelledQuery } from '../../../foundation/sql/parse/parse-query.ts';
import { ColumnFlow, type ColumnsByModel, type FlowModel } from './column-flow.ts';
import { columnsRead, type ReadTable } from './columns-read.ts';

export interface UsedColumnsRequest {
  /** As the engine gets it. */
  readonly sql: string;
  readonly dialect: Dialect;
  /** Models whose rows it reads. */
  readonly reads: readonly string[];
  readonly tableOf: (parts: readonly string[]) => ReadTable | undefined;
  /** These models and all that they are made of. */
  readonly models: readonly FlowModel[];
}

/** In lower case, by model; `all` where it is not certain which. Of models that only decide which rows there are, none. */
export function columnsUsed({ sql, dialect, reads, tableOf, models }: UsedColumnsRequest): ColumnsByModel {
  const parsed = parseModelledQuery(sql, dialect);
  const read = parsed.ok ? columnsRead(parsed.value, tableOf) : (): 'all' => 'all';
  const start = new Map(reads.map((model) => [model, read(model)]));
  const found = new ColumnFlow(models).origins(start, 'value');
  const none = models.map(({ model }) => [model.name, new Set<string>()] as const);
  return new Map<string, 'all' | ReadonlySet<string>>([...none, ...found]);
}
