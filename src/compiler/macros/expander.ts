/*
 * The walk over tokens. Text without a macro sign is never touched, only copied; arguments are expanded before the macro that takes them;
 * bodies of lambdas wait until their parameters have values.
 *
 *   SELECT @EACH([a, b], x -> sum(x) AS sum_@x), c     range of tokens, scope {}
 *          └ items a, b ── body, scope {x: a}, {x: b} ─▶ sum(a) AS sum_a, sum(b) AS sum_b
 */
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { didYouMean } from '../../foundation/diagnostics/nearest.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { parseExpression } from '../../foundation/sql/parse/parse-query.ts';
import type { Token } from '../../foundation/sql/token.ts';
import { identifierText, stringText, tokenize } from '../../foundation/sql/tokenize.ts';
import { closingIndex, listItems, readArguments } from './arguments.ts';
import type { Expander, Lambda, MacroCall, MacroResult, Scope, Source, TokenRange } from './call.ts';
import { CLAUSES, readClause } from './clauses.ts';
import { type Constant, NotConstant } from './constant.ts';
import { evaluate } from './evaluate.ts';
import type { MacroContext } from './expansion.ts';
import {
  anchored,
  EMPTY,
  type Fragment,
  FragmentBuilder,
  joined,
  madeFragment,
  offsetMap,
  type Place,
  sliceFragment,
} from './fragment.ts';
import {
  endsItem,
  gluedRun,
  isOperatorWord,
  isTablePosition,
  opensList,
  type Run,
  wouldJoin,
} from './neighbours.ts';
import { OPERATOR_NAMES, operatorOf } from './operators/operators.ts';
import { MacroProblem, MacroStop, range } from './problems.ts';
import { callUserFunction, type UserCalls } from './user-calls.ts';
import { bareText, calledText, fillTemplate, nameSql, quoted } from './values.ts';
import { blueprintVariable, configVariable, type Looked, outerVariable, variableNames } from './variables.ts';

const DEPTH_MAX = 200;
const SIZE_MAX = 10_000_000;
const CALLS_MAX = 200_000;

export const NO_SCOPE: Scope = { values: new Map(), words: new Map(), replacesWords: false };

/** One run of the expansion over the statements of a text; definitions live as long as it. */
export class MacroExpander implements Expander {
  readonly context: MacroContext;
  readonly dialect: Dialect;
  readonly diagnostics: Diagnostic[] = [];
  readonly looked: Looked = {
    variables: new Set(),
    functions: new Set(),
    tables: new Set(),
    context: new Set(),
  };
  readonly userCalls: UserCalls = { needs: new Map() };
  private readonly definitions = new Map<string, Fragment>();
  private readonly lambdas = new Map<string, { readonly lambda: Lambda; readonly scope: Scope }>();
  private depth = 0;
  private size = 0;
  private calls = 0;

  constructor(context: MacroContext) {
    this.context = context;
    this.dialect = context.dialect;
  }

  sourceOf(fragment: Fragment): Source {
    return { ...fragment, tokens: tokenize(fragment.text, this.dialect).tokens };
  }

  /** A whole statement. */
  statement(fragment: Fragment): Fragment {
    const { tokens, error } = tokenize(fragment.text, this.dialect);
    const source = { ...fragment, tokens };
    const to = tokens.length - 1;
    // What cannot be cut into tokens is copied; the parser will say why.
    const end = error === undefined ? fragment.text.length : error.start;
    const expanded = this.walk({ source, from: 0, to }, NO_SCOPE, true);
    if (error === undefined) return expanded;
    const builder = new FragmentBuilder();
    builder.add(expanded);
    builder.add(sliceFragment(source, Math.max(end, tokens[to - 1]?.end ?? 0), fragment.text.length));
    return builder.fragment();
  }

  expand(wanted: TokenRange, scope: Scope): Fragment {
    return this.walk(wanted, { ...scope, replacesWords: false }, false);
  }

  items(
    wanted: TokenRange,
    scope: Scope,
  ): { readonly items: readonly Fragment[]; readonly isSpliced: boolean } {
    const { source, from, to } = wanted;
    const call = this.callAt(source, from, to);
    if (call === to - 1) {
      const inner = { ...scope, replacesWords: false };
      const result = this.call({ source, from, to }, inner, false);
      if (result === undefined) return { items: [], isSpliced: true };
      if (isSeveral(result)) return { items: result, isSpliced: true };
      return { items: [result], isSpliced: false };
    }
    return { items: [this.expand(wanted, scope)], isSpliced: false };
  }

  again(fragment: Fragment, scope: Scope): Fragment {
    if (!fragment.text.includes('@')) return fragment;
    const source = this.sourceOf(fragment);
    return this.walk(
      { source, from: 0, to: source.tokens.length - 1 },
      { ...scope, replacesWords: false },
      false,
    );
  }

