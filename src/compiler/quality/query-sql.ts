import { relationSql } from '../../domain/relation.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { transpile } from '../../foundation/sql/library/transpile.ts';
import { parseQuery } from '../../foundation/sql/parse/parse-query.ts';
import { replaceTables } from '../render/replace-tables.ts';
import { atMoment } from './at-moment.ts';
import type { CheckContext } from './check-plan.ts';
import { NotExpressible } from './spelled.ts';

/** A query of an author in the engine's dialect, reading the tables of the environment, at the moment of the check. Throws `NotExpressible`. */
export async function querySql(
  text: string,
  from: Dialect,
  { dialect: to, tableOf, now }: Pick<CheckContext, 'dialect' | 'tableOf' | 'now'>,
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
  if (replaced.dialect === to) return atMoment({ kind: 'query', sql: replaced.text }, now, to);
  const moved = await transpile(replaced.text, replaced.dialect, to);
  if (!moved.ok) throw new NotExpressible(`the query cannot be said in ${to}: ${moved.error.message}`);
  return atMoment({ kind: 'query', sql: moved.value }, now, to);
}
