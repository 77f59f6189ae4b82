import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { FileProblem } from '../../domain/file-source.ts';
import type { ModelDefinition } from '../../domain/model.ts';
import type { CsvSettings } from '../../domain/model-kind.ts';
import { foldPart } from '../../domain/model-name.ts';
import type { Diagnostic, SourceRange } from '../../foundation/diagnostics/diagnostic.ts';
import { didYouMean } from '../../foundation/diagnostics/nearest.ts';
import { hash128 } from '../../foundation/hash128.ts';
import { MISSING_VALUES, readCsvHead, sniffType } from './csv-head.ts';

/** How much of a seed is looked at to find the types of columns that are not declared. */
export const SEED_HEAD_BYTES = 256 * 1024;
const ROWS_MAX = 10_000;
/** Of a very wide file fewer rows are looked at, so that the work stays the same. */
const VALUES_MAX = 500_000;
const HEADER_PROBLEMS_MAX = 10;
/** A cut through a character or a byte-order mark makes the head this much shorter. */
const HEAD_CUT_MAX = 8;

/** What is known of a seed's file: its hash and its beginning. */
export interface SeedDigest {
  readonly hash: string;
  readonly head: string;
}

/**
 * Completes a SEED model, which `loadModelFile` leaves without its file: header, columns and content hash.
 * Undefined when the file cannot be used; then the model is broken and what is wrong was reported.
 */
export function completeSeed(
  definition: ModelDefinition,
  digest: SeedDigest | FileProblem,
  otherFiles: Iterable<string> = [],
): { readonly definition?: ModelDefinition; readonly diagnostics: readonly Diagnostic[] } {
  const { source, kind } = definition;
  if (source.kind !== 'seed' || kind.kind !== 'seed') return { definition, diagnostics: [] };
  const at = (what: string): SourceRange =>
    definition.ranges[what] ?? definition.ranges['kind'] ?? { file: definition.file, start: 0, end: 0 };
  if ('kind' in digest) return { diagnostics: [problem(digest, source.path, at('kind.path'), otherFiles)] };
  const { rows, endsInQuotes, endsWithLine } = readCsvHead(digest.head, kind.csv, ROWS_MAX);
  const [names, ...values] = rows;
  const { path } = source;
  if (names === undefined)
    return { diagnostics: [diagnostic('seed.empty', { path }, { at: at('kind.path') })] };
  if (values.length === 0 && endsInQuotes)
    return { diagnostics: [diagnostic('seed.unclosed-header', { path }, { at: at('kind.path') })] };
  // The end of the head is not the end of the file: names behind it are not known, and the last one may be half.
  if (
    values.length === 0 &&
    !endsWithLine &&
    Buffer.byteLength(digest.head) >= SEED_HEAD_BYTES - HEAD_CUT_MAX
  )
    return { diagnostics: [diagnostic('seed.long-header', { path }, { at: at('kind.path') })] };
  const header = names.map((name) => foldPart({ name: name.trim(), quoted: false }, definition.dialect));
  const diagnostics = checkHeader(header, path, at('kind.path'));
  // The head may end in the middle of a row, whose last value would be cut short.
  const complete = endsWithLine || values.length < 2 ? values : values.slice(0, -1);
  const whole = complete.slice(0, Math.ceil(VALUES_MAX / names.length));
  const declared = definition.declaredColumns;
  if (declared !== undefined) diagnostics.push(...checkDeclared(definition, declared, header, path, at));
  if (diagnostics.some((d) => d.severity === 'error')) return { diagnostics };
  const columns =
    declared ??
    header.map((name, i) => ({
      name,
      type: sniffType(
        whole.map((row) => row[i] ?? ''),
        missingValues(kind.csv, name),
      ),
    }));
  const columnHashes = columnHashesOf(digest.head, kind.csv, header);
  return {
    definition: {
      ...definition,
      source: {
        ...source,
        contentHash: digest.hash,
        header,
        columns,
        ...(columnHashes === undefined ? {} : { columnHashes }),
      },
    },
    diagnostics,
  };
}

/** The values of each column, row by row, as a hash, by lower-case name; undefined where the head is not the whole file or rows are not as wide as the header. */
function columnHashesOf(
  head: string,
  csv: CsvSettings,
  header: readonly string[],
): Readonly<Record<string, string>> | undefined {
  if (Buffer.byteLength(head) >= SEED_HEAD_BYTES - HEAD_CUT_MAX) return undefined;
  const { rows, endsInQuotes } = readCsvHead(head, csv, Number.POSITIVE_INFINITY, { isExact: true });
  if (endsInQuotes || rows.some((row) => row.length !== header.length)) return undefined;
  const [, ...values] = rows;
  return Object.fromEntries(
    header.map((name, at) => [name.toLowerCase(), hash128(JSON.stringify(values.map((row) => row[at])))]),
  );
}

function problem(found: FileProblem, path: string, at: SourceRange, files: Iterable<string>): Diagnostic {
  if (found.kind === 'escapes-project') return diagnostic('seed.escapes-project', { path }, { at });
  if (found.kind === 'not-utf8') return diagnostic('seed.not-utf8', { path, detail: found.detail }, { at });
  return diagnostic(
    'seed.missing-file',
    { path, detail: found.detail },
    { at, hint: didYouMean(path, files) },
  );
}

function checkHeader(header: readonly string[], path: string, at: SourceRange): Diagnostic[] {
  const seen = new Set<string>();
  const problems = header.flatMap((column, i) => {
    if (column === '') return [diagnostic('seed.unnamed-column', { path, position: i + 1 }, { at })];
    if (seen.has(column.toLowerCase()))
      return [diagnostic('seed.duplicate-header', { path, column }, { at })];
    seen.add(column.toLowerCase());
    return [];
  });
  return problems.slice(0, HEADER_PROBLEMS_MAX);
}

function checkDeclared(
  definition: ModelDefinition,
  declared: readonly { readonly name: string }[],
  header: readonly string[],
  path: string,
  at: (what: string) => SourceRange,
): readonly Diagnostic[] {
  const inHeader = new Set(header.map((name) => name.toLowerCase()));
  const inBlock = new Set(declared.map((column) => column.name.toLowerCase()));
  return [
    ...declared
      .filter((column) => !inHeader.has(column.name.toLowerCase()))
      .map((column) =>
        diagnostic(
          'seed.unknown-column',
          { column: column.name, path },
          {
            at: at(`columns.${column.name}`),
            hint: didYouMean(column.name, header) ?? `its columns are ${header.join(', ')}`,
          },
        ),
      ),
    ...header
      .filter((name) => !inBlock.has(name.toLowerCase()))
      .map((column) =>
        diagnostic(
          'seed.undeclared-column',
          { column, path },
          { at: definition.ranges['columns'] ?? at('kind.path') },
        ),
      ),
  ];
}

/** Texts that stand for no value in this column. */
export function missingValues(csv: CsvSettings, column: string): ReadonlySet<string> {
  const own = isList(csv.naValues) ? csv.naValues : (csv.naValues[column] ?? []);
  return new Set([...(csv.keepDefaultNa ? MISSING_VALUES : ['']), ...own]);
}

function isList(values: CsvSettings['naValues']): values is readonly string[] {
  return Array.isArray(values);
}
