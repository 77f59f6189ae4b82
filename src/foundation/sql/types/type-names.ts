/**
 * From a type as it was written, in any dialect, to our types.
 *
 *   NUMBER(10, 2) (snowflake) ┐
 *   numeric(10,2)  (postgres) ├──▶ DECIMAL(10,2)
 *   Decimal(10, 2) (duckdb)   ┘
 *
 * A name that no table knows is a user's own type: it is UNKNOWN, never an error.
 */
import type { Dialect } from '../dialect.ts';
import type { TypeName } from '../tree.ts';
import {
  arrayType,
  decimalType,
  enumType,
  listType,
  mapType,
  NULL,
  type SqlType,
  type StructField,
  scalarNamed,
  structType,
  UNKNOWN,
} from './sql-type.ts';

/** Names every dialect shares, then what a dialect means differently; values are canonical scalar texts, or DECIMAL(p,s) for a name without parameters. */
const EVERYWHERE: Readonly<Record<string, string>> = {
  BOOL: 'BOOLEAN', LOGICAL: 'BOOLEAN', INT1: 'TINYINT', INT2: 'SMALLINT', SHORT: 'SMALLINT', INT16: 'SMALLINT', INT: 'INTEGER', INT4: 'INTEGER', SIGNED: 'INTEGER',
  INT32: 'INTEGER', MEDIUMINT: 'INTEGER', SERIAL: 'INTEGER', INT8: 'BIGINT', LONG: 'BIGINT', INT64: 'BIGINT', BIGSERIAL: 'BIGINT', SMALLSERIAL: 'SMALLINT', OID: 'BIGINT',
  INT128: 'HUGEINT', UINT8: 'UTINYINT', UINT16: 'USMALLINT', UINT32: 'UINTEGER', UINT64: 'UBIGINT', UINT128: 'UHUGEINT', FLOAT4: 'FLOAT', REAL: 'FLOAT', FLOAT32: 'FLOAT',
  FLOAT8: 'DOUBLE', FLOAT64: 'DOUBLE', 'DOUBLE PRECISION': 'DOUBLE', DEC: 'DECIMAL', NUMERIC: 'DECIMAL', NUMBER: 'DECIMAL', FIXED: 'DECIMAL', VARINT: 'BIGNUM',
  CHAR: 'VARCHAR', BPCHAR: 'VARCHAR', CHARACTER: 'VARCHAR', 'CHARACTER VARYING': 'VARCHAR', 'CHAR VARYING': 'VARCHAR', NCHAR: 'VARCHAR', NVARCHAR: 'VARCHAR', NVARCHAR2: 'VARCHAR',
  VARCHAR2: 'VARCHAR', TEXT: 'VARCHAR', STRING: 'VARCHAR', TINYTEXT: 'VARCHAR', MEDIUMTEXT: 'VARCHAR', LONGTEXT: 'VARCHAR', NTEXT: 'VARCHAR', CLOB: 'VARCHAR', CITEXT: 'VARCHAR', NAME: 'VARCHAR',
  BYTEA: 'BLOB', BINARY: 'BLOB', VARBINARY: 'BLOB', BYTES: 'BLOB', TINYBLOB: 'BLOB', MEDIUMBLOB: 'BLOB', LONGBLOB: 'BLOB', IMAGE: 'BLOB', BITSTRING: 'BIT', 'BIT VARYING': 'BIT', VARBIT: 'BIT',
  DATETIME: 'TIMESTAMP', 'TIMESTAMP WITHOUT TIME ZONE': 'TIMESTAMP', TIMESTAMP_US: 'TIMESTAMP', TIMESTAMP_NTZ: 'TIMESTAMP', TIMESTAMPNTZ: 'TIMESTAMP', DATETIME2: 'TIMESTAMP', SMALLDATETIME: 'TIMESTAMP', DATETIME64: 'TIMESTAMP',
  TIMESTAMPTZ: 'TIMESTAMP WITH TIME ZONE', TIMESTAMP_TZ: 'TIMESTAMP WITH TIME ZONE', TIMESTAMP_LTZ: 'TIMESTAMP WITH TIME ZONE', TIMESTAMPLTZ: 'TIMESTAMP WITH TIME ZONE', DATETIMEOFFSET: 'TIMESTAMP WITH TIME ZONE',
  'TIMESTAMP WITH LOCAL TIME ZONE': 'TIMESTAMP WITH TIME ZONE', TIMETZ: 'TIME WITH TIME ZONE', 'TIME WITHOUT TIME ZONE': 'TIME', DATE32: 'DATE',
  GUID: 'UUID', UNIQUEIDENTIFIER: 'UUID', JSONB: 'JSON', SUPER: 'JSON', OBJECT: 'JSON', MONEY: 'DECIMAL(19,4)', SMALLMONEY: 'DECIMAL(10,4)', BIGNUMERIC: 'DECIMAL(38,9)', BIGDECIMAL: 'DECIMAL(38,9)', '"NULL"': 'NULL',
}; // biome-ignore format: a table

