/**
 * The only home of the YAML library. It reads what `common-yaml.ts` gives up: rare forms, and every mistake, with its position.
 * Depth is measured on the library's flat token tree before anything recursive touches it; aliases are counted before they are expanded.
 */
import { createRequire } from 'node:module';
import type * as Library from 'yaml';
import { plainValue } from './plain-value.ts';
import {
  type ScalarStyle,
  YAML_LIMITS,
  type YamlEntry,
  type YamlNode,
  type YamlProblem,
  type YamlResult,
  type YamlScalar,
  yamlMap,
} from './tree.ts';

const require = createRequire(import.meta.url);
let loaded: typeof Library | undefined;

/** Loaded on first use: a project whose YAML is plain never pays for it. */
function library(): typeof Library {
  loaded ??= require('yaml') as typeof Library;
  return loaded;
}

/** Errors beyond these are consequences of the first ones. */
const PROBLEMS_MAX = 3;

export function readLibraryYaml(text: string): YamlResult {
  const parsed = parseTokens(text);
  if ('start' in parsed) return { problems: [parsed] };
  const problems: YamlProblem[] = [];
  const document = compose(parsed.tokens, text, problems);
  if (problems.length > 0 || document === undefined || document.contents === null) return { problems };
  const root = new Conversion(text, document, problems).root();
  return problems.some((problem) => problem.kind !== 'duplicate-key') || root === undefined
    ? { problems }
    : { root, problems };
}

/** The library's flat token tree. It stops at the first token that is too deep and at a second document, so that hostile files end early. */
function parseTokens(text: string): { readonly tokens: readonly Library.CST.Token[] } | YamlProblem {
  const { Lexer, Parser } = library();
  const parser = new Parser();
  const tokens: Library.CST.Token[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length > YAML_LIMITS.depth && depthOf(parser.stack) > YAML_LIMITS.depth)
      return {
        kind: 'too-deep',
        detail: String(YAML_LIMITS.depth),
        start: parser.offset - lexeme.length,
        end: parser.offset,
      };
    if (lexeme === '---' && tokens.some((token) => token.type === 'document' && token.value !== undefined)) {
      return { kind: 'several-documents', detail: '', start: parser.offset - 3, end: parser.offset };
    }
    if (tokens.length > 1000) break;
  }
  for (const token of parser.end()) tokens.push(token);
  return { tokens };
}

function depthOf(stack: readonly Library.CST.Token[]): number {
  let depth = 0;
  for (const token of stack) if ('items' in token) depth++;
  return depth;
}

/** The position of an error as the library gives it: an offset, a range or a token. */
type ErrorSource = number | [number, number] | { readonly offset: number; readonly source?: string };

function compose(
  tokens: readonly Library.CST.Token[],
  text: string,
  problems: YamlProblem[],
): Library.Document.Parsed | undefined {
  const { Composer } = library();
  const composer = new Composer({
    uniqueKeys: false,
    schema: 'core',
    merge: false,
    prettyErrors: false,
    logLevel: 'silent',
  });
  let isOver = false;
  const stop = { reason: 'enough errors' };
  // The library would record a stack for each of a million errors; this hook records the first few and ends the composition.
  const hooked = composer as unknown as {
    onError: (source: ErrorSource, code: string, message: string, isWarning?: boolean) => void;
  };
  hooked.onError = (source, code, message, isWarning) => {
    if (isWarning === true) return;
    // The library catches what is thrown inside a collection, and reports it as an error of its own.
    if (isOver) throw stop;
    const quote = code === 'MISSING_CHAR' && /quote/.test(message) ? openQuote(tokens, source) : undefined;
    if (quote !== undefined) {
      // What comes behind an open quote was read as part of it, so nothing more can be said.
      problems.push({ kind: 'syntax', detail: 'this quote is not closed', start: quote, end: quote + 1 });
      isOver = true;
    } else {
      problems.push(syntaxProblem(source, code, message, text));
      isOver = problems.length >= PROBLEMS_MAX;
    }
    if (isOver) throw stop;
  };
  try {
    for (const document of composer.compose(tokens, true, text.length)) {
      for (const { pos, code, message } of document.errors.slice(0, PROBLEMS_MAX - problems.length))
        problems.push(syntaxProblem(pos, code, message, text));
      return document as Library.Document.Parsed;
    }
  } catch (error) {
    if (error !== stop) throw error;
  }
  return undefined;
}

