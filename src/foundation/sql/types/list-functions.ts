/** Rules for functions over lists and maps, whose results follow from what they hold. */

import type { CallShape, Rule } from './call-shape.ts';
import { tableResult, withElement } from './function-table.ts';
import {
  DOUBLE,
  decimalType,
  INTEGER,
  isInteger,
  listType,
  mapType,
  NULL,
  type SqlType,
  settle,
  structType,
  UNKNOWN,
  VARCHAR,
} from './sql-type.ts';
import { unify, unifyAll } from './unify.ts';

/** What a list, array or map holds; text is made of text. */
export function elementOf(type: SqlType): SqlType {
  switch (type.kind) {
    case 'list':
    case 'array':
      return type.element;
    case 'map':
      return type.value;
    case 'string-literal':
      return VARCHAR;
    default:
      return type === VARCHAR || type.text === 'JSON' || type === NULL ? type : UNKNOWN;
  }
}

function at(call: CallShape, index: number): SqlType {
  return call.types[index] ?? UNKNOWN;
}

const same: Rule = (call) => {
  const type = at(call, 0);
  return type.kind === 'array' ? listType(type.element) : settle(type);
};

const appended =
  (list: number, element: number): Rule =>
  (call) => {
    const container = at(call, list);
    const held = container.kind === 'list' || container.kind === 'array' ? container.element : NULL;
    const common = unify(held, at(call, element));
    return common === undefined ? UNKNOWN : listType(common);
  };

/** An aggregate over a list's elements, by the aggregate's name. */
function folded(name: string, list: SqlType): SqlType {
  const element = elementOf(list);
  if (element === UNKNOWN) return UNKNOWN;
  switch (name) {
    case 'sum':
      return element.kind === 'decimal'
        ? decimalType(38, element.scale)
        : (tableResult('sum', [element]) ?? UNKNOWN);
    case 'avg':
    case 'mean':
      return DOUBLE;
    case 'median':
      return isInteger(element) ? DOUBLE : element;
    case 'min':
    case 'max':
    case 'first':
    case 'last':
    case 'any_value':
    case 'mode':
      return element;
    case 'histogram':
      return mapType(element, tableResult('hash', [element]) ?? UNKNOWN);
    default:
      return tableResult(name, [element]) ?? UNKNOWN;
  }
}

const aggregated: Rule = (call) => {
  const name = call.constantAt(1)?.toLowerCase();
  return name === undefined ? UNKNOWN : folded(name, at(call, 0));
};

const zipped: Rule = (call) => {
  const lists = call.types.filter((type) => type.kind === 'list' || type.kind === 'array');
  return listType(structType(lists.map((type) => ({ name: '', type: elementOf(type) }))));
};

const mapOf: Rule = (call) => {
  if (call.types.length === 0) return mapType(NULL, NULL);
  return call.types.length === 2 ? mapType(elementOf(at(call, 0)), elementOf(at(call, 1))) : UNKNOWN;
};

const mapEntries: Rule = (call) => {
  const map = at(call, 0);
  if (map.kind !== 'map') return UNKNOWN;
  return listType(
    structType([
      { name: 'key', type: map.key },
      { name: 'value', type: map.value },
    ]),
  );
};

const mapFromEntries: Rule = (call) => {
  const entry = elementOf(at(call, 0));
  if (entry.kind !== 'struct' || entry.fields.length !== 2) return UNKNOWN;
  return mapType((entry.fields[0] as { type: SqlType }).type, (entry.fields[1] as { type: SqlType }).type);
};

const mapConcat: Rule = (call) => settle(unifyAll(call.types) ?? UNKNOWN);

function rulesFor(names: string, rule: Rule): [string, Rule][] {
  return names.split(' ').map((name) => [name, rule]);
}

const FOLDS =
  'sum avg min max median mode first last any_value count var_pop var_samp stddev_pop stddev_samp bool_and bool_or bit_and bit_or bit_xor product entropy kurtosis kurtosis_pop skewness sem mad approx_count_distinct string_agg histogram';

export const LIST_RULES: readonly (readonly [string, Rule])[] = [
  ...FOLDS.split(' ').map((name): [string, Rule] => [`list_${name}`, (call) => folded(name, at(call, 0))]),
  ...rulesFor('list_value list_pack array_value', (call) => {
    const element = unifyAll(call.types);
    if (element === undefined) return UNKNOWN;
    return call.name === 'array_value'
      ? withElement({ kind: 'array', text: '', element, size: call.types.length }, element)
      : listType(element);
  }),
  ...rulesFor('list_aggregate array_aggregate list_aggr array_aggr aggregate', aggregated),
  ...rulesFor('list_append array_append array_push_back list_push_back', appended(0, 1)),
  ...rulesFor('list_prepend array_prepend', appended(1, 0)),
  ...rulesFor('array_push_front list_push_front', appended(0, 1)),
  ...rulesFor(
    'list_sort array_sort list_reverse_sort array_reverse_sort list_reverse array_reverse list_slice array_slice list_resize array_resize array_pop_back array_pop_front list_shuffle',
    same,
  ),
  ...rulesFor('list_filter array_filter filter', same),
  ...rulesFor('list_concat list_cat array_concat array_cat', (call) => {
    const common = unifyAll(call.types);
    return common === undefined
      ? UNKNOWN
      : common.kind === 'array'
        ? listType(common.element)
        : settle(common);
  }),
  ...rulesFor('list_extract array_extract list_element', (call) => {
    const type = at(call, 0);
    if (type.kind !== 'struct') return elementOf(type);
    const name = call.constantAt(1)?.toLowerCase();
    return type.fields.find((field) => field.name.toLowerCase() === name)?.type ?? UNKNOWN;
  }),
  ...rulesFor('list_zip array_zip', zipped),
  ...rulesFor('list_grade_up array_grade_up grade_up', () =>
    listType(tableResult('length', [VARCHAR]) ?? UNKNOWN),
  ),
  ...rulesFor('flatten', (call) => {
    const inner = elementOf(at(call, 0));
    return inner.kind === 'list' || inner.kind === 'array'
      ? listType(inner.element)
      : inner === NULL
        ? listType(NULL)
        : UNKNOWN;
  }),
  ...rulesFor('unnest unlist', (call) =>
    at(call, 0).kind === 'struct' ? at(call, 0) : elementOf(at(call, 0)),
  ),
  ...rulesFor('regexp_split_to_table', () => VARCHAR),
  ...rulesFor('map', mapOf),
  ...rulesFor('map_entries', mapEntries),
  ...rulesFor('map_from_entries', mapFromEntries),
  ...rulesFor('map_concat', mapConcat),
  ...rulesFor('map_extract_value', (call) => elementOf(at(call, 0))),
  ...rulesFor('map_extract element_at', (call) =>
    at(call, 0).kind === 'map' ? listType(elementOf(at(call, 0))) : elementOf(at(call, 0)),
  ),
  ...rulesFor('map_keys', (call) => {
    const map = at(call, 0);
    return map.kind === 'map' ? listType(map.key) : UNKNOWN;
  }),
  ...rulesFor('map_values', (call) => {
    const map = at(call, 0);
    return map.kind === 'map' ? listType(map.value) : UNKNOWN;
  }),
  ...rulesFor('generate_subscripts', () => INTEGER),
];
