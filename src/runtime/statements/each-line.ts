/*
 * A line of a result is a JSON array. Its cells are cut out as they stand, so that what the engine wrote (a number with
 * twenty digits, an escape) arrives as it was; only bytes are looked at.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const NEWLINE = 10;

/**
 * Calls `take` for each line of whole lines, with where each of its cells begins and, at the end, where the last one ends plus one,
 * until it answers false. Says where the next line begins.
 */
export function eachLine(lines: Buffer, take: (starts: readonly number[]) => unknown, from = 0): number {
  let at = from;
  const starts: number[] = [];
  while (at < lines.length) {
    if (lines[at] !== OPEN_LIST) throw new Error('a line of a result is a JSON array');
    at = cutLine(lines, at + 1, starts);
    if (take(starts) === false) break;
  }
  return at;
}

/**
 * Answers with where the next line begins. `starts` is written over and not emptied first: an array that is emptied lets
 * go of its memory, which would be garbage by the line.
 */
function cutLine(lines: Buffer, from: number, starts: number[]): number {
  let depth = 0;
  let at = from;
  let count = 0;
  if (lines[at] !== CLOSE_LIST) starts[count++] = at;
  for (; at < lines.length; at++) {
    switch (lines[at]) {
      case QUOTE:
        at = endOfText(lines, at);
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        depth++;
        break;
      case CLOSE_OBJECT:
        depth--;
        break;
      case CLOSE_LIST:
        if (depth === 0) {
          starts[count++] = at + 1;
          if (starts.length !== count) starts.length = count;
          if (lines[at + 1] !== NEWLINE) throw new Error('a line of a result is one JSON array');
          return at + 2;
        }
        depth--;
        break;
      case COMMA:
        if (depth === 0) starts[count++] = at + 1;
    }
  }
  throw new Error('a result consists of whole lines');
}

/** The closing quote of the text that begins here. */
function endOfText(lines: Buffer, from: number): number {
  for (let end = lines.indexOf(QUOTE, from + 1); end !== -1; end = lines.indexOf(QUOTE, end + 1)) {
    let slashes = 0;
    while (lines[end - 1 - slashes] === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return end;
  }
  throw new Error('a text in a result does not end');
}
