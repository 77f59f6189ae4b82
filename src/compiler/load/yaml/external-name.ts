import { splitModelName } from '../../../domain/model-name.ts';
import type { Dialect } from '../../../foundation/sql/dialect.ts';
import { quoteName } from '../../../foundation/sql/quote.ts';

/** A table as external_models.yaml names it. */
export function externalName(name: string, dialect: Dialect): string {
  const { catalog, schema, table } = splitModelName(name);
  return [catalog, schema, table]
    .flatMap((part) => part ?? [])
    .map((part) => (/^[a-z_][a-z0-9_]*$/.test(part) ? part : quoteName(part, dialect)))
    .join('.');
}
