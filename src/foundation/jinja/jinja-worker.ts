/** The only place that loads the Jinja library. It runs in a thread of its own, so that a template that eats time or memory can be stopped. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { Environment } from 'minijinja-js';
import type { JinjaError, JinjaRequest, JinjaResult, JinjaValue } from './jinja-protocol.ts';

const FUEL = 2_000_000;
const TEXT_MAX = 10_000_000;
const MAIN = 'the text';

const { port, signal } = workerData as { readonly port: MessagePort; readonly signal: Int32Array };

port.on('message', (request: JinjaRequest) => {
  const result = render(request);
  port.postMessage(result);
  Atomics.store(signal, 0, 1);
  Atomics.notify(signal, 0);
});

/** A panic of the library reaches us as a trap of its machine. */
function isCrash(error: unknown): boolean {
  return error instanceof Error && error.name === 'RuntimeError';
}

parentPort?.postMessage('ready');

function render(request: JinjaRequest): JinjaResult {
  const looked = new Set<string>();
  const environment = new Environment();
  let importsLength = 0;
  try {
    environment.fuel = FUEL;
    environment.debug = true;
    environment.keepTrailingNewline = true;
    // The library spells the name of this behaviour so; it forbids printing what is undefined and allows testing for it.
    environment.undefinedBehavior = 'semi_strct';
    environment.enablePyCompat();
    for (const [name, value] of Object.entries(request.globals)) environment.addGlobal(name, value);
    for (const [name, values] of Object.entries(request.lookups))
      environment.addGlobal(name, lookUp(name, values, looked));
    const imports = addMacros(environment, request.macros);
    importsLength = imports.length;
    const text = environment.renderNamedStr(MAIN, imports + request.text, {});
    if (text.length > TEXT_MAX)
      return {
        ok: false,
        error: { kind: 'crash', message: 'it makes more than 10 MB of text' },
        looked: [...looked],
      };
    return { ok: true, text, looked: [...looked] };
  } catch (error) {
    return { ok: false, error: describe(error, importsLength), looked: [...looked] };
  }
}

/** Never throws: an exception would pass through the library as a crash. */
function lookUp(name: string, values: Readonly<Record<string, JinjaValue>>, looked: Set<string>) {
  return (...given: readonly unknown[]): unknown => {
    const key = String(given[0] ?? '').toLowerCase();
    looked.add(`${name}:${key}`);
    if (Object.hasOwn(values, key)) return values[key];
    const fallback = given[1];
    return fallback instanceof Map ? fallback.get('default') : fallback;
  };
}

const MACRO = /\{%-?\s*macro\s+([A-Za-z_]\w*)\s*\(/g;

/** Registers all macro files; each sees the macros of the others. Gives the text that imports them, which adds no line. */
function addMacros(environment: Environment, files: JinjaRequest['macros']): string {
  const exported = files.map(({ file, text }) => ({
    file,
    text,
    names: [...text.matchAll(MACRO)].map((match) => match[1] as string),
  }));
  const importOf = (file: string, names: readonly string[]): string =>
    names.length === 0 ? '' : `{% from ${JSON.stringify(file)} import ${names.join(', ')} %}`;
  exported.forEach(({ file, text }, i) => {
    // Only earlier files are imported, so that no two import each other.
    const before = exported.slice(0, i).map((other) => importOf(other.file, other.names));
    environment.addTemplate(file, before.join('') + text);
  });
  return exported.map(({ file, names }) => importOf(file, names)).join('');
}

/** Takes the message and the place out of the library's report. */
function describe(error: unknown, importsLength: number): JinjaError {
  if (isCrash(error)) return { kind: 'crash', message: 'it needs too much memory' };
  const report = error instanceof Error ? error.message : String(error);
  const head = report.split('\n', 1)[0] ?? '';
  const found = /^(.*?)(?: \(in (.+):(\d+)\))?$/.exec(head);
  const message = found?.[1] ?? head;
  const kind = /ran out of fuel|too many elements|recursion limit/.test(message) ? 'limit' : 'template';
  if (found?.[3] === undefined) return { kind, message };
  const line = Number(found[3]);
  const file: { readonly file?: string } = found[2] === MAIN ? {} : { file: found[2] as string };
  return {
    kind,
    message: named(message, report, line),
    line,
    ...file,
    ...moved(columnsOf(report, line), file.file === undefined && line === 1 ? importsLength : 0),
  };
}

interface Columns {
  readonly column?: number;
  readonly columnEnd?: number;
}

function columnsOf(report: string, line: number): Columns {
  const shown = new RegExp(`\\n( *${line} > )[^\\n]*\\n([^^\\n]*)(\\^+)`).exec(report);
  if (shown === null) return {};
  const column = (shown[2] as string).length - (shown[1] as string).length + 1;
  return column < 1 ? {} : { column, columnEnd: column + (shown[3] as string).length };
}

/** The imports stand before the first line of the text without being part of it. */
function moved({ column, columnEnd }: Columns, by: number): Columns {
  return column === undefined || columnEnd === undefined || column <= by
    ? {}
    : { column: column - by, columnEnd: columnEnd - by };
}

/** `undefined value` alone does not say which: the marked text does. */
function named(message: string, report: string, line: number): string {
  if (message !== 'undefined value') return message;
  const { column, columnEnd } = columnsOf(report, line);
  const text = new RegExp(`\\n *${line} > ([^\\n]*)`).exec(report)?.[1];
  if (text === undefined || column === undefined || columnEnd === undefined) return message;
  return `${text.slice(column - 1, columnEnd - 1)} is not defined`;
}
