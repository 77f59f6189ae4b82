/** Jinja blocks: rendered as a whole, then led back to the user's text where the two are alike. */
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { SqlText } from '../../domain/sql-text.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { JinjaError, JinjaValue } from '../../foundation/jinja/jinja-protocol.ts';
import { renderJinja } from '../../foundation/jinja/render-jinja.ts';
import { TIME_MACRO_NAMES, timeMacroValue } from '../../foundation/time/time-macro.ts';
import type { ExpansionContext } from './expansion.ts';
import { copiedFragment, type Fragment, FragmentBuilder, madeFragment } from './fragment.ts';
import { bareText } from './values.ts';
import type { MacroReads } from './variables.ts';

/** The rendered block; undefined when it could not be rendered, which is then reported. */
export function expandJinja(
  statement: SqlText,
  context: ExpansionContext,
  reads: MacroReads,
  report: (found: Diagnostic) => void,
): Fragment | undefined {
  noteNames(statement, context, reads);
  const blueprint = Object.fromEntries(
    Object.entries(context.sqlVariables).map(([name, sql]) => [name, bareText(sql, context.dialect)]),
  );
  const result = renderJinja({
    text: statement.text,
    globals: { ...context.variables, ...blueprint, ...platformValues(context) },
    lookups: {
      var: { ...context.variables, gateway: context.gateway },
      // As in SQLMesh this gives SQL: a string comes with its quotes.
      blueprint_var: context.sqlVariables,
      gateway: { '': context.gateway },
    },
    macros: context.jinjaMacros,
  });
  for (const name of result.looked)
    if (name.startsWith('var:')) reads.variables.add(name.slice('var:'.length));
  if (result.ok) return aligned(statement, result.text);
  report(describe(result.error, statement, context));
  return undefined;
}

function platformValues(context: ExpansionContext): Readonly<Record<string, JinjaValue>> {
  const { start, end, execution } = context.times;
  const times = TIME_MACRO_NAMES.map((name) => {
    const { kind, text } = timeMacroValue(name, { start, end }, execution);
    return [name, kind === 'number' ? Number(text) : text] as const;
  });
  return {
    ...Object.fromEntries(times),
    this_model: context.thisModel,
    runtime_stage: context.runtimeStage,
    this_env: context.environment,
  };
}

const TAG = /\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}|\{#[\s\S]*?#\}/g;

/** Every name inside a tag counts as looked up, since a template does not say which it used. */
function noteNames(statement: SqlText, context: ExpansionContext, reads: MacroReads): void {
  for (const { text } of [statement, ...context.jinjaMacros]) {
    for (const [tag] of text.matchAll(TAG)) {
      if (tag.startsWith('{#')) continue;
      for (const [word] of tag.matchAll(/[A-Za-z_]\w*/g)) {
        const name = word.toLowerCase();
        if (name === 'gateway') reads.context.add('gateway');
        else if (name === 'this_env') reads.context.add('environment');
        else if (name === 'runtime_stage') reads.context.add('runtime-stage');
        else if (TIME_NAMES.has(name)) reads.context.add('times');
        else reads.variables.add(name);
      }
    }
  }
}

const TIME_NAMES: ReadonlySet<string> = new Set(TIME_MACRO_NAMES);
const CHUNK_MIN = 3;

/**
 * Leads rendered text back: text between tags appears in the result as it was written, in order. What cannot be found again (repeated by a loop,
 * made by a tag) leads back to the whole block.
 */
function aligned(statement: SqlText, rendered: string): Fragment {
  const { text, start } = statement;
  if (rendered === text) return copiedFragment(text, start);
  const block = { start, end: start + text.length };
  const out = new FragmentBuilder();
  let done = 0;
  const take = (from: number, to: number): void => {
    const chunk = text.slice(from, to).trim();
    if (chunk.length < CHUNK_MIN) return;
    const found = rendered.indexOf(chunk, done);
    if (found < 0) return;
    const at = text.indexOf(chunk, from);
    out.add(madeFragment(rendered.slice(done, found), block));
    out.add(copiedFragment(chunk, start + at));
    done = found + chunk.length;
  };
  let from = 0;
  for (const match of text.matchAll(TAG)) {
    take(from, match.index);
    from = match.index + match[0].length;
  }
  take(from, text.length);
  out.add(madeFragment(rendered.slice(done), block));
  return out.fragment();
}

function describe(error: JinjaError, { text, start }: SqlText, context: ExpansionContext): Diagnostic {
  const isOurs = error.file === undefined && error.line !== undefined;
  let from = 0;
  for (let line = 1; isOurs && line < (error.line ?? 1); line++) {
    const next = text.indexOf('\n', from);
    if (next < 0) break;
    from = next + 1;
  }
  const newline = text.indexOf('\n', from);
  const lineEnd = newline < 0 ? text.length : newline;
  const hasColumn = isOurs && error.column !== undefined;
  const at = isOurs
    ? {
        file: context.file,
        start: start + (hasColumn ? Math.min(from + (error.column ?? 1) - 1, lineEnd) : from),
        end: start + (hasColumn ? Math.min(from + (error.columnEnd ?? 1) - 1, lineEnd) : lineEnd),
      }
    : { file: context.file, start, end: start + text.length };
  const place = error.file === undefined ? '' : ` in ${error.file}:${error.line ?? 1}`;
  if (error.kind === 'template')
    return diagnostic('macro.jinja', { reason: `${error.message}${place}` }, { at });
  return diagnostic('macro.jinja-too-long', { reason: `${error.message}${place}` }, { at });
}
