import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { didYouMean } from '../../foundation/diagnostics/nearest.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { parseExpression } from '../../foundation/sql/parse/parse-query.ts';
import type { Token } from '../../foundation/sql/token.ts';
import { closingIndex } from '../../foundation/sql/token-ranges.ts';
import { tokenize } from '../../foundation/sql/tokenize.ts';
import { listItems, readArguments } from './arguments.ts';
import {
  boundValue,
  type Expander,
  type MacroCall,
  type MacroLambda,
  type MacroResult,
  type MacroScope,
  type TokenizedFragment,
  type TokenRange,
} from './call.ts';
import { CLAUSES } from './clauses.ts';
import { type Constant, NotConstant } from './constant.ts';
import { evaluate } from './evaluate.ts';
import type { ExpansionContext } from './expansion.ts';
import {
  anchored,
  assemble,
  type FilePlace,
  type Fragment,
  FragmentBuilder,
  madeFragment,
  offsetMap,
  sliceFragment,
} from './fragment.ts';
import { isTablePosition, type TokenRun } from './neighbours.ts';
import { OPERATOR_NAMES, operatorOf } from './operators/operators.ts';
import { MacroProblem, MacroStop, range } from './problems.ts';
import { callUserFunction, type UserCalls } from './user-calls.ts';
import { bareText, calledText, isLoose, nameSql } from './values.ts';
import {
  blueprintVariable,
  configVariable,
  type MacroReads,
  outerVariable,
  variableNames,
} from './variables.ts';
import { itemsOf, type Walked, walk } from './walk.ts';

const DEPTH_MAX = 200;
const SIZE_MAX = 10_000_000;
const STEPS_MAX = 200_000;

const NO_SCOPE: MacroScope = { bindings: undefined, replacesWords: false };

/** One run of the expansion over the statements of a text: definitions, limits and what was looked at live as long as it. */
export class MacroExpander implements Expander, Walked {
  readonly context: ExpansionContext;
  readonly dialect: Dialect;
  readonly diagnostics: Diagnostic[] = [];
  readonly reads: MacroReads = {
    variables: new Set(),
    functions: new Set(),
    tables: new Set(),
    context: new Set(),
  };
  readonly userCalls: UserCalls = { needs: new Map(), missing: 0 };
  private readonly definitions = new Map<string, Fragment>();
  private readonly lambdas = new Map<string, { readonly lambda: MacroLambda; readonly scope: MacroScope }>();
  private readonly reported = new Set<string>();
  private depth = 0;
  private size = 0;
  private steps = 0;

  constructor(context: ExpansionContext) {
    this.context = context;
    this.dialect = context.dialect;
  }

  /** A whole statement. */
  statement(fragment: Fragment): Fragment {
    const { tokens, error } = tokenize(fragment.text, this.dialect);
    const source = { ...fragment, tokens };
    if (error === undefined) return this.walkIn({ source, from: 0, to: tokens.length - 1 }, NO_SCOPE, true);
    // What cannot be cut into tokens is copied; the parser will say why.
    const readable = { ...sliceFragment(fragment, 0, error.start), tokens };
    const builder = new FragmentBuilder();
    builder.add(this.walkIn({ source: readable, from: 0, to: tokens.length - 1 }, NO_SCOPE, true));
    builder.add(sliceFragment(fragment, error.start, fragment.text.length));
    return builder.fragment();
  }

  sourceOf(fragment: Fragment): TokenizedFragment {
    return { ...fragment, tokens: tokenize(fragment.text, this.dialect).tokens };
  }

  expand(wanted: TokenRange, scope: MacroScope): Fragment {
    return this.walkIn(wanted, { ...scope, replacesWords: false, isEvaluated: false }, false);
  }

  evaluateRange(wanted: TokenRange, call: MacroCall): Constant {
    const scope = { ...call.scope, replacesWords: false, isEvaluated: true };
    return this.evaluate(this.walkIn(wanted, scope, false), call);
  }

  grouped(fragment: Fragment, scope: MacroScope): Fragment {
    if (!scope.isEvaluated || !isLoose(fragment.text, this.dialect)) return fragment;
    const place = { start: fragment.pieces[0]?.start ?? 0, end: fragment.pieces.at(-1)?.end ?? 0 };
    return assemble(place, '(', fragment, ')');
  }

  items(
    wanted: TokenRange,
    scope: MacroScope,
  ): { readonly items: readonly Fragment[]; readonly isSpliced: boolean } {
    const { source, from, to } = wanted;
    if (!this.isSoleCall(wanted)) return { items: [this.expand(wanted, scope)], isSpliced: false };
    const result = this.call({ source, from, to }, { ...scope, replacesWords: false }, false);
    return { items: itemsOf(result), isSpliced: result === undefined || Array.isArray(result) };
  }

  again(fragment: Fragment, scope: MacroScope): Fragment {
    if (!fragment.text.includes('@')) return fragment;
    const source = this.sourceOf(fragment);
    return this.expand({ source, from: 0, to: source.tokens.length - 1 }, scope);
  }

