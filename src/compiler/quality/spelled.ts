import type { Dialect } from '../../foundation/sql/dialect.ts';
import { spellingOf } from '../../foundation/sql/print/spelling-of.ts';

/** A function call as the dialect spells it; throws `NotExpressible` where it has no way to say it. */
export function spelled(name: string, args: readonly string[], dialect: Dialect): string {
  const { functions } = spellingOf(dialect);
  const exact = `${name}/${args.length}`;
  const rule = Object.hasOwn(functions, exact)
    ? functions[exact]
    : Object.hasOwn(functions, name)
      ? functions[name]
      : name;
  if (typeof rule !== 'string' || rule === '') throw new NotExpressible(`${dialect} has no ${name}`);
  if (!/[$(]/.test(rule)) return `${rule}(${args.join(', ')})`;
  return rule.replace(/\$(?:([1-9])|[*do])/g, (sign, index: string | undefined) =>
    index === undefined ? (sign === '$*' ? args.join(', ') : '') : (args[Number(index) - 1] ?? 'NULL'),
  );
}

/** A cast as the dialect names the type. */
export function castTo(type: 'VARCHAR' | 'DOUBLE' | 'BIGINT', sql: string, dialect: Dialect): string {
  const { types } = spellingOf(dialect);
  return `CAST(${sql} AS ${Object.hasOwn(types, type) ? types[type] : type})`;
}

/** A list of these items. */
export function listOf(items: readonly string[], dialect: Dialect): string {
  const all = items.join(', ');
  switch (spellingOf(dialect).list) {
    case 'brackets':
      return `[${all}]`;
    case 'array-brackets':
      return `ARRAY[${all}]`;
    case 'array-call':
      return `ARRAY(${all})`;
    case 'none':
      throw new NotExpressible(`${dialect} has no lists`);
  }
}

/** Counts rows that fulfil a condition; a condition that is NULL counts as not fulfilled. */
export function countWhere(condition: string, dialect: Dialect): string {
  return spellingOf(dialect).hasFilter
    ? `COUNT(*) FILTER (WHERE ${condition})`
    : `COUNT(CASE WHEN ${condition} THEN 1 END)`;
}

/** A SELECT that ends after some rows. */
export function limited(select: string, rows: number, dialect: Dialect): string {
  return spellingOf(dialect).limit === 'top'
    ? select.replace(/^SELECT /, `SELECT TOP ${rows} `)
    : `${select} LIMIT ${rows}`;
}

/** The dialect cannot say what a rule needs; the rule becomes an error with this reason. */
export class NotExpressible extends Error {}