  apply(lambda: Lambda, given: readonly Fragment[], scope: Scope): MacroResult {
    const only = given.length === 1 ? given[0] : undefined;
    const unpacked = only?.text.trimStart().startsWith('(') ? listItems(only, this) : undefined;
    const values = new Map(scope.values);
    const words = new Map(scope.words);
    lambda.parameters.forEach((parameter, i) => {
      const value = (
        unpacked !== undefined && (unpacked.length > 1 || lambda.parameters.length > 1) ? unpacked : given
      )[i];
      if (value === undefined) return;
      values.set(parameter, value);
      words.set(parameter, value);
    });
    const inner = { values, words, replacesWords: true };
    const { source, from, to } = lambda.body;
    if (this.callAt(source, from, to) === to - 1)
      return this.call(lambda.body, { ...inner, replacesWords: false }, false);
    return this.walk(lambda.body, inner, false);
  }

  evaluate(fragment: Fragment, call: MacroCall): Constant {
    const parsed = parseExpression(fragment.text, this.dialect);
    const macro = `@${call.name.toUpperCase()}`;
    const stop = (reason: string): never => {
      throw new MacroProblem(diagnostic('macro.not-constant', { macro, reason }, { at: range(call.place) }));
    };
    if (!parsed.ok) return stop(parsed.error.message);
    try {
      return evaluate(parsed.value, fragment.text, this.dialect);
    } catch (error) {
      if (error instanceof NotConstant) return stop(error.reason);
      throw error;
    }
  }

  define(name: string, value: Fragment | { readonly lambda: Lambda; readonly scope: Scope }): void {
    if ('lambda' in value) this.lambdas.set(name, value);
    else this.definitions.set(name, value);
  }

  bareValue(name: string, scope: Scope): string | undefined {
    const parameter = scope.values.get(name);
    if (parameter !== undefined) return calledText(parameter.text, this.dialect);
    const value = this.definitions.get(name)?.text ?? outerVariable(name, this.context, this.looked);
    return value === undefined ? undefined : bareText(value, this.dialect);
  }

  configValue(name: string): string | undefined {
    return configVariable(name, this.context, this.looked, 'array');
  }

  blueprintValue(name: string): string | undefined {
    return blueprintVariable(name, this.context);
  }

  columnsOf(table: string): ReturnType<MacroContext['columnsOf']> {
    this.looked.tables.add(table);
    return this.context.columnsOf(table);
  }

  warn(found: Diagnostic): void {
    this.diagnostics.push(found);
  }

  private placeOf(source: Source, start: number, end: number): Place & { readonly file: string } {
    return { file: this.context.file, ...offsetMap(source).original(start, end) };
  }