  apply(lambda: MacroLambda, given: readonly Fragment[], scope: MacroScope): MacroResult {
    const only = given.length === 1 ? given[0] : undefined;
    const unpacked = only?.text.trimStart().startsWith('(') ? listItems(only, this) : undefined;
    const isTuple = unpacked !== undefined && (unpacked.length > 1 || lambda.parameters.length > 1);
    let { bindings } = scope;
    lambda.parameters.forEach((name, i) => {
      const value = (isTuple ? unpacked : given)[i];
      if (value !== undefined) bindings = { name, value, outer: bindings };
    });
    if (this.isSoleCall(lambda.body))
      return this.call(lambda.body, { ...scope, bindings, replacesWords: false }, false);
    return this.walkIn(lambda.body, { ...scope, bindings, replacesWords: true }, false);
  }

  evaluate(fragment: Fragment, call: MacroCall): Constant {
    const word = fragment.text.trim().toLowerCase();
    if (word === 'true' || word === 'false') return word === 'true';
    const parsed = parseExpression(fragment.text, this.dialect);
    const stop = (reason: string): never => {
      const macro = `@${call.name.toUpperCase()}`;
      throw new MacroProblem(diagnostic('macro.not-constant', { macro, reason }, { at: range(call.place) }));
    };
    if (!parsed.ok) return stop(parsed.error.message);
    try {
      const value = evaluate(parsed.value, fragment.text, this.dialect);
      return typeof value === 'number' && !Number.isFinite(value) ? stop('the number is too large') : value;
    } catch (error) {
      if (error instanceof NotConstant) return stop(error.reason);
      if (error instanceof RangeError) return stop('it is nested too deeply');
      throw error;
    }
  }

  define(name: string, value: Fragment | { readonly lambda: MacroLambda; readonly scope: MacroScope }): void {
    if ('lambda' in value) this.lambdas.set(name, value);
    else this.definitions.set(name, value);
  }

  isRedefined(name: string): boolean {
    return this.lambdas.has(name) || this.context.userFunctions.has(name);
  }

  bareValue(name: string, scope: MacroScope): string | undefined {
    const parameter = boundValue(scope.bindings, name);
    if (parameter !== undefined) return calledText(parameter.text, this.dialect);
    const value = this.definitions.get(name)?.text ?? outerVariable(name, this.context, this.reads);
    return value === undefined ? undefined : bareText(value, this.dialect);
  }

  configValue(name: string): string | undefined {
    return configVariable(name, this.context, this.reads, 'array');
  }

  blueprintValue(name: string): string | undefined {
    return blueprintVariable(name, this.context);
  }

  columnsOf(table: string): ReturnType<ExpansionContext['columnsOf']> {
    this.reads.tables.add(table);
    return this.context.columnsOf(table);
  }

  report(found: Diagnostic): void {
    // A body that is gone through many times is wrong once.
    const key = `${found.code} ${found.at?.start} ${found.at?.end} ${found.message}`;
    if (this.reported.has(key)) return;
    this.reported.add(key);
    this.diagnostics.push(found);
  }

  placeOf(source: TokenizedFragment, start: number, end: number): FilePlace & { readonly file: string } {
    return { file: this.context.file, ...offsetMap(source).original(start, end) };
  }

  callAt(source: TokenizedFragment, at: number, to: number): number | undefined {
    const { tokens } = source;
    const [sign, word, open] = [tokens[at], tokens[at + 1], tokens[at + 2]];
    if (sign?.kind !== 'at' || word?.kind !== 'word' || at + 2 >= to || open?.text !== '(') return undefined;
    // `INSERT INTO @this_model (a, b)`: a blank before the parenthesis leaves the choice.
    if (open.start > word.end && !this.isMacro(word.text.toLowerCase())) return undefined;
    return closingIndex(tokens, at + 2, to);
  }

  call({ source, from, to }: TokenRange, scope: MacroScope, isWholeStatement: boolean): MacroResult {
    const { tokens } = source;
    const [sign, word, open] = [tokens[from], tokens[from + 1], tokens[from + 2]] as [Token, Token, Token];
    const place = this.placeOf(source, sign.start, (tokens[to - 1] as Token).end);
    if (++this.depth > DEPTH_MAX) this.stop('macro.too-deep', String(DEPTH_MAX), place);
    try {
      if (closingIndex(tokens, from + 2, to) < 0) {
        const at = this.placeOf(source, sign.start, open.end);
        throw new MacroProblem(diagnostic('macro.unclosed', { macro: `@${word.text}` }, { at }));
      }
      const inside = { source, from: from + 3, to: to - 1 };
      const name = word.text.toLowerCase();
      const given = readArguments(inside);
      return this.perform({
        name,
        written: word.text,
        arguments: given,
        inside,
        isWholeStatement,
        scope,
        place,
      });
    } catch (problem) {
      if (!(problem instanceof MacroProblem)) throw problem;
      this.report(problem.diagnostic);
      return madeFragment('NULL', place);
    } finally {
      this.depth--;
    }
  }

