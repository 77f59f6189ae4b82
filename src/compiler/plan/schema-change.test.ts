import { describe, expect, test } from 'vitest';
import type { ModelKind, SchemaChangePolicy } from '../../domain/model-kind.ts';
import { parseType } from '../../foundation/sql/types/type-names.ts';
import { migrationOf, schemaChange, typeStep } from './schema-change.ts';

const columns = (...texts: readonly string[]) =>
  texts.map((text) => {
    const [name = '', ...type] = text.split(' ');
    return { name, type: type.join(' ') };
  });

describe('types in place', () => {
  test.each([
    ['INTEGER', 'INTEGER', 'same'],
    ['INT', 'INTEGER', 'same'],
    ['INTEGER', 'UNKNOWN', 'same'],
    ['VARCHAR(10)', 'VARCHAR(20)', 'same'],
    ['SMALLINT', 'BIGINT', 'widen'],
    ['UINTEGER', 'BIGINT', 'widen'],
    ['UINTEGER', 'INTEGER', 'lossy'],
    ['INTEGER', 'UBIGINT', 'lossy'],
    ['BIGINT', 'INTEGER', 'lossy'],
    ['INTEGER', 'DOUBLE', 'widen'],
    ['BIGINT', 'DOUBLE', 'lossy'],
    ['FLOAT', 'DOUBLE', 'widen'],
    ['DOUBLE', 'FLOAT', 'lossy'],
    ['INTEGER', 'DECIMAL(12,2)', 'widen'],
    ['INTEGER', 'DECIMAL(11,2)', 'lossy'],
    ['DECIMAL(10,2)', 'DECIMAL(12,3)', 'widen'],
    ['DECIMAL(10,2)', 'DECIMAL(11,4)', 'lossy'],
    ['DECIMAL(10,2)', 'DOUBLE', 'lossy'],
    ['DATE', 'TIMESTAMP', 'widen'],
    ['TIMESTAMP', 'DATE', 'lossy'],
    ['TIMESTAMP', 'TIMESTAMPTZ', 'lossy'],
    ['INTEGER', 'VARCHAR', 'lossy'],
    ["ENUM('a', 'b')", 'VARCHAR', 'widen'],
    ['INTEGER[]', 'BIGINT[]', 'lossy'],
  ])('%s → %s: %s', (from, to, expected) => expect(typeStep(parseType(from), parseType(to))).toBe(expected));
});

describe('columns of a table', () => {
  test('new, wider, narrower and dropped ones, drops first', () => {
    const change = schemaChange(
      columns('a INTEGER', 'b BIGINT', 'c VARCHAR', 'D DATE'),
      columns('A BIGINT', 'b INTEGER', 'd DATE', 'e DATE'),
    );
    expect(change.changes).toEqual([
      { kind: 'drop', column: 'c' },
      { kind: 'drop', column: 'b' },
      { kind: 'widen', column: 'a', type: 'BIGINT' },
      { kind: 'add', column: { name: 'b', type: 'INTEGER' } },
      { kind: 'add', column: { name: 'e', type: 'DATE' } },
    ]);
    expect(change.added).toEqual(['e']);
    expect(change.destructive).toEqual([
      'column c is dropped',
      'column b changes from BIGINT to INTEGER, which does not hold every value',
    ]);
  });
  test('the same columns in another order and case are no change', () =>
    expect(schemaChange(columns('a INTEGER', 'b DATE'), columns('B DATE', 'A INTEGER')).changes).toEqual([]));
});

describe('what a migration does', () => {
  const kind = (onDestructiveChange: SchemaChangePolicy, onAdditiveChange: SchemaChangePolicy = 'allow') =>
    ({
      kind: 'incremental-by-partition',
      lookback: 0,
      forwardOnly: true,
      disableRestatement: false,
      onDestructiveChange,
      onAdditiveChange,
    }) satisfies ModelKind;
  const migrate = (of: ModelKind, wanted: readonly string[], allowDestructive = false) =>
    migrationOf({ kind: of, dialect: 'duckdb', columns: columns(...wanted) }, columns('a BIGINT', 'b DATE'), {
      allowDestructive,
    });
  test('a loss stops it unless it is allowed', () => {
    expect(migrate(kind('error'), ['a BIGINT']).destructive).toEqual(['column b is dropped']);
    expect(migrate(kind('error'), ['a BIGINT'], true)).toMatchObject({
      changes: [{ kind: 'drop', column: 'b' }],
      destructive: [],
    });
    expect(migrate(kind('warn'), ['a BIGINT']).destructive).toEqual([]);
  });
  test('ignored columns stay, and a type that would lose values stays with them', () => {
    expect(migrate(kind('ignore'), ['a INTEGER', 'c DATE']).changes).toEqual([
      { kind: 'add', column: { name: 'c', type: 'DATE' } },
    ]);
    expect(migrate(kind('error', 'ignore'), ['a BIGINT', 'b DATE', 'c DATE'])).toMatchObject({
      changes: [],
      added: [],
    });
  });
  test('a table that is written anew loses nothing', () =>
    expect(migrate({ kind: 'full' }, ['a BIGINT']).destructive).toEqual([]));
});
