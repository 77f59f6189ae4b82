import { migrations } from '../sql/schema.ts';

/** SQL by the version it starts from, as SQLite spells it. */
export const MIGRATIONS: readonly string[] = migrations({
  text: 'TEXT',
  integer: 'INTEGER',
  real: 'REAL',
  bytes: 'BLOB',
  counter: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  byKey: ' WITHOUT ROWID',
  // Every table that is not kept by its key has one.
  rowid: '',
  counted: () => '',
  number: (json, field) => `${json} ->> '$.${field}'`,
  trigger: ({ name, table, change, when, statements }) =>
    `CREATE TRIGGER ${name} AFTER ${change} ON ${table}${when === undefined ? '' : ` WHEN ${when}`} BEGIN ${statements} END;`,
});

/** Marks the file as ours ("PLTH"), so that a database of another program is never taken for an empty state. */
export const APPLICATION_ID = 0x504c5448;
