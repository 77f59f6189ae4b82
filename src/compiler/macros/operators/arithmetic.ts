/** Macros that write an expression around their arguments. */
import type { Dialect } from '../../../foundation/sql/dialect.ts';
import { bindArguments } from '../arguments.ts';
import type { CallArgument, Expander, MacroCall, Operator } from '../call.ts';
import { assemble, type Fragment, joined, trimmed } from '../fragment.ts';
import { badArguments } from '../problems.ts';
import { isLoose } from '../values.ts';
import { stringOf } from './control.ts';

function fieldsOf(call: MacroCall, expander: Expander, least: number): readonly Fragment[] {
  const fields = call.arguments
    .filter(({ name }) => name === undefined)
    .flatMap((argument) => expander.items(argument, call.scope).items)
    .map(trimmed);
  if (fields.length < least)
    return badArguments(call.name, `at least ${least} expression${least === 1 ? '' : 's'}`, call.place);
  return fields;
}

/** In parentheses when the expression has operators that a neighbour could tear apart. */
function operand(field: Fragment, call: MacroCall, expander: Expander): Fragment {
  return isLoose(field.text, expander.dialect) ? assemble(call.place, '(', field, ')') : field;
}

const safe =
  (operator: ' + ' | ' - '): Operator =>
  (call, expander) => {
    const { place } = call;
    const fields = fieldsOf(call, expander, 1);
    const missing = fields.map((field) => assemble(place, operand(field, call, expander), ' IS NULL'));
    const filled = fields.map((field) => assemble(place, 'COALESCE(', field, ', 0)'));
    return assemble(
      place,
      'CASE WHEN ',
      joined(missing, ' AND ', place),
      ' THEN NULL ELSE ',
      joined(filled, operator, place),
      ' END',
    );
  };

/** NULLs count as 0, but nothing except NULLs gives NULL. */
export const safeAdd: Operator = safe(' + ');
export const safeSub: Operator = safe(' - ');

/** Where `/` of two integers is an integer, the quotient is made a fraction, as it is elsewhere. */
const DOUBLE_TYPES: Partial<Readonly<Record<Dialect, string>>> = {
  postgres: 'DOUBLE PRECISION',
  redshift: 'DOUBLE PRECISION',
  trino: 'DOUBLE',
};

/** NULL instead of an error when the divisor is 0. */
export const safeDiv: Operator = (call, expander) => {
  const [numerator, denominator, ...rest] = fieldsOf(call, expander, 2);
  if (numerator === undefined || denominator === undefined || rest.length > 0)
    return badArguments(call.name, 'a numerator and a denominator', call.place);
  const double = DOUBLE_TYPES[expander.dialect];
  const dividend =
    double === undefined
      ? operand(numerator, call, expander)
      : assemble(call.place, 'CAST(', numerator, ` AS ${double})`);
  return assemble(call.place, dividend, ' / NULLIF(', denominator, ', 0)');
};

/** Great-circle distance of two points in miles or kilometres. */
export const haversineDistance: Operator = (call, expander) => {
  const expected = "lat1, lon1, lat2, lon2 and perhaps a unit, 'mi' or 'km'";
  const bound = bindArguments(call, ['lat1', 'lon1', 'lat2', 'lon2', 'unit'], expected);
  const [lat1, lon1, lat2, lon2] = ['lat1', 'lon1', 'lat2', 'lon2'].map((name) => {
    const argument = bound.get(name);
    if (argument === undefined) return badArguments(call.name, expected, call.place);
    return operand(trimmed(expander.expand(argument, call.scope)), call, expander);
  }) as [Fragment, Fragment, Fragment, Fragment];
  const unit = bound.get('unit');
  const name = unit === undefined ? 'mi' : stringOf(expander.expand(unit, call.scope), expander);
  if (name !== 'mi' && name !== 'km') return badArguments(call.name, expected, call.place);
  const half = (a: Fragment, b: Fragment): Fragment =>
    assemble(call.place, 'POWER(SIN(RADIANS((', b, ' - ', a, ') / 2)), 2)');
  return assemble(
    call.place,
    '7922 * ASIN(SQRT((', half(lat1, lat2), ') + (COS(RADIANS(', lat1, ')) * COS(RADIANS(', lat2, ')) * ', half(lon1, lon2), '))) * ',
    name === 'mi' ? '1.0' : '1.60934',
  ); // biome-ignore format: one formula
};

