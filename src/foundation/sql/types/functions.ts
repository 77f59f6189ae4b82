/**
 * The type of a function call.
 *
 *   a rule of ours (polymorphic functions, macros)  →  DuckDB's table of overloads  →  UNKNOWN: never a guess
 */

import { binaryResult } from './arithmetic.ts';
import type { CallShape, Rule } from './call-shape.ts';
import { isKnownFunction, tableResult } from './function-table.ts';
import { LIST_RULES } from './list-functions.ts';
import {
  BIGINT,
  BOOLEAN,
  DATE,
  DOUBLE,
  decimalType,
  FLOAT,
  HUGEINT,
  INTEGER,
  INTERVAL,
  isInteger,
  JSON_TYPE,
  listType,
  mapType,
  NULL,
  SMALLINT,
  type SqlType,
  settle,
  structType,
  TIME,
  TIME_TZ,
  TIMESTAMP,
  TIMESTAMP_TZ,
  UBIGINT,
  UNKNOWN,
  VARCHAR,
  VARIANT,
} from './sql-type.ts';
import { parseType } from './type-names.ts';
import { unifyAll } from './unify.ts';

const first: Rule = (call) => settle(call.types[0] ?? UNKNOWN);
const always =
  (type: SqlType): Rule =>
  () =>
    type;
const unified: Rule = (call) => settle(unifyAll(call.types) ?? UNKNOWN);

/** Ordered picks: one value, or a list of n when a third argument asks for n. */
const picked =
  (arity: number): Rule =>
  (call) =>
    call.types.length > arity ? listType(call.types[0] ?? UNKNOWN) : first(call);

/** Interpolating quantiles: whole numbers become DOUBLE, dates become timestamps. */
function continuous(type: SqlType): SqlType {
  const plain = settle(type);
  if (plain === UNKNOWN || plain.kind === 'decimal') return plain;
  if (isInteger(plain) || plain === NULL) return DOUBLE;
  return plain === DATE ? TIMESTAMP : plain;
}

const quantile =
  (of: (type: SqlType) => SqlType): Rule =>
  (call) => {
    const result = of(settle(call.types[0] ?? UNKNOWN));
    const fraction = call.types[1];
    return fraction?.kind === 'list' || fraction?.kind === 'array' ? listType(result) : result;
  };

function storage(type: SqlType): SqlType {
  if (type.kind !== 'decimal') return type;
  return type.width <= 4 ? SMALLINT : type.width <= 9 ? INTEGER : type.width <= 18 ? BIGINT : HUGEINT;
}

const sum: Rule = (call) => {
  const type = call.types[0] ?? UNKNOWN;
  return type.kind === 'decimal' ? decimalType(38, type.scale) : (tableResult('sum', call.types) ?? UNKNOWN);
};

const average: Rule = (call) => {
  const type = call.types[0] ?? UNKNOWN;
  if (type.kind === 'decimal') return DOUBLE;
  return type === DATE ? TIMESTAMP : (tableResult('avg', call.types) ?? UNKNOWN);
};

/** `round(x, n)` of a decimal keeps n digits when n is a constant. */
const rounded: Rule = (call) => {
  const type = call.types[0] ?? UNKNOWN;
  if (type.kind !== 'decimal') return tableResult(call.name, call.types) ?? UNKNOWN;
  if (call.types.length === 1) return decimalType(type.width, 0);
  const digits = call.types[1];
  if (digits?.kind !== 'integer-literal') return UNKNOWN;
  return decimalType(type.width, Math.max(0, Math.min(type.scale, digits.value)));
};

const DATE_PARTS_AS_DOUBLE = new Set(['epoch', 'julian']);

const datePart: Rule = (call) => {
  const part = call.types[0];
  if (part?.kind === 'list') return UNKNOWN;
  const unit = call.constantAt(0)?.toLowerCase();
  if (unit === undefined) return BIGINT;
  return DATE_PARTS_AS_DOUBLE.has(unit) ? DOUBLE : BIGINT;
};

const concatenated: Rule = (call) => {
  const types = call.types.filter((type) => type !== NULL);
  if (types.length > 0 && types.every((type) => type.kind === 'list' || type.kind === 'array'))
    return unified(call);
  return types.includes(UNKNOWN) && types.every((type) => type === UNKNOWN) ? UNKNOWN : VARCHAR;
};

const structPack: Rule = (call) =>
  structType(call.types.map((type, at) => ({ name: call.names[at] ?? '', type })));

