import type { Audit, AuditUse } from '../../domain/audit.ts';

const WORD = /[\p{L}_][\p{L}\p{N}_$]*/gu;
/** Macros can write any name; `@this_model` stands for the rows. */
const MACRO = /@(?!\{?this_model\b)|\{\{|\{%/i;
/** Reads columns that it does not name. */
const UNNAMED = /\bcolumns\s*\(/i;

/** Whether an audit may look at one of these columns (lower case): whether a row fails it would tell something of them. `own`: the audit, when the project wrote it. */
export function auditMayRead(
  { arguments: given }: Pick<AuditUse, 'arguments'>,
  own: Pick<Audit, 'query' | 'statements' | 'defaults'> | undefined,
  columns: ReadonlySet<string>,
): boolean {
  const arguments_ = { ...own?.defaults, ...given };
  const names = new Set(Object.keys(arguments_).map((name) => name.toLowerCase()));
  const texts = own === undefined ? [] : [own.query, ...own.statements].map(({ text }) => text);
  const written = texts.map((text) =>
    text.replaceAll(/@\{?(\w+)\}?/g, (whole, name: string) => (names.has(name.toLowerCase()) ? '' : whole)),
  );
  const all = [...written, ...Object.values(arguments_)];
  return all.some(
    (text) =>
      MACRO.test(text) ||
      UNNAMED.test(text) ||
      [...text.matchAll(WORD)].some(([word]) => columns.has(word.toLowerCase())),
  );
}
