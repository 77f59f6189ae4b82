import { lexicalRules } from '../dialect.ts';
import type { Identifier, Literal, TypeName } from '../tree.ts';
import { joined, type Printer, refuse } from './printer.ts';

const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** A name, in quotes when the user wrote them or the target needs them. */
export function writeName(p: Printer, identifier: Identifier): void {
  p.out += nameText(p, identifier);
}

export function nameText(p: Printer, { name, quoted }: Identifier): string {
  if (!quoted && PLAIN.test(name) && !(p.isTranslating && p.target.reserved.has(name.toLowerCase())))
    return name;
  // What stood without quotes in one dialect is not there in another: other alphabets and `$` are the dialect's own.
  if (!quoted && !p.isTranslating && name !== '' && !/[\s"'`[\].,;()]/.test(name)) return name;
  const [open, close] = p.target.quote;
  const folded = quoted ? name : foldedName(p, name);
  return open + folded.replaceAll(close, close + close) + close;
}

/** A bare name put in quotes must first become what the dialect would have made of it. */
function foldedName(p: Printer, name: string): string {
  const { identifierCase } = lexicalRules(p.to);
  return identifierCase === 'lower'
    ? name.toLowerCase()
    : identifierCase === 'upper'
      ? name.toUpperCase()
      : name;
}

export function writeNames(p: Printer, identifiers: readonly Identifier[]): void {
  p.out += '(';
  joined(p, identifiers, (identifier) => writeName(p, identifier));
  p.out += ')';
}

export function writePath(p: Printer, parts: readonly Identifier[]): void {
  for (let i = 0; i < parts.length; i++) {
    if (i > 0) p.out += '.';
    writeName(p, parts[i] as Identifier);
  }
}

/** A string constant as the target quotes it. */
export function stringText(p: Printer, text: string): string {
  const { backslashEscapes } = lexicalRules(p.to);
  const body = backslashEscapes ? text.replaceAll('\\', '\\\\') : text;
  return `'${body.replaceAll("'", p.to === 'bigquery' ? "\\'" : "''")}'`.replaceAll(
    '\n',
    backslashEscapes ? '\\n' : '\n',
  );
}

export function writeLiteral(p: Printer, literal: Literal): void {
  switch (literal.type) {
    case 'string':
      p.out += stringText(p, literal.text);
      return;
    case 'boolean':
      p.out +=
        p.to === 'tsql' && p.isTranslating
          ? literal.text === 'TRUE'
            ? '1'
            : '0'
          : literal.text.toUpperCase();
      return;
    case 'null':
      p.out += 'NULL';
      return;
    case 'number':
      p.out += p.isTranslating ? literal.text.replaceAll('_', '') : literal.text;
      return;
    case 'bytes':
      if (p.to === 'bigquery') p.out += `b${stringText(p, literal.text)}`;
      else p.out += `x'${literal.text}'`;
      if (p.isTranslating && (p.from === 'bigquery') !== (p.to === 'bigquery'))
        refuse(p, 'a constant of bytes', literal.span);
      return;
    case 'bit':
      p.out += `b'${literal.text}'`;
      if (p.isTranslating) refuse(p, 'a constant of bits', literal.span);
  }
}

/** Types written `ARRAY<T>` and `STRUCT<a T>`; elsewhere `T[]` and `STRUCT(a T)`. */
const ANGLED: ReadonlySet<string> = new Set(['bigquery', 'spark', 'databricks']);

export function writeType(p: Printer, type: TypeName): void {
  const name = typeName(p, type);
  const element = type.fields[0]?.type;
  if (type.name === 'LIST' || type.name === 'ARRAY') {
    writeListType(p, type, element);
    return;
  }
  // TIMESTAMP(3) WITH TIME ZONE: the parameter stands inside the name.
  const split = type.parameters.length > 0 ? /^(\w+)( WITH.*)$/.exec(name) : null;
  p.out += split?.[1] ?? name;
  if (type.parameters.length > 0 && !name.endsWith(')')) p.out += `(${type.parameters.join(', ')})`;
  p.out += split?.[2] ?? '';
  if (type.fields.length === 0) return;
  const isAngled = ANGLED.has(p.to);
  p.out += isAngled ? '<' : '(';
  joined(p, type.fields, (field) => {
    if (field.name !== undefined) {
      writeName(p, field.name);
      p.out += p.to === 'spark' || p.to === 'databricks' ? ': ' : ' ';
    }
    writeType(p, field.type);
  });
  p.out += isAngled ? '>' : ')';
}

function typeName(p: Printer, type: TypeName): string {
  if (!p.isTranslating)
    return p.to === 'clickhouse' ? (CLICKHOUSE_CASE.get(type.name) ?? type.name) : type.name;
  const neutral = neutralType(p, type.name);
  const name = Object.hasOwn(p.target.types, neutral) ? (p.target.types[neutral] as string) : neutral;
  if (name !== '') return name;
  refuse(p, `the type ${type.name}`, type.span);
  return type.name;
}

/** The source's name for a type in DuckDB's words. */
function neutralType(p: Printer, name: string): string {
  if (p.from === 'duckdb' || p.from === 'generic') return name;
  if (REAL_NAMES.has(name)) return name;
  const neutrals = Object.keys(p.source.types).filter((neutral) => p.source.types[neutral] === name);
  return neutrals.find((neutral) => WIDEST.has(neutral)) ?? neutrals[0] ?? name;
}

/** Where a source has one name for several of DuckDB's types, the one that holds all their values. */
const WIDEST = new Set(['BIGINT', 'DOUBLE', 'VARCHAR']);

/** Names that mean in DuckDB what they mean in the source, though a table maps something else onto them. */
const REAL_NAMES = new Set([
  'SMALLINT',
  'INTEGER',
  'BIGINT',
  'DECIMAL',
  'TIMESTAMP',
  'DATE',
  'VARCHAR',
  'TEXT',
  'BOOLEAN',
  'DOUBLE',
  'REAL',
  'JSON',
  'CHAR',
  'NUMERIC',
]);

function writeListType(p: Printer, type: TypeName, element: TypeName | undefined): void {
  if (p.isTranslating && p.target.types.LIST === '') refuse(p, `the type ${type.name}`, type.span);
  if (element === undefined) {
    p.out += 'ARRAY';
    return;
  }
  const size = type.parameters[0];
  switch (p.to) {
    case 'duckdb':
    case 'postgres':
    case 'generic':
    case 'redshift':
      writeType(p, element);
      p.out += size === undefined ? '[]' : `[${size}]`;
      return;
    case 'bigquery':
    case 'spark':
    case 'databricks':
      p.out += 'ARRAY<';
      writeType(p, element);
      p.out += '>';
      return;
    default:
      p.out += p.to === 'clickhouse' ? 'Array(' : 'ARRAY(';
      writeType(p, element);
      p.out += ')';
  }
}

/** The reader keeps type names in capitals, ClickHouse knows them only in its own case. */
const CLICKHOUSE_CASE: ReadonlyMap<string, string> = new Map(
  'Int8 Int16 Int32 Int64 Int128 Int256 UInt8 UInt16 UInt32 UInt64 UInt128 UInt256 Float32 Float64 Decimal Decimal32 Decimal64 Decimal128 Bool String FixedString UUID Date Date32 DateTime DateTime64 Enum8 Enum16 Array Tuple Map Nullable LowCardinality Nested JSON IPv4 IPv6'
    .split(' ')
    .map((name) => [name.toUpperCase(), name]),
);
