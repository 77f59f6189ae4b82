/** Rows with a flag for each audit that could hold them back: TRUE for a row that fails it. NULL says nothing against a row. */
import type { RenderedAudit } from '../../compiler/render/render-audits.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { quoteText } from '../../foundation/sql/quote.ts';
import { subquery, type TableWrite } from './materialize/table-write.ts';

const flag = (i: number): string => `plinth__failed_${i}`;

/** A condition on flagged rows: some audit holds them back. */
export function anyFlag(audits: readonly RenderedAudit[]): string {
  return audits.length === 0 ? 'FALSE' : audits.map((_, i) => flag(i)).join(' OR ');
}

/** The rows of a query with their flags. Each audit calls its row by a name of its own, so each has a level of its own. */
export function flaggedQuery(query: string, audits: readonly RenderedAudit[]): string {
  return audits.reduce((inner, { quarantine }, i) => {
    if (quarantine === undefined) throw new Error('an audit without a condition cannot hold rows back');
    const { alias, condition } = quarantine;
    return `SELECT ${alias}.*, CASE WHEN (${condition}) THEN TRUE ELSE FALSE END AS ${flag(i)} FROM ${subquery(inner)} AS ${alias}`;
  }, query);
}

/** How many rows there are, how many of them fail, and how many fail each audit. */
export async function countFlags(
  { session, sending }: Pick<TableWrite, 'session' | 'sending'>,
  flagged: string,
  audits: readonly RenderedAudit[],
): Promise<readonly number[]> {
  const sums = [anyFlag(audits), ...audits.map((_, i) => flag(i))].map(
    (condition) => `COALESCE(SUM(CASE WHEN ${condition} THEN 1 ELSE 0 END), 0)`,
  );
  const { rows } = await sending.send(
    session.query(`SELECT COUNT(*), ${sums.join(', ')} FROM ${subquery(flagged)} AS plinth__flagged`),
  );
  return (rows[0] ?? []).map(Number);
}

/** SQL of the names of the audits that a flagged row fails. */
export function failedAudits(audits: readonly RenderedAudit[], dialect: Dialect): string {
  const lists = audits.map(
    ({ name }, i) => `CASE WHEN ${flag(i)} THEN [${quoteText(name, dialect)}] ELSE CAST([] AS VARCHAR[]) END`,
  );
  return lists.length === 0
    ? 'CAST([] AS VARCHAR[])'
    : lists.reduce((left, right) => `LIST_CONCAT(${left}, ${right})`);
}