const BY_DIALECT: Readonly<Partial<Record<Dialect, Readonly<Record<string, string>>>>> = {
  postgres: { FLOAT: 'DOUBLE', BIT: 'BIT' },
  redshift: { FLOAT: 'DOUBLE', DECIMAL: 'DECIMAL(18,0)', NUMERIC: 'DECIMAL(18,0)' },
  snowflake: { INT: 'BIGINT', INTEGER: 'BIGINT', FLOAT: 'DOUBLE', FLOAT4: 'DOUBLE', REAL: 'DOUBLE', NUMBER: 'DECIMAL(38,0)', NUMERIC: 'DECIMAL(38,0)', DECIMAL: 'DECIMAL(38,0)', ARRAY: 'JSON' },
  bigquery: { INT: 'BIGINT', INTEGER: 'BIGINT', SMALLINT: 'BIGINT', TINYINT: 'BIGINT', NUMERIC: 'DECIMAL(38,9)', DECIMAL: 'DECIMAL(38,9)', TIMESTAMP: 'TIMESTAMP WITH TIME ZONE', GEOGRAPHY: 'GEOMETRY' },
  spark: { BYTE: 'TINYINT', DECIMAL: 'DECIMAL(10,0)', NUMERIC: 'DECIMAL(10,0)', TIMESTAMP: 'TIMESTAMP WITH TIME ZONE' },
  databricks: { BYTE: 'TINYINT', DECIMAL: 'DECIMAL(10,0)', NUMERIC: 'DECIMAL(10,0)', TIMESTAMP: 'TIMESTAMP WITH TIME ZONE' },
  mysql: { DECIMAL: 'DECIMAL(10,0)', NUMERIC: 'DECIMAL(10,0)', YEAR: 'SMALLINT', REAL: 'DOUBLE' },
  trino: { DECIMAL: 'DECIMAL(38,0)', NUMERIC: 'DECIMAL(38,0)' },
  tsql: { BIT: 'BOOLEAN', TINYINT: 'UTINYINT', FLOAT: 'DOUBLE', DECIMAL: 'DECIMAL(18,0)', NUMERIC: 'DECIMAL(18,0)', TIMESTAMP: 'BLOB' },
  sqlite: { INTEGER: 'BIGINT', INT: 'BIGINT', REAL: 'DOUBLE', FLOAT: 'DOUBLE' },
  clickhouse: { INT8: 'TINYINT', INT128: 'HUGEINT', FIXEDSTRING: 'VARCHAR', FLOAT: 'FLOAT' },
}; // biome-ignore format: a table

/** The type a written type name stands for; UNKNOWN when it is a user's own. */
export function typeOf(written: TypeName, dialect: Dialect = 'duckdb'): SqlType {
  const fields = written.fields.map((field) => ({
    name: field.name?.name ?? '',
    type: typeOf(field.type, dialect),
  }));
  return build(written.name.toUpperCase(), written.parameters, fields, dialect);
}