/** Where the quoted text begins whose end the library misses a quote at. */
function openQuote(tokens: readonly Library.CST.Token[], source: ErrorSource): number | undefined {
  const at = typeof source === 'number' ? source : Array.isArray(source) ? source[0] : source.offset;
  const waiting: (Library.CST.Token | null | undefined)[] = [...tokens];
  let best: number | undefined;
  while (waiting.length > 0) {
    const token = waiting.pop();
    if (token === undefined || token === null) continue;
    if ('items' in token) for (const item of token.items) waiting.push(item.key, item.value);
    if (token.type === 'document') waiting.push(token.value);
    if (!('source' in token)) continue;
    const isQuoted = token.type === 'double-quoted-scalar' || token.type === 'single-quoted-scalar';
    const { offset, source: written } = token;
    if (isQuoted && offset <= at && at <= offset + written.length) best = Math.max(best ?? 0, offset);
  }
  return best;
}

const WORDS: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'a tab cannot be used to indent; use spaces',
  BAD_INDENT: 'this line is not indented as the lines around it',
  MISSING_CHAR: 'something is missing here, most often a colon with a blank, a quote, a comma or a bracket',
  MULTILINE_IMPLICIT_KEY: 'a key must be on one line and be followed by a colon',
  BLOCK_AS_IMPLICIT_KEY: 'a value with a colon and a blank in it must be put in quotes',
  BAD_DQ_ESCAPE: 'this backslash sequence is unknown; write \\\\ for a backslash or use single quotes',
  UNEXPECTED_TOKEN: 'this does not fit here',
  BAD_ALIAS: 'this alias names no anchor',
};

function syntaxProblem(source: ErrorSource, code: string, message: string, text: string): YamlProblem {
  const [from, to] =
    typeof source === 'number'
      ? [source, source + 1]
      : Array.isArray(source)
        ? source
        : [source.offset, source.offset + (source.source?.length ?? 1)];
  const start = Math.min(from, Math.max(0, text.length - 1));
  const detail = WORDS[code] ?? `${message.charAt(0).toLowerCase()}${message.slice(1)}`;
  return { kind: 'syntax', detail, start, end: Math.max(start + 1, Math.min(to, text.length)) };
}

const STYLES: Readonly<Record<string, ScalarStyle>> = {
  PLAIN: 'plain',
  QUOTE_SINGLE: 'single',
  QUOTE_DOUBLE: 'double',
  BLOCK_LITERAL: 'literal',
  BLOCK_FOLDED: 'folded',
};

/** How much a node costs when all its aliases are followed. */
interface Cost {
  readonly aliases: number;
  readonly nodes: number;
}

class Conversion {
  readonly #text: string;
  readonly #library: typeof Library;
  readonly #document: Library.Document.Parsed;
  readonly #problems: YamlProblem[];
  readonly #anchors = new Map<string, YamlNode | 'open'>();
  readonly #costs = new Map<YamlNode, Cost>();
  #isOver = false;

  constructor(text: string, document: Library.Document.Parsed, problems: YamlProblem[]) {
    this.#text = text;
    this.#library = library();
    this.#document = document;
    this.#problems = problems;
  }

  root(): YamlNode | undefined {
    const root = this.#node(this.#document.contents, 0);
    return root?.kind === 'scalar' && root.text === '' && root.style === 'plain' ? undefined : root;
  }

