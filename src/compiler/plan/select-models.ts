import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Diagnostic, SourceRange } from '../../foundation/diagnostics/diagnostic.ts';
import { didYouMean } from '../../foundation/diagnostics/nearest.ts';
import { reachable } from '../../foundation/graph.ts';
import { wildcard } from '../../foundation/wildcard.ts';

/*
 * A selection is an expression over models:
 *
 *   or     = and ('|' and)*               also ',' and blanks between terms
 *   and    = term ('&' term)*
 *   term   = '^' term | '+'? base '+'?     '+' before: with everything above; behind: with everything below
 *   base   = '(' or ')' | 'tag:' pattern | 'git:' ref | name with * wildcards
 */

/** What a selection can see of a model. */
export interface SelectableModel {
  readonly name: string;
  readonly tags: readonly string[];
  readonly file?: string;
  readonly parents: readonly string[];
}

export interface SelectionGraph {
  readonly models: readonly SelectableModel[];
  /** Paths of the project that differ from a git ref; absent where there is no git. */
  readonly changedFiles?: (ref: string) => readonly string[];
}

export interface Selection {
  readonly names: ReadonlySet<string>;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The models an expression means; everything that is wrong with it is reported at once, each at its place in the
 * expression: `at.file` of the diagnostics is the option's name.
 */
export function selectModels(expression: string, graph: SelectionGraph, option = '--select'): Selection {
  const diagnostics: Diagnostic[] = [];
  const names = new SelectionReader({ expression, graph, option, diagnostics }).read();
  return { names, diagnostics };
}

interface Token {
  readonly kind: '(' | ')' | '|' | '&' | '^' | '+' | 'word' | 'end';
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly hasSpaceBefore: boolean;
}

const NESTING_MAX = 64;
/** No name of a commit begins with a dash, which would make it an option, or has a control character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const GIT_REF = /^(?!-)[^\0-\x1f\x7f]{1,1000}$/;

class SelectionReader {
  private readonly tokens: readonly Token[];
  private at = 0;
  private depth = 0;
  private readonly byName: ReadonlyMap<string, SelectableModel>;
  private children: ReadonlyMap<string, readonly string[]> | undefined;
  private readonly expression: string;
  private readonly graph: SelectionGraph;
  private readonly option: string;
  private readonly diagnostics: Diagnostic[];

  constructor({
    expression,
    graph,
    option,
    diagnostics,
  }: {
    readonly expression: string;
    readonly graph: SelectionGraph;
    readonly option: string;
    readonly diagnostics: Diagnostic[];
  }) {
    this.expression = expression;
    this.graph = graph;
    this.option = option;
    this.diagnostics = diagnostics;
    this.byName = new Map(graph.models.map((model) => [model.name, model]));
    this.tokens = tokensOf(expression);
  }

  read(): ReadonlySet<string> {
    const names = this.either();
    const rest = this.peek();
    if (rest.kind !== 'end') this.refuse(`${rest.text} has no meaning here`, rest);
    return names;
  }

  private either(): ReadonlySet<string> {
    let names = this.both();
    for (;;) {
      const next = this.peek();
      if (next.kind === '|') this.at++;
      else if (!(next.hasSpaceBefore && ['word', '(', '^', '+'].includes(next.kind))) return names;
      names = new Set([...names, ...this.both()]);
    }
  }

  private both(): ReadonlySet<string> {
    let names = this.term();
    while (this.peek().kind === '&') {
      this.at++;
      const other = this.term();
      names = new Set([...names].filter((name) => other.has(name)));
    }
    return names;
  }

  private term(): ReadonlySet<string> {
    if (this.peek().kind === '^') {
      this.at++;
      const others = this.deeper(() => this.term());
      return new Set([...this.byName.keys()].filter((name) => !others.has(name)));
    }
    const isUp = this.peek().kind === '+';
    if (isUp) this.at++;
    let names = this.base();
    const behind = this.peek();
    const isDown = behind.kind === '+' && !behind.hasSpaceBefore;
    if (isDown) this.at++;
    const chosen = names;
    if (isUp) names = new Set([...names, ...reachable(chosen, (name) => this.parentsOf(name))]);
    if (isDown) names = new Set([...names, ...reachable(chosen, (name) => this.childrenOf(name))]);
    return names;
  }

  private base(): ReadonlySet<string> {
    const token = this.peek();
    if (token.kind === '(') {
      this.at++;
      const names = this.deeper(() => this.either());
      if (this.peek().kind === ')') this.at++;
      else this.refuse('a bracket is not closed', token);
      return names;
    }
    if (token.kind === 'word') {
      this.at++;
      return this.named(token);
    }
    this.refuse(
      token.kind === 'end'
        ? 'it ends where a model was expected'
        : `a model was expected before ${token.text}`,
      token,
    );
    if (token.kind !== 'end' && token.kind !== ')') this.at++;
    return new Set();
  }

  private deeper(read: () => ReadonlySet<string>): ReadonlySet<string> {
    if (++this.depth > NESTING_MAX) {
      this.refuse(`brackets are nested more than ${NESTING_MAX} deep`, this.peek());
      this.at = this.tokens.length - 1;
      return new Set();
    }
    const names = read();
    this.depth--;
    return names;
  }

  private named(token: Token): ReadonlySet<string> {
    const { text } = token;
    if (/^tag:/i.test(text)) return this.matching(token, text.slice(4), ({ tags }) => tags);
    if (/^git:/i.test(text)) return this.changedSince(token, text.slice(4));
    if (text.includes('*')) return this.matching(token, text, ({ name }) => [name]);
    const found = modelNamed(text, this.byName.keys());
    if (found !== undefined) return new Set([found]);
    const hint = didYouMean(text, this.byName.keys());
    this.diagnostics.push(
      diagnostic('plan.unknown-model', { where: this.option, name: text }, { at: this.range(token), hint }),
    );
    return new Set();
  }

  private matching(
    token: Token,
    pattern: string,
    textsOf: (model: SelectableModel) => readonly string[],
  ): ReadonlySet<string> {
    const fits = wildcard(pattern);
    const names = this.graph.models.filter((model) => textsOf(model).some(fits)).map(({ name }) => name);
    if (names.length === 0)
      this.diagnostics.push(
        diagnostic(
          'plan.selects-nothing',
          { where: this.option, pattern: token.text },
          { at: this.range(token) },
        ),
      );
    return new Set(names);
  }

  private changedSince(token: Token, ref: string): ReadonlySet<string> {
    const { changedFiles, models } = this.graph;
    if (changedFiles === undefined) {
      this.refuse('git: needs a project in a git repository', token);
      return new Set();
    }
    if (!GIT_REF.test(ref)) {
      this.refuse('git: needs a branch, a tag or a commit behind it, such as git:main', token);
      return new Set();
    }
    const changed = new Set(changedFiles(ref));
    return new Set(
      models.filter(({ file }) => file !== undefined && changed.has(file)).map(({ name }) => name),
    );
  }

  private parentsOf(name: string): readonly string[] {
    return (this.byName.get(name)?.parents ?? []).filter((parent) => this.byName.has(parent));
  }

  private childrenOf(name: string): readonly string[] {
    if (this.children === undefined) {
      const children = new Map<string, string[]>();
      for (const { name: child, parents } of this.graph.models)
        for (const parent of parents) {
          const list = children.get(parent);
          if (list === undefined) children.set(parent, [child]);
          else list.push(child);
        }
      this.children = children;
    }
    return this.children.get(name) ?? [];
  }

  private peek(): Token {
    return this.tokens[this.at] as Token;
  }

  private refuse(problem: string, token: Token): void {
    this.diagnostics.push(diagnostic('plan.bad-selection', { problem }, { at: this.range(token) }));
  }

  private range({ start, end }: Token): SourceRange {
    return { file: this.option, start, end: Math.max(end, Math.min(start + 1, this.expression.length)) };
  }
}

function tokensOf(expression: string): readonly Token[] {
  const tokens: Token[] = [];
  let hasSpaceBefore = false;
  for (const match of expression.matchAll(/\s+|[()|&^+,]|"(?:[^"]|"")*"[^\s()|&^+,]*|[^\s()|&^+,]+/g)) {
    const [text] = match;
    if (/^\s/.test(text)) {
      hasSpaceBefore = true;
      continue;
    }
    const kind = text === ',' ? '|' : '()|&^+'.includes(text) ? (text as Token['kind']) : 'word';
    tokens.push({ kind, text, start: match.index, end: match.index + text.length, hasSpaceBefore });
    hasSpaceBefore = false;
  }
  const { length } = expression;
  return [...tokens, { kind: 'end', text: 'its end', start: length, end: length, hasSpaceBefore: false }];
}

/** A whole name in any case, or its last part when only one model has it. */
export function modelNamed(written: string, names: Iterable<string>): string | undefined {
  const wanted = written.toLowerCase();
  const alike: string[] = [];
  for (const name of names) {
    if (name.toLowerCase() === wanted) return name;
    if (name.slice(name.lastIndexOf('.') + 1).toLowerCase() === wanted) alike.push(name);
  }
  return alike.length === 1 ? alike[0] : undefined;
}
