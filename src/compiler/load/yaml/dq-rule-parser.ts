/**
 * The grammar of quality rules:
 *
 *   rule       = schema | failed rows | for each column (patterns) [: rule] | group by columns
 *              | values in (columns) must [not] exist in model (columns) | row_count same as model
 *              | change for metric comparison [against baseline] | anomaly for metric | distribution (column) [comparison]
 *              | freshness (column) comparison | metric comparison
 *   metric     = name [ ( column {, column} [, number] ) ]
 *   comparison = (< | <= | > | >= | = | !=) value | [not] between value and value
 *   value      = [-] number [% | duration unit …]
 */
import {
  DQ_METRICS,
  type DqAssertion,
  type DqBaseline,
  type DqComparison,
  type DqMetric,
  type DqMetricName,
  type DqUnit,
} from '../../../domain/dq-pack.ts';
import { didYouMean } from '../../../foundation/diagnostics/nearest.ts';
import type { Located } from '../../../foundation/yaml/located.ts';
import { RuleCursor, RuleError, type RuleProblem } from './dq-rule-cursor.ts';
import type { RuleToken } from './rule-tokens.ts';

/** A rule's text understood; names have offsets into the text. */
export type ParsedRule =
  | { readonly kind: 'schema' }
  | { readonly kind: 'failed-rows' }
  | {
      readonly kind: 'for-each-column';
      readonly patterns: readonly Located<string>[];
      readonly restAt?: number;
    }
  | { readonly kind: 'group-by'; readonly columns: readonly Located<string>[] }
  | Extract<DqAssertion, { readonly kind: 'reference' | 'row-count-same' }>
  | {
      readonly kind: 'change';
      readonly metric: DqMetric;
      readonly comparison: DqComparison;
      readonly against?: DqBaseline;
    }
  | { readonly kind: 'anomaly'; readonly metric: DqMetric }
  | { readonly kind: 'distribution'; readonly column: Located<string>; readonly comparison?: DqComparison }
  | { readonly kind: 'freshness'; readonly column: Located<string>; readonly comparison: DqComparison }
  | { readonly kind: 'metric'; readonly metric: DqMetric; readonly comparison: DqComparison };

export type RuleResult<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problem: RuleProblem };

/** Reads a rule; `isPerColumn` inside "for each column", where metrics have no column of their own. */
export function parseRule(text: string, isPerColumn = false): RuleResult<ParsedRule> {
  return attempt(text, (parser) => parser.rule(isPerColumn));
}

/** Reads `when < 20`, `< 20` or `when between 1 and 2`, in the unit of what is compared. */
export function parseCondition(text: string, unit: DqUnit): RuleResult<DqComparison> {
  return attempt(text, (parser) => parser.condition(unit));
}

/** Reads `previous`, `last week` or `average last 7`. */
export function parseBaseline(text: string): RuleResult<DqBaseline> {
  return attempt(text, (parser) => parser.wholeBaseline());
}

/** Reads `psi < 0.2`. */
export function parseDistance(
  text: string,
): RuleResult<{ readonly method: 'psi' | 'ks' | 'chi_square'; readonly comparison: DqComparison }> {
  return attempt(text, (parser) => parser.distance());
}

function attempt<Value>(text: string, parse: (parser: RuleParser) => Value): RuleResult<Value> {
  try {
    return { ok: true, value: parse(new RuleParser(text)) };
  } catch (error) {
    if (error instanceof RuleError) return { ok: false, problem: error.problem };
    throw error;
  }
}

const COLUMNS_NONE = new Set<string>(['row_count']);
const COLUMNS_MANY = new Set<string>([
  'duplicate_count',
  'duplicate_percent',
  'distinct_count',
  'unique_count',
]);
const FORMS = [
  'schema',
  'failed',
  'for',
  'group',
  'values',
  'change',
  'anomaly',
  'distribution',
  'freshness',
];

class RuleParser extends RuleCursor {
  rule(isPerColumn: boolean): ParsedRule {
    const parsed = this.#form(isPerColumn);
    if (parsed.kind !== 'for-each-column' || parsed.restAt === undefined) this.end();
    return parsed;
  }

  condition(unit: DqUnit): DqComparison {
    if (this.is('when')) this.next();
    const comparison = this.comparisonIn(unit);
    this.end();
    return comparison;
  }

  wholeBaseline(): DqBaseline {
    const baseline = this.#baseline();
    this.end();
    return baseline;
  }

  distance(): { method: 'psi' | 'ks' | 'chi_square'; comparison: DqComparison } {
    const method = this.one('psi', 'ks', 'chi_square') as 'psi' | 'ks' | 'chi_square';
    const comparison = this.comparisonIn('none');
    this.end();
    return { method, comparison };
  }

  #form(isPerColumn: boolean): ParsedRule {
    const { text, kind } = this.peek();
    if (kind !== 'word') throw this.expected('a metric or one of the rule forms');
    switch (text.toLowerCase()) {
      case 'schema':
        this.next();
        return { kind: 'schema' };
      case 'failed':
        this.words('failed', 'rows');
        return { kind: 'failed-rows' };
      case 'for':
        return this.#forEach();
      case 'group':
        this.words('group', 'by');
        return { kind: 'group-by', columns: this.nameList() };
      case 'values':
        return this.#reference();
      case 'change':
        return this.#change(isPerColumn);
      case 'anomaly':
        this.words('anomaly', 'for');
        return { kind: 'anomaly', metric: this.#metric(isPerColumn) };
      case 'distribution':
      case 'freshness':
        return this.#columnForm(text.toLowerCase() as 'distribution' | 'freshness');
      default:
        return this.#metricRule(isPerColumn);
    }
  }

