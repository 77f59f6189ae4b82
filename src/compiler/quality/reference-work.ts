import { relationSql } from '../../domain/relation.ts';
import { quoteName } from '../../foundation/sql/quote.ts';
import type { CheckContext, CheckedTable, CheckWork } from './check-plan.ts';
import { type CheckedRows, columnOf, rowCount, selectFrom } from './checked-rows.ts';
import { columnNamed, familyOf } from './column-family.ts';
import { countWork } from './count-work.ts';
import type { CheckAssertion, PlannedCheck } from './planned-check.ts';
import { limited, NotExpressible } from './spelled.ts';

type Reference = CheckAssertion & { readonly kind: 'reference' };

/** `values in (…) must [not] exist in … (…)`: rows with a NULL among the columns are right either way. */
export function referenceWork(
  check: PlannedCheck,
  assertion: Reference,
  rows: CheckedRows,
  other: CheckedTable,
  { dialect }: CheckContext,
): CheckWork {
  const { isNegated } = assertion;
  const pairs = pairsOf(assertion, rows, other);
  const quoted = pairs.map(([own, target]) => [quoteName(own, dialect), quoteName(target, dialect)] as const);
  const same = quoted.map(([own, target]) => `other.${target} = checked.${own}`).join(' AND ');
  const there = `EXISTS (SELECT 1 FROM ${relationSql(other.relation, dialect)} AS other WHERE ${same})`;
  const scan = {
    from: `(${selectFrom('*', rows.scan)}) AS checked`,
    where: [...quoted.map(([own]) => `checked.${own} IS NOT NULL`), isNegated ? there : `NOT ${there}`].join(
      ' AND ',
    ),
  };
  const own = pairs.map(([name]) => name).join(', ');
  return countWork(check, {
    expected: `values in (${own}) must ${isNegated ? 'not ' : ''}exist in ${other.name} (${pairs.map(([, name]) => name).join(', ')})`,
    tested: rowCount(rows),
    wrong: { scan, sql: 'COUNT(*)', column: own },
    sampleSql: limited(selectFrom('checked.*', scan), check.definition.samplesLimit + 1, dialect),
  });
}

/** Columns of both tables by their names there; they must be comparable. */
function pairsOf(
  { columns, targetColumns }: Reference,
  rows: CheckedRows,
  other: CheckedTable,
): readonly (readonly [string, string])[] {
  return columns.map(({ value }, index) => {
    const own = columnOf(rows, value);
    const name = targetColumns[index]?.value ?? '';
    const target = columnNamed(other, name);
    if (target === undefined) throw new NotExpressible(`${other.name} has no column ${name}`);
    const [mine, theirs] = [own, target].map(({ type }) => familyOf(type, rows.dialect));
    if (mine !== theirs)
      throw new NotExpressible(
        `${own.name} is ${own.type} and ${target.name} of ${other.name} is ${target.type}, which are never equal`,
      );
    return [own.name, target.name];
  });
}