  private walk({ source, from, to }: TokenRange, scope: Scope, isStatement: boolean): Fragment {
    if (from >= to) return EMPTY;
    const { tokens } = source;
    const out = new FragmentBuilder();
    let copied = (tokens[from] as Token).start;
    const copyTo = (end: number): void => {
      if (end > copied) out.add(sliceFragment(source, copied, end));
      copied = Math.max(copied, end);
    };
    const replace = (start: number, end: number, by: Fragment): void => {
      copyTo(start);
      if (wouldJoin(out.tail(1), by.text)) out.addMade(' ', this.placeOf(source, start, end));
      out.add(by);
      copied = end;
    };
    let i = from;
    while (i < to) {
      const token = tokens[i] as Token;
      if (token.kind === 'word') {
        const next = tokens[i + 1] as Token;
        if (next.kind === 'at' && next.start === token.end && i + 1 < to && !isOperatorWord(token.text)) {
          const run = gluedRun(tokens, i, to);
          if (run !== undefined && run.parts.length > 1) {
            replace(token.start, run.end, this.glued(source, run, scope));
            i = run.next;
            continue;
          }
        } else if (scope.replacesWords && next.text !== '(') {
          const value = scope.words.get(token.text.toLowerCase());
          if (value !== undefined) replace(token.start, token.end, value);
        }
        i++;
        continue;
      }
      if (token.kind === 'name') {
        const inner = identifierText(token);
        const word = scope.replacesWords ? scope.words.get(inner.toLowerCase()) : undefined;
        if (word !== undefined) replace(token.start, token.end, word);
        else if (inner.includes('@')) {
          const text = fillTemplate(inner, (name) => this.bareValue(name, scope));
          if (text !== inner)
            replace(
              token.start,
              token.end,
              madeFragment(nameSql(text, this.dialect, true), this.placeOf(source, token.start, token.end)),
            );
        }
        i++;
        continue;
      }
      if (token.kind !== 'at') {
        i++;
        continue;
      }
      const close = this.callAt(source, i, to);
      if (close !== undefined) {
        const name = (tokens[i + 1] as Token).text.toLowerCase();
        const clause = CLAUSES[name];
        if (clause !== undefined && !this.lambdas.has(name) && close >= 0) {
          const kept = this.isClauseKept({ source, from: i, to: close + 1 }, scope);
          const found = readClause(tokens, { at: i, close, from, to }, clause);
          const place = this.placeOf(source, token.start, (tokens[close] as Token).end);
          if (kept) replace(token.start, (tokens[close] as Token).end, madeFragment(clause.keyword, place));
          else {
            const start = (tokens[found.start] as Token).start;
            copyTo(start);
            copied = found.end < to ? (tokens[found.end] as Token).start : (tokens[to - 1] as Token).end;
          }
          i = kept ? close + 1 : found.end;
          continue;
        }
        const end = close < 0 ? to : close + 1;
        const isWhole = isStatement && i === from && end === to;
        const result = this.call({ source, from: i, to: end }, scope, isWhole);
        const endOffset = (tokens[end - 1] as Token).end;
        if (result === undefined || (isSeveral(result) && result.length === 0)) {
          const before = i > from ? (tokens[i - 1] as Token) : undefined;
          const after = end < to ? (tokens[end] as Token) : undefined;
          if (before?.text === ',' && before.start >= copied && endsItem(after)) {
            copyTo(before.start);
            copied = before.end;
          } else if (
            after?.text === ',' &&
            (before === undefined || before.text === ',' || opensList(before))
          ) {
            copyTo(token.start);
            copied = after.end;
            i = end + 1;
            continue;
          }
          replace(token.start, endOffset, EMPTY);
        } else {
          const place = this.placeOf(source, token.start, endOffset);
          replace(token.start, endOffset, isSeveral(result) ? joined(result, ', ', place) : result);
        }
        i = end;
        continue;
      }
      const next = tokens[i + 1] as Token;
      if ((next.kind === 'string' || next.kind === 'name') && next.start === token.end) {
        const place = this.placeOf(source, token.start, next.end);
        const text = next.kind === 'string' ? stringText(next, this.dialect) : identifierText(next);
        const filled = fillTemplate(text, (name) => this.bareValue(name, scope));
        replace(token.start, next.end, madeFragment(quoted(filled, this.dialect), place));
        i += 2;
        continue;
      }
      const run = gluedRun(tokens, i, to);
      if (run === undefined) {
        i++;
        continue;
      }
      const value = this.runValue(source, i, run, scope, from);
      if (value !== undefined) replace(token.start, run.end, value);
      i = run.next;
    }
    copyTo((tokens[to - 1] as Token).end);
    if (isStatement) copyTo(source.text.length);
    const made = out.fragment();
    this.count(made.text.length, source, from, to);
    return made;
  }

  private count(size: number, source: Source, from: number, to: number): void {
    this.size += size;
    if (this.size > SIZE_MAX)
      this.stop('macro.too-large', `${SIZE_MAX / 1_000_000} MB of text`, source, from, to);
  }

  private stop(
    code: 'macro.too-large' | 'macro.too-deep',
    max: string,
    source: Source,
    from: number,
    to: number,
  ): never {
    const at = this.placeOf(
      source,
      (source.tokens[from] as Token).start,
      (source.tokens[to - 1] as Token).end,
    );
    throw new MacroStop(diagnostic(code, { max }, { at }));
  }

  /** Index of the closing parenthesis when a macro call begins here, -1 when it is not closed, undefined when there is no call. */
  private callAt(source: Source, at: number, to: number): number | undefined {
    const { tokens } = source;
    const [sign, word, open] = [tokens[at], tokens[at + 1], tokens[at + 2]];
    if (sign?.kind !== 'at' || word?.kind !== 'word' || at + 2 >= to || open?.text !== '(') return undefined;
    // `INSERT INTO @this_model (a, b)`: a blank before the parenthesis leaves the choice.
    if (open.start > word.end && !this.isMacro(word.text.toLowerCase())) return undefined;
    return closingIndex(tokens, at + 2, to);
  }

  private isMacro(name: string): boolean {
    return (
      this.lambdas.has(name) ||
      this.context.userFunctions.has(name) ||
      operatorOf(name) !== undefined ||
      Object.hasOwn(CLAUSES, name) ||
      this.context.pythonMacros.has(name)
    );
  }

  private isClauseKept(wanted: TokenRange, scope: Scope): boolean {
    const result = this.call(wanted, scope, false);
    return result !== undefined && !isSeveral(result) && result.text !== '';
  }