  #forEach(): ParsedRule {
    this.words('for', 'each', 'column');
    const patterns = this.parenthesised();
    if (!this.is(':')) return { kind: 'for-each-column', patterns };
    this.next();
    return { kind: 'for-each-column', patterns, restAt: this.peek().start };
  }

  #reference(): ParsedRule {
    this.words('values', 'in');
    const columns = this.parenthesised();
    this.words('must');
    const isNegated = this.is('not');
    if (isNegated) this.next();
    this.words('exist', 'in');
    const model = this.tableName();
    const open = this.peek();
    const targetColumns = this.parenthesised();
    if (targetColumns.length !== columns.length)
      throw this.wrong(
        open,
        `${targetColumns.length} ${targetColumns.length === 1 ? 'column' : 'columns'}`,
        `${columns.length}, one for each on the left`,
      );
    return { kind: 'reference', columns, isNegated, model, targetColumns };
  }

  #change(isPerColumn: boolean): ParsedRule {
    this.words('change', 'for');
    const metric = this.#metric(isPerColumn);
    const comparison = this.comparisonIn('percent', ' or a percentage');
    if (!this.is('against')) return { kind: 'change', metric, comparison };
    this.next();
    return { kind: 'change', metric, comparison, against: this.#baseline() };
  }

  #baseline(): DqBaseline {
    const word = this.one('previous', 'last', 'average');
    if (word === 'previous') return { kind: 'previous' };
    if (word === 'last')
      return { kind: 'last', unit: this.one('hour', 'day', 'week', 'month', 'year') as 'day' };
    this.words('last');
    const count = this.next();
    if (count.kind !== 'number' || !/^[1-9]\d*$/.test(count.text))
      throw this.wrong(count, this.shown(count), 'the number of runs');
    return { kind: 'average', runs: Number(count.text) };
  }

  #columnForm(kind: 'distribution' | 'freshness'): ParsedRule {
    this.next();
    const open = this.peek();
    const columns = this.parenthesised();
    const column = columns[0] as Located<string>;
    if (columns.length !== 1) throw this.wrong(open, `${columns.length} columns`, 'one column');
    if (kind === 'freshness') return { kind, column, comparison: this.comparisonIn('seconds') };
    return this.peek().kind === 'end'
      ? { kind, column }
      : { kind, column, comparison: this.comparisonIn('none') };
  }

  #metricRule(isPerColumn: boolean): ParsedRule {
    const metric = this.#metric(isPerColumn, FORMS);
    if (metric.name === 'row_count' && this.is('same')) {
      this.words('same', 'as');
      return { kind: 'row-count-same', model: this.tableName() };
    }
    const unit = metric.name.endsWith('_percent') ? 'percent' : 'none';
    const comparison = this.comparisonIn(unit, `, because ${metric.name} is one`);
    return { kind: 'metric', metric, comparison };
  }

  /** `forms`: what else may stand here. */
  #metric(isPerColumn: boolean, forms: readonly string[] = []): DqMetric {
    const token = this.next();
    const name = token.text.toLowerCase() as DqMetricName;
    if (token.kind !== 'word') throw this.wrong(token, this.shown(token), 'a metric');
    if (!DQ_METRICS.includes(name))
      throw new RuleError({
        kind: 'unknown-metric',
        words: { name: token.text },
        hint: didYouMean(token.text, [...DQ_METRICS, ...forms]),
        start: token.start,
        end: token.end,
      });
    const columns: Located<string>[] = [];
    let argument: number | undefined;
    if (this.is('(')) {
      this.next();
      do {
        const item = this.peek();
        if (item.kind === 'number' && name === 'percentile' && (isPerColumn || columns.length > 0))
          argument = Number(this.next().text);
        else columns.push(this.name('a column'));
      } while (this.take(','));
      this.sign(')');
    }
    this.#checkColumns(token, name, { columns, argument, isPerColumn });
    return { name, columns, ...(argument === undefined ? {} : { argument }) };
  }

  #checkColumns(
    token: RuleToken,
    name: string,
    given: { columns: readonly Located<string>[]; argument: number | undefined; isPerColumn: boolean },
  ): void {
    const count = given.columns.length;
    const wrong = (expected: string): RuleError =>
      new RuleError({
        kind: 'wrong-columns',
        words: { metric: name, expected },
        start: token.start,
        end: this.lastEnd(),
      });
    if (COLUMNS_NONE.has(name)) {
      if (count > 0) throw wrong('no column');
    } else if (given.isPerColumn) {
      if (count > 0) throw wrong('no column here, because it is about each column in turn');
    } else if (count === 0) throw wrong(COLUMNS_MANY.has(name) ? 'a column, or several' : 'a column');
    else if (count > 1 && !COLUMNS_MANY.has(name)) throw wrong('one column');
    const { argument } = given;
    if (name === 'percentile' && (argument === undefined || argument < 0 || argument > 1))
      throw wrong(`${given.isPerColumn ? '' : 'a column and '}a number between 0 and 1`);
  }
}
