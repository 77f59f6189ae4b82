import type { WireError } from './keeper-wire.ts';

/** What DuckDB says, as a code of the catalog: the words in front of the first colon are the class of its exception. */
export function classifyError(error: unknown, database = ''): WireError {
  const message = messageOf(error);
  const detail = detailOf(message);
  // A full disk may show only at COMMIT, in the words of a failed transaction.
  if (/No space left on device|disk quota exceeded|File too large/i.test(message))
    return { code: 'engine.disk-full', parameters: { detail } };
  if (isConflict(message)) return { code: 'engine.conflict', parameters: { detail }, isRetryable: true };
  // The driver has no words for an allocation that fails before a query has begun.
  if (/^Out of Memory Error|std::bad_alloc|bad allocation|^Failed to (?:connect|query)$/i.test(message))
    return { code: 'engine.out-of-memory', parameters: { detail } };
  if (/^INTERRUPT Error/.test(message)) return { code: 'engine.cancelled', parameters: {} };
  if (/Could not set lock on file/.test(message)) {
    const { text: holder, pid } = lockHolder(message) ?? { text: 'another program', pid: 0 };
    return { code: 'engine.locked', parameters: { database, holder, pid } };
  }
  if (isTypeMismatch(message)) return { code: 'engine.type-mismatch', parameters: { detail } };
  const hint = hintOf(message);
  return {
    code: 'engine.statement-failed',
    parameters: { detail },
    ...(hint === undefined ? {} : { hint }),
  };
}

function hintOf(message: string): string | undefined {
  const meant = /Function with name \S+ does not exist!\s+Did you mean "([^"]+)"/.exec(message)?.[1];
  if (/Function with name (?:ref|source) does not exist/.test(message))
    return 'a model is read by its name, FROM schema.model, without ref() and source()';
  if (meant !== undefined) return `did you mean ${meant}?`;
  // Columns of tables that the statement names itself; what DuckDB proposes instead of a table may be a table the caller must not see.
  const columns = /^Candidate bindings:[ :]*(".+")$/m.exec(message)?.[1];
  return columns === undefined ? undefined : `columns with a like name: ${columns.replaceAll('"', '')}`;
}

/** Whose fault it is that DuckDB gave up the whole database, which only a new process can open again. */
export type Fatality = 'own' | "another's";

/** Undefined for all that leaves the database usable. */
export function fatalityOf(error: unknown): Fatality | undefined {
  const message = messageOf(error);
  if (/database has been invalidated/.test(message)) return "another's";
  return /^(?:FATAL|INTERNAL) Error/.test(message) ? 'own' : undefined;
}

/** The error of a statement that made DuckDB give up: a full disk, say, is not its fault. */
export function ownFault(error: WireError): WireError {
  if (error.code !== 'engine.statement-failed') return error;
  return { code: 'engine.broken', parameters: error.parameters };
}

/** The holder of the lock on a file, as far as DuckDB knows. */
function lockHolder(message: string): { readonly text: string; readonly pid: number } | undefined {
  const found = /Conflicting lock is held in (.+?) \(PID (\d+)\)/.exec(message);
  return found === null ? undefined : { text: `${found[1]} (process ${found[2]})`, pid: Number(found[2]) };
}

function isConflict(message: string): boolean {
  return (
    /write-write conflict/i.test(message) ||
    /^TransactionContext Error: .*(?:\bconflict\b|Failed to commit|by a different transaction|another transaction)/i.test(
      message,
    )
  );
}

function isTypeMismatch(message: string): boolean {
  return (
    /^(?:Conversion|Mismatch Type|Out of Range) Error/.test(message) ||
    /^Binder Error: (?:Cannot (?:compare|mix) values of type|Could not choose a best candidate|No function matches the given name and argument types)/.test(
      message,
    ) ||
    /^(?:Invalid Input|Binder) Error: .*(?:explicit cast|type casts)/.test(message)
  );
}

export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/^Failed to extract statements: /, '');
}

/** The first line without its full stop, because the catalog's sentence ends with one. */
function detailOf(message: string): string {
  const first = message.split('\n').find((text) => text.trim() !== '') ?? message;
  // Of a file the first line says where, a later one which value of which column.
  const what = /^Error when converting column .+$/m.exec(message)?.[0];
  const line = what === undefined ? first : `${first.replace(/[.:\s]+$/, '')}: ${what}`;
  return line.trim().replace(/[.!]+$/, '');
}
