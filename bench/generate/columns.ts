import type { Random } from './random.ts';

/** What an expression may do with a column; several families share one SQL type (`id` and `integer` differ in use). */
export type Family =
  | 'id'
  | 'integer'
  | 'decimal'
  | 'double'
  | 'date'
  | 'timestamp'
  | 'boolean'
  | 'varchar'
  | 'struct';

/** `isBounded` says that repeating arithmetic on the values stays in range, however deep the chain of models is. */
export interface Column {
  readonly name: string;
  readonly family: Family;
  readonly isBounded: boolean;
}

/** The output of a table or query: `key` is unique and never NULL, `date` is never NULL; both hold by construction. */
export interface Relation {
  readonly columns: readonly Column[];
  readonly key: string;
  readonly date: string;
}

/** SQL types that the external tables declare, by family. */
export const SQL_TYPE: Readonly<Record<Family, string>> = {
  id: 'BIGINT',
  integer: 'INTEGER',
  decimal: 'DECIMAL(18, 2)',
  double: 'DOUBLE',
  date: 'DATE',
  timestamp: 'TIMESTAMP',
  boolean: 'BOOLEAN',
  varchar: 'VARCHAR',
  struct: 'STRUCT(city VARCHAR, zip VARCHAR)',
};

/** Names given to new columns, by family; none is a reserved word in any tool. */
export const COLUMN_NAMES: Readonly<Record<Family, readonly string[]>> = {
  id: [
    'customer_id',
    'product_id',
    'store_id',
    'campaign_id',
    'employee_id',
    'supplier_id',
    'account_id',
    'device_id',
  ],
  integer: [
    'quantity',
    'attempts',
    'priority',
    'score',
    'age_days',
    'visit_count',
    'line_count',
    'stock_level',
  ],
  decimal: [
    'amount',
    'net_amount',
    'tax',
    'discount',
    'unit_price',
    'cost',
    'fee',
    'balance',
    'margin',
    'revenue',
  ],
  double: ['weight', 'rate', 'latitude', 'longitude', 'probability', 'share_of_total', 'growth'],
  date: ['due_date', 'valid_date', 'birth_date', 'closing_date', 'booking_date'],
  timestamp: ['created_at', 'updated_at', 'shipped_at', 'paid_at', 'seen_at'],
  boolean: ['is_active', 'is_returned', 'has_discount', 'is_test', 'is_first'],
  varchar: [
    'status',
    'channel',
    'country',
    'city',
    'email',
    'title',
    'code',
    'category',
    'currency',
    'remark',
  ],
  struct: ['address'],
};

/** The key column of an entity: `orders` has `order_id`. */
function keyName(entity: string): string {
  return `${entity.endsWith('ies') ? `${entity.slice(0, -3)}y` : entity.replace(/s$/, '')}_id`;
}

/** Hands out column names that are unique within one SELECT list. */
export function uniqueNames(): (base: string) => string {
  const taken = new Set<string>();
  return (base) => {
    const stem = base.replace(/_\d+$/, '');
    let name = base;
    for (let n = 2; taken.has(name); n++) name = `${stem}_${n}`;
    taken.add(name);
    return name;
  };
}

/** The declared columns of an external table: a key, a date, one to three foreign keys, then attributes. */
export function externalRelation(entity: string, columnsWanted: number, random: Random): Relation {
  const unique = uniqueNames();
  const key = unique(keyName(entity));
  const date = unique(`${keyName(entity).replace(/_id$/, '')}_date`);
  const columns: Column[] = [
    { name: key, family: 'id', isBounded: true },
    { name: date, family: 'date', isBounded: true },
  ];
  for (const name of random.sample(COLUMN_NAMES.id, random.int(1, 3))) {
    columns.push({ name: unique(name), family: 'id', isBounded: true });
  }
  columns.push({ name: unique('status'), family: 'varchar', isBounded: true });
  columns.push({ name: unique('amount'), family: 'decimal', isBounded: true });
  if (random.chance(0.08)) columns.push({ name: unique('address'), family: 'struct', isBounded: true });
  const families: readonly Family[] = [
    'integer',
    'decimal',
    'decimal',
    'double',
    'date',
    'timestamp',
    'boolean',
    'varchar',
    'varchar',
  ];
  while (columns.length < columnsWanted) {
    const family = random.pick(families);
    columns.push({ name: unique(random.pick(COLUMN_NAMES[family])), family, isBounded: true });
  }
  return { columns, key, date };
}

/** SQL that fills a column of row `i` (0-based) of an external table of `rows` rows; every 13th optional value is NULL. */
export function sampleValue(column: Column, isRequired: boolean, position: number, rows: number): string {
  const value = rawValue(column, position, rows);
  return isRequired ? value : `CASE WHEN (i + ${position}) % 13 = 0 THEN NULL ELSE ${value} END`;
}

function rawValue({ family }: Column, position: number, rows: number): string {
  switch (family) {
    case 'id':
      return position === 0 ? 'i' : `(i * 7 + ${position}) % ${Math.max(1, rows)}`;
    case 'integer':
      return `CAST((i + ${position}) % 50 AS INTEGER)`;
    case 'decimal':
      return `CAST(((i * 37 + ${position}) % 100000) / 100.0 AS DECIMAL(18, 2))`;
    case 'double':
      return `((i * 17 + ${position}) % 1000) / 7.0`;
    case 'date':
      return `CURRENT_DATE - CAST((i + ${position}) % 14 AS INTEGER)`;
    case 'timestamp':
      return `CAST(CURRENT_DATE - CAST((i + ${position}) % 14 AS INTEGER) AS TIMESTAMP) + INTERVAL '3' HOUR`;
    case 'boolean':
      return `(i + ${position}) % 3 = 0`;
    case 'varchar':
      return `['open', 'paid', 'sent', 'web', 'shop'][1 + (i + ${position}) % 5]`;
    case 'struct':
      return `{'city': 'town ' || (i % 9), 'zip': CAST(10000 + i AS VARCHAR)}`;
  }
}
