/** Extreme values of the types that functions take, as SQL. The first ones of a list are those that hurt most often. */

const DEEP = 1_000_000;
/** As deep as a text may nest expressions, nearly. */
const NESTED = 150;

const text = (value: string): string => `'${value.replaceAll("'", "''")}'`;
const nested = (open: string, middle: string, close: string, count: number): string =>
  open.repeat(count) + middle + close.repeat(count);

/** Grow when they are called, so that a short text makes them. */
const DEEP_TEXTS = [
  `repeat('[', ${DEEP}) || repeat(']', ${DEEP})`,
  `repeat('{"a":', ${DEEP / 5}) || '1' || repeat('}', ${DEEP / 5})`,
  `repeat('[', ${DEEP / 10}) || '"INTEGER"' || repeat(']', ${DEEP / 10})`,
  `repeat('{"a":', ${DEEP / 10}) || '"INTEGER"' || repeat('}', ${DEEP / 10})`,
];
const LONG_TEXTS = [
  `repeat('a', 3000000)`,
  `repeat('(a+)+', 20000)`,
  `repeat('%', 100000)`,
  `repeat('é', 1000000)`,
];
const SHORT_TEXTS = [
  ...[
    '',
    '0',
    '-1',
    'a',
    '(a+)+$',
    '(',
    '[[:',
    '\\',
    '%',
    '_',
    '%%%',
    '$',
    '$.',
    '$[*]',
    '$**',
    '/a/0',
    '{}',
    '[]',
    'null',
  ],
  ...[
    'NaN',
    'sum',
    'reservoir_quantile',
    'year',
    'UTC',
    '%s',
    '%99999999999d',
    '{}',
    '{:2000000000}',
    '{:.2000000000f}',
    '%Y-%m-%d %f',
  ],
  ...[
    '{"a":[1,null,{"b":2}]}',
    '["INTEGER"]',
    '{"a":"INTEGER"}',
    '\u00e9\u0301\u{1F468}\u200d\u{1F469}\u200d\u{1F467}',
    '9'.repeat(400),
  ],
  ...['2026-01-01', '1 day', '-infinity', '00:00:00', '1,2'],
].map(text);

const whole = (type: string, min: string, max: string): readonly string[] =>
  [max, '2000000000', min, '-1', '0', '1', '3']
    .filter((value) => !(type.startsWith('U') && value.startsWith('-')))
    .map((value) =>
      value === '2000000000' && /TINY|SMALL/.test(type) ? `(100)::${type}` : `(${value})::${type}`,
    );
const dated = (type: string, values: readonly string[]): readonly string[] =>
  values.map((value) => `${text(value)}::${type}`);
const TIMESTAMPS = [
  'infinity',
  '-infinity',
  '294246-12-31 00:00:00',
  '290308-12-22 (BC) 00:00:00',
  '1970-01-01 00:00:00',
  '2026-02-28 23:59:59.999999',
];
const NUMBERS = [
  `'nan'`,
  `'inf'`,
  `'-inf'`,
  '0',
  '-0.0',
  '-1',
  '0.5',
  '1',
  '2000000000',
  '1.7976931348623157e308',
  '5e-324',
];