const structExtract: Rule = (call) => {
  const type = call.types[0] ?? UNKNOWN;
  const name = call.constantAt(1);
  if (type.kind !== 'struct' || name === undefined) return type === JSON_TYPE ? JSON_TYPE : UNKNOWN;
  return fieldType(type, name);
};

/** The type of a struct's field by name, or by position in a struct without names; JSON has fields of JSON. */
export function fieldType(type: SqlType, name: string): SqlType {
  if (type === JSON_TYPE) return JSON_TYPE;
  if (type.kind === 'map') return type.value;
  if (type.kind !== 'struct' && type.kind !== 'union') return UNKNOWN;
  const key = name.toLowerCase();
  const found = type.fields.find((field) => field.name.toLowerCase() === key);
  if (found !== undefined) return found.type;
  return /^\d+$/.test(name) ? (type.fields[Number(name) - 1]?.type ?? UNKNOWN) : UNKNOWN;
}

/** Whether a type certainly has no field of this name. */
export function lacksField(type: SqlType, name: string): boolean {
  if (type.kind === 'struct')
    return type.fields.every((field) => field.name !== '' && field.name.toLowerCase() !== name.toLowerCase());
  return (
    type.kind === 'decimal' || type.kind === 'list' || (type.kind === 'scalar' && !MAY_HAVE_FIELDS.has(type))
  );
}

const MAY_HAVE_FIELDS: ReadonlySet<SqlType> = new Set([JSON_TYPE, UNKNOWN, NULL, VARIANT]);

const structChange: Rule = (call) => {
  const type = call.types[0] ?? UNKNOWN;
  if (type.kind !== 'struct') return UNKNOWN;
  const fields = new Map(type.fields.map((field) => [field.name.toLowerCase(), field]));
  call.types.slice(1).forEach((added, at) => {
    const name = call.names[at + 1] ?? '';
    fields.set(name.toLowerCase(), {
      name: fields.get(name.toLowerCase())?.name ?? name,
      type: settle(added),
    });
  });
  return structType([...fields.values()]);
};

/** The type that a constant such as `{"a": "INT", "b": ["VARCHAR"]}` describes. */
function jsonStructure(text: string | undefined): SqlType {
  try {
    return text === undefined ? UNKNOWN : structureType(JSON.parse(text));
  } catch {
    return UNKNOWN;
  }
}

function structureType(value: unknown): SqlType {
  if (typeof value === 'string') return parseType(value);
  if (Array.isArray(value)) return listType(structureType(value[0]));
  if (typeof value !== 'object' || value === null) return UNKNOWN;
  return structType(Object.entries(value).map(([name, type]) => ({ name, type: structureType(type) })));
}

const plus: Rule = (call) => binaryResult('+', call.types[0] ?? UNKNOWN, call.types[1] ?? UNKNOWN);
const operator =
  (symbol: string): Rule =>
  (call) =>
    call.types.length === 2
      ? binaryResult(symbol, call.types[0] ?? UNKNOWN, call.types[1] ?? UNKNOWN)
      : UNKNOWN;

/** Aggregates and macros with the same rule, listed once. */
function rulesFor(names: string, rule: Rule): [string, Rule][] {
  return names.split(' ').map((name) => [name, rule]);
}

