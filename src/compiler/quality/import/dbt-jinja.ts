/** What the few templates of dbt that name tables and variables mean; others are not filled in. */
export interface DbtNames {
  readonly ref: (name: string) => string;
  readonly source: (source: string, table: string) => string;
  readonly variables: ReadonlyMap<string, string>;
}

/** A text with its templates filled in, the tables it named, and the first template that is more than a name. */
export interface FilledText {
  readonly text: string;
  readonly tables: readonly string[];
  readonly unknown?: { readonly template: string; readonly at: number };
}

const TEMPLATE = /\{\{-?\s*([\s\S]*?)\s*-?\}\}|\{%-?\s*([\s\S]*?)\s*-?%\}/g;
const COMMENT = /\{#[\s\S]*?#\}/g;
const STRING = String.raw`\s*(?:'([^']*)'|"([^"]*)")\s*`;
const REF = new RegExp(String.raw`^ref\(${STRING}(?:,${STRING})?(?:,\s*(?:v|version)\s*=\s*[^)]*)?\)$`);
const SOURCE = new RegExp(String.raw`^source\(${STRING},${STRING}\)$`);
const VAR = new RegExp(
  String.raw`^var\(${STRING}(?:,\s*(?:'([^']*)'|"([^"]*)"|(-?[\d.]+|true|false)))?\s*\)$`,
  'i',
);

/** Fills in `ref()`, `source()` and `var()`; comments go. */
export function filledText(written: string, names: DbtNames): FilledText {
  const tables: string[] = [];
  let unknown: FilledText['unknown'];
  const name = (table: string): string => {
    tables.push(table);
    return table;
  };
  const blank = written.replace(COMMENT, (comment) => comment.replace(/[^\n]/g, ' '));
  const text = blank.replace(TEMPLATE, (whole, expression: string | undefined, _tag, at: number) => {
    const value = expression === undefined ? undefined : meaningOf(expression, names, name);
    if (value === undefined) unknown ??= { template: whole.replace(/\s+/g, ' '), at };
    return value ?? whole;
  });
  return { text, tables, ...(unknown === undefined ? {} : { unknown }) };
}

/** The table that `ref('a')` or `source('a', 'b')` means, with or without braces; other texts name a table themselves. */
export function tableOfText(written: string, names: DbtNames): string {
  const bare = written.trim().replace(/^\{\{-?\s*([\s\S]*?)\s*-?\}\}$/, '$1');
  return meaningOf(bare, names, (table) => table) ?? written.trim();
}

function meaningOf(
  expression: string,
  { ref, source, variables }: DbtNames,
  name: (table: string) => string,
): string | undefined {
  const referred = REF.exec(expression);
  if (referred !== null)
    return name(ref((referred[3] ?? referred[4] ?? referred[1] ?? referred[2]) as string));
  const sourced = SOURCE.exec(expression);
  if (sourced !== null)
    return name(source((sourced[1] ?? sourced[2]) as string, (sourced[3] ?? sourced[4]) as string));
  const variable = VAR.exec(expression);
  if (variable === null) return undefined;
  return variables.get((variable[1] ?? variable[2]) as string) ?? variable[3] ?? variable[4] ?? variable[5];
}

/** The keyword arguments of `{{ config(…) }}` in a SQL file: texts, numbers, truth values and lists of texts. */
export function configOf(text: string): {
  readonly values: Readonly<Record<string, string>>;
  readonly rest: string;
} {
  const match = /\{\{-?\s*config\(([\s\S]*?)\)\s*-?\}\}/.exec(text);
  if (match === null) return { values: {}, rest: text };
  const values: Record<string, string> = {};
  for (const [, key, single, double, plain] of (match[1] as string).matchAll(
    /(\w+)\s*=\s*(?:'([^']*)'|"([^"]*)"|(\[[^\]]*\]|[^,\s)]+))/g,
  ))
    values[key as string] = single ?? double ?? plain ?? '';
  const blank = match[0].replace(/[^\n]/g, ' ');
  return { values, rest: text.replace(match[0], () => blank) };
}
