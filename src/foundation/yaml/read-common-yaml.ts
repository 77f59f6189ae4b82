/**
 * A reader for the YAML that people write: block maps and lists, flow collections, one-line scalars, `|` and simple `>` blocks.
 * Everything else (anchors, tags, tabs, scalars over several lines, several documents, and every mistake) is given up, and the library
 * reads the file instead: so this reader never reports an error and must only be right where it answers. A test compares the two.
 */

import { plainValue } from './plain-value.ts';
import { closingQuote, quotedText } from './quoted-scalar.ts';
import { readBlockScalar } from './read-block-scalar.ts';
import {
  YAML_LIMITS,
  type YamlEntry,
  type YamlList,
  type YamlMap,
  type YamlNode,
  type YamlProblem,
  type YamlResult,
  type YamlScalar,
  yamlMap,
} from './tree.ts';

const NEWLINE = 10;
const RETURN = 13;
const SPACE = 32;
const HASH = 35;
const COMMA = 44;
const DASH = 45;
const COLON = 58;

/** Thrown and caught in this file only; not an Error, so no stack is recorded. */
const GIVE_UP = { reason: 'not the common subset' } as const;

/** The tree, or undefined when the file needs the library. */
export function readCommonYaml(text: string): YamlResult | undefined {
  if (/\t|\r(?!\n)|^\uFEFF/.test(text)) return undefined;
  try {
    return new CommonReader(text).document();
  } catch (error) {
    if (error === GIVE_UP) return undefined;
    throw error;
  }
}

class CommonReader {
  readonly #text: string;
  readonly #hasReturns: boolean;
  readonly #problems: YamlProblem[] = [];
  #at = 0;
  /** Offset of the first character of the line `#at` is on. */
  #line = 0;

  constructor(text: string) {
    this.#text = text;
    this.#hasReturns = text.includes('\r');
  }

  document(): YamlResult {
    let indent = this.#nextLine();
    if (indent === 0 && this.#text.startsWith('---', this.#at)) {
      this.#at += 3;
      this.#endOfLine();
      indent = this.#nextLine();
    }
    if (indent < 0) return { problems: [] };
    const root = this.#blockNode(-1, 1);
    if (this.#at < this.#text.length) throw GIVE_UP;
    return { root, problems: this.#problems };
  }

  // ── lines

  /** From the start of a line to the first character of the next line with content; its indent, or -1 at the end. */
  #nextLine(): number {
    const text = this.#text;
    let line = this.#at;
    for (;;) {
      let at = line;
      while (text.charCodeAt(at) === SPACE) at++;
      const c = text.charCodeAt(at);
      if (at >= text.length) {
        this.#at = this.#line = text.length;
        return -1;
      }
      if (c === NEWLINE) {
        line = at + 1;
        continue;
      }
      if (c === RETURN) {
        line = at + 2;
        continue;
      }
      if (c === HASH) {
        const newline = text.indexOf('\n', at);
        line = newline < 0 ? text.length : newline + 1;
        continue;
      }
      this.#line = line;
      this.#at = at;
      return at - line;
    }
  }

  /** The rest of the line must be empty or a comment; moves behind it. */
  #endOfLine(): void {
    const text = this.#text;
    const from = this.#at;
    let at = from;
    while (text.charCodeAt(at) === SPACE) at++;
    const c = text.charCodeAt(at);
    if (at >= text.length) this.#at = at;
    else if (c === NEWLINE) this.#at = at + 1;
    else if (c === RETURN) this.#at = at + 2;
    else if (c === HASH && at > from) {
      const newline = text.indexOf('\n', at);
      this.#at = newline < 0 ? text.length : newline + 1;
    } else throw GIVE_UP;
  }