/** The canonical text of a type written in a dialect. */
export function canonicalType(written: TypeName | string, dialect: Dialect = 'duckdb'): string {
  return (typeof written === 'string' ? parseType(written, dialect) : typeOf(written, dialect)).text;
}

const parsed = new Map<string, SqlType>();

/** Reads type text in the canonical form or in a dialect's own; remembers what it has read. */
export function parseType(text: string, dialect: Dialect = 'duckdb'): SqlType {
  const known = scalarNamed(text);
  if (known !== undefined && (dialect === 'duckdb' || BY_DIALECT[dialect]?.[text] === undefined))
    return known;
  const key = dialect === 'duckdb' ? text : `${dialect} ${text}`;
  let type = parsed.get(key);
  if (type === undefined) {
    type = new TypeText(text, dialect).read();
    if (parsed.size > 20_000) parsed.clear();
    parsed.set(key, type);
  }
  return type;
}

function build(
  name: string,
  parameters: readonly string[],
  fields: readonly StructField[],
  dialect: Dialect,
): SqlType {
  const first = fields[0]?.type;
  switch (name) {
    case 'LIST':
    case 'ARRAY':
      if (first === undefined) break;
      return parameters.length > 0 && /^\d+$/.test(parameters[0] as string)
        ? arrayType(first, Number(parameters[0]))
        : listType(first);
    case 'MAP':
      return fields.length === 2
        ? mapType((fields[0] as StructField).type, (fields[1] as StructField).type)
        : UNKNOWN;
    case 'STRUCT':
    case 'ROW':
    case 'TUPLE':
    case 'OBJECT':
      if (fields.length === 0) break;
      return structType(fields);
    case 'UNION':
      return structType(fields, 'union');
    case 'NULLABLE':
    case 'LOWCARDINALITY':
      return first ?? UNKNOWN;
    case 'ENUM':
      return enumType(`ENUM(${parameters.map(quotedText).join(', ')})`);
    case 'NULL':
      return NULL;
  }
  const text =
    BY_DIALECT[dialect]?.[name] ?? (scalarNamed(name) === undefined ? EVERYWHERE[name] : name) ?? name;
  if (text === 'DECIMAL' || text.startsWith('DECIMAL(')) return decimal(text, parameters);
  if (text === 'FLOAT' && Number(parameters[0] ?? 0) > 24) return scalarNamed('DOUBLE') ?? UNKNOWN;
  return scalarNamed(text) ?? UNKNOWN;
}

function quotedText(text: string): string {
  return text.startsWith("'") ? text : `'${text.replaceAll("'", "''")}'`;
}

function decimal(text: string, parameters: readonly string[]): SqlType {
  if (parameters.length > 0) return decimalType(clamp(parameters[0]), clamp(parameters[1] ?? '0'));
  const fixed = /^DECIMAL\((\d+),(\d+)\)$/.exec(text);
  return fixed === null ? decimalType(18, 3) : decimalType(Number(fixed[1]), Number(fixed[2]));
}

function clamp(text: string | undefined): number {
  const value = Number(text);
  return Number.isFinite(value) ? Math.min(38, Math.max(0, Math.trunc(value))) : 18;
}

const NESTED = new Set([
  'LIST',
  'ARRAY',
  'MAP',
  'STRUCT',
  'ROW',
  'TUPLE',
  'OBJECT',
  'UNION',
  'NULLABLE',
  'LOWCARDINALITY',
]);
const DEPTH_MAX = 100;

/** A reader of type text: words, then parameters or element types in () or <>, then [] suffixes. */
class TypeText {
  private at = 0;
  private readonly text: string;
  private readonly dialect: Dialect;

  constructor(text: string, dialect: Dialect) {
    this.text = text;
    this.dialect = dialect;
  }

