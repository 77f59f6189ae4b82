/*
 * The walk over tokens. Text without a macro sign is never touched, only copied; what a macro makes is put in its place.
 *
 *   SELECT @EACH([a, b], x -> sum(x) AS sum_@x), c     range of tokens, scope {}
 *          └ items a, b ── body, scope {x: a}, {x: b} ─▶ sum(a) AS sum_a, sum(b) AS sum_b
 */
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { quoteText } from '../../foundation/sql/quote.ts';
import type { Token } from '../../foundation/sql/token.ts';
import { identifierText, stringText } from '../../foundation/sql/tokenize.ts';
import {
  boundValue,
  type MacroResult,
  type MacroScope,
  type TokenizedFragment,
  type TokenRange,
} from './call.ts';
import { CLAUSES, readClause, type SwitchClause } from './clauses.ts';
import {
  assemble,
  EMPTY,
  type FilePlace,
  type Fragment,
  FragmentBuilder,
  joined,
  madeFragment,
  sliceFragment,
} from './fragment.ts';
import { endsItem, gluedRun, isOperatorWord, opensList, type TokenRun, wouldJoin } from './neighbours.ts';
import { fillTemplate, isLoose, nameSql } from './values.ts';

/** What the walk asks of the expansion around it. */
export interface Walked {
  readonly dialect: Dialect;
  placeOf(source: TokenizedFragment, start: number, end: number): FilePlace & { readonly file: string };
  /** Index of the closing parenthesis when a macro call begins here, -1 when it is not closed, undefined when there is no call. */
  callAt(source: TokenizedFragment, at: number, to: number): number | undefined;
  call(range: TokenRange, scope: MacroScope, isWholeStatement: boolean): MacroResult;
  isRedefined(name: string): boolean;
  bareValue(name: string, scope: MacroScope): string | undefined;
  /** The text, in parentheses when it is about to be evaluated beside others. */
  grouped(fragment: Fragment, scope: MacroScope): Fragment;
  /** Text of a run of names and variables; undefined leaves it as it is. */
  runText(source: TokenizedFragment, at: number, run: TokenRun, scope: MacroScope): Fragment | undefined;
}

/** Copies lazily: what lies between two replacements is taken over in one piece. */
class Writer {
  readonly out = new FragmentBuilder();
  private readonly source: TokenizedFragment;
  private readonly walked: Walked;
  copied: number;

  constructor(source: TokenizedFragment, start: number, walked: Walked) {
    this.source = source;
    this.copied = start;
    this.walked = walked;
  }

  copyTo(end: number): void {
    if (end <= this.copied) return;
    this.out.add(sliceFragment(this.source, this.copied, end));
    this.copied = end;
  }

  replace(start: number, end: number, by: Fragment): void {
    this.copyTo(start);
    if (wouldJoin(this.out.tail(1), by.text)) this.out.addMade(' ', this.placeOf(start, end));
    this.out.add(this.isCast(end, by) ? assemble(this.placeOf(start, end), '(', by, ')') : by);
    this.copied = end;
  }

  skip(start: number, end: number): void {
    this.copyTo(start);
    this.copied = end;
  }

  /** `@x::INT` casts all that the macro stands for, although `::` binds tighter than any operator in it. */
  private isCast(end: number, { text }: Fragment): boolean {
    return /^\s*::/.test(this.source.text.slice(end, end + 8)) && isLoose(text, this.walked.dialect);
  }

  private placeOf(start: number, end: number): FilePlace {
    return this.walked.placeOf(this.source, start, end);
  }
}

export function walk(range: TokenRange, scope: MacroScope, isStatement: boolean, walked: Walked): Fragment {
  const { source, from, to } = range;
  if (from >= to) return EMPTY;
  const { tokens } = source;
  const writer = new Writer(source, isStatement ? 0 : (tokens[from] as Token).start, walked);
  let i = from;
  while (i < to) {
    const { kind } = tokens[i] as Token;
    if (kind === 'at') i = walkSign(range, i, scope, isStatement, writer, walked);
    else if (kind === 'word') i = walkWord(range, i, scope, writer, walked);
    else if (kind === 'name') i = walkName(range, i, scope, writer, walked);
    else i++;
  }
  writer.copyTo(isStatement ? source.text.length : (tokens[to - 1] as Token).end);
  return writer.out.fragment();
}

function walkWord(
  { source, to }: TokenRange,
  at: number,
  scope: MacroScope,
  writer: Writer,
  walked: Walked,
): number {
  const token = source.tokens[at] as Token;
  const next = source.tokens[at + 1] as Token;
  if (next.kind === 'at' && next.start === token.end && at + 1 < to && !isOperatorWord(token.text)) {
    const run = gluedRun(source.tokens, at, to);
    if (run !== undefined && run.parts.length > 1) {
      writer.replace(token.start, run.end, walked.runText(source, at, run, scope) ?? EMPTY);
      return run.next;
    }
  } else if (scope.replacesWords && next.text !== '(') {
    const value = boundValue(scope.bindings, token.text.toLowerCase());
    if (value !== undefined) writer.replace(token.start, token.end, walked.grouped(value, scope));
  }
  return at + 1;
}