  runText(source: TokenizedFragment, at: number, run: TokenRun, scope: MacroScope): Fragment | undefined {
    const part = run.parts[0];
    if (run.parts.length > 1 || part === undefined || part.kind === 'braced')
      return this.glued(source, run, scope);
    const name = part.text.toLowerCase();
    const parameter = boundValue(scope.bindings, name);
    if (parameter !== undefined) return this.grouped(parameter, scope);
    const place = this.placeOf(source, run.start, run.end);
    const value = this.definitions.get(name)?.text ?? outerVariable(name, this.context, this.reads);
    if (value === undefined) {
      const before = source.tokens[at - 1]?.text.toUpperCase();
      // Snowflake's staged files, FROM @stage/path, look like variables.
      if (this.dialect === 'snowflake' && (before === 'FROM' || before === 'JOIN' || before === 'INTO'))
        return undefined;
      this.unknownVariable(part.text, scope, place);
      return madeFragment('NULL', place);
    }
    const isTable = value.startsWith("'") && isTablePosition(source.tokens, at, run.next);
    const text = isTable ? nameSql(bareText(value, this.dialect), this.dialect, true) : value;
    return this.grouped(madeFragment(text, place), scope);
  }

  private glued(source: TokenizedFragment, run: TokenRun, scope: MacroScope): Fragment {
    let text = '';
    for (const part of run.parts) {
      if (part.kind === 'text') {
        text += part.text;
        continue;
      }
      const value = this.bareValue(part.text.toLowerCase(), scope);
      if (value === undefined)
        this.unknownVariable(part.text, scope, this.placeOf(source, part.start, part.end));
      text += value ?? '';
    }
    return madeFragment(nameSql(text, this.dialect), this.placeOf(source, run.start, run.end));
  }

  private unknownVariable(
    variable: string,
    scope: MacroScope,
    at: FilePlace & { readonly file: string },
  ): void {
    const names = [...boundNames(scope), ...this.definitions.keys(), ...variableNames(this.context)];
    const hint = this.isMacro(variable.toLowerCase())
      ? `${variable} is a macro: call it as @${variable}(…)`
      : didYouMean(variable, names);
    this.report(diagnostic('macro.unknown-variable', { variable }, { at, hint }));
  }

  private walkIn(wanted: TokenRange, scope: MacroScope, isStatement: boolean): Fragment {
    const made = walk(wanted, scope, isStatement, this);
    this.size += made.text.length;
    this.steps++;
    if (this.size > SIZE_MAX || this.steps > STEPS_MAX) {
      const { source, from, to } = wanted;
      const place = this.placeOf(source, source.tokens[from]?.start ?? 0, source.tokens[to - 1]?.end ?? 0);
      const max = this.size > SIZE_MAX ? `${SIZE_MAX / 1_000_000} MB of text` : `${STEPS_MAX} pieces of text`;
      this.stop('macro.too-large', max, place);
    }
    return made;
  }

  private stop(
    code: 'macro.too-large' | 'macro.too-deep',
    max: string,
    at: FilePlace & { readonly file: string },
  ): never {
    throw new MacroStop(diagnostic(code, { max }, { at }));
  }

  private isSoleCall({ source, from, to }: TokenRange): boolean {
    return this.callAt(source, from, to) === to - 1;
  }

  private isMacro(name: string): boolean {
    this.reads.functions.add(name);
    return this.isRedefined(name) || operatorOf(name) !== undefined || this.context.pythonMacros.has(name);
  }

  private perform(call: MacroCall): MacroResult {
    const { name } = call;
    const defined = this.lambdas.get(name);
    if (defined !== undefined) {
      const given = call.arguments.flatMap((argument) => this.items(argument, call.scope).items);
      const result = this.apply(defined.lambda, given, defined.scope);
      const items = itemsOf(result).map((item) => anchored(item, call.place));
      return Array.isArray(result) ? items : items[0];
    }
    this.reads.functions.add(name);
    const user = this.context.userFunctions.get(name);
    if (user !== undefined) return callUserFunction(user, call, this, this.userCalls);
    const operator = operatorOf(name);
    if (operator !== undefined) return operator(call, this);
    const at = range(call.place);
    if (this.context.pythonMacros.has(name))
      throw new MacroProblem(diagnostic('macro.python-not-yet', { macro: call.written }, { at }));
    const known = [
      ...OPERATOR_NAMES,
      ...Object.keys(CLAUSES),
      ...this.context.userFunctions.keys(),
      ...this.lambdas.keys(),
    ];
    throw new MacroProblem(
      diagnostic('macro.unknown', { macro: call.written }, { at, hint: didYouMean(call.written, known) }),
    );
  }
}

function boundNames(scope: MacroScope): readonly string[] {
  const names: string[] = [];
  for (let at = scope.bindings; at !== undefined; at = at.outer) names.push(at.name);
  return names;
}