  read(): SqlType {
    const type = this.type(0);
    this.blanks();
    return this.at === this.text.length ? type : UNKNOWN;
  }

  private blanks(): void {
    while (this.at < this.text.length && /\s/.test(this.text[this.at] as string)) this.at++;
  }

  private take(symbol: string): boolean {
    this.blanks();
    if (this.text[this.at] !== symbol) return false;
    this.at++;
    return true;
  }

  private word(): string {
    this.blanks();
    const quote = this.text[this.at];
    if (quote === '"' || quote === '`') {
      const end = /^(["`])((?:(?!\1).|\1\1)*)\1/s.exec(this.text.slice(this.at));
      if (end === null) return '';
      this.at += end[0].length;
      return (end[2] as string).replaceAll(quote + quote, quote);
    }
    const start = this.at;
    while (/[\p{L}\p{N}_$]/u.test(this.text[this.at] ?? '')) this.at++;
    return this.text.slice(start, this.at);
  }

  private type(depth: number): SqlType {
    if (depth > DEPTH_MAX) return UNKNOWN;
    const words = [this.word().toUpperCase()];
    let parameters: string[] = [];
    let fields: StructField[] = [];
    for (;;) {
      this.blanks();
      const name = words.join(' ');
      const open = this.text[this.at];
      if ((open === '<' || open === '(') && NESTED.has(name)) {
        fields = this.fields(open === '<' ? '>' : ')', name, depth);
      } else if (open === '(') {
        parameters = this.parameters();
      } else {
        const before = this.at;
        const more = this.word();
        if (more === '') break;
        if (!/^(with|without|time|zone|varying|precision|local|unsigned|signed)$/i.test(more)) {
          this.at = before;
          break;
        }
        words.push(more.toUpperCase());
      }
    }
    let type = build(words.join(' ').replace(/ (UN)?SIGNED$/, ''), parameters, fields, this.dialect);
    if (words.at(-1) === 'UNSIGNED') type = scalarNamed(`U${type.text}`) ?? type;
    while (this.take('[')) {
      const size = this.word();
      if (!this.take(']')) return UNKNOWN;
      type = size === '' ? listType(type) : arrayType(type, Number(size));
    }
    return type;
  }

  private parameters(): string[] {
    const found = /^\(((?:[^()']|'(?:[^']|'')*')*)\)/.exec(this.text.slice(this.at));
    if (found === null) {
      this.at = this.text.length + 1;
      return [];
    }
    this.at += found[0].length;
    return (found[1] as string).match(/'(?:[^']|'')*'|[^,\s]+/g) ?? [];
  }

  private fields(close: string, name: string, depth: number): StructField[] {
    this.at++;
    const fields: StructField[] = [];
    const isNamed =
      name === 'STRUCT' || name === 'ROW' || name === 'UNION' || name === 'OBJECT' || name === 'TUPLE';
    while (!this.take(close)) {
      const before = this.at;
      let fieldName = '';
      if (isNamed) {
        fieldName = this.word();
        this.take(':');
        this.blanks();
        // An unnamed field is a type alone: what follows its first word then closes, separates or parametrises it.
        if (
          /^[,()<>[\]]?$/.test(this.text[this.at] ?? '') ||
          /^(with|without|precision|varying)\b/i.test(this.text.slice(this.at))
        ) {
          this.at = before;
          fieldName = '';
        }
      }
      fields.push({ name: fieldName, type: this.type(depth + 1) });
      if (!this.take(',') && this.text[this.at] !== close) {
        this.at = this.text.length + 1;
        return fields;
      }
    }
    return fields;
  }
}

/** Whether a type text says everything: no part of it is UNKNOWN, or the NULL of a constant. Such a text must not be sent to an engine. */
export function isWholeType(text: string): boolean {
  if (text === '') return false;
  const withoutNames = text.replace(/"(?:[^"]|"")*"|'(?:[^']|'')*'/g, '');
  return !/\b(?:UNKNOWN|NULL)\b/i.test(withoutNames);
}