const byType: Readonly<Record<string, readonly string[]>> = {
  BOOLEAN: ['true', 'false'],
  TINYINT: whole('TINYINT', '-128', '127'),
  SMALLINT: whole('SMALLINT', '-32768', '32767'),
  INTEGER: whole('INTEGER', '-2147483648', '2147483647'),
  BIGINT: whole('BIGINT', '-9223372036854775808', '9223372036854775807'),
  HUGEINT: whole(
    'HUGEINT',
    '-170141183460469231731687303715884105728',
    '170141183460469231731687303715884105727',
  ),
  UTINYINT: whole('UTINYINT', '0', '255'),
  USMALLINT: whole('USMALLINT', '0', '65535'),
  UINTEGER: whole('UINTEGER', '0', '4294967295'),
  UBIGINT: whole('UBIGINT', '0', '18446744073709551615'),
  UHUGEINT: whole('UHUGEINT', '0', '340282366920938463463374607431768211455'),
  BIGNUM: [`repeat('9', 5000)::BIGNUM`, `('-' || repeat('9', 5000))::BIGNUM`, '0::BIGNUM', '(-1)::BIGNUM'],
  FLOAT: NUMBERS.map((value) => (value.includes('e') ? '3.4e38::FLOAT' : `(${value})::FLOAT`)),
  DOUBLE: NUMBERS.map((value) => `(${value})::DOUBLE`),
  DECIMAL: [
    `${'9'.repeat(38)}::DECIMAL(38,0)`,
    `-${'9'.repeat(19)}.${'9'.repeat(19)}::DECIMAL(38,19)`,
    '0::DECIMAL(1,0)',
    '1.5::DECIMAL(2,1)',
  ],
  VARCHAR: [...DEEP_TEXTS, ...SHORT_TEXTS, ...LONG_TEXTS],
  JSON: [...DEEP_TEXTS, ...['null', '1', '[]', '{"a":{"b":[1,null,"x"]}}', '""'].map(text)].map(
    (value) => `(${value})::JSON`,
  ),
  BLOB: [`''::BLOB`, `'\\xFF\\xFE\\x80\\x00\\xC3'::BLOB`, `repeat('a', 1000000)::BLOB`, `encode('é')`],
  BIT: [`'1'::BIT`, `'0101'::BIT`, `repeat('1', 1000000)::BIT`],
  DATE: dated('DATE', [
    'infinity',
    '-infinity',
    '5881580-07-10',
    '5877642-06-25 (BC)',
    '1970-01-01',
    '2024-02-29',
  ]),
  TIME: dated('TIME', ['00:00:00', '24:00:00', '23:59:59.999999']),
  TIME_NS: dated('TIME_NS', ['00:00:00', '23:59:59.999999999']),
  'TIME WITH TIME ZONE': dated('TIMETZ', ['00:00:00+15:59:59', '24:00:00-15:59:59', '12:00:00+00']),
  TIMESTAMP: dated('TIMESTAMP', TIMESTAMPS),
  'TIMESTAMP WITH TIME ZONE': dated('TIMESTAMPTZ', TIMESTAMPS),
  TIMESTAMP_NS: dated('TIMESTAMP_NS', [
    'infinity',
    '2262-04-11 23:47:16.854775806',
    '1677-09-22 00:00:00',
    '1970-01-01 00:00:00',
  ]),
  INTERVAL: [
    ...dated('INTERVAL', [
      '2147483647 months',
      '-2147483648 days',
      '9223372036854775807 microseconds',
      '0 days',
      '-1 month 1 day',
      '1 microsecond',
    ]),
  ],
  UUID: [`'00000000-0000-0000-0000-000000000000'::UUID`, `'ffffffff-ffff-ffff-ffff-ffffffffffff'::UUID`],
  STRUCT: [
    nested("{'a': ", 'NULL', '}', NESTED),
    "{'a': 1, 'b': NULL}",
    "{'a': [1, NULL], 'b': {'c': 'x'}}",
    `row(1, 'x')`,
    "{'year': 2026, 'month': 13, 'day': -1}",
  ],
  UNION: ['union_value(a := 1)', 'union_value(a := NULL)', 'union_value(k := [1, 2])'],
  ENUM: [`'a'::ENUM('a', 'b', 'c')`, `NULL::ENUM('a')`],
  MAP: ['MAP {}', `MAP {'a': 1, 'b': NULL}`, 'MAP {1: [NULL]}', 'map(range(2000), range(2000))'],
  LAMBDA: [
    'lambda x: x',
    'lambda x: NULL',
    'lambda x, y: x',
    'lambda x: [x, x]',
    'lambda x, i: i > 1',
    'lambda x, y: x + y',
    'lambda x: x > 1',
    'lambda x, y, i: x',
  ],
};

/** Of the elements of generic lists, and of parameters of any type. */
const CONCRETE = Object.keys(byType).filter((type) => type !== 'LAMBDA');
const PLAIN = [
  'INTEGER',
  'VARCHAR',
  'DOUBLE',
  'STRUCT',
  'DATE',
  'INTERVAL',
  'DECIMAL',
  'BLOB',
  'HUGEINT',
  'MAP',
  'UUID',
  'BOOLEAN',
];

