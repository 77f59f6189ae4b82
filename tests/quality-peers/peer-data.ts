/*
 * The data of the comparison with Soda Core and Great Expectations: the same tables twice, once clean and once with planted errors.
 *
 *   orders      one row an order; planted: duplicates, orphans, NULLs, malformed texts, outliers, other columns
 *   customers   what orders.customer_id points to
 *   archive     as many rows as clean orders
 */

export type Variant = 'clean' | 'planted';
export const VARIANTS: readonly Variant[] = ['clean', 'planted'];

/** A table as a CSV file and the types of its columns in DuckDB. */
export interface PeerTable {
  readonly name: string;
  readonly columns: Readonly<Record<string, string>>;
  readonly csv: string;
}

const ROWS = 2000;
const CUSTOMERS = 300;
const STATUSES = ['open', 'paid', 'shipped', 'returned'];
const REGIONS = ['eu', 'us', 'apac'];

/** Numbers from 0 to 1 in a fixed order (a linear congruential generator modulo 2^32). */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

type Row = Record<string, string | number | null>;

function cleanRow(id: number, next: () => number): Row {
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(next() * items.length)] as Item;
  const day = 1 + Math.floor(next() * 28);
  const month = 1 + Math.floor(next() * 6);
  const two = (value: number): string => String(value).padStart(2, '0');
  const date = `2025-${two(month)}-${two(day)}`;
  const hex = (digits: number): string =>
    Array.from({ length: digits }, () => Math.floor(next() * 16).toString(16)).join('');
  const quantity = 1 + Math.floor(next() * 20);
  const low = Math.floor(next() * 50);
  return {
    id,
    customer_id: 1 + Math.floor(next() * CUSTOMERS),
    status: pick(STATUSES),
    email: next() < 0.05 ? null : `user${id}@example.com`,
    phone: `555-${1000 + Math.floor(next() * 9000)}`,
    amount: Math.round(next() * 10_000) / 100,
    quantity,
    region: pick(REGIONS),
    code: `${pick(['ABC', 'XYZ', 'QRS'])}-${1000 + Math.floor(next() * 9000)}`,
    uuid: `${hex(8)}-${hex(4)}-${hex(4)}-${hex(4)}-${hex(12)}`,
    ip: `10.0.${Math.floor(next() * 256)}.${Math.floor(next() * 256)}`,
    note: pick(['gift', 'fragile', 'call first']),
    day_text: date,
    int_text: String(Math.floor(next() * 1000)),
    percent_text: `${Math.floor(next() * 100)}%`,
    json_text: `{"n": ${quantity}}`,
    low,
    high: low + 1 + Math.floor(next() * 50),
    copy_of_low: low,
    part_a: quantity,
    part_b: 100 - quantity,
    blank: null,
    ordered_on: date,
    updated_at: `${date} 12:00:00`,
    grade: Math.floor(next() * 5),
  };
}

/** Every defect is planted into rows of its own, so that their numbers are known. */
function plant(rows: Row[]): void {
  let at = 0;
  const each = (count: number, change: (row: Row, index: number) => void): void => {
    for (let index = 0; index < count; index++) change(rows[at++ % rows.length] as Row, index);
  };
  each(30, (row) => (row['id'] = 7));
  each(12, (row, index) => (row['customer_id'] = 90_000 + index));
  each(9, (row) => (row['customer_id'] = null));
  each(15, (row) => (row['status'] = 'lost in transit'));
  each(6, (row) => (row['status'] = 'bad'));
  each(300, (row) => (row['email'] = null));
  each(25, (row, index) => (row['email'] = index % 2 === 0 ? 'no-at-sign' : 'two@@example.com'));
  each(20, (row) => (row['phone'] = 'unknown'));
  each(40, (row) => (row['amount'] = -50));
  each(60, (row) => (row['amount'] = 900));
  each(10, (row) => (row['quantity'] = 0));
  each(30, (row) => (row['quantity'] = 500));
  each(22, (row) => (row['region'] = 'xx'));
  each(18, (row) => (row['code'] = 'abc-12'));
  each(14, (row) => (row['uuid'] = 'not-a-uuid'));
  each(11, (row) => (row['ip'] = '10.0.0'));
  each(35, (row, index) => (row['note'] = ['n/a', '---', '-'][index % 3] as string));
  each(13, (row) => (row['day_text'] = 'yesterday'));
  each(17, (row) => (row['int_text'] = '-5'));
  each(21, (row) => (row['percent_text'] = 'half'));
  each(8, (row) => (row['json_text'] = '{broken'));
  each(16, (row) => (row['high'] = (row['low'] as number) - 1));
  each(19, (row) => (row['copy_of_low'] = (row['low'] as number) + 1));
  each(10, (row) => (row['part_b'] = row['part_a'] as number));
  each(5, (row) => (row['blank'] = 'not blank'));
  each(27, (row) => (row['ordered_on'] = '1999-01-01'));
}

const TYPES: Readonly<Record<string, string>> = {
  id: 'BIGINT', customer_id: 'BIGINT', status: 'VARCHAR', email: 'VARCHAR', phone: 'VARCHAR', amount: 'DOUBLE', quantity: 'INTEGER', region: 'VARCHAR',
  code: 'VARCHAR', uuid: 'VARCHAR', ip: 'VARCHAR', note: 'VARCHAR', day_text: 'VARCHAR', int_text: 'VARCHAR', percent_text: 'VARCHAR', json_text: 'VARCHAR',
  low: 'INTEGER', high: 'INTEGER', copy_of_low: 'INTEGER', part_a: 'INTEGER', part_b: 'INTEGER', blank: 'VARCHAR', ordered_on: 'DATE', updated_at: 'TIMESTAMP',
  grade: 'INTEGER',
}; // biome-ignore format: a table

function csvOf(columns: readonly string[], rows: readonly Row[]): string {
  const cell = (value: string | number | null | undefined): string => {
    if (value === null || value === undefined) return '';
    const text = String(value);
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return `${[columns.join(','), ...rows.map((row) => columns.map((name) => cell(row[name])).join(','))].join('\n')}\n`;
}

/** The tables of a variant; the same text on every machine. */
export function peerTables(variant: Variant): readonly PeerTable[] {
  const next = random(17);
  const rows = Array.from({ length: ROWS }, (_, index) => cleanRow(index + 1, next));
  const types: Record<string, string> = { ...TYPES };
  if (variant === 'planted') {
    for (let index = 0; index < 100; index++) rows.push(cleanRow(ROWS + 1 + index, next));
    plant(rows);
    delete types['grade'];
    types['ssn'] = 'VARCHAR';
    types['grade'] = 'VARCHAR';
    for (const row of rows) row['ssn'] = '000';
  }
  const customers = Array.from({ length: CUSTOMERS }, (_, index) => ({
    id: index + 1,
    name: `customer ${index + 1}`,
  }));
  const archive = Array.from({ length: ROWS }, (_, index) => ({ id: index + 1 }));
  return [
    { name: 'orders', columns: types, csv: csvOf(Object.keys(types), rows) },
    { name: 'customers', columns: { id: 'BIGINT', name: 'VARCHAR' }, csv: csvOf(['id', 'name'], customers) },
    { name: 'archive', columns: { id: 'BIGINT' }, csv: csvOf(['id'], archive) },
  ];
}
