/*
 * Two tables side by side. Columns are compared by name and type, rows by a key:
 *
 *   source ── FULL OUTER JOIN on the key ── target ──▶ in both and equal │ in both and different │ only in one
 *
 * Everything is counted in one query; samples are read only of what there is any of.
 */
import { failure } from '../../domain/failure.ts';
import { type Relation, relationSql } from '../../domain/relation.ts';
import type { TableDiff, TableDiffRequest } from '../../domain/table-diff.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { quoteName } from '../../foundation/sql/quote.ts';
import { type BothColumns, columnNamed, isFraction } from './compared-columns.ts';

/** The queries of a comparison, and what the row of the first one says. */
export interface TableDiffQueries {
  readonly counts: string;
  countsOf(row: readonly unknown[]): Pick<TableDiff, 'rows' | 'differing'>;
  /** Rows in both that differ, with both values of the columns that do. */
  different(columns: readonly string[]): string;
  readonly onlySource: string;
  readonly onlyTarget: string;
}

/** Throws `query.unknown-column` when a column of the key is not on both sides. */
export function tableDiffQueries(
  { source, target, key, where, samplesMax, decimals }: TableDiffRequest,
  [before, after]: BothColumns,
  dialect: Dialect,
): TableDiffQueries {
  const both = before.filter(({ name }) => columnNamed(after, name) !== undefined).map(({ name }) => name);
  const keys = key.map((column) => columnNamed(before, column)?.name ?? column);
  const strange = keys.find((column) => !both.includes(column));
  if (strange !== undefined) throw failure('query.unknown-column', { column: strange });
  const values = both.filter((name) => !keys.includes(name));
  const quote = (name: string): string => quoteName(name, dialect);
  const side = (relation: Relation): string =>
    `(SELECT ${both.map(quote).join(', ')}, 1 AS __here FROM ${relationSql(relation, dialect)}${where === undefined ? '' : ` WHERE ${where}`})`;
  const compared = (letter: 's' | 't', name: string): string =>
    decimals !== undefined && isFraction(columnNamed(before, name), columnNamed(after, name))
      ? `ROUND(${letter}.${quote(name)}, ${decimals})`
      : `${letter}.${quote(name)}`;
  const differs = (name: string): string => `${compared('s', name)} IS DISTINCT FROM ${compared('t', name)}`;
  const joined = `FROM ${side(source)} AS s FULL OUTER JOIN ${side(target)} AS t ON ${keys.map((name) => `s.${quote(name)} IS NOT DISTINCT FROM t.${quote(name)}`).join(' AND ')}`;
  const isPaired = 's.__here IS NOT NULL AND t.__here IS NOT NULL';
  const isDifferent = `${isPaired} AND (${values.length === 0 ? 'FALSE' : values.map(differs).join(' OR ')})`;
  const distinct = `SELECT COUNT(*) FROM (SELECT 1 FROM ${side(source)} AS s GROUP BY ${keys.map(quote).join(', ')} HAVING COUNT(*) > 1)`;
  const order = `ORDER BY ${keys.map((_, i) => i + 1).join(', ')} LIMIT ${samplesMax}`;
  const sample = (columns: readonly string[], condition: string): string =>
    `SELECT ${columns.join(', ')} ${joined} WHERE ${condition} ${order}`;
  const of = (letter: string, names: readonly string[]): readonly string[] =>
    names.map((name) => `${letter}.${quote(name)}`);
  return {
    counts: `SELECT (SELECT COUNT(*) FROM ${side(source)} AS a), (SELECT COUNT(*) FROM ${side(target)} AS b), COUNT(*) FILTER (WHERE ${isPaired}), COUNT(*) FILTER (WHERE ${isDifferent}), COUNT(*) FILTER (WHERE t.__here IS NULL), COUNT(*) FILTER (WHERE s.__here IS NULL), (${distinct}) + (${distinct.replace(side(source), side(target))})${values.map((name) => `, COUNT(*) FILTER (WHERE ${isPaired} AND ${differs(name)})`).join('')} ${joined}`,
    countsOf: (row) => countsOf(row.map(Number), values),
    different: (columns) =>
      sample(
        [
          ...of('s', keys),
          ...columns.flatMap((column) => [
            `s.${quote(column)} AS ${quote(`${column} (source)`)}`,
            `t.${quote(column)} AS ${quote(`${column} (target)`)}`,
          ]),
        ],
        isDifferent,
      ),
    onlySource: sample(of('s', [...keys, ...values]), 't.__here IS NULL'),
    onlyTarget: sample(of('t', [...keys, ...values]), 's.__here IS NULL'),
  };
}

function countsOf(
  [
    source = 0,
    target = 0,
    paired = 0,
    different = 0,
    onlySource = 0,
    onlyTarget = 0,
    duplicateKeys = 0,
    ...perColumn
  ]: readonly number[],
  values: readonly string[],
): Pick<TableDiff, 'rows' | 'differing'> {
  return {
    rows: { source, target, equal: paired - different, different, onlySource, onlyTarget, duplicateKeys },
    differing: values
      .map((column, i) => ({ column, rows: perColumn[i] ?? 0 }))
      .filter(({ rows }) => rows > 0),
  };
}
