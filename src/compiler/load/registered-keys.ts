/*
 * Every key that a user can write into a file of the project, from the declarations that read it: the JSON Schemas, the checks, the
 * tables of docs/reference/compatibility.md and the test that asks each key for its effect all come from here.
 */
import { keysOf } from '../../foundation/yaml/schema-keys.ts';
import type { BlockKey } from './header/block.ts';
import { CSV_SETTINGS } from './header/csv-settings.ts';
import { KINDS } from './header/kinds.ts';
import { MODEL_PROPERTIES } from './header/model-properties.ts';
import { AUDIT_PROPERTIES } from './load-audit-file.ts';
import { FILE_SCHEMAS } from './yaml/json-schemas.ts';

/** One key, where it stands and what writing it means. */
export interface RegisteredKey {
  /** The kind of file or block: `config`, `MODEL`, `SEED`, … */
  readonly place: string;
  /** Dotted, `*` for names that the user gives. */
  readonly path: string;
  /** Why it does nothing: writing it is noted. */
  readonly withoutEffect?: string;
  /** What is not there yet: writing it is warned about. */
  readonly notYet?: string;
  /** Why nothing inside it is checked when the file is read. */
  readonly open?: string;
  /** The mark is that of something around it, which says so itself. */
  readonly isMarkedAround?: true;
}

/** All keys, file by file and block by block. */
export function registeredKeys(): readonly RegisteredKey[] {
  return [
    ...Object.entries(FILE_SCHEMAS).flatMap(([place, { schema, notYet }]) =>
      keysOf(schema).map(({ field: _, ...key }) => ({
        place,
        ...(notYet === undefined ? {} : { notYet, isMarkedAround: true as const }),
        ...key,
      })),
    ),
    ...blockKeys('MODEL', MODEL_PROPERTIES),
    ...Object.entries(KINDS).flatMap(([kind, { options, isLater }]) =>
      blockKeys(kind, options).map((key) =>
        isLater === true ? { ...key, notYet: `${kind} cannot be built`, isMarkedAround: true as const } : key,
      ),
    ),
    ...blockKeys('csv_settings', CSV_SETTINGS),
    ...blockKeys('AUDIT', AUDIT_PROPERTIES),
  ];
}

function blockKeys(
  place: string,
  keys: Readonly<Record<string, BlockKey<unknown>>>,
): readonly RegisteredKey[] {
  return Object.entries(keys).map(([path, { read: _, unless: _unless, ...marks }]) => ({
    place,
    path,
    ...marks,
  }));
}
