import type { Token } from '../../../foundation/sql/token.ts';
import { closingIndex } from '../../../foundation/sql/token-ranges.ts';
import { stringText, tokenize } from '../../../foundation/sql/tokenize.ts';
import { type BlockReader, report, suggestion } from './block.ts';
import { isSymbol, part, rangeOf, type Slice, sizeOf, splitAtCommas, textOf, tokenAt } from './slice.ts';

/**
 * Replaces variables in a value of a block:
 *
 *   name @{schema}.orders_@region      SQL texts of the variables: schema → 'eu', region → north
 *   name eu.orders_north               cut into tokens again; every offset still leads to the file
 */
export interface Variables {
  /** SQL text by lower-case name: `'eu'`, `1`, `(a, b)`. */
  readonly texts: ReadonlyMap<string, string>;
  /** Evaluates a macro call (`@IF(…)`, a user's macro) to SQL text; without it such a call is an error. */
  readonly evaluate?: EvaluateMacro | undefined;
}

/** Evaluates `@name(…)` in a block, given its text and the variables; the answer is SQL text or the reason why there is none. */
export type EvaluateMacro = (
  call: string,
  variables: ReadonlyMap<string, string>,
) => { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string };

/** How strict a place is: names want bare text, and some values may keep what only a run can know. */
export interface SubstituteOptions {
  readonly bare?: boolean;
  readonly keepUnknown?: boolean;
}

/** Whether any token of the slice is a macro sign or a quoted name with one inside. */
export function hasVariables(slice: Slice): boolean {
  for (let i = slice.from; i < slice.to; i++) {
    const token = slice.tokens[i] as Token;
    if (token.kind === 'at' || (token.kind === 'name' && token.text.includes('@'))) return true;
  }
  return false;
}

/** The slice with its variables replaced; undefined when one has no value (already reported). */
export function substituteVariables(
  slice: Slice,
  variables: Variables,
  reader: BlockReader,
  options: SubstituteOptions = {},
): Slice | undefined {
  if (!hasVariables(slice)) return slice;
  const segments: Segment[] = [];
  let text = '';
  let copied = tokenAt(slice, 0).start;
  let failed = false;
  const replace = (start: number, end: number, by: string): void => {
    add(segments, text.length, copied, start, false);
    text += slice.source.text.slice(copied, start);
    segments.push({ at: text.length, size: by.length, from: start, to: end, isReplaced: true });
    text += by;
    copied = end;
  };
  for (let i = slice.from; i < slice.to; i++) {
    const token = slice.tokens[i] as Token;
    if (token.kind === 'name' && token.text.includes('@')) {
      replace(token.start, token.end, inText(token.text, variables.texts));
      continue;
    }
    if (token.kind !== 'at') continue;
    const use = macroUse(slice, i, variables, reader, options);
    if (use === undefined) failed = true;
    else {
      if (use.text !== undefined) replace(token.start, (slice.tokens[use.next - 1] as Token).end, use.text);
      i = use.next - 1;
    }
  }
  if (failed) return undefined;
  const end = (slice.tokens[slice.to - 1] as Token).end;
  add(segments, text.length, copied, end, false);
  text += slice.source.text.slice(copied, end);
  const tokens = tokenize(text, reader.dialect).tokens;
  const outer = slice.source.offset;
  const offset = (at: number, isEnd: boolean): number => {
    const inner = leadBack(segments, at, isEnd);
    return outer === undefined ? inner : outer(inner, isEnd);
  };
  return { source: { file: slice.source.file, text, offset }, tokens, from: 0, to: tokens.length - 1 };
}

interface Segment {
  readonly at: number;
  readonly size: number;
  readonly from: number;
  readonly to: number;
  readonly isReplaced: boolean;
}

function add(segments: Segment[], at: number, from: number, to: number, isReplaced: boolean): void {
  if (to > from) segments.push({ at, size: to - from, from, to, isReplaced });
}

function leadBack(segments: readonly Segment[], at: number, isEnd: boolean): number {
  for (const segment of segments) {
    const isInside = isEnd ? at <= segment.at + segment.size : at < segment.at + segment.size;
    if (!isInside) continue;
    if (segment.isReplaced) return isEnd ? segment.to : segment.from;
    return segment.from + (at - segment.at);
  }
  return segments.at(-1)?.to ?? at;
}

