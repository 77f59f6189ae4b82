/*
 * DuckDB opens whole folders, follows links and refuses those that leave. Two rules of Plinth are finer: `.plinth` in the project is closed, and
 * of the project only `seeds` and `data` are written. So a statement that may name a file is looked at before it runs:
 *
 *   text ─▶ may it name a file? ─▶ its texts, and what its calls compute (DuckDB says) ─▶ real paths ─▶ refused, or run
 */

import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Token } from '../../../foundation/sql/token.ts';
import { tokenize } from '../../../foundation/sql/tokenize.ts';
import { OWN_FOLDER, WRITABLE } from './duckdb-config.ts';
import { textSql } from './duckdb-dialect.ts';
import { messageOf } from './duckdb-errors.ts';
import type { FileRules } from './file-rules.ts';
import { Refusal } from './keeper-refusal.ts';
import type { SessionCall, WireError } from './keeper-wire.ts';

/** Functions of DuckDB and its extensions that take the path of a file, and the two that take a text of SQL. */
const CALL = '\\w*(?:read|scan|glob|sniff|parquet|csv|ndjson|metadata|snapshots)\\w*|query|query_table';
const CALLS = new RegExp(`^(?:${CALL})$`, 'i');
const MAY_NAME_FILES = new RegExp(
  `\\.plinth|\\b(?:${CALL})\\s*\\(|\\b(?:copy|export|import)\\b|\\b(?:from|join|table|describe|summarize)\\s*(?:e?'|"[^"]*[./]|\\$)|,\\s*['"][^'"]*\\.[a-z]`,
  'i',
);
const ADDRESS_IN_TEXT = /['"]([a-z][a-z0-9+.-]+:\/\/[^'"]+)['"]/i;
const GLOB = /[*?[]/;
/** Longer texts are data: a path must fit into a system call. */
const PATH_MAX = 4_096;
/** SQL in a text in SQL. */
const DEPTH_MAX = 3;

type Connect = () => Promise<DuckDBConnection>;

interface NamedPath {
  readonly path: string;
  readonly isWritten: boolean;
}

/** Refuses a statement that would read `.plinth`, or write a file of the project where statements do not write. */
export async function checkFiles(
  call: SessionCall,
  rules: FileRules | undefined,
  connect: Connect,
): Promise<void> {
  if (rules === undefined || !('sql' in call) || call.kind === 'inspect') return;
  // What was inspected reads no files at all.
  if (call.kind === 'read' && call.isInspected === true) return;
  const { sql } = call;
  const { folder, opened } = rules;
  if (!MAY_NAME_FILES.test(sql)) return;
  for await (const { path, isWritten } of pathsIn(sql, connect))
    for (const each of await matches(path, folder, connect)) {
      const real = realPath(folder, each);
      if (real === undefined || opened.some((place) => isIn(real, place) && !isIn(folder, place))) continue;
      if (isIn(real, join(folder, OWN_FOLDER)))
        throw closed(
          each,
          `${OWN_FOLDER} belongs to Plinth`,
          'put the files that models read elsewhere in the project folder',
        );
      if (isWritten && isIn(real, folder) && !WRITABLE.some((place) => isIn(real, join(folder, place))))
        throw closed(
          each,
          `statements write only into ${WRITABLE.join(' and ')} of the project folder`,
          `write it there, or add '${dirname(each)}' to allowed_paths of the connection in config.yaml`,
        );
    }
}

/** What to open for a statement that DuckDB refused for a file or an address; undefined when it failed for another reason. */
export function closedFile(
  thrown: unknown,
  call: SessionCall | undefined,
  rules: FileRules | undefined,
): WireError | undefined {
  const message = messageOf(thrown);
  const extension = /required extension '(\w+)'/.exec(message)?.[1];
  const option = 'of the connection in config.yaml';
  if (extension !== undefined) {
    const address = call !== undefined && 'sql' in call ? ADDRESS_IN_TEXT.exec(call.sql)?.[1] : undefined;
    if (address === undefined) return undefined;
    const isOpen = rules === undefined || rules.opened.some((place) => address.startsWith(place));
    const reason = isOpen ? `the extension ${extension} is not loaded` : 'this address is not open to SQL';
    const hint = isOpen
      ? `add ${extension} to extensions ${option}`
      : `add '${parentOf(address)}' to allowed_paths, and ${extension} to extensions, ${option}`;
    return closed(address, reason, hint).error;
  }
  const path =
    /^Permission Error: Cannot access (?:file|directory) "(.+?)" - file system operations are disabled/.exec(
      message,
    )?.[1];
  if (path === undefined) return undefined;
  if (isAddress(path))
    return closed(
      path,
      'this address is not open to SQL',
      `add '${parentOf(path)}' to allowed_paths ${option}`,
    ).error;
  const target = rules === undefined ? undefined : targetOf(rules.folder, path);
  const reason =
    target === undefined
      ? 'it is not in the project folder'
      : `it is a link to ${target}, outside of the project folder`;
  return closed(path, reason, `add '${parentOf(target ?? path)}' to allowed_paths ${option}`).error;
}

/** Where a path of the project folder leads out of it; undefined when it lies elsewhere itself. */
function targetOf(folder: string, path: string): string | undefined {
  const real = realPath(folder, path);
  const isInside = isIn(resolve(folder, path), folder);
  return real !== undefined && isInside && !isIn(real, realpathSync(folder)) ? real : undefined;
}

/** The bucket or host of an address, the folder of a file. */
const parentOf = (path: string): string =>
  /^[a-z][a-z0-9+.-]+:\/\/[^/]+/i.exec(path)?.[0].concat('/') ?? dirname(path);

const closed = (path: string, reason: string, hint: string): Refusal =>
  new Refusal({ code: 'engine.file-closed', parameters: { path, reason }, hint });

async function* pathsIn(sql: string, connect: Connect, depth = 0): AsyncGenerator<NamedPath> {
  const { tokens } = tokenize(sql);
  for (const index of tokens.keys()) {
    const isWritten = isTarget(tokens, index);
    for (const path of await valuesAt(sql, tokens, index, { connect, isWritten })) {
      if (path.length <= PATH_MAX) yield { path, isWritten };
      if (depth < DEPTH_MAX && MAY_NAME_FILES.test(path)) yield* pathsIn(path, connect, depth + 1);
    }
  }
}

async function valuesAt(
  sql: string,
  tokens: readonly Token[],
  index: number,
  { connect, isWritten }: { readonly connect: Connect; readonly isWritten: boolean },
): Promise<readonly string[]> {
  const { kind, text } = tokens[index] as Token;
  if (kind === 'string') return plainText(text) ?? valuesOf(text, connect);
  if (kind === 'name') return /[./]/.test(text) ? [text.slice(1, -1).replaceAll('""', '"')] : [];
  if (isWritten && text === '(') return valuesOf(argumentAt(sql, tokens, index + 1), connect);
  if (kind !== 'word' || tokens[index + 1]?.text !== '(' || !CALLS.test(text)) return [];
  const given = argumentAt(sql, tokens, index + 2);
  // A single text is met as a token of its own.
  return plainText(given) === undefined ? valuesOf(given, connect) : [];
}

/** Whether a token names what COPY or EXPORT DATABASE writes. */
function isTarget(tokens: readonly Token[], index: number): boolean {
  if (isWord(tokens[index - 1], 'database')) return isWord(tokens[index - 2], 'export');
  if (!isWord(tokens[index - 1], 'to')) return false;
  const start = tokens.findLastIndex(({ text }, at) => at < index && text === ';') + 1;
  return tokens.slice(start, start + 3).some((token) => isWord(token, 'copy'));
}

const isWord = (token: Token | undefined, word: string): boolean => token?.text.toLowerCase() === word;

function plainText(text: string): readonly string[] | undefined {
  return /^'(?:[^']|'')*'$/.test(text) ? [text.slice(1, -1).replaceAll("''", "'")] : undefined;
}