function walkName(
  { source }: TokenRange,
  at: number,
  scope: MacroScope,
  writer: Writer,
  walked: Walked,
): number {
  const token = source.tokens[at] as Token;
  const inner = identifierText(token);
  const word = scope.replacesWords ? boundValue(scope.bindings, inner.toLowerCase()) : undefined;
  if (word !== undefined) writer.replace(token.start, token.end, word);
  else if (inner.includes('@')) {
    const text = fillTemplate(inner, (name) => walked.bareValue(name, scope));
    const place = walked.placeOf(source, token.start, token.end);
    if (text !== inner)
      writer.replace(token.start, token.end, madeFragment(nameSql(text, walked.dialect, true), place));
  }
  return at + 1;
}

function walkSign(
  range: TokenRange,
  at: number,
  scope: MacroScope,
  isStatement: boolean,
  writer: Writer,
  walked: Walked,
): number {
  const { source, to } = range;
  const { tokens } = source;
  const sign = tokens[at] as Token;
  const next = tokens[at + 1] as Token;
  const close = walked.callAt(source, at, to);
  if (close !== undefined) {
    const name = next.text.toLowerCase();
    const clause = close < 0 || walked.isRedefined(name) ? undefined : CLAUSES[name];
    if (clause !== undefined) return walkClause(range, { at, close, clause }, scope, writer, walked);
    return walkCall(range, { at, end: close < 0 ? to : close + 1 }, scope, isStatement, writer, walked);
  }
  if ((next.kind === 'string' || next.kind === 'name') && next.start === sign.end) {
    const text = next.kind === 'string' ? stringText(next, walked.dialect) : identifierText(next);
    const filled = fillTemplate(text, (name) => walked.bareValue(name, scope));
    const place = walked.placeOf(source, sign.start, next.end);
    writer.replace(sign.start, next.end, madeFragment(quoteText(filled, walked.dialect), place));
    return at + 2;
  }
  const run = gluedRun(tokens, at, to);
  if (run === undefined) return at + 1;
  const value = walked.runText(source, at, run, scope);
  if (value !== undefined) writer.replace(sign.start, run.end, value);
  return run.next;
}

function walkClause(
  { source, from, to }: TokenRange,
  { at, close, clause }: { readonly at: number; readonly close: number; readonly clause: SwitchClause },
  scope: MacroScope,
  writer: Writer,
  walked: Walked,
): number {
  const { tokens } = source;
  const [sign, last] = [tokens[at] as Token, tokens[close] as Token];
  const result = walked.call({ source, from: at, to: close + 1 }, { ...scope, replacesWords: false }, false);
  if (result !== undefined) {
    const place = walked.placeOf(source, sign.start, last.end);
    writer.replace(sign.start, last.end, madeFragment(clause.keyword, place));
    return close + 1;
  }
  const { start, end } = readClause(tokens, { at, close, from, to }, clause);
  writer.skip(
    (tokens[start] as Token).start,
    end < to ? (tokens[end] as Token).start : (tokens[to - 1] as Token).end,
  );
  return end;
}

function walkCall(
  { source, from, to }: TokenRange,
  { at, end }: { readonly at: number; readonly end: number },
  scope: MacroScope,
  isStatement: boolean,
  writer: Writer,
  walked: Walked,
): number {
  const { tokens } = source;
  const start = (tokens[at] as Token).start;
  const stop = (tokens[end - 1] as Token).end;
  const isWhole = isStatement && at === from && (end === to || (end === to - 1 && tokens[end]?.text === ';'));
  const result = walked.call({ source, from: at, to: end }, { ...scope, replacesWords: false }, isWhole);
  const items = itemsOf(result);
  if (items.length > 0) {
    const texts = items.map((item) => walked.grouped(item, scope));
    writer.replace(start, stop, joined(texts, ', ', walked.placeOf(source, start, stop)));
    return end;
  }
  // Nothing came out: if it was an item of a list, one comma goes with it.
  const before = at > from ? tokens[at - 1] : undefined;
  const after = end < to ? tokens[end] : undefined;
  if (before?.text === ',' && before.start >= writer.copied && endsItem(after)) {
    writer.skip(before.start, before.end);
  } else if (after?.text === ',' && (before === undefined || before.text === ',' || opensList(before))) {
    writer.skip(start, after.end);
    return end + 1;
  }
  writer.skip(start, stop);
  return end;
}

/** A result as a list: none, one or several texts. */
export function itemsOf(result: MacroResult): readonly Fragment[] {
  if (result === undefined) return [];
  return Array.isArray(result) ? result : [result as Fragment];
}
