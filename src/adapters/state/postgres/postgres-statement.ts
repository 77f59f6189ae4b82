/** Statements and values on their way to PostgreSQL and back. */
import type { ClientBase, CustomTypesConfig } from 'pg';
import pg from 'pg';
import type { Row, SqlCall, SqlValue } from '../sql/state-sql.ts';

/** By its text with question marks: PostgreSQL's own, and the name under which a connection keeps it prepared. */
const prepared = new Map<string, { readonly text: string; readonly name: string }>();

function preparedOf(sql: string): { readonly text: string; readonly name: string } {
  let found = prepared.get(sql);
  if (found === undefined) {
    let number = 0;
    found = { text: sql.replaceAll('?', () => `$${++number}`), name: `plinth_${prepared.size}` };
    prepared.set(sql, found);
  }
  return found;
}

export async function performStatement(client: ClientBase, statement: SqlCall): Promise<unknown> {
  const { kind, sql, parameters } = statement;
  const values = parameters.map(written);
  const { rows, rowCount } = await client.query<Row>({ ...preparedOf(sql), values });
  return kind === 'run' ? (rowCount ?? 0) : kind === 'rows' ? rows : rows[0];
}

/** A text of PostgreSQL holds no zero character: it is written as U+FFFF 0, and that character as U+FFFF 1. */
function written(value: SqlValue): SqlValue {
  if (typeof value !== 'string' || !/[\0\uffff]/.test(value)) return value;
  return value.replace(/[\0\uffff]/g, (each) => (each === '\0' ? '\uffff0' : '\uffff1'));
}

function read(value: string): string {
  return value.includes('\uffff')
    ? value.replace(/\uffff[01]/g, (each) => (each[1] === '0' ? '\0' : '\uffff'))
    : value;
}

const { builtins } = pg.types;

/** Numbers are numbers: none of the state's exceeds what JavaScript counts exactly. */
export const TYPES: CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => {
    if (oid === builtins.INT8 || oid === builtins.NUMERIC) return Number;
    if (oid === builtins.TEXT) return read;
    const parse = pg.types.getTypeParser(oid, format as 'text');
    return oid === builtins.BYTEA ? (value: string) => new Uint8Array(parse(value) as Buffer) : parse;
  },
};
