import type { DiagnosticCode } from '../../../domain/diagnostics/catalog.ts';
import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { Diagnostic, SourceRange } from '../../../foundation/diagnostics/diagnostic.ts';
import { didYouMean } from '../../../foundation/diagnostics/nearest.ts';
import type { Dialect } from '../../../foundation/sql/dialect.ts';
import type { Token } from '../../../foundation/sql/token.ts';
import { closingIndex, nesting } from '../../../foundation/sql/token-ranges.ts';
import { isSymbol, isWord, part, type Slice, type SliceSource, sizeOf, textOf } from './slice.ts';

/** A MODEL or AUDIT block being read: what its readers share, and where they report. */
export interface BlockReader {
  readonly block: 'MODEL' | 'AUDIT';
  readonly dialect: Dialect;
  readonly diagnostics: Diagnostic[];
}

/** One `name value` pair; a macro call that stands for whole properties has an empty name. */
export interface BlockProperty {
  /** Lower case. */
  readonly name: string;
  readonly nameRange: SourceRange;
  readonly value: Slice;
}

/** A property of the block: how it is read, and why writing it changes nothing where that is so. */
export interface BlockKey<Read> {
  /** Absent: the value is not looked at. */
  readonly read?: Read;
  readonly withoutEffect?: string;
  readonly notYet?: string;
  /** The value that asks for nothing, so that nothing has to be said. */
  readonly unless?: string;
}

/** Accepted with a note, for projects that come from elsewhere. */
export const unused = <Read>(withoutEffect: string, read?: Read): BlockKey<Read> => ({
  withoutEffect,
  ...(read === undefined ? {} : { read }),
});

/** The block at token `at`, if one is there: the word, then `(`. */
export function isBlockStart(tokens: readonly Token[], at: number, word: 'MODEL' | 'AUDIT'): boolean {
  return isWord(tokens[at], word) && isSymbol(tokens[at + 1], '(');
}

export interface BlockTokens {
  /** What is between the parentheses. */
  readonly inner: Slice;
  /** Index of the token after the closing parenthesis. */
  readonly next: number;
}

/**
 * Finds the end of the block that begins at `at`. A block that is never closed ends at the first semicolon (or the end of the file), so
 * that its properties are still read; undefined only when that leaves nothing to read.
 */
export function cutBlock(
  source: SliceSource,
  tokens: readonly Token[],
  at: number,
  reader: BlockReader,
): BlockTokens {
  const end = tokens.length - 1;
  let stop = at + 1;
  let depth = 0;
  for (; stop < end; stop++) {
    const token = tokens[stop] as Token;
    depth += nesting(token);
    if (depth === 0 || isSymbol(token, ';')) break;
  }
  const isClosed = depth === 0 && closingIndex(tokens, at + 1, end) === stop;
  const word = tokens[at] as Token;
  if (!isClosed)
    reader.diagnostics.push(
      diagnostic(
        'model.unclosed-block',
        { block: reader.block },
        { at: { file: source.file, start: word.start, end: (tokens[at + 1] as Token).end } },
      ),
    );
  return { inner: { source, tokens, from: at + 2, to: stop }, next: isClosed ? stop + 1 : stop };
}

/** Cuts a block (or the options of a kind) into properties; reports what is not one. `greedy` names properties whose value may hold commas. */
export function cutProperties(
  inner: Slice,
  reader: BlockReader,
  options: PropertyOptions = {},
): readonly BlockProperty[] {
  const properties: BlockProperty[] = [];
  for (const piece of topPieces(inner, options)) {
    const key = piece.tokens[piece.from] as Token;
    if (key.kind === 'at') {
      properties.push({ name: '', nameRange: rangeOfFirst(piece), value: piece });
      continue;
    }
    if (key.kind !== 'word' && key.kind !== 'name') {
      reader.diagnostics.push(
        diagnostic(
          'model.not-a-property',
          { block: reader.block, found: textOf(piece) },
          { at: sourceRange(piece) },
        ),
      );
      continue;
    }
    const name = (key.kind === 'name' ? key.text.slice(1, -1) : key.text).toLowerCase();
    const skip = isSymbol(piece.tokens[piece.from + 1], ':') && piece.from + 1 < piece.to ? 2 : 1;
    properties.push({
      name,
      nameRange: rangeOfFirst(piece),
      value: part(piece, Math.min(skip, sizeOf(piece)), sizeOf(piece)),
    });
  }
  return properties;
}

export interface PropertyOptions {
  /** A value of such a property goes on over commas until the next name for which `isName` holds. */
  readonly greedy?: readonly string[];
  readonly isName?: (name: string) => boolean;
}

function topPieces(inner: Slice, options: PropertyOptions): readonly Slice[] {
  const pieces: { source: SliceSource; tokens: readonly Token[]; from: number; to: number }[] = [];
  let depth = 0;
  let from = inner.from;
  for (let i = inner.from; i <= inner.to; i++) {
    const token = inner.tokens[i] as Token;
    if (i < inner.to && !(depth === 0 && isSymbol(token, ','))) {
      depth += nesting(token);
      continue;
    }
    if (i > from) {
      const previous = pieces.at(-1);
      const goesOn =
        previous !== undefined &&
        options.greedy?.includes((inner.tokens[previous.from] as Token).text.toLowerCase()) === true &&
        options.isName?.((inner.tokens[from] as Token).text.toLowerCase()) === false;
      if (goesOn) previous.to = i;
      else pieces.push({ source: inner.source, tokens: inner.tokens, from, to: i });
    }
    from = i + 1;
  }
  return pieces;
}

function sourceRange(slice: Slice): SourceRange {
  return { ...rangeOfFirst(slice), end: mapped(slice, (slice.tokens[slice.to - 1] as Token).end, true) };
}

function rangeOfFirst(slice: Slice): SourceRange {
  const first = slice.tokens[slice.from] as Token;
  return {
    file: slice.source.file,
    start: mapped(slice, first.start, false),
    end: mapped(slice, first.end, true),
  };
}

function mapped(slice: Slice, at: number, isEnd: boolean): number {
  return slice.source.offset === undefined ? at : slice.source.offset(at, isEnd);
}

/** A hostile file can have a hundred thousand unknown words; only the first few hundred get a suggestion. */
const SUGGESTIONS_MAX = 300;

/** `did you mean x?` for a word of the block. */
export function suggestion(reader: BlockReader, word: string, names: Iterable<string>): string | undefined {
  return reader.diagnostics.length > SUGGESTIONS_MAX ? undefined : didYouMean(word, names);
}

/** Says that a key which is read changes nothing. */
export function reportUnused(
  reader: BlockReader,
  { name, nameRange, value }: Pick<BlockProperty, 'name' | 'nameRange'> & Partial<BlockProperty>,
  { withoutEffect, notYet, unless }: BlockKey<unknown>,
): void {
  if (unless !== undefined && value !== undefined && textOf(value).toLowerCase() === unless) return;
  if (withoutEffect !== undefined)
    report(reader, 'model.unused-property', { property: name, reason: withoutEffect }, nameRange);
  if (notYet !== undefined)
    report(reader, 'model.property-not-yet', { property: name, reason: notYet }, nameRange);
}

/** Adds a diagnostic of the block being read. */
export function report<Code extends DiagnosticCode>(
  reader: BlockReader,
  code: Code,
  parameters: Parameters<typeof diagnostic<Code>>[1],
  at: SourceRange,
  hint?: string,
): void {
  reader.diagnostics.push(diagnostic(code, parameters, { at, hint }));
}
