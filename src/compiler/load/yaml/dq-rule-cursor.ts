import type { DqComparison, DqOperator, DqUnit } from '../../../domain/dq-pack.ts';
import { parseDuration } from '../../../foundation/time/duration.ts';
import type { Located } from '../../../foundation/yaml/located.ts';
import { type RuleToken, ruleTokens } from './rule-tokens.ts';

/** What is wrong with a rule's text; offsets are into the text. */
export interface RuleProblem {
  readonly kind: 'bad-rule' | 'unknown-metric' | 'wrong-columns' | 'empty-range';
  readonly words: Readonly<Record<string, string>>;
  readonly hint?: string | undefined;
  readonly start: number;
  readonly end: number;
}

/** Thrown by the cursor and caught by the parser's entry points only. */
export class RuleError {
  readonly problem: RuleProblem;

  constructor(problem: RuleProblem) {
    this.problem = problem;
  }
}

/** Walks over the tokens of a rule: signs, words, names and comparisons. */
export class RuleCursor {
  readonly #text: string;
  readonly #tokens: readonly RuleToken[];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = ruleTokens(text);
  }

  // ── comparisons

  /** A comparison with values of this unit. A percentage may be written without its sign. */
  comparisonIn(unit: DqUnit, because = ''): DqComparison {
    const first = this.peek();
    const comparison = this.comparison();
    if (unit === 'seconds') {
      if (comparison.unit !== 'seconds')
        throw this.wrong(first, 'a number without a unit of time', 'a duration such as 26h or 2 days');
    } else if (comparison.unit === 'seconds') throw this.wrong(first, 'a duration', `a number${because}`);
    else if (comparison.unit === 'percent' && unit === 'none')
      throw this.wrong(first, 'a percentage', `a number${because}`);
    return comparison;
  }

  comparison(): DqComparison {
    const token = this.next();
    if (token.kind === 'symbol' && OPERATORS.has(token.text)) {
      const { value, unit } = this.value();
      return { kind: 'compare', operator: OPERATORS.get(token.text) as DqOperator, value, unit };
    }
    const isNegated = token.text.toLowerCase() === 'not';
    const between = isNegated ? this.next() : token;
    if (between.text.toLowerCase() !== 'between')
      throw this.wrong(token, this.shown(token), 'a comparison such as < 5 or between 1 and 9');
    return this.between(isNegated);
  }

  between(isNegated: boolean): DqComparison {
    const first = this.peek();
    const opening = this.is('(') || this.is('[') ? this.next().text : undefined;
    const low = this.value();
    if (opening === undefined) this.words('and');
    else this.sign(',');
    const high = this.value();
    let closing: string | undefined;
    if (opening !== undefined) {
      const token = this.next();
      if (token.text !== ')' && token.text !== ']') throw this.wrong(token, this.shown(token), ') or ]');
      closing = token.text;
    }
    if ((low.unit === 'seconds') !== (high.unit === 'seconds'))
      throw this.wrong(first, 'a duration beside a number without a unit of time', 'two durations');
    // `between 1 and 5%` means 1% to 5%.
    const unit = low.unit === 'none' ? high.unit : low.unit;
    if (low.value > high.value)
      throw new RuleError({
        kind: 'empty-range',
        words: { low: String(low.value), high: String(high.value) },
        start: first.start,
        end: this.lastEnd(),
      });
    return {
      kind: 'between',
      isNegated,
      low: low.value,
      high: high.value,
      lowOpen: opening === '(',
      highOpen: closing === ')',
      unit,
    };
  }

  value(): { value: number; unit: DqUnit } {
    const sign = this.take('-') ? -1 : 1;
    const token = this.next();
    if (token.kind !== 'number') throw this.wrong(token, this.shown(token), 'a number');
    const value = sign * Number(token.text);
    if (this.take('%')) return { value, unit: 'percent' };
    const unit = this.peek();
    if (unit.kind !== 'word' || unit.text.toLowerCase() === 'and' || unit.text.toLowerCase() === 'against')
      return { value, unit: 'none' };
    return { value: sign * this.duration(token), unit: 'seconds' };
  }

  /** `26h`, `2 days`, `1d 6h`: from the number to the last unit. */
  duration(first: RuleToken): number {
    let end = first.end;
    while (this.peek().kind === 'word' || this.peek().kind === 'number') {
      if (this.is('and') || this.is('against')) break;
      end = this.next().end;
    }
    const text = this.#text
      .slice(first.start, end)
      .replace(/(\d)\s+(?=[a-z])/gi, '$1 ')
      .replace(/([a-z])(\d)/gi, '$1 $2');
    const duration = parseDuration(text);
    if (duration.kind === 'problem')
      throw this.wrong(
        { ...first, end },
        JSON.stringify(this.#text.slice(first.start, end)),
        'a duration such as 26h or 2 days',
      );
    return duration.months * 30 * 86_400 + duration.ms / 1000;
  }

  // ── names

  parenthesised(): readonly Located<string>[] {
    this.sign('(');
    const names = this.nameList();
    this.sign(')');
    return names;
  }

  nameList(): readonly Located<string>[] {
    const names = [this.name('a column')];
    while (this.take(',')) names.push(this.name('a column'));
    return names;
  }

  name(expected: string): Located<string> {
    const token = this.next();
    if (token.kind !== 'word' && token.kind !== 'string')
      throw this.wrong(token, this.shown(token), expected);
    return {
      value: token.kind === 'string' ? token.text.slice(1, -1) : token.text,
      start: token.start,
      end: token.end,
    };
  }

  tableName(): Located<string> {
    const first = this.name('the name of a model');
    let { end } = first;
    let value = this.#text.slice(first.start, end);
    while (this.take('.')) {
      const part = this.name('the rest of the name');
      value += `.${this.#text.slice(part.start, part.end)}`;
      end = part.end;
    }
    return { value, start: first.start, end };
  }

  // ── tokens

  peek(): RuleToken {
    return this.#tokens[Math.min(this.#at, this.#tokens.length - 1)] as RuleToken;
  }

  next(): RuleToken {
    const token = this.peek();
    this.#at++;
    return token;
  }

  is(text: string): boolean {
    return this.peek().text.toLowerCase() === text;
  }

  take(text: string): boolean {
    if (!this.is(text)) return false;
    this.#at++;
    return true;
  }

  sign(text: string): void {
    const token = this.next();
    if (token.text !== text) throw this.wrong(token, this.shown(token), text);
  }

  words(...words: readonly string[]): void {
    for (const word of words) {
      const token = this.next();
      if (token.text.toLowerCase() !== word) throw this.wrong(token, this.shown(token), word);
    }
  }

  one(...words: readonly string[]): string {
    const token = this.next();
    const found = words.find((word) => word === token.text.toLowerCase());
    if (found === undefined) throw this.wrong(token, this.shown(token), `one of ${words.join(', ')}`);
    return found;
  }

  end(): void {
    const token = this.peek();
    if (token.kind !== 'end') throw this.wrong(token, this.shown(token), 'the end of the rule');
  }

  shown(token: RuleToken): string {
    return token.kind === 'end' ? 'it ends here' : `found ${token.text}`;
  }

  expected(expected: string): RuleError {
    return this.wrong(this.peek(), this.shown(this.peek()), expected);
  }

  wrong(token: RuleToken, found: string, expected: string): RuleError {
    const start = token.kind === 'end' ? Math.max(0, token.start - 1) : token.start;
    return new RuleError({
      kind: 'bad-rule',
      words: { found, expected },
      start,
      end: Math.max(token.end, start + 1),
    });
  }

  /** Where the last token taken ends. */
  lastEnd(): number {
    return this.#tokens[this.#at - 1]?.end ?? 0;
  }
}

const OPERATORS: ReadonlyMap<string, DqOperator> = new Map<string, DqOperator>([
  ['=', '='], ['==', '='], ['!=', '!='], ['<>', '!='], ['<', '<'], ['<=', '<='], ['>', '>'], ['>=', '>='],
]); // biome-ignore format: a table
