import type { Audit } from '../../domain/audit.ts';
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { SourceFile } from '../../domain/source-file.ts';
import type { Diagnostic, SourceRange } from '../../foundation/diagnostics/diagnostic.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import type { Token } from '../../foundation/sql/token.ts';
import { tokenize } from '../../foundation/sql/tokenize.ts';
import { cutSegments, type FileSegment } from './cut-segments.ts';
import { isQuery } from './cut-sql-statements.ts';
import { dialectInText } from './dialect-in-text.ts';
import {
  type BlockKey,
  type BlockProperty,
  type BlockReader,
  cutProperties,
  report,
  reportUnused,
  suggestion,
  unused,
} from './header/block.ts';
import { readDialect } from './header/model-properties.ts';
import { tableName } from './header/names.ts';
import { isSymbol, itemsOf, sizeOf } from './header/slice.ts';
import {
  type NamedValue,
  readBoolean,
  readChoice,
  readProperties,
  readText,
  readTexts,
  wrong,
} from './header/values.ts';
import { maskJinja, withoutJinjaComments } from './jinja-sections.ts';
import { lexicalDiagnostic } from './lexical-diagnostic.ts';

/** What one file of audits/ gave. */
export interface LoadedAuditFile {
  readonly audits: readonly Audit[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads one file of audits/: any number of AUDIT blocks, each followed by its query. */
export function loadAuditFile(written: SourceFile, defaultDialect: Dialect): LoadedAuditFile {
  const dialect = dialectInText(written.text) ?? defaultDialect;
  const { tokens, error } = tokenize(maskJinja(written.text, dialect), dialect);
  const file = { ...written, text: withoutJinjaComments(written.text, dialect) };
  const diagnostics: Diagnostic[] = [];
  if (error !== undefined) diagnostics.push(lexicalDiagnostic(error, file.path));
  else if (tokens.length === 1) {
    const at = { file: file.path, start: 0, end: 0 };
    return { audits: [], diagnostics: [diagnostic('file.empty', { path: file.path }, { at })] };
  }
  const reader: BlockReader = { block: 'AUDIT', dialect, diagnostics };
  const segments = cutSegments(file, tokens, error === undefined ? reader : { ...reader, diagnostics: [] });
  const audits: Audit[] = [];
  for (const segment of segments) {
    if (segment.word !== 'AUDIT') {
      const first = tokens[segment.at] as Token;
      const at = { file: file.path, start: first.start, end: first.end };
      diagnostics.push(diagnostic('audit.missing-block', { file: file.path }, { at }));
      continue;
    }
    const audit = readAudit(segment, file, tokens, reader);
    if (audit !== undefined) audits.push(audit);
  }
  // With an unclosed quote the last audit of the file is the one that cannot be read.
  return { audits: error === undefined ? audits : audits.slice(0, -1), diagnostics };
}

type Draft = { -readonly [Key in keyof Audit]?: Audit[Key] | undefined } & { blocking?: boolean | undefined };

type ReadProperty = (reader: BlockReader, named: NamedValue, into: Draft) => void;

const NO_INTERVALS = 'a standalone audit has no intervals';

/** Every property of an AUDIT block. */
export const AUDIT_PROPERTIES: Readonly<Record<string, BlockKey<ReadProperty>>> = {
  name: { read: (r, n, into) => (into.name = readText(r, n, 'a name')?.toLowerCase()) },
  dialect: { read: (r, n, into) => (into.dialect = readDialect(r, n)) },
  skip: { read: (r, n, into) => (into.skip = readBoolean(r, n)) },
  blocking: { read: (r, n, into) => (into.blocking = readBoolean(r, n)) },
  standalone: { read: (r, n, into) => (into.isStandalone = readBoolean(r, n)) },
  on_failure: { read: (r, n, into) => (into.onFailure = readChoice(r, n, ['stop', 'quarantine'])) },
  defaults: { read: (r, n, into) => (into.defaults = lowerKeys(readProperties(r, n))) },
  description: { read: (r, n, into) => (into.description = readText(r, n, 'a text in quotes')) },
  owner: { read: (r, n, into) => (into.owner = readText(r, n)) },
  tags: { read: (r, n, into) => (into.tags = readTexts(r, n)) },
  depends_on: {
    read: (r, n, into) =>
      (into.dependsOn = itemsOf(n.value).flatMap(
        (item) => tableName(item, r, undefined) ?? wrong(r, n, 'a model name', item) ?? [],
      )),
  },
  formatting: unused('files are formatted only when asked for'),
  project: unused('a folder is one project'),
  stamp: unused('audits have no versions'),
  cron: unused('a standalone audit runs after what it reads'),
  cron_tz: unused('a standalone audit runs after what it reads'),
  start: unused(NO_INTERVALS),
  end: unused(NO_INTERVALS),
  interval_unit: unused(NO_INTERVALS),
  model: unused('models ask for audits, not the other way round'),
  dbt_node_info: unused('dbt projects are not read'),
};

/** Reads one AUDIT block and its query; undefined when either is missing (reported). */
export function readAudit(
  segment: FileSegment,
  file: SourceFile,
  tokens: readonly Token[],
  outer: BlockReader,
): Audit | undefined {
  const reader: BlockReader = { ...outer, block: 'AUDIT' };
  const block = segment.block;
  if (block === undefined) return undefined;
  const word = tokens[segment.at] as Token;
  const at: SourceRange = { file: file.path, start: word.start, end: word.end };
  const draft: Draft = {};
  const ranges = readProperty(cutProperties(block.inner, reader), reader, draft);
  const next = tokens[block.next] as Token;
  if (next.kind !== 'end' && !isSymbol(next, ';'))
    report(
      reader,
      'model.missing-semicolon',
      { block: 'AUDIT', found: next.text },
      { file: file.path, start: next.start, end: next.end },
    );
  if (draft.name === undefined && !ranges.has('name')) report(reader, 'audit.missing-name', {}, at);
  const name = draft.name ?? '';
  const queries = segment.statements.filter((statement) => isQuery(tokens, statement));
  const [query, second] = queries;
  if (query === undefined) report(reader, 'audit.no-query', { name }, at);
  if (second !== undefined)
    report(
      reader,
      'audit.several-queries',
      { name },
      { file: file.path, start: second.sql.start, end: second.sql.start + second.sql.text.length },
    );
  const isStandalone = draft.isStandalone ?? false;
  if (query === undefined || draft.name === undefined) return undefined;
  return {
    name,
    file: file.path,
    dialect: draft.dialect ?? reader.dialect,
    isBlocking: draft.blocking ?? !isStandalone,
    isStandalone,
    skip: draft.skip ?? false,
    onFailure: draft.onFailure ?? 'stop',
    defaults: draft.defaults ?? {},
    query: query.sql,
    statements: segment.statements
      .filter((statement) => statement !== query && statement !== second)
      .map((statement) => statement.sql),
    ...(draft.description === undefined ? {} : { description: draft.description }),
    ...(draft.owner === undefined ? {} : { owner: draft.owner }),
    dependsOn: draft.dependsOn ?? [],
    tags: draft.tags ?? [],
    at,
  };
}

function readProperty(
  properties: readonly BlockProperty[],
  reader: BlockReader,
  into: Draft,
): ReadonlyMap<string, SourceRange> {
  const ranges = new Map<string, SourceRange>();
  for (const { name, nameRange, value } of properties) {
    const key = Object.hasOwn(AUDIT_PROPERTIES, name) ? AUDIT_PROPERTIES[name] : undefined;
    if (key === undefined)
      report(
        reader,
        'model.unknown-property',
        { property: name, block: 'AUDIT' },
        nameRange,
        suggestion(reader, name, Object.keys(AUDIT_PROPERTIES)),
      );
    else if (ranges.has(name)) report(reader, 'model.duplicate-property', { property: name }, nameRange);
    else {
      ranges.set(name, nameRange);
      reportUnused(reader, { name, nameRange }, key);
      if (key.read === undefined) continue;
      if (sizeOf(value) === 0) wrong(reader, { property: name, nameRange, value }, 'a value');
      else key.read(reader, { property: name, nameRange, value }, into);
    }
  }
  return ranges;
}

function lowerKeys(
  record: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> | undefined {
  return (
    record && Object.fromEntries(Object.entries(record).map(([key, value]) => [key.toLowerCase(), value]))
  );
}
