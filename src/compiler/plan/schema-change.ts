import type { AnswerColumn, ColumnChange } from '../../domain/engine.ts';
import type { Column, Model } from '../../domain/model.ts';
import type { SchemaChangePolicy } from '../../domain/model-kind.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import {
  DATE,
  DOUBLE,
  decimalDigits,
  FLOAT,
  isInteger,
  type SqlType,
  sameType,
  TIMESTAMP,
  UNKNOWN,
  VARCHAR,
} from '../../foundation/sql/types/sql-type.ts';
import { isWholeType, parseType } from '../../foundation/sql/types/type-names.ts';

/** What must be done to a table to give it other columns, and what of it cannot be undone. */
export interface SchemaChange {
  /** Drops before additions: a column whose new type does not hold every value is dropped and added. */
  readonly changes: readonly ColumnChange[];
  readonly added: readonly string[];
  /** Sentences without a full stop, one per loss. */
  readonly destructive: readonly string[];
}

/** Compares columns by name in any case. Unknown types are taken to be those of the table. */
export function schemaChange(
  present: readonly AnswerColumn[],
  wanted: readonly (AnswerColumn & { readonly description?: string })[],
  dialect: Dialect = 'duckdb',
): SchemaChange {
  const byName = new Map(present.map((column) => [column.name.toLowerCase(), column]));
  const kept = new Set(wanted.map(({ name }) => name.toLowerCase()));
  const drops: ColumnChange[] = [];
  const others: ColumnChange[] = [];
  const added: string[] = [];
  const destructive: string[] = [];
  for (const { name } of present)
    if (!kept.has(name.toLowerCase())) {
      drops.push({ kind: 'drop', column: name });
      destructive.push(`column ${name} is dropped`);
    }
  for (const { name, type, description } of wanted) {
    const before = byName.get(name.toLowerCase());
    const column = { name, type, ...(description === undefined ? {} : { comment: description }) };
    if (before === undefined) {
      others.push({ kind: 'add', column });
      added.push(name);
      continue;
    }
    const isKnown = isWholeType(before.type) && isWholeType(type);
    const step = isKnown ? typeStep(parseType(before.type, dialect), parseType(type, dialect)) : 'same';
    if (step === 'same') continue;
    if (step === 'widen') others.push({ kind: 'widen', column: before.name, type });
    else {
      drops.push({ kind: 'drop', column: before.name });
      others.push({ kind: 'add', column });
      destructive.push(
        `column ${name} changes from ${before.type} to ${type}, which does not hold every value`,
      );
    }
  }
  return { changes: [...drops, ...others], added, destructive };
}

/** Whether everything about the columns of a model is known without asking the engine. */
export function hasWholeTypes({ columns, hasAllColumns }: Pick<Model, 'columns' | 'hasAllColumns'>): boolean {
  return hasAllColumns && columns.every(({ type }) => isWholeType(type));
}

/** The first column that could not stay as it is until the promotion if the same plan wrote the table; undefined: none. */
export function earlyLoss(kind: Model['kind']['kind'], changes: readonly ColumnChange[]): string | undefined {
  const added = new Set(
    changes.flatMap((one) => (one.kind === 'add' ? [one.column.name.toLowerCase()] : [])),
  );
  const lost = changes.find(
    (one) => one.kind === 'drop' && (kind === 'full' || added.has(one.column.toLowerCase())),
  );
  return lost?.kind === 'drop' ? lost.column : undefined;
}

/** Whether values of one type can become another in place without losing anything. */
export function typeStep(from: SqlType, to: SqlType): 'same' | 'widen' | 'lossy' {
  if (from === UNKNOWN || to === UNKNOWN || sameType(from, to)) return 'same';
  return holdsAll(from, to) ? 'widen' : 'lossy';
}

