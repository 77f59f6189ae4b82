import { catalog } from '../../domain/diagnostics/catalog.ts';
import type { CatalogEntry } from '../../foundation/diagnostics/catalog.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { type JsonDiagnostic, jsonDiagnostic } from '../../foundation/diagnostics/json-diagnostic.ts';
import { printable } from './printable.ts';

/** What was found, for programs. */
export interface LintReport {
  readonly diagnostics: readonly Diagnostic[];
  readonly sources: ReadonlyMap<string, string>;
  /** Where the project lies below the root of the repository: empty, or with a slash at its end. */
  readonly prefix: string;
}

/** The text of a report for stdout; undefined for text, which is for eyes and goes to stderr. */
export function lintReport(format: string | undefined, report: LintReport): string | undefined {
  const found = report.diagnostics.map((each) => jsonDiagnostic(each, report.sources));
  switch (format) {
    case 'json':
      return `${JSON.stringify(found)}\n`;
    case 'github':
      return found.map((each) => `${annotation(each, report.prefix)}\n`).join('');
    case 'sarif':
      return `${JSON.stringify(sarif(found, report.prefix), null, 2)}\n`;
    default:
      return undefined;
  }
}

const COMMANDS = { error: 'error', warning: 'warning', note: 'notice' } as const;

/** A workflow command of GitHub Actions. Percent signs and line ends are escaped, in properties colons and commas too. */
function annotation(found: JsonDiagnostic, prefix: string): string {
  const { code, severity, message, hint, file, line, column, end_line, end_column } = found;
  const isOneLine = line === end_line;
  const properties = [
    ['file', file === null ? null : `${prefix}${file}`],
    ['line', line],
    ['endLine', end_line],
    // GitHub refuses columns of a place that has several lines.
    ['col', isOneLine ? column : null],
    ['endColumn', isOneLine ? end_column : null],
    ['title', code],
  ].flatMap(([name, value]) => (value === null ? [] : [`${name}=${property(String(value))}`]));
  const text = hint === null ? message : `${message}\n${hint}`;
  return `::${COMMANDS[severity]} ${properties.join(',')}::${escaped(text)}`;
}

const escaped = (text: string): string =>
  printable(text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A'));

const property = (text: string): string => escaped(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

/** SARIF 2.1.0: one run, a rule for each code that was found. */
function sarif(found: readonly JsonDiagnostic[], prefix: string): unknown {
  const codes = [...new Set(found.map(({ code }) => code))].sort();
  return {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'plinth', rules: codes.map(ruleOf) } },
        columnKind: 'utf16CodeUnits',
        results: found.map((each) => resultOf(each, codes, prefix)),
      },
    ],
  };
}

function ruleOf(code: string): unknown {
  const entry = (catalog as Readonly<Record<string, CatalogEntry | undefined>>)[code];
  if (entry === undefined) return { id: code };
  return {
    id: code,
    shortDescription: { text: entry.explain.split(/(?<=\.)\s/)[0] },
    fullDescription: { text: entry.explain },
    ...(entry.hint === undefined ? {} : { help: { text: entry.hint } }),
    defaultConfiguration: { level: entry.severity },
  };
}

function resultOf(found: JsonDiagnostic, codes: readonly string[], prefix: string): unknown {
  const { code, severity, message, hint, file, line, column, end_line, end_column } = found;
  const region =
    line === null
      ? {}
      : { region: { startLine: line, startColumn: column, endLine: end_line, endColumn: end_column } };
  const uri = `${prefix}${file}`.split('/').map(encodeURIComponent).join('/');
  return {
    ruleId: code,
    ruleIndex: codes.indexOf(code),
    level: severity,
    message: { text: hint === null ? message : `${message}\n${hint}` },
    ...(file === null ? {} : { locations: [{ physicalLocation: { artifactLocation: { uri }, ...region } }] }),
  };
}
