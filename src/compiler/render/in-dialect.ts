import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import { Failure, failure } from '../../domain/failure.ts';
import type { Model } from '../../domain/model.ts';
import { didYouMean } from '../../foundation/diagnostics/nearest.ts';
import { DIALECTS, dialectOf } from '../../foundation/sql/dialect.ts';
import { transpile } from '../../foundation/sql/library/transpile.ts';
import type { SqlError } from '../../foundation/sql/sql-error.ts';

/** Rendered SQL of a model in another dialect. Throws `cli.not-rendered`, and `cli.bad-value` when there is no such dialect. */
export async function inDialect(sql: string, model: Model, dialect: string): Promise<string> {
  if (dialectOf(dialect) === model.dialect) return sql;
  const result = await transpile(sql, model.dialect, dialect);
  if (result.ok) return result.value;
  if (dialectOf(dialect) === undefined)
    throw new Failure(
      diagnostic(
        'cli.bad-value',
        { name: '--dialect', value: dialect, expected: DIALECTS.join(', ') },
        { hint: didYouMean(dialect, DIALECTS) },
      ),
    );
  throw notRendered(model, result.error);
}

/** What the printer or the formatter said of it. */
export function notRendered(model: Model, { message }: SqlError): Failure {
  return failure('cli.not-rendered', { model: model.name, detail: message.replace(/\.$/, '') });
}
