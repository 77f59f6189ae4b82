/* Sources: every text and number of them is in one cell of one of them only. */
import type { Chance } from './chance.ts';
import type { Cell, Relation, Role, Row, WorldColumn, WorldModel } from './world.ts';

export const REGIONS = ['north', 'south'] as const;

const LETTER: Readonly<Record<string, string>> = { mail: 'm', word: 'w', note: 'n' };
const TYPE: Readonly<Record<Role, WorldColumn['type']>> = {
  key: 'INTEGER',
  ref: 'INTEGER',
  region: 'TEXT',
  mail: 'TEXT',
  word: 'TEXT',
  note: 'TEXT',
  made: 'TEXT',
  amount: 'BIGINT',
  day: 'DATE',
};

export interface SourceOptions {
  readonly name: string;
  /** One letter for each source of a world. */
  readonly letter: string;
  readonly roles: readonly Role[];
  readonly count: number;
  readonly relation: Relation;
  /** Three letters or digits for each world. */
  readonly code: string;
}

const two = (number: number): string => String(number).padStart(2, '0');

/** Rows can be computed in SQL too: a text is never in the query as a whole. */
function cellOf(role: Role, row: number, { letter, code, count }: SourceOptions): Cell {
  switch (role) {
    case 'key':
      return row;
    case 'ref':
      return count + 1 - row;
    case 'region':
      return REGIONS[row % 2] ?? null;
    case 'amount':
      return 770_000_000 + (letter.charCodeAt(0) - 97) * 1_500_000 + row * 104_729 + codeNumber(code);
    case 'day':
      return `2025-0${1 + (row % 4)}-0${1 + (row % 9)}`;
    default:
      // One word is missing.
      if (role === 'word' && row === count) return null;
      return `zq${letter}${LETTER[role] ?? 'x'}${two(row)}${code}`;
  }
}

const codeNumber = (code: string): number => Number.parseInt(code, 36) % 9973;

function sqlOf(role: Role, { letter, code, count }: SourceOptions): string {
  switch (role) {
    case 'key':
      return 'r';
    case 'ref':
      return `${count + 1} - r`;
    case 'region':
      return `CASE WHEN r % 2 = 0 THEN '${REGIONS[0]}' ELSE '${REGIONS[1]}' END`;
    case 'amount':
      return `770000000 + ${(letter.charCodeAt(0) - 97) * 1_500_000} + r * 104729 + ${codeNumber(code)}`;
    case 'day':
      return `make_date(2025, 1 + r % 4, 1 + r % 9)`;
    default: {
      const text = `'zq' || '${letter}${LETTER[role] ?? 'x'}' || lpad(r::TEXT, 2, '0') || '${code}'`;
      return role === 'word' ? `CASE WHEN r = ${count} THEN NULL ELSE ${text} END` : text;
    }
  }
}

/** A seed, or a query without tables. */
export function source(chance: Chance, options: SourceOptions): WorldModel {
  const { name, roles, count, relation } = options;
  const columns = roles.map((role): WorldColumn => ({ name: role, role, type: TYPE[role], from: [] }));
  const rows = Array.from(
    { length: count },
    (_, at): Row => Object.fromEntries(roles.map((role) => [role, cellOf(role, at + 1, options)])),
  );
  const isSeed = chance.is(0.5);
  return {
    name,
    kind: isSeed ? 'SEED' : 'FULL',
    relation,
    shape: isSeed ? 'seed' : 'values',
    reads: [],
    columns,
    conditions: [],
    rows,
    sql: isSeed
      ? ''
      : `SELECT ${columns.map((column) => `(${sqlOf(column.role, options)})::${column.type} AS ${column.name}`).join(', ')} FROM (SELECT unnest(range(1, ${count + 1}))::INTEGER AS r)`,
  };
}
