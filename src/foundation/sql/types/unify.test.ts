import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, it } from 'vitest';
import { binaryResult } from './arithmetic.ts';
import { callResult } from './functions.ts';
import { type SqlType, settle, UNKNOWN } from './sql-type.ts';
import { parseType } from './type-names.ts';
import { unify, unifyForced } from './unify.ts';

const TYPES = ['BOOLEAN', 'TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'HUGEINT', 'UTINYINT', 'USMALLINT', 'UINTEGER', 'UBIGINT', 'UHUGEINT', 'FLOAT', 'DOUBLE', 'DECIMAL(4,1)', 'DECIMAL(18,4)', 'DECIMAL(38,10)', 'VARCHAR', 'DATE', 'TIMESTAMP', 'TIMESTAMP_S', 'TIMESTAMP_MS', 'TIMESTAMP_NS', 'TIMESTAMP WITH TIME ZONE', 'TIME', 'TIME WITH TIME ZONE', 'INTERVAL', 'UUID', 'BLOB', 'BIT', 'JSON', 'BIGNUM', 'VARIANT', 'INTEGER[]', 'DOUBLE[]', 'STRUCT(a INTEGER)', 'MAP(VARCHAR, INTEGER)']; // biome-ignore format: a list

/** Every pair of types in one DuckDB query each: `template` has l and r for two columns; undefined where DuckDB refuses. */
async function pairs(
  template: (left: string, right: string) => string,
  among: readonly string[] = TYPES,
): Promise<Map<string, string | undefined>> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(`CREATE TABLE x (${among.map((type, at) => `c${at} ${type}`).join(', ')})`);
  const answers = new Map<string, string | undefined>();
  for (const [l, left] of among.entries()) {
    for (const [r, right] of among.entries()) {
      try {
        const rows = (await connection.runAndReadAll(`DESCRIBE ${template(`c${l}`, `c${r}`)}`)).getRows();
        answers.set(`${left} | ${right}`, String(rows[0]?.[1]));
      } catch {
        answers.set(`${left} | ${right}`, undefined);
      }
    }
  }
  connection.closeSync();
  instance.closeSync();
  return answers;
}

/** What differs from DuckDB among the pairs it accepts. */
function differences(
  answers: Map<string, string | undefined>,
  ours: (left: SqlType, right: SqlType) => SqlType | undefined,
): string[] {
  const found: string[] = [];
  for (const [pair, theirs] of answers) {
    if (theirs === undefined) continue;
    const [left, right] = pair.split(' | ') as [string, string];
    const type = ours(parseType(left), parseType(right));
    if (type?.text !== theirs) found.push(`${pair}: DuckDB ${theirs}, ours ${type?.text}`);
  }
  return found;
}

/** For operators, where most pairs are refused anyway. */
const OPERANDS = TYPES.filter(
  (type) => !/^(US|UH|TIMESTAMP_|TIME W|BL|UU|JSON|VARIANT|STRUCT|MAP|BIGNUM)/.test(type),
);

describe('two types that meet give what DuckDB gives', () => {
  it('in COALESCE and CASE', async () => {
    const answers = await pairs((l, r) => `SELECT coalesce(${l}, ${r}) FROM x`);
    expect(differences(answers, unify)).toEqual([]);
    const accepted = [...answers].filter(([, type]) => type !== undefined).length;
    expect(accepted).toBeGreaterThan(300);
    const refusedByUs = [...answers].filter(([pair, type]) => {
      const [left, right] = pair.split(' | ') as [string, string];
      return type === undefined && unify(parseType(left), parseType(right)) !== undefined;
    });
    expect(refusedByUs.map(([pair]) => pair)).toEqual([]);
  });

  it('in UNION', async () => {
    expect(
      differences(await pairs((l, r) => `SELECT ${l} FROM x UNION ALL SELECT ${r} FROM x`), unifyForced),
    ).toEqual([]);
  });

  it.each(['+', '-', '*', '/', '//', '%', '||', '&', '<<', '**'])('in %s', async (operator) => {
    expect(
      differences(await pairs((l, r) => `SELECT ${l} ${operator} ${r} FROM x`, OPERANDS), (left, right) =>
        binaryResult(operator, left, right),
      ),
    ).toEqual([]);
  });
});

const UNARY = ['sum', 'avg', 'min', 'max', 'count', 'median', 'mode', 'first', 'any_value', 'stddev', 'list', 'string_agg', 'bool_and', 'bit_and', 'product', 'mad', 'histogram', 'approx_count_distinct', 'entropy', 'count_if', 'abs', 'round', 'ceil', 'floor', 'trunc', 'sign', 'sqrt', 'ln', 'upper', 'length', 'trim', 'reverse', 'md5', 'hash', 'year', 'month', 'dayname', 'last_day', 'epoch', 'epoch_ms', 'age', 'to_json', 'typeof', 'len', 'list_sort', 'list_distinct', 'list_sum', 'list_avg', 'list_max', 'list_reverse', 'flatten', 'map_keys', 'map_entries', 'bit_count', 'to_days', 'chr', 'hex', 'encode', 'concat', 'isodow', 'even', 'gamma', 'json_type', 'cardinality', 'to_seconds', 'date_part_of']; // biome-ignore format: a list

describe('functions of one argument', () => {
  it('return what DuckDB says, for every type it lets them have', async () => {
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    await connection.run(`CREATE TABLE x (${TYPES.map((type, at) => `c${at} ${type}`).join(', ')})`);
    const wrong: string[] = [];
    let accepted = 0;
    for (const name of UNARY) {
      for (const [at, type] of TYPES.entries()) {
        // Binding list_sort of a VARIANT ends the whole process in DuckDB 1.5.5.
        if (name === 'list_sort' && type === 'VARIANT') continue;
        let theirs: string;
        try {
          theirs = String(
            (await connection.runAndReadAll(`DESCRIBE SELECT ${name}(c${at}) FROM x`)).getRows()[0]?.[1],
          );
        } catch {
          continue;
        }
        accepted++;
        const ours = settle(
          callResult({ name, types: [parseType(type)], names: [undefined], constantAt: () => undefined }),
        );
        if (ours.text !== theirs) wrong.push(`${name}(${type}): DuckDB ${theirs}, ours ${ours.text}`);
      }
    }
    connection.closeSync();
    instance.closeSync();
    expect(wrong).toEqual([]);
    expect(accepted).toBeGreaterThan(500);
  });

  it('are UNKNOWN when nobody knows the function or the argument matters', () => {
    const type = (name: string, ...types: SqlType[]): string =>
      callResult({ name, types, names: [], constantAt: () => undefined }).text;
    expect(type('my_function', parseType('INTEGER'))).toBe('UNKNOWN');
    expect(type('abs', UNKNOWN)).toBe('UNKNOWN');
    expect(type('upper', UNKNOWN)).toBe('VARCHAR');
    expect(type('count', UNKNOWN)).toBe('BIGINT');
  });
});
