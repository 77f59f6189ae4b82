/*
 * external_models.yaml has entries of two sorts. Those that Plinth wrote end their first line with a mark and the hash of what follows:
 *
 *   - name: raw.orders # plinth external 1a2b3c4d
 *     columns:
 *       order_id: BIGINT
 *
 * An entry without the mark, or with another hash because its text was changed, belongs to the user and stays as it is.
 */
import { hash128 } from '../../../foundation/hash128.ts';

/** A table as the warehouse has it, named as in external_models.yaml. */
export interface DescribedTable {
  readonly name: string;
  readonly gateway?: string;
  /** Of name and types, where it is not the project's. */
  readonly dialect?: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

interface Entry {
  /** Of a generated entry; undefined: the user's. */
  readonly name?: string;
  readonly lines: readonly string[];
  /** Empty lines and comments behind it. */
  readonly rest: readonly string[];
}

const ITEM = /^(\s*)- /;
const MARK = /^\s*- name: (.+) # plinth external ([0-9a-z]{8})$/;
const HEAD =
  '# Tables that models read and no model makes. `plinth external` writes the entries that are marked so;';
const HEAD_MORE = '# change or add an entry, and it is yours: it stays as it is.';

/** The names of the entries that Plinth wrote. Undefined when the file is not a list with one entry below the other. */
export function generatedNames(text: string): readonly string[] | undefined {
  return entriesOf(text)?.entries.flatMap(({ name }) => name ?? []);
}

/** The text with its generated entries brought up to date: `tables` are written, entries that `isKept` names stay, the other generated ones go. */
export function withGeneratedEntries(
  text: string,
  tables: readonly DescribedTable[],
  isKept: (name: string) => boolean,
): string {
  const { head, entries, indent } = entriesOf(text) ?? { head: [], entries: [], indent: '' };
  const byName = new Map(tables.map((table) => [table.name, table]));
  const lines = entries.flatMap(({ name, lines: own, rest }) => {
    const table = name === undefined ? undefined : byName.get(name);
    if (table !== undefined) return [...entryLines(table, indent), ...rest];
    return name === undefined || isKept(name) ? [...own, ...rest] : rest;
  });
  const known = new Set(entries.map(({ name }) => name));
  const added = tables.filter(({ name }) => !known.has(name)).flatMap((table) => entryLines(table, indent));
  while (lines.at(-1)?.trim() === '') lines.pop();
  const begin = text.trim() === '' ? [HEAD, HEAD_MORE] : head;
  return `${[...begin, ...lines, ...added].join('\n')}\n`;
}

/** Whether the text has this very entry. */
export function hasEntry(text: string, table: DescribedTable): boolean {
  const [first = ''] = entryLines(table, '');
  return text.includes(first);
}

function entriesOf(
  text: string,
):
  | { readonly head: readonly string[]; readonly entries: readonly Entry[]; readonly indent: string }
  | undefined {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const first = lines.findIndex((line) => ITEM.test(line) || /^\s*-$/.test(line));
  const head = (first < 0 ? lines : lines.slice(0, first)).filter(
    (line, at) => line !== '' || at < lines.length - 1,
  );
  const isEmpty = (line: string): boolean => /^\s*(?:#.*|---.*|\[\s*\]\s*)?$/.test(line);
  if (!head.every(isEmpty)) return undefined;
  if (first < 0)
    return { head: head.filter((line) => !line.trim().startsWith('[')), entries: [], indent: '' };
  const indent = /^\s*/.exec(lines[first] ?? '')?.[0] ?? '';
  const starts = lines.flatMap((line, at) => (at >= first && line.startsWith(`${indent}-`) ? [at] : []));
  const entries = starts.map((start, i) => entryOf(lines.slice(start, starts[i + 1] ?? lines.length)));
  return { head, entries, indent };
}

function entryOf(all: readonly string[]): Entry {
  const last = all.findLastIndex((line) => !/^\s*(?:#.*)?$/.test(line));
  const [lines, rest] = [all.slice(0, last + 1), all.slice(last + 1)];
  const [, name = '', hash] = MARK.exec(lines[0] ?? '') ?? [];
  const isGenerated = hash === hashOf(name, lines.slice(1));
  return { ...(isGenerated ? { name: unquoted(name) } : {}), lines, rest };
}

function entryLines({ name, gateway, dialect, columns }: DescribedTable, indent: string): readonly string[] {
  const body = [
    ...(gateway === undefined ? [] : [`  gateway: ${scalar(gateway)}`]),
    ...(dialect === undefined ? [] : [`  dialect: ${scalar(dialect)}`]),
    columns.length === 0 ? '  columns: {}' : '  columns:',
    ...columns.map((column) => `    ${scalar(column.name)}: ${scalar(column.type)}`),
  ].map((line) => `${indent}${line}`);
  return [`${indent}- name: ${scalar(name)} # plinth external ${hashOf(scalar(name), body)}`, ...body];
}

/** How far the entry is moved in does not count. */
const hashOf = (name: string, body: readonly string[]): string =>
  hash128(name, ...body.map((line) => line.trim())).slice(0, 8);

const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/** A text as YAML: plain where it cannot be anything else. */
function scalar(text: string): string {
  const isPlain = /^[A-Za-z_][\w.]*(?:\([\w, ]*\))?(?:\[\])*$/.test(text) && !RESERVED.test(text);
  return isPlain ? text : JSON.stringify(text);
}

const unquoted = (text: string): string => (text.startsWith('"') ? (JSON.parse(text) as string) : text);
