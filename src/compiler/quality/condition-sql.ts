import { transpile } from '../../foundation/sql/library/transpile.ts';
import { parseExpression } from '../../foundation/sql/parse/parse-query.ts';
import { type Edit, splice } from '../../foundation/sql/splice.ts';
import type { Expression } from '../../foundation/sql/tree.ts';
import { walk } from '../../foundation/sql/walk.ts';
import { atMoment } from './at-moment.ts';
import type { CheckContext, CheckedTable } from './check-plan.ts';
import { NotExpressible } from './spelled.ts';

/** A condition of an author in the engine's dialect, in parentheses, at the moment of the check. Throws `NotExpressible` when it cannot be read or moved. */
export async function conditionSql(
  text: string,
  { name, dialect: from }: Pick<CheckedTable, 'name' | 'dialect'>,
  { dialect: to, now }: Pick<CheckContext, 'dialect' | 'now'>,
): Promise<string> {
  const parsed = parseExpression(text, from);
  if (!parsed.ok)
    throw new NotExpressible(`the condition ${text.trim()} cannot be read: ${parsed.error.message}`);
  const short = shortened(text, parsed.value, name.toLowerCase().split('.'));
  // A comment at the end must not swallow the parenthesis.
  const closed = short.includes('--') ? `(${short}\n)` : `(${short})`;
  if (from === to) return atMoment({ kind: 'condition', sql: closed }, now, to);
  const moved = await transpile(`SELECT ${closed}`, from, to);
  if (!moved.ok)
    throw new NotExpressible(`the condition ${text.trim()} cannot be said in ${to}: ${moved.error.message}`);
  const sql = `(${moved.value.replace(/^\s*SELECT\s+/i, '').replace(/;\s*$/, '')})`;
  return atMoment({ kind: 'condition', sql }, now, to);
}

/** `marts.orders.amount` becomes `orders.amount`: the table is there under the last part of its name. Fields of structs stay. */
function shortened(text: string, tree: Expression, table: readonly string[]): string {
  const edits: Edit[] = [];
  walk(tree, (node) => {
    if (node.kind !== 'column') return;
    const written = node.qualifiers.map(({ name }) => name.toLowerCase());
    const length = [3, 2].find((parts) => {
      const tail = table.slice(-parts);
      return tail.length === parts && tail.every((part, index) => part === written[index]);
    });
    const [first, last] = [node.qualifiers[0], node.qualifiers[(length ?? 1) - 1]];
    if (length !== undefined && first !== undefined && last !== undefined)
      edits.push({ start: first.span.start, end: last.span.start, text: '' });
  });
  return splice(text, edits);
}