  /** Document order, so that an alias meets the last anchor of its name before it, as YAML wants. */
  #node(node: unknown, emptyAt: number): YamlNode | undefined {
    const { isAlias, isMap, isScalar, isSeq } = this.#library;
    if (isAlias(node)) return this.#alias(node);
    const anchor = isMap(node) || isSeq(node) || isScalar(node) ? node.anchor : undefined;
    if (anchor !== undefined) this.#anchors.set(anchor, 'open');
    let result: YamlNode | undefined;
    if (isMap(node)) result = this.#map(node as Library.YAMLMap.Parsed);
    else if (isSeq(node)) result = this.#list(node as Library.YAMLSeq.Parsed);
    else if (isScalar(node)) result = this.#scalar(node as Library.Scalar.Parsed, emptyAt);
    else result = { kind: 'scalar', value: null, text: '', style: 'plain', start: emptyAt, end: emptyAt };
    if (anchor !== undefined && result !== undefined) this.#anchors.set(anchor, result);
    return result;
  }

  #alias(node: Library.Alias): YamlNode | undefined {
    const [start, end] = node.range ?? [0, 1];
    const target = this.#anchors.get(node.source);
    if (target === undefined || target === 'open') {
      const why = target === undefined ? 'names no anchor before it' : 'contains itself';
      this.#problems.push({ kind: 'syntax', detail: `the alias *${node.source} ${why}`, start, end });
      return undefined;
    }
    this.#aliasesLeft -= 1 + this.#cost(target).aliases;
    this.#nodesLeft -= this.#cost(target).nodes;
    if ((this.#aliasesLeft < 0 || this.#nodesLeft < 0) && !this.#isOver) {
      this.#isOver = true;
      this.#problems.push({ kind: 'too-many-aliases', detail: String(YAML_LIMITS.aliases), start, end });
    }
    return this.#isOver ? undefined : target;
  }

  #aliasesLeft: number = YAML_LIMITS.aliases;
  #nodesLeft: number = YAML_LIMITS.expandedNodes;

  #cost(node: YamlNode): Cost {
    const known = this.#costs.get(node);
    if (known !== undefined) return known;
    const children =
      node.kind === 'map' ? node.entries.map((e) => e.value) : node.kind === 'list' ? node.items : [];
    let aliases = 0;
    let nodes = 1;
    for (const child of children) {
      const cost = this.#cost(child);
      aliases += cost.aliases + (this.#shared.has(child) ? 1 : 0);
      nodes += cost.nodes;
    }
    const cost = { aliases, nodes };
    this.#costs.set(node, cost);
    return cost;
  }

  readonly #shared = new Set<YamlNode>();

  #map(node: Library.YAMLMap.Parsed): YamlNode {
    const entries: YamlEntry[] = [];
    const merged: YamlEntry[] = [];
    for (const pair of node.items) {
      const key = this.#node(pair.key, node.range[0]);
      if (key === undefined) continue;
      if (key.kind !== 'scalar') {
        this.#problems.push({
          kind: 'syntax',
          detail: 'a key must be a single word or text',
          start: key.start,
          end: key.end,
        });
        continue;
      }
      const value = this.#node(pair.value, key.end);
      if (value === undefined) continue;
      if (this.#library.isAlias(pair.value)) this.#shared.add(value);
      if (key.text === '<<' && key.style === 'plain') merged.push(...this.#merge(value));
      else entries.push({ key, value });
    }
    if (merged.length > 0) {
      const own = new Set(entries.map((entry) => entry.key.text));
      for (const entry of merged) {
        if (own.has(entry.key.text)) continue;
        own.add(entry.key.text);
        entries.push(entry);
      }
    }
    const isFlow = node.flow === true;
    return yamlMap(
      entries,
      this.#problems,
      isFlow || entries.length === 0 ? { start: node.range[0], end: node.range[1] } : blockRange(entries),
    );
  }

  #merge(value: YamlNode): readonly YamlEntry[] {
    if (value.kind === 'map') return value.entries;
    if (value.kind === 'list' && value.items.every((item) => item.kind === 'map'))
      return value.items.flatMap((item) => (item.kind === 'map' ? item.entries : []));
    this.#problems.push({
      kind: 'syntax',
      detail: 'a merge key (<<) needs a map or a list of maps',
      start: value.start,
      end: value.end,
    });
    return [];
  }

  #list(node: Library.YAMLSeq.Parsed): YamlNode {
    const items: YamlNode[] = [];
    for (const item of node.items) {
      const converted = this.#node(
        item,
        this.#library.isScalar(item) ? (item.range?.[0] ?? 0) : node.range[0],
      );
      if (converted === undefined) continue;
      if (this.#library.isAlias(item)) this.#shared.add(converted);
      items.push(converted);
    }
    const start = node.range[0];
    return {
      kind: 'list',
      items,
      start,
      end: node.flow === true ? node.range[1] : Math.max(start, items.at(-1)?.end ?? node.range[1]),
    };
  }

  #scalar(node: Library.Scalar.Parsed, emptyAt: number): YamlScalar {
    const style = STYLES[node.type ?? 'PLAIN'] ?? 'plain';
    const text = node.source;
    const isTagged = node.tag !== undefined;
    const value =
      style === 'plain' && !isTagged
        ? plainValue(text)
        : isTagged && typeof node.value !== 'string'
          ? taggedValue(node.value)
          : text;
    let [start, end] = node.range;
    if (style === 'plain' && text === '') start = end = emptyAt;
    while (end > start + 1 && /\s/.test(this.#text[end - 1] as string)) end--;
    return { kind: 'scalar', value, text, style, start, end };
  }
}

function taggedValue(value: unknown): string | number | boolean | null {
  return typeof value === 'number' || typeof value === 'boolean' || value === null ? value : String(value);
}

/** Merged entries stand elsewhere in the file, so they do not count. */
function blockRange(entries: readonly YamlEntry[]): { start: number; end: number } {
  const start = entries[0]?.key.start ?? 0;
  let end = start;
  for (const { value } of entries) if (value.start >= start) end = Math.max(end, value.end);
  return { start, end };
}