const SIGNED = ['TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'HUGEINT'];
const UNSIGNED = ['UTINYINT', 'USMALLINT', 'UINTEGER', 'UBIGINT', 'UHUGEINT'];
/** Integers that a DOUBLE, and those that a FLOAT, holds exactly. */
const IN_DOUBLE = ['TINYINT', 'SMALLINT', 'INTEGER', 'UTINYINT', 'USMALLINT', 'UINTEGER'];
const IN_FLOAT = ['TINYINT', 'SMALLINT', 'UTINYINT', 'USMALLINT'];
const TIMESTAMPS = ['TIMESTAMP_S', 'TIMESTAMP_MS', 'TIMESTAMP'];

function holdsAll(from: SqlType, to: SqlType): boolean {
  if (isInteger(from)) {
    if (to === DOUBLE) return IN_DOUBLE.includes(from.text);
    if (to === FLOAT) return IN_FLOAT.includes(from.text);
    if (to.kind === 'decimal') return to.width - to.scale >= decimalDigits(from);
    return isInteger(to) && holdsInteger(from.text, to.text);
  }
  if (from === FLOAT) return to === DOUBLE;
  if (from.kind === 'decimal' && to.kind === 'decimal')
    return to.scale >= from.scale && to.width - to.scale >= from.width - from.scale;
  if (from === DATE) return to === TIMESTAMP;
  if (from.kind === 'enum') return to === VARCHAR;
  const [a, b] = [TIMESTAMPS.indexOf(from.text), TIMESTAMPS.indexOf(to.text)];
  return a >= 0 && b > a;
}

function holdsInteger(from: string, to: string): boolean {
  const [fromSigned, toSigned] = [SIGNED.indexOf(from), SIGNED.indexOf(to)];
  const [fromUnsigned, toUnsigned] = [UNSIGNED.indexOf(from), UNSIGNED.indexOf(to)];
  if (fromSigned >= 0) return toSigned > fromSigned;
  if (fromUnsigned < 0) return false;
  return toUnsigned >= 0 ? toUnsigned > fromUnsigned : toSigned > fromUnsigned;
}

/** What a model allows to be done to a table it keeps. A FULL table is rewritten anyway, so nothing in it can be lost. */
export function schemaPolicies(model: Pick<Model, 'kind'>): {
  readonly destructive: SchemaChangePolicy;
  readonly additive: SchemaChangePolicy;
} {
  const { kind } = model;
  if (!('onDestructiveChange' in kind)) return { destructive: 'allow', additive: 'allow' };
  return { destructive: kind.onDestructiveChange, additive: kind.onAdditiveChange };
}

/**
 * What a migration does to a table, by the model's policies: with `ignore` columns that went away stay (the views no
 * longer list them), and new ones are not added. What was not allowed is in `destructive`: the caller stops there.
 */
export function migrationOf(
  model: Pick<Model, 'kind' | 'dialect'> & { readonly columns: readonly Column[] },
  present: readonly AnswerColumn[],
  options: { readonly allowDestructive: boolean },
): SchemaChange {
  const policies = schemaPolicies(model);
  const change = schemaChange(present, model.columns);
  const changes = change.changes.filter(({ kind }) => {
    if (kind === 'drop') return policies.destructive !== 'ignore' || options.allowDestructive;
    return kind !== 'add' || policies.additive !== 'ignore';
  });
  const isAllowed = options.allowDestructive || policies.destructive !== 'error';
  const dropped = new Set(changes.flatMap((one) => (one.kind === 'drop' ? [one.column.toLowerCase()] : [])));
  const present_ = new Set(present.map(({ name }) => name.toLowerCase()));
  return {
    // A column that stays cannot be added a second time.
    changes: changes.filter(
      (one) =>
        one.kind !== 'add' ||
        !present_.has(one.column.name.toLowerCase()) ||
        dropped.has(one.column.name.toLowerCase()),
    ),
    added: policies.additive === 'ignore' ? [] : change.added,
    destructive: isAllowed ? [] : change.destructive,
  };
}