const RULES: ReadonlyMap<string, Rule> = new Map([
  ...rulesFor('coalesce ifnull greatest least nvl any_of', unified),
  ...rulesFor(
    'nullif try first last any_value arbitrary mode fill first_value last_value nth_value constant_or_null',
    first,
  ),
  ...rulesFor('lag lead', (call) =>
    call.types.length > 2
      ? settle(unifyAll([call.types[0] as SqlType, call.types[2] as SqlType]) ?? UNKNOWN)
      : first(call),
  ),
  ...rulesFor('min max', picked(1)),
  ...rulesFor(
    'arg_min arg_max argmin argmax min_by max_by arg_min_null arg_max_null arg_min_nulls_last arg_max_nulls_last',
    picked(2),
  ),
  ...rulesFor('sum sum_no_overflow', sum),
  ...rulesFor('avg mean', average),
  ...rulesFor('median quantile_cont percentile_cont', quantile(continuous)),
  ...rulesFor(
    'quantile quantile_disc percentile_disc',
    quantile((type) => type),
  ),
  ...rulesFor('approx_quantile', quantile(storage)),
  ...rulesFor('round trunc', rounded),
  ...rulesFor('ceil ceiling floor', (call) => {
    const type = call.types[0];
    return type?.kind === 'decimal'
      ? decimalType(type.width, 0)
      : (tableResult(call.name, call.types) ?? UNKNOWN);
  }),
  ...rulesFor('round_even roundbankers', always(DOUBLE)),
  ...rulesFor('histogram histogram_exact', (call) => mapType(call.types[0] ?? UNKNOWN, UBIGINT)),
  ...rulesFor('approx_top_k', (call) => listType(call.types[0] ?? UNKNOWN)),
  ...rulesFor('if iff', (call) => settle(unifyAll(call.types.slice(1)) ?? UNKNOWN)),
  ...rulesFor('date_part datepart', datePart),
  ...rulesFor('concat', concatenated),
  ...rulesFor('add date_add', plus),
  ...rulesFor('subtract', operator('-')),
  ...rulesFor('multiply', operator('*')),
  ...rulesFor('divide', operator('//')),
  ...rulesFor('mod', operator('%')),
  ...rulesFor('fmod fdiv geomean geometric_mean wavg weighted_avg', always(DOUBLE)),
  ...rulesFor(
    'split_part current_user current_role session_user user current_catalog current_database current_schema current_query pg_typeof array_to_string array_to_string_comma_default md5_number_hex',
    always(VARCHAR),
  ),
  ...rulesFor('current_date today', always(DATE)),
  ...rulesFor('current_timestamp transaction_timestamp now get_current_timestamp ago', always(TIMESTAMP_TZ)),
  ...rulesFor('localtimestamp current_localtimestamp', always(TIMESTAMP)),
  ...rulesFor('localtime current_localtime', always(TIME)),
  ...rulesFor('current_time get_current_time', always(TIME_TZ)),
  ...rulesFor('days_in_month grouping grouping_id', always(BIGINT)),
  ...rulesFor('json json_group_array json_group_object json_group_structure', always(JSON_TYPE)),
  ...rulesFor('struct_pack', structPack),
  ...rulesFor('row', (call) => structType(call.types.map((type) => ({ name: '', type })))),
  ...rulesFor('struct_extract struct_extract_at', structExtract),
  ...rulesFor('struct_insert struct_update', structChange),
  ...rulesFor('struct_concat', (call) =>
    structType(call.types.flatMap((type) => (type.kind === 'struct' ? type.fields : []))),
  ),
  ...rulesFor('uuid gen_random_uuid uuidv4 uuidv7', (call) => tableResult(call.name, []) ?? UNKNOWN),
  ...rulesFor(
    'to_days to_months to_years to_hours to_minutes to_seconds to_weeks to_quarters to_milliseconds to_microseconds',
    always(INTERVAL),
  ),
  ...rulesFor('map_contains_entry map_contains_value', always(BOOLEAN)),
  ...rulesFor('error', always(NULL)),
  // Not in DuckDB's function table: `date(x)` is read as a cast.
  ...rulesFor('date', always(DATE)),
  ...rulesFor('nextval currval', always(BIGINT)),
  ...rulesFor('mad', (call) => {
    const type = settle(call.types[0] ?? UNKNOWN);
    return isInteger(type)
      ? DOUBLE
      : type === FLOAT || type.kind === 'decimal'
        ? type
        : (tableResult('mad', [type]) ?? UNKNOWN);
  }),
  ...rulesFor('json_transform json_transform_strict from_json from_json_strict', (call) =>
    jsonStructure(call.constantAt(1)),
  ),
  ...LIST_RULES,
]);

const remembered = new Map<string, Map<SqlType, SqlType>>();

/** The type of a call by its lower-case name; UNKNOWN for functions that are not in the table. */
export function callResult(call: CallShape): SqlType {
  const rule = RULES.get(call.name);
  if (rule !== undefined) return rule(call);
  if (!isKnownFunction(call.name)) return UNKNOWN;
  const only = call.types[0];
  if (call.types.length !== 1 || only === undefined || only.kind !== 'scalar')
    return tableResult(call.name, call.types) ?? UNKNOWN;
  let byType = remembered.get(call.name);
  if (byType === undefined) {
    byType = new Map();
    remembered.set(call.name, byType);
  }
  let type = byType.get(only);
  if (type === undefined) {
    type = tableResult(call.name, call.types) ?? UNKNOWN;
    byType.set(only, type);
  }
  return type;
}