  #isLineEnd(at: number): boolean {
    const c = this.#text.charCodeAt(at);
    return at >= this.#text.length || c === NEWLINE || c === RETURN;
  }

  /** Whether a `-` here begins a list item. */
  #isItem(at: number): boolean {
    return (
      this.#text.charCodeAt(at) === DASH &&
      (this.#text.charCodeAt(at + 1) === SPACE || this.#isLineEnd(at + 1))
    );
  }

  // ── block nodes. Each leaves #at at the start of a line.

  /** A node that begins at #at, in a place whose surroundings are indented by `parent`. */
  #blockNode(parent: number, depth: number): YamlNode {
    if (depth > YAML_LIMITS.depth) throw GIVE_UP;
    const text = this.#text;
    const column = this.#at - this.#line;
    if (column === 0 && (text.startsWith('---', this.#at) || text.startsWith('...', this.#at))) throw GIVE_UP;
    if (this.#isItem(this.#at)) return this.#blockList(column, depth);
    const c = text.charCodeAt(this.#at);
    if (c === 91 || c === 123) {
      const node = this.#flow(parent, depth);
      this.#endOfLine();
      return node;
    }
    if (c === 124 || c === 62) return this.#blockScalar(parent);
    const start = this.#at;
    const first = this.#scalar();
    if (this.#isColon()) {
      this.#at = start;
      return this.#blockMap(column, depth);
    }
    this.#endOfLine();
    return first;
  }

  #isColon(): boolean {
    const after = this.#at + 1;
    return (
      this.#text.charCodeAt(this.#at) === COLON &&
      (this.#text.charCodeAt(after) === SPACE || this.#isLineEnd(after))
    );
  }

  #blockMap(column: number, depth: number): YamlMap {
    const entries: YamlEntry[] = [];
    for (;;) {
      const key = this.#scalar();
      if (!this.#isColon() || key.text === '<<' || key.end - key.start > 1000) throw GIVE_UP;
      this.#at++;
      const isSeparateLine = this.#skipToValue();
      let next: number;
      if (isSeparateLine) {
        next = this.#nextLine();
        if (next > column || (next === column && this.#isItem(this.#at))) {
          const value =
            next > column ? this.#blockNode(column, depth + 1) : this.#blockList(column, depth + 1);
          entries.push({ key, value });
          next = this.#nextLine();
        } else entries.push({ key, value: nothing(key.end) });
      } else {
        entries.push({ key, value: this.#inlineValue(column, depth + 1) });
        next = this.#nextLine();
      }
      if (next < column) break;
      if (next > column || this.#isItem(this.#at)) throw GIVE_UP;
      if (column === 0 && (this.#text.startsWith('---', this.#at) || this.#text.startsWith('...', this.#at)))
        throw GIVE_UP;
    }
    this.#backToLine();
    return yamlMap(entries, this.#problems);
  }

  /** Behind `:` or `-`: over blanks; true when the line has nothing more. */
  #skipToValue(): boolean {
    const text = this.#text;
    const from = this.#at;
    while (text.charCodeAt(this.#at) === SPACE) this.#at++;
    if (this.#isLineEnd(this.#at) || (text.charCodeAt(this.#at) === HASH && this.#at > from)) {
      this.#endOfLine();
      return true;
    }
    return false;
  }

  /** After a look at the next line: the caller's caller looks again. */
  #backToLine(): void {
    this.#at = this.#line;
  }

  /** A value on the line of its key: no map and no list can begin here. */
  #inlineValue(column: number, depth: number): YamlNode {
    if (depth > YAML_LIMITS.depth) throw GIVE_UP;
    const c = this.#text.charCodeAt(this.#at);
    if (c === 124 || c === 62) return this.#blockScalar(column);
    const node = c === 91 || c === 123 ? this.#flow(column, depth) : this.#scalar();
    this.#endOfLine();
    return node;
  }

  #blockList(column: number, depth: number): YamlList {
    if (depth > YAML_LIMITS.depth) throw GIVE_UP;
    const items: YamlNode[] = [];
    const start = this.#at;
    for (;;) {
      const dash = this.#at++;
      let next: number;
      if (this.#skipToValue()) {
        next = this.#nextLine();
        if (next > column) {
          items.push(this.#blockNode(column, depth + 1));
          next = this.#nextLine();
        } else items.push(nothing(dash + 1));
      } else {
        items.push(this.#blockNode(column, depth + 1));
        next = this.#nextLine();
      }
      if (next < column) break;
      if (next > column) throw GIVE_UP;
      // A list as deep as its key ends where the next key begins.
      if (!this.#isItem(this.#at)) break;
    }
    this.#backToLine();
    return { kind: 'list', items, start, end: Math.max(start, items.at(-1)?.end ?? start) };
  }

  #blockScalar(parent: number): YamlScalar {
    const block = parent < 0 || this.#hasReturns ? undefined : readBlockScalar(this.#text, this.#at, parent);
    if (block === undefined) throw GIVE_UP;
    this.#at = block.next;
    return block.scalar;
  }

  // ── scalars on one line

  #scalar(): YamlScalar {
    const c = this.#text.charCodeAt(this.#at);
    return c === 34 || c === 39 ? this.#quoted() : this.#plain(false);
  }

  #quoted(): YamlScalar {
    const start = this.#at;
    const close = closingQuote(this.#text, start);
    if (close < 0) throw GIVE_UP;
    const value = quotedText(this.#text, start, close);
    if (value === undefined) throw GIVE_UP;
    this.#at = close + 1;
    // Blanks between a quoted key and its colon.
    const style = this.#text.charCodeAt(start) === 39 ? 'single' : 'double';
    if (this.#text.charCodeAt(this.#at) === SPACE && this.#text.charCodeAt(this.#at + 1) === COLON)
      this.#at++;
    return { kind: 'scalar', value, text: value, style, start, end: close + 1 };
  }

  #plain(inFlow: boolean): YamlScalar {
    const text = this.#text;
    const start = this.#at;
    const first = text.charCodeAt(start);
    if (FORBIDDEN_FIRST.has(first) || start >= text.length) throw GIVE_UP;
    if (first === DASH || first === 63 || first === COLON) {
      const second = text.charCodeAt(start + 1);
      if (first !== DASH || second === SPACE || this.#isLineEnd(start + 1) || (inFlow && FLOW.has(second)))
        throw GIVE_UP;
    }
    let at = start;
    for (;;) {
      const c = text.charCodeAt(at);
      if (at >= text.length || c === NEWLINE || c === RETURN) break;
      if (c === COLON) {
        const after = text.charCodeAt(at + 1);
        if (after === SPACE || this.#isLineEnd(at + 1) || (inFlow && FLOW.has(after))) break;
      } else if (c === HASH && text.charCodeAt(at - 1) === SPACE) break;
      else if (inFlow && FLOW.has(c)) break;
      at++;
    }
    let end = at;
    while (text.charCodeAt(end - 1) === SPACE) end--;
    if (end <= start) throw GIVE_UP;
    this.#at = text.charCodeAt(at) === COLON || (inFlow && FLOW.has(text.charCodeAt(at))) ? at : end;
    const slice = text.slice(start, end);
    return { kind: 'scalar', value: plainValue(slice), text: slice, style: 'plain', start, end };
  }

  // ── flow collections

  #flow(parent: number, depth: number): YamlNode {
    if (depth > YAML_LIMITS.depth) throw GIVE_UP;
    const text = this.#text;
    const start = this.#at;
    const isMap = text.charCodeAt(start) === 123;
    const close = isMap ? 125 : 93;
    const items: YamlNode[] = [];
    const entries: YamlEntry[] = [];
    this.#at++;
    for (;;) {
      this.#flowBlanks(parent);
      if (text.charCodeAt(this.#at) === close) break;
      if (isMap) entries.push(this.#flowEntry(parent, depth));
      else items.push(this.#flowNode(parent, depth + 1));
      this.#flowBlanks(parent);
      const c = text.charCodeAt(this.#at);
      if (c === COMMA) this.#at++;
      else if (c !== close) throw GIVE_UP;
    }
    this.#at++;
    const range = { start, end: this.#at };
    return isMap ? yamlMap(entries, this.#problems, range) : { kind: 'list', items, ...range };
  }

  #flowEntry(parent: number, depth: number): YamlEntry {
    const key = this.#flowScalar();
    const text = this.#text;
    while (text.charCodeAt(this.#at) === SPACE) this.#at++;
    if (key.text === '<<') throw GIVE_UP;
    if (text.charCodeAt(this.#at) !== COLON) return { key, value: nothing(key.end) };
    if (key.end - key.start > 1000) throw GIVE_UP;
    this.#at++;
    this.#flowBlanks(parent);
    const c = text.charCodeAt(this.#at);
    if (c === COMMA || c === 125) return { key, value: nothing(key.end) };
    return { key, value: this.#flowNode(parent, depth + 1) };
  }

  #flowNode(parent: number, depth: number): YamlNode {
    const c = this.#text.charCodeAt(this.#at);
    if (c === 91 || c === 123) return this.#flow(parent, depth);
    return this.#flowScalar();
  }

  #flowScalar(): YamlScalar {
    const c = this.#text.charCodeAt(this.#at);
    return c === 34 || c === 39 ? this.#quoted() : this.#plain(true);
  }

  /** Over blanks, comments and line ends inside brackets; every new line must be indented more than what is around. */
  #flowBlanks(parent: number): void {
    const text = this.#text;
    for (;;) {
      const c = text.charCodeAt(this.#at);
      if (c === SPACE) this.#at++;
      else if (c === NEWLINE || c === RETURN || (c === HASH && text.charCodeAt(this.#at - 1) === SPACE)) {
        const newline = text.indexOf('\n', this.#at);
        if (newline < 0) throw GIVE_UP;
        this.#at = newline + 1;
        if (this.#nextLine() <= parent) throw GIVE_UP;
      } else return;
    }
  }
}

/** `, [ ] { } # & * ! | > ' " % @ \`` */
const FORBIDDEN_FIRST = new Set([44, 91, 93, 123, 125, 35, 38, 42, 33, 124, 62, 39, 34, 37, 64, 96]);
const FLOW = new Set([44, 91, 93, 123, 125]);

function nothing(at: number): YamlScalar {
  return { kind: 'scalar', value: null, text: '', style: 'plain', start: at, end: at };
}