  private call({ source, from, to }: TokenRange, scope: Scope, isWholeStatement: boolean): MacroResult {
    const { tokens } = source;
    const written = (tokens[from + 1] as Token).text;
    const place = this.placeOf(source, (tokens[from] as Token).start, (tokens[to - 1] as Token).end);
    if (++this.calls > CALLS_MAX) this.stop('macro.too-large', `${CALLS_MAX} macro calls`, source, from, to);
    if (++this.depth > DEPTH_MAX) this.stop('macro.too-deep', String(DEPTH_MAX), source, from, to);
    try {
      if ((tokens[to - 1] as Token).text !== ')')
        throw new MacroProblem(
          diagnostic(
            'macro.unclosed',
            { macro: `@${written}` },
            { at: this.placeOf(source, (tokens[from] as Token).start, (tokens[from + 2] as Token).end) },
          ),
        );
      const inside = { source, from: from + 3, to: to - 1 };
      return this.perform({
        name: written.toLowerCase(),
        written,
        arguments: readArguments(inside),
        inside,
        isWholeStatement,
        scope,
        place,
      });
    } catch (problem) {
      if (!(problem instanceof MacroProblem)) throw problem;
      this.diagnostics.push(problem.diagnostic);
      return madeFragment('NULL', place);
    } finally {
      this.depth--;
    }
  }

  private perform(call: MacroCall): MacroResult {
    const { name } = call;
    const defined = this.lambdas.get(name);
    if (defined !== undefined) {
      const given = call.arguments.flatMap((argument) => this.items(argument, call.scope).items);
      const result = this.apply(defined.lambda, given, defined.scope);
      if (result === undefined) return undefined;
      return isSeveral(result)
        ? result.map((item) => anchored(item, call.place))
        : anchored(result, call.place);
    }
    this.looked.functions.add(name);
    const user = this.context.userFunctions.get(name);
    if (user !== undefined) return callUserFunction(user, call, this, this.userCalls);
    const operator = operatorOf(name);
    if (operator !== undefined) {
      this.looked.functions.add(name);
      return operator(call, this);
    }
    if (this.context.pythonMacros.has(name))
      throw new MacroProblem(
        diagnostic('macro.python-not-yet', { macro: call.written }, { at: range(call.place) }),
      );
    const known = [
      ...OPERATOR_NAMES,
      ...Object.keys(CLAUSES),
      ...this.context.userFunctions.keys(),
      ...this.lambdas.keys(),
    ];
    throw new MacroProblem(
      diagnostic(
        'macro.unknown',
        { macro: call.written },
        { at: range(call.place), hint: didYouMean(call.written, known) },
      ),
    );
  }

  /** A lone `@x`, `@{x}`, or a longer name made of such; undefined leaves the text as it is. */
  private runValue(source: Source, at: number, run: Run, scope: Scope, from: number): Fragment | undefined {
    const part = run.parts[0];
    if (run.parts.length > 1 || part === undefined || part.kind === 'braced')
      return this.glued(source, run, scope);
    const start = (source.tokens[at] as Token).start;
    const name = part.text.toLowerCase();
    const parameter = scope.values.get(name);
    if (parameter !== undefined) return parameter;
    const place = this.placeOf(source, start, run.end);
    const value = this.definitions.get(name)?.text ?? outerVariable(name, this.context, this.looked);
    if (value === undefined) {
      const before = at > from ? source.tokens[at - 1]?.text.toUpperCase() : undefined;
      // Snowflake's staged files, FROM @stage/path, look like variables.
      if (this.dialect === 'snowflake' && (before === 'FROM' || before === 'JOIN' || before === 'INTO'))
        return undefined;
      this.unknown(name, scope, place);
      return madeFragment('NULL', place);
    }
    const isText = value.startsWith("'") && isTablePosition(source.tokens, at, run.next, from);
    return madeFragment(isText ? nameSql(bareText(value, this.dialect), this.dialect, true) : value, place);
  }

  private glued(source: Source, run: Run, scope: Scope): Fragment {
    const place = this.placeOf(source, run.start, run.end);
    let text = '';
    for (const part of run.parts) {
      if (part.kind === 'text') {
        text += part.text;
        continue;
      }
      const value = this.bareValue(part.text.toLowerCase(), scope);
      if (value === undefined) this.unknown(part.text, scope, this.placeOf(source, part.start, part.end));
      text += value ?? '';
    }
    return madeFragment(nameSql(text, this.dialect), place);
  }

  private unknown(variable: string, scope: Scope, place: Place & { readonly file: string }): void {
    const names = [...scope.values.keys(), ...this.definitions.keys(), ...variableNames(this.context)];
    const hint = this.isMacro(variable.toLowerCase())
      ? `@${variable} is a macro; call it as @${variable}(…)`
      : didYouMean(variable, names);
    this.diagnostics.push(diagnostic('macro.unknown-variable', { variable }, { at: range(place), hint }));
  }
}

function isSeveral(result: Fragment | readonly Fragment[]): result is readonly Fragment[] {
  return Array.isArray(result);
}