/** The text of the argument that begins at a token, up to the comma or parenthesis behind it. */
function argumentAt(sql: string, tokens: readonly Token[], from: number): string {
  let depth = 0;
  for (let index = from; index < tokens.length; index++) {
    const { text, kind, start } = tokens[index] as Token;
    const isOver = depth === 0 && (text === ',' || text === ')');
    if (kind === 'end' || isOver) return sql.slice(tokens[from]?.start ?? start, start).trim();
    if ('([{'.includes(text)) depth++;
    else if (')]}'.includes(text)) depth--;
  }
  return '';
}

/** What DuckDB makes of an argument; nothing where it is not constant, which the statement itself fails on. */
async function valuesOf(expression: string, connect: Connect): Promise<readonly string[]> {
  if (expression === '' || tokenize(expression).tokens.some(({ text }) => text === ';')) return [];
  try {
    const answer = await (await connect()).runAndReadAll(`SELECT ${expression}`);
    return answer
      .getRowsJson()
      .flat(3)
      .flatMap((value) => (typeof value === 'string' ? [value] : []));
  } catch {
    return [];
  }
}

/** The files behind a pattern. A pattern that cannot be followed stands for itself. */
async function matches(path: string, folder: string, connect: Connect): Promise<readonly string[]> {
  const fixed = path.split(GLOB, 1)[0] ?? '';
  const base = resolve(folder, fixed.endsWith('/') ? fixed : dirname(fixed));
  if (fixed === path || isAddress(path) || !(isIn(base, folder) || isIn(folder, base))) return [path];
  try {
    const answer = await (await connect()).runAndReadAll(
      `SELECT file FROM system.main.glob(${textSql(path)})`,
    );
    return [path, ...answer.getRowsJson().map(([file]) => String(file))];
  } catch {
    return [path];
  }
}

const isAddress = (path: string): boolean => /^(?!file:)[a-z][a-z0-9+.-]+:/i.test(path);

/** Where the system would look; for a file that is not there yet, by the folder it would be in. */
function realPath(folder: string, path: string): string | undefined {
  if (isAddress(path) || path.includes('\0') || path === '') return undefined;
  const local = path.replace(/^file:(?:\/\/(?:localhost)?(?=\/))?/i, '');
  let known = local.startsWith(sep) ? local : `${folder}${sep}${local}`;
  const rest: string[] = [];
  while (!existsSync(known) && dirname(known) !== known) {
    rest.unshift(basename(known));
    known = dirname(known);
  }
  return join(realpathSync(known), ...rest);
}

const isIn = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