/** Values of one type; `pick` chooses what generic types stand for, the same for `T` within a call. */
export function valuesOf(type: string | null, pick: (among: readonly string[]) => string): readonly string[] {
  if (type === null || type === 'ANY' || type === '')
    return [
      ...valuesOf(pick(CONCRETE), pick).slice(0, 6),
      ...valuesOf(pick(CONCRETE), pick).slice(0, 4),
      ...valuesOf(`${pick(PLAIN)}[]`, pick).slice(0, 6),
      'NULL',
      nested('[', 'NULL', ']', NESTED),
      `NULL::INTEGER${'[]'.repeat(1_000)}`,
    ];
  if (/^[TKV]$/.test(type)) return valuesOf(pick(PLAIN), pick);
  const array = /^(.+)\[(\d+|ANY)\]$/.exec(type);
  if (array !== null) return arrays(array[1] ?? '', array[2] === 'ANY' ? 3 : Number(array[2]));
  if (type.endsWith('[]')) return lists(type.slice(0, -2), pick);
  const known = byType[type];
  if (known !== undefined)
    return type === 'LAMBDA'
      ? known
      : [
          ...known.slice(0, 4),
          `NULL::${type === 'STRUCT' || type === 'UNION' || type === 'MAP' || type === 'ENUM' ? 'INTEGER' : type}`,
          ...known.slice(4),
        ];
  if (type.startsWith('MAP')) return valuesOf('MAP', pick);
  if (type.startsWith('STRUCT')) return valuesOf('STRUCT', pick);
  return valuesOf('ANY', pick);
}

function arrays(element: string, size: number): readonly string[] {
  const of = (value: string): string =>
    `[${Array.from({ length: size }, () => value).join(', ')}]::${element}[${size}]`;
  return [
    of('NULL'),
    of('0'),
    `[1, NULL, 3]::${element}[3]`,
    of(`'nan'::${element}`),
    of(`'inf'::${element}`),
    `NULL::${element}[${size}]`,
    `[1.0, 2.0]::${element}[2]`,
    of('1'),
  ];
}

function lists(element: string, pick: (among: readonly string[]) => string): readonly string[] {
  const inner = element.startsWith('STRUCT(')
    ? ["{'k': 1, 'v': 2}", 'NULL', "{'k': NULL, 'v': 2}"]
    : valuesOf(element, pick);
  const [first = 'NULL', second = 'NULL', third = 'NULL'] = inner;
  return [
    `[${third}, NULL, ${second}]`,
    '[]',
    '[NULL, NULL]',
    'NULL',
    `[${first}]`,
    `list_resize([${second}], 100000)`,
    'range(100000)',
    `[${inner.slice(0, 8).join(', ')}]`,
    `list_resize([${third}], 3, ${second})`,
    `[1, NULL, 0.5]`,
  ];
}

/** A value that most functions can work with, beside an extreme one. */
export function plainValue(type: string | null): string {
  switch (type) {
    case 'VARCHAR':
      return `'ab1'`;
    case 'JSON':
      return `'{"a":[1]}'::JSON`;
    case 'LAMBDA':
      return 'lambda x: x';
    case 'BLOB':
      return `'ab'::BLOB`;
    case 'BIT':
      return `'1010'::BIT`;
    case 'BOOLEAN':
      return 'true';
    case 'DATE':
      return `DATE '2026-01-02'`;
    case 'INTERVAL':
      return `INTERVAL '1 day'`;
    case 'UUID':
      return `'00000000-0000-4000-8000-000000000001'::UUID`;
    case 'STRUCT':
      return "{'a': 1, 'b': 2}";
    case 'UNION':
      return 'union_value(a := 1)';
    case null:
    case 'ANY':
    case 'T':
    case 'K':
    case 'V':
      return '2';
    default:
      if (type.startsWith('TIMESTAMP')) return `'2026-01-02 03:04:05'::${type}`;
      if (type.startsWith('TIME')) return `'03:04:05'::${type}`;
      if (type.startsWith('MAP')) return `MAP {1: 2}`;
      if (type.endsWith('[ANY]') || type.endsWith('[3]')) return `[1, 2, 3]::${type.replace('ANY', '3')}`;
      if (type.endsWith('[]')) return `[${plainValue(type.slice(0, -2))}]`;
      return `2::${type}`;
  }
}