const TEXT_TYPES: Partial<Readonly<Record<Dialect, string>>> = {
  mysql: 'CHAR',
  bigquery: 'STRING',
  spark: 'STRING',
  databricks: 'STRING',
  trino: 'VARCHAR',
  snowflake: 'VARCHAR',
  redshift: 'VARCHAR(MAX)',
  clickhouse: 'Nullable(String)',
  tsql: 'VARCHAR(MAX)',
};

/** A hash over the texts of some fields, the same that SQLMesh writes, so that keys of existing tables stay valid. */
export const surrogateKey: Operator = (call, expander) => {
  const fields = fieldsOf(call, expander, 1);
  const unknown = call.arguments.find(({ name }) => name !== undefined && name !== 'hash_function');
  if (unknown !== undefined)
    return badArguments(call.name, "fields and perhaps hash_function := 'SHA256'", call.place);
  const chosen: CallArgument | undefined = call.arguments.find(({ name }) => name === 'hash_function');
  const hash =
    chosen === undefined
      ? 'MD5'
      : (stringOf(expander.expand(chosen, call.scope), expander) ?? '').toUpperCase();
  if (!/^[A-Z_][A-Z0-9_]*$/.test(hash))
    return badArguments(call.name, "fields and perhaps hash_function := 'SHA256'", call.place);
  const { dialect } = expander;
  const { place } = call;
  const type = TEXT_TYPES[dialect] ?? 'TEXT';
  const texts = fields.map((field) =>
    assemble(place, 'COALESCE(CAST(', field, ` AS ${type}), '_sqlmesh_surrogate_key_null_')`),
  );
  const separator = SEPARATORS[dialect];
  const whole =
    fields.length === 1
      ? (texts[0] as Fragment)
      : separator === undefined
        ? assemble(place, 'CONCAT(', joined(texts, ", '|', ", place), ')')
        : joined(texts, separator, place);
  const [before, after] = hashCall(hash, dialect);
  return assemble(place, before, whole, after);
};

/** Between the texts, where they are put together by an operator. */
const SEPARATORS: Partial<Readonly<Record<Dialect, string>>> = {
  duckdb: " || '|' || ",
  generic: " || '|' || ",
  postgres: " || '|' || ",
  redshift: " || '|' || ",
  sqlite: " || '|' || ",
  tsql: " + '|' + ",
};

/** The hash as lower-case hexadecimal text, whatever the engine's own function gives; bytes where SQLMesh leaves them bytes. */
function hashCall(hash: string, dialect: Dialect): readonly [string, string] {
  const isSha = hash === 'SHA256' || hash === 'SHA512';
  switch (dialect) {
    case 'bigquery':
      return hash === 'MD5' ? ['TO_HEX(MD5(', '))'] : [`${hash}(`, ')'];
    case 'trino':
      return hash === 'MD5' || isSha ? [`LOWER(TO_HEX(${hash}(TO_UTF8(`, '))))'] : [`${hash}(`, ')'];
    case 'clickhouse':
      return hash === 'MD5' ? ['LOWER(HEX(MD5(', ')))'] : [`${hash}(`, ')'];
    case 'tsql':
      return [`HASHBYTES('${isSha ? `SHA2_${hash.slice(3)}` : hash}', `, ')'];
    case 'mysql':
    case 'spark':
    case 'databricks':
    case 'snowflake':
    case 'redshift':
      return isSha ? ['SHA2(', `, ${hash.slice(3)})`] : [`${hash}(`, ')'];
    default:
      return [`${hash}(`, ')'];
  }
}
