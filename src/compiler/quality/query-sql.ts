import { relationSql } from '../../domain/relation.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { transpile } from '../../foundation/sql/library/transpile.ts';
import { parseQuery } from '../../foundation/sql/parse/parse-query.ts';
import { replaceTables } from '../render/replace-tables.ts';
import type { CheckedTable } from './check-plan.ts';
import { NotExpressible } from './spelled.ts';

/** A query of an author in the engine's dialect, reading the tables of the environment. Throws `NotExpressible`. */
export async function querySql(
  text: string,
  { from, to }: { readonly from: Dialect; readonly to: Dialect },
  tableOf: (name: string) => CheckedTable | undefined,
): Promise<string> {
  const plain = text.replace(/;\s*$/, '');
  const replaced = await replaceTables({ text: plain, dialect: from }, (parts, dialect) => {
    const table = tableOf(parts.map(({ name }) => name).join('.'));
    return table && { kind: 'table', sql: relationSql(table.relation, dialect) };
  });
  if (replaced === undefined) {
    const parsed = parseQuery(plain, from);
    throw new NotExpressible(`the query cannot be read${parsed.ok ? '' : `: ${parsed.error.message}`}`);
  }
  if (replaced.dialect === to) return replaced.text;
  const moved = await transpile(replaced.text, replaced.dialect, to);
  if (!moved.ok) throw new NotExpressible(`the query cannot be said in ${to}: ${moved.error.message}`);
  return moved.value;
}