/** One macro sign and what belongs to it; `text` undefined means: leave it as it is. */
function macroUse(
  slice: Slice,
  at: number,
  variables: Variables,
  reader: BlockReader,
  options: SubstituteOptions,
): { readonly next: number; readonly text: string | undefined } | undefined {
  const next = slice.tokens[at + 1] as Token;
  if (isSymbol(next, '{')) {
    const close = closingIndex(slice.tokens, at + 1, slice.to);
    const name = slice.tokens[at + 2];
    if (close !== at + 3 || name === undefined) return unknown(slice, at, at + 2, reader, variables);
    const value = variables.texts.get(name.text.toLowerCase());
    if (value !== undefined) return { next: at + 4, text: partText(value, slice, at, at + 4, options) };
    return options.keepUnknown
      ? { next: at + 4, text: undefined }
      : unknown(slice, at, at + 4, reader, variables);
  }
  if (next.kind === 'string') {
    const body = inText(stringText(next, reader.dialect), variables.texts);
    return { next: at + 2, text: `'${body.replaceAll("'", "''")}'` };
  }
  if (next.kind !== 'word') return { next: at + 1, text: undefined };
  const open = slice.tokens[at + 2];
  if (at + 2 < slice.to && isSymbol(open, '(')) return macroCall(slice, at, variables, reader, options);
  const value = variables.texts.get(next.text.toLowerCase());
  if (value !== undefined)
    return { next: at + 2, text: options.bare ? partText(value, slice, at, at + 2, options) : value };
  return options.keepUnknown
    ? { next: at + 2, text: undefined }
    : unknown(slice, at, at + 2, reader, variables);
}

function macroCall(
  slice: Slice,
  at: number,
  variables: Variables,
  reader: BlockReader,
  options: SubstituteOptions,
): { readonly next: number; readonly text: string | undefined } | undefined {
  const name = slice.tokens[at + 1] as Token;
  const close = closingIndex(slice.tokens, at + 2, slice.to);
  const to = (close < 0 ? slice.to - 1 : close) + 1;
  const word = name.text.toUpperCase();
  if (word === 'VAR' || word === 'BLUEPRINT_VAR') {
    const [key, fallback] = splitAtCommas({ ...slice, from: at + 3, to: to - 1 });
    const keyToken = key === undefined ? undefined : tokenAt(key, 0);
    if (keyToken !== undefined) {
      const variable = (
        keyToken.kind === 'string' ? stringText(keyToken, reader.dialect) : keyToken.text
      ).toLowerCase();
      const value = variables.texts.get(variable) ?? (fallback === undefined ? undefined : textOf(fallback));
      if (value !== undefined) return { next: to, text: options.bare ? bareText(value) : value };
      if (options.keepUnknown) return { next: to, text: undefined };
      report(
        reader,
        'model.unknown-variable',
        { variable },
        rangeOf({ ...slice, from: at, to }),
        suggestion(reader, variable, variables.texts.keys()),
      );
      return undefined;
    }
  }
  if (options.keepUnknown) return { next: to, text: undefined };
  const call = { ...slice, from: at, to };
  if (variables.evaluate === undefined) {
    report(
      reader,
      'model.header-macro',
      { macro: name.text, reason: 'macro functions are not available here' },
      rangeOf(call),
    );
    return undefined;
  }
  const answer = variables.evaluate(textOf(call), variables.texts);
  if (answer.ok) return { next: to, text: options.bare ? bareText(answer.text) : answer.text };
  report(reader, 'model.header-macro', { macro: name.text, reason: answer.reason }, rangeOf(call));
  return undefined;
}

function unknown(
  slice: Slice,
  from: number,
  to: number,
  reader: BlockReader,
  variables: Variables,
): undefined {
  const use = part(slice, from - slice.from, Math.min(to, slice.to) - slice.from);
  const variable = textOf(use).replace(/^@\{?|\}$/g, '');
  const isCron = /^(hourly|daily|midnight|weekly|monthly|yearly|annually)$/i.test(variable);
  report(
    reader,
    'model.unknown-variable',
    { variable },
    rangeOf(use),
    isCron && sizeOf(slice) === 2
      ? `write '@${variable}' in quotes`
      : suggestion(reader, variable, variables.texts.keys()),
  );
  return undefined;
}

/** `@x` and `@{x}` inside a text, replaced where the variable is known. */
function inText(text: string, texts: ReadonlyMap<string, string>): string {
  return text.replace(
    /@\{(\w+)\}|@(\w+)/g,
    (whole, braced: string | undefined, plain: string | undefined) => {
      const value = texts.get((braced ?? plain ?? '').toLowerCase());
      return value === undefined ? whole : bareText(value);
    },
  );
}

/** Bare text that stays one part of a dotted name: quoted when it is a whole part and no plain word. */
function partText(value: string, slice: Slice, from: number, to: number, options: SubstituteOptions): string {
  const bare = bareText(value);
  if (!options.bare || /^[\w.-]*$/.test(bare) || value.includes('.')) return bare;
  const [before, after] = [slice.tokens[from - 1], slice.tokens[to]];
  const [start, end] = [(slice.tokens[from] as Token).start, (slice.tokens[to - 1] as Token).end];
  const isWhole =
    (from === slice.from || isSymbol(before, '.') || (before as Token).end < start) &&
    (to >= slice.to || isSymbol(after, '.') || (after as Token).start > end);
  return isWhole ? `"${bare.replaceAll('"', '""')}"` : bare;
}

/** A SQL text without the quotes of a string or name: what `@{x}` puts into an identifier. */
export function bareText(sql: string): string {
  const text = sql.trim();
  const quote = text[0];
  if (text.length >= 2 && (quote === "'" || quote === '"' || quote === '`') && text.at(-1) === quote)
    return text.slice(1, -1).replaceAll(quote + quote, quote);
  return text;
}
