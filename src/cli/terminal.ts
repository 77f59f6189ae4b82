import { styleText } from 'node:util';
import type { DiagnosticStyle } from '../foundation/diagnostics/render-diagnostic.ts';

/** `rich` draws for eyes, `plain` prints whole lines and tab-separated tables for programs and logs, `json` prints one envelope. */
export type RenderMode = 'rich' | 'plain' | 'json';

/** Names of `util.styleText` that we use: few, so that the output stays calm. */
export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan' | 'magenta' | 'blue';

/** Where a command's text goes, decided once. stdout carries data, stderr everything else. */
export interface Terminal {
  readonly mode: RenderMode;
  readonly width: number;
  readonly isQuiet: boolean;
  readonly isVerbose: boolean;
  /** Whether box and arrow characters can be shown. */
  readonly hasUnicode: boolean;
  /** stderr is a terminal whose last line can be redrawn. */
  readonly canRedraw: boolean;
  readonly isInputTerminal: boolean;
  /** One or more lines to stdout. */
  out(text: string): void;
  /** To stdout as it is, without line end. */
  write(text: string): void;
  /** To stderr, unless `--quiet`. */
  note(text: string): void;
  /** To stderr in any case: errors. */
  error(text: string): void;
  /** Without line end, to stderr: for redrawn lines. */
  draw(text: string): void;
  style(style: Style, text: string): string;
  readonly diagnosticStyle: DiagnosticStyle;
}

/** A stream as far as rendering is concerned. */
export interface TerminalStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export interface TerminalSettings {
  readonly stdout: TerminalStream;
  readonly stderr: TerminalStream;
  readonly isInputTerminal: boolean;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly color: 'auto' | 'always' | 'never';
  readonly isJson: boolean;
  readonly isQuiet: boolean;
  readonly isVerbose: boolean;
  readonly platform: string;
}

/** Chooses mode, colours, width and characters from flags, variables and streams, in that order. */
export function createTerminal(settings: TerminalSettings): Terminal {
  const { stdout, stderr, variables, isQuiet } = settings;
  const isDumb = variables['TERM'] === 'dumb';
  const isInteractive = stdout.isTTY === true && !isDumb && !isSet(variables['CI']);
  const colors = { out: hasColor(settings, stdout), err: hasColor(settings, stderr) };
  const columns = stdout.columns ?? stderr.columns ?? 0;
  const paint = (isOn: boolean, style: Style, text: string): string =>
    isOn ? styleText(style, text, { validateStream: false }) : text;
  return {
    mode: settings.isJson ? 'json' : isInteractive ? 'rich' : 'plain',
    width: columns > 20 ? columns : 80,
    isQuiet,
    isVerbose: settings.isVerbose,
    hasUnicode: hasUnicode(variables, settings.platform),
    canRedraw: stderr.isTTY === true && !isDumb && !isSet(variables['CI']) && !settings.isJson,
    isInputTerminal: settings.isInputTerminal,
    out: (text) => void stdout.write(`${text}\n`),
    write: (text) => void stdout.write(text),
    note: (text) => void (isQuiet || stderr.write(`${text}\n`)),
    error: (text) => void stderr.write(`${text}\n`),
    draw: (text) => void (isQuiet || stderr.write(text)),
    style: (style, text) => paint(colors.out, style, text),
    diagnosticStyle: {
      severity: (severity, text) =>
        paint(colors.err, severity === 'error' ? 'red' : severity === 'warning' ? 'yellow' : 'cyan', text),
      faint: (text) => paint(colors.err, 'dim', text),
      strong: (text) => paint(colors.err, 'bold', text),
    },
  };
}

/** `--color`, then NO_COLOR, then FORCE_COLOR, then whether the stream is a terminal. */
function hasColor({ color, variables, isJson }: TerminalSettings, stream: TerminalStream): boolean {
  if (isJson || color === 'never') return false;
  if (color === 'always') return true;
  if (isSet(variables['NO_COLOR'])) return false;
  const forced = variables['FORCE_COLOR'];
  if (isSet(forced)) return forced !== '0' && forced !== 'false';
  return stream.isTTY === true && variables['TERM'] !== 'dumb';
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

function hasUnicode(variables: Readonly<Record<string, string | undefined>>, platform: string): boolean {
  const locale = variables['LC_ALL'] || variables['LC_CTYPE'] || variables['LANG'];
  // Without any locale, macOS terminals and every log viewer of today read UTF-8; a named locale is used.
  if (locale === undefined || locale === '') return platform !== 'win32';
  return /utf-?8/i.test(locale);
}
