import type { AuditUse } from '../../../domain/audit.ts';
import type { Token } from '../../../foundation/sql/token.ts';
import { tokenize } from '../../../foundation/sql/tokenize.ts';
import type { RecordEntry } from '../../../foundation/yaml/collection-schemas.ts';
import type { Data } from '../../../foundation/yaml/data.ts';
import type { Located } from '../../../foundation/yaml/located.ts';

/** A value of a YAML file as SQL text. */
export function sqlLiteral(value: Data): string {
  if (value === null) return 'NULL';
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  if (Array.isArray(value)) return `(${value.map(sqlLiteral).join(', ')})`;
  const entries = Object.entries(value as Readonly<Record<string, Data>>);
  return `(${entries.map(([key, each]) => `${key} = ${sqlLiteral(each)}`).join(', ')})`;
}

/**
 * An audit asked for in YAML: `not_null`, `not_null(columns := (a, b))`, or a map with `name` and the arguments beside it.
 * Arguments of the map form are SQL texts, as SQLMesh reads them: `columns: "[id]"`, `min_v: "'0'"`.
 */
export function auditUse(use: Located<string | readonly RecordEntry<Data>[]>, file: string): AuditUse {
  const at = { file, start: use.start, end: use.end };
  if (typeof use.value === 'string') return { ...auditCall(use.value), at };
  let name = '';
  const given: Record<string, string> = {};
  for (const { key, value } of use.value) {
    if (key.value === 'name') name = String(value);
    else given[key.value] = typeof value === 'string' ? value : sqlLiteral(value);
  }
  return { name: name.toLowerCase(), arguments: given, at };
}

function auditCall(text: string): { name: string; arguments: Readonly<Record<string, string>> } {
  const open = text.indexOf('(');
  if (open < 0) return { name: text.trim().toLowerCase(), arguments: {} };
  const { tokens } = tokenize(text);
  const given: Record<string, string> = {};
  let depth = 0;
  let start: Token | undefined;
  let name = '';
  let previous: Token | undefined;
  const finish = (): void => {
    if (name !== '' && start !== undefined && previous !== undefined)
      given[name] = text.slice(start.start, previous.end);
    name = '';
    start = undefined;
  };
  tokens.forEach((token, index) => {
    const isOpening = token.text === '(' || token.text === '[';
    const isClosing = token.text === ')' || token.text === ']';
    if (isClosing && --depth === 0) finish();
    else if (depth === 1 && token.text === ',') finish();
    else if (
      depth === 1 &&
      name === '' &&
      (tokens[index + 1]?.text === ':=' || tokens[index + 1]?.text === '=>')
    )
      name = token.text.toLowerCase();
    else if (depth >= 1 && name !== '' && token.text !== ':=' && token.text !== '=>') start ??= token;
    if (isOpening) depth++;
    previous = token;
  });
  return { name: text.slice(0, open).trim().toLowerCase(), arguments: given };
}
