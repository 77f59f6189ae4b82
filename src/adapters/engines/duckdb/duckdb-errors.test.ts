import { expect, test } from 'vitest';
import { classifyError, fatalityOf, ownFault } from './duckdb-errors.ts';

/** Messages as DuckDB 1.5 gives them. */
test.each([
  ['TransactionContext Error: Conflict on tuple deletion!', 'engine.conflict', true],
  ['TransactionContext Error: Catalog write-write conflict on create with "s"', 'engine.conflict', true],
  [
    'TransactionContext Error: Failed to commit: Attempting to modify table u but another transaction has altered this table',
    'engine.conflict',
    true,
  ],
  [
    'TransactionContext Error: Current transaction is aborted (please ROLLBACK)',
    'engine.statement-failed',
    undefined,
  ],
  ['IO Error: Could not write file "/x/w.duckdb": No space left on device', 'engine.disk-full', undefined],
  [
    'Out of Memory Error: failed to allocate data of size 16.0 MiB (95.3 MiB/95.3 MiB used)',
    'engine.out-of-memory',
    undefined,
  ],
  [
    'TransactionContext Error: Cannot write to database "w" - transaction is launched in read-only mode',
    'engine.statement-failed',
    undefined,
  ],
  ['INTERRUPT Error: Interrupted!', 'engine.cancelled', undefined],
  ["Conversion Error: Could not convert string 'x' to INT32", 'engine.type-mismatch', undefined],
  [
    'Binder Error: Cannot compare values of type VARCHAR and type INTEGER_LITERAL - an explicit cast is required',
    'engine.type-mismatch',
    undefined,
  ],
  [
    'Catalog Error: Table with name u does not exist!\nDid you mean "v"?',
    'engine.statement-failed',
    undefined,
  ],
  ['Constraint Error: NOT NULL constraint failed: n.a', 'engine.statement-failed', undefined],
])('%s', (message, code, isRetryable) => {
  const error = classifyError(new Error(message));
  expect([error.code, error.isRetryable]).toEqual([code, isRetryable]);
});

test('columns with a like name are told, tables are not', () => {
  const hintOf = (message: string): string | undefined => classifyError(new Error(message)).hint;
  const line = '\n\nLINE 1: select statu from orders\n               ^';
  for (const said of [
    'Referenced column "statu" not found in FROM clause!\nCandidate bindings: "status", "store_id"',
    'Table "o" does not have a column named "statu"\n\nCandidate bindings: : "status", "store_id"',
  ])
    expect(hintOf(`Binder Error: ${said}${line}`)).toBe('columns with a like name: status, store_id');
  expect(hintOf('Catalog Error: Table with name u does not exist!\nDid you mean "v"?')).toBe(undefined);
});

test('the first line is shown, without what the sentence around it adds', () => {
  const { parameters } = classifyError(
    new Error('Failed to extract statements: Parser Error: syntax error at end!\n\nLINE 1'),
  );
  expect(parameters).toEqual({ detail: 'Parser Error: syntax error at end' });
});

test('the holder of a lock is named as far as DuckDB knows it', () => {
  const told =
    'IO Error: Could not set lock on file "/x/w.duckdb": Conflicting lock is held in /usr/bin/node (PID 42). See also https://';
  expect(classifyError(new Error(told), '/x/w.duckdb')).toEqual({
    code: 'engine.locked',
    parameters: { database: '/x/w.duckdb', holder: '/usr/bin/node (process 42)', pid: 42 },
  });
  const untold = classifyError(
    new Error('IO Error: Could not set lock on file "/x/w.duckdb": Resource busy'),
  );
  expect(untold.parameters['holder']).toBe('another program');
});

test('what invalidates the database is fatal, and says whether this statement did it', () => {
  const after = 'FATAL Error: Failed: database has been invalidated because of a previous fatal error';
  expect(fatalityOf(new Error(`${after}. Original error: "INTERNAL Error: x"`))).toBe("another's");
  expect(fatalityOf(new Error('INTERNAL Error: Attempted to access index 3'))).toBe('own');
  expect(fatalityOf(new Error('Binder Error: no'))).toBeUndefined();
});

test('a statement breaks the engine by an error that has no other name; a full disk is not its fault', () => {
  const told = (message: string): string => ownFault(classifyError(new Error(message))).code;
  expect(told('INTERNAL Error: Attempted to access index 3')).toBe('engine.broken');
  expect(told('FATAL Error: Failed to commit: No space left on device')).toBe('engine.disk-full');
});

test('of a file the value and the column are told beside the line', () => {
  const message =
    'Conversion Error: CSV Error on Line: 3\nOriginal Line: 2,x7,b\nError when converting column "n". Could not convert string "x7" to \'INTEGER\'\n\nColumn n is being converted as type INTEGER';
  expect(classifyError(new Error(message))).toEqual({
    code: 'engine.type-mismatch',
    parameters: {
      detail:
        'Conversion Error: CSV Error on Line: 3: Error when converting column "n". Could not convert string "x7" to \'INTEGER\'',
    },
  });
});
