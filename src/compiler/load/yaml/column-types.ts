import type { Dialect } from '../../../foundation/sql/dialect.ts';
import { parseTypeName } from '../../../foundation/sql/parse/parse-query.ts';
import { canonicalType } from '../../../foundation/sql/types/type-names.ts';
import type { Located } from '../../../foundation/yaml/located.ts';

export interface WrittenColumn {
  readonly name: Located<string>;
  readonly type: Located<string>;
}

/** Columns with canonical types; a type that cannot be read is a problem and UNKNOWN. Column names are folded to lower case. */
export function columnTypes(
  written: readonly WrittenColumn[],
  dialect: Dialect,
): {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly problems: readonly {
    readonly type: string;
    readonly detail: string;
    readonly at: Located<string>;
  }[];
} {
  const problems: { type: string; detail: string; at: Located<string> }[] = [];
  const columns = written.map(({ name, type }) => {
    const read = typeText(type.value, dialect);
    if (read.problem !== undefined) problems.push({ type: type.value, detail: read.problem, at: type });
    return { name: name.value.toLowerCase(), type: read.type };
  });
  return { columns, problems };
}

const known = new Map<string, { readonly type: string; readonly problem?: string }>();

/** The canonical text of a type in YAML, and why it cannot be read. */
export function typeText(
  text: string,
  dialect: Dialect,
): { readonly type: string; readonly problem?: string } {
  const key = `${dialect} ${text}`;
  let read = known.get(key);
  if (read === undefined) {
    const parsed = parseTypeName(text, dialect);
    read = parsed.ok
      ? { type: canonicalType(parsed.value, dialect) }
      : { type: 'UNKNOWN', problem: parsed.error.message };
    if (known.size > 10_000) known.clear();
    known.set(key, read);
  }
  return read;
}
