import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type {
  DqAssertion,
  DqBaseline,
  DqDimension,
  DqMetric,
  DqUnit,
  DqValidity,
} from '../../../domain/dq-pack.ts';
import type { SourceFile } from '../../../domain/source-file.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import { didYouMean } from '../../../foundation/diagnostics/nearest.ts';
import type { Data } from '../../../foundation/yaml/data.ts';
import { type Located, type LocatedText, rangeInText, rangeOf } from '../../../foundation/yaml/located.ts';
import type { YamlEntry } from '../../../foundation/yaml/tree.ts';
import { dqRuleDiagnostic } from './dq-rule-diagnostic.ts';
import { type ParsedRule, parseBaseline, parseCondition, parseDistance } from './dq-rule-parser.ts';
import { OPTIONS_OF, type RuleOptions, ruleText } from './dq-schema.ts';
import { present } from './present.ts';
import { regexProblem } from './regex-problem.ts';

/** Formats of numbers, each also as `positive …` and `negative …`. */
const SIGNED_FORMATS = [
  'integer', 'decimal', 'decimal point', 'decimal comma', 'percentage', 'percentage point', 'percentage comma',
] as const; // biome-ignore format: a table

/** Formats `valid_format` knows. */
export const DQ_FORMATS: readonly string[] = [
  'email', 'url', 'uuid', 'date', 'date us', 'date eu', 'date inverse', 'date iso 8601', 'timestamp', 'timestamp 24h', 'timestamp 12h', 'time', 'time 24h', 'time 24h nosec', 'time 12h', 'time 12h nosec', 'number', 'money', 'money point', 'money comma', 'phone', 'phone number', 'ip', 'ip address', 'ipv4', 'ipv4 address', 'ipv6', 'ipv6 address', 'credit card', 'credit card number', 'country', 'currency', 'iban', 'json', 'boolean',
  ...SIGNED_FORMATS.flatMap((name) => [name, `positive ${name}`, `negative ${name}`]),
]; // biome-ignore format: a table

/** A name of a rule's text at its place in the file. */
export function movedLocated(name: Located<string>, text: LocatedText): Located<string> {
  const { start, end } = rangeInText('', text, name.start, name.end);
  return { value: name.value, start, end };
}

/** Makes the assertion of a parsed rule and its options; options that do not fit, or lack, are reported. */
export class AssertionBuilder {
  readonly #file: SourceFile;
  readonly #text: LocatedText;
  readonly #diagnostics: Diagnostic[];

  constructor(file: SourceFile, text: LocatedText, diagnostics: Diagnostic[]) {
    this.#file = file;
    this.#text = text;
    this.#diagnostics = diagnostics;
  }

  build(
    rule: Exclude<ParsedRule, { kind: 'for-each-column' | 'group-by' }>,
    options: RuleOptions,
    distances: readonly YamlEntry[],
  ): DqAssertion | undefined {
    this.#checkOptions(rule, options);
    const move = (name: Located<string>): Located<string> => movedLocated(name, this.#text);
    switch (rule.kind) {
      case 'metric':
        return {
          kind: 'metric',
          metric: this.#metric(rule.metric),
          comparison: rule.comparison,
          validity: this.#validity(rule.metric, options),
        };
      case 'freshness':
        return { kind: 'freshness', column: move(rule.column), comparison: rule.comparison };
      case 'row-count-same':
        return { kind: 'row-count-same', model: move(rule.model) };
      case 'reference':
        return {
          kind: 'reference',
          columns: rule.columns.map(move),
          isNegated: rule.isNegated,
          model: move(rule.model),
          targetColumns: rule.targetColumns.map(move),
        };
      case 'schema':
        return this.#schema(options);
      case 'change':
        return {
          kind: 'change',
          metric: this.#metric(rule.metric),
          validity: this.#validity(rule.metric, options),
          comparison: rule.comparison,
          against: rule.against ?? this.#baseline(options.against),
        };
      case 'anomaly':
        return {
          kind: 'anomaly',
          metric: this.#metric(rule.metric),
          validity: this.#validity(rule.metric, options),
          method: this.#method(options, ['robust_z', 'z', 'iqr']),
          sensitivity: options.sensitivity ?? 3,
          training: options.training ?? 14,
          season: options.season ?? 'none',
        };
      case 'distribution':
        return this.#distribution(rule, options, distances);
      case 'failed-rows':
        if (options.fail_query === undefined && options.fail_condition === undefined)
          return this.#missing('fail_query or fail_condition', options, OPTIONS_OF['failed-rows']);
        if (options.fail_query !== undefined && options.fail_condition !== undefined)
          this.#bad(options.fail_condition, 'found fail_condition beside fail_query', 'one of the two');
        return {
          kind: 'failed-rows',
          ...present({ query: options.fail_query, condition: options.fail_condition }),
        };
    }
  }

  #metric(metric: DqMetric): DqMetric {
    return { ...metric, columns: metric.columns.map((column) => movedLocated(column, this.#text)) };
  }

  #bad(place: { readonly start: number; readonly end: number }, found: string, expected: string): void {
    const at = rangeOf(this.#file.path, place);
    this.#diagnostics.push(diagnostic('dq.bad-rule', { found, expected }, { at }));
  }

  /** One of those that fit the rule; the first is the usual one. */
  #method<Method extends string>({ method }: RuleOptions, known: readonly [Method, ...Method[]]): Method {
    const found = known.find((each) => each === method?.value);
    if (method !== undefined && found === undefined)
      this.#bad(method, `found ${method.value}`, `one of ${known.join(', ')}`);
    return found ?? known[0];
  }

  /** A key that is written, but wrong or misspelled, is not missing as well. */
  #missing(option: string, options: RuleOptions, keys: readonly string[] = []): undefined {
    if (keys.some((key) => options.$broken.includes(key))) return;
    this.#diagnostics.push(
      diagnostic('dq.missing-option', { option }, { at: rangeOf(this.#file.path, this.#text) }),
    );
  }

  #schema(options: RuleOptions): DqAssertion | undefined {
    const { required_columns, forbidden_columns, types } = options;
    if (required_columns === undefined && forbidden_columns === undefined && types === undefined)
      return this.#missing('required_columns, forbidden_columns or types', options, OPTIONS_OF['schema']);
    return {
      kind: 'schema',
      requiredColumns: required_columns ?? [],
      forbiddenColumns: forbidden_columns ?? [],
      types: (types ?? []).map(({ key, value }) => ({ column: key, type: value })),
    };
  }

  #baseline(text: LocatedText | undefined): DqBaseline {
    if (text === undefined) return { kind: 'previous' };
    const parsed = parseBaseline(text.value);
    if (parsed.ok) return parsed.value;
    this.#diagnostics.push(dqRuleDiagnostic(this.#file.path, text, parsed.problem));
    return { kind: 'previous' };
  }

  #distribution(
    rule: ParsedRule & { kind: 'distribution' },
    options: RuleOptions,
    distances: readonly YamlEntry[],
  ): DqAssertion | undefined {
    const column = movedLocated(rule.column, this.#text);
    const against = options.against?.value === 'baseline' ? 'baseline' : 'previous';
    if (options.against !== undefined && !['previous', 'baseline'].includes(options.against.value))
      this.#bad(options.against, `found ${options.against.value}`, 'previous or baseline');
    const method = this.#method(options, ['psi', 'ks', 'chi_square']);
    const [entry, another] = distances;
    const superfluous =
      another?.key ??
      (rule.comparison === undefined ? undefined : (entry?.key ?? options.threshold)) ??
      (entry === undefined ? undefined : (options.threshold ?? options.method));
    if (superfluous !== undefined)
      this.#bad(superfluous, 'the distance is said twice', 'one method with one threshold');
    if (rule.comparison !== undefined)
      return { kind: 'distribution', column, against, method, comparison: rule.comparison };
    const text = entry === undefined ? options.threshold : ruleText(entry.key, this.#file.text);
    if (text === undefined)
      return this.#missing('a threshold, for instance psi < 0.2', options, OPTIONS_OF['distribution']);
    if (entry === undefined) {
      const parsed = parseCondition(text.value, 'none');
      if (parsed.ok) return { kind: 'distribution', column, against, method, comparison: parsed.value };
      this.#diagnostics.push(dqRuleDiagnostic(this.#file.path, text, parsed.problem));
      return undefined;
    }
    const parsed = parseDistance(text.value);
    if (parsed.ok) return { kind: 'distribution', column, against, ...parsed.value };
    this.#diagnostics.push(dqRuleDiagnostic(this.#file.path, text, parsed.problem));
    return undefined;
  }

  #validity(metric: DqMetric, options: RuleOptions): DqValidity {
    const validity: DqValidity = present({
      format: options.valid_format,
      regex: options.valid_regex,
      invalidFormat: options.invalid_format,
      invalidRegex: options.invalid_regex,
      values: simple(options.valid_values),
      invalidValues: simple(options.invalid_values),
      min: options.valid_min,
      max: options.valid_max,
      length: options.valid_length,
      minLength: options.valid_min_length,
      maxLength: options.valid_max_length,
      missingValues: simple(options.missing_values),
      missingRegex: options.missing_regex,
    });
    const says = Object.keys(validity).filter((key) => !key.startsWith('missing'));
    if (/^(in)?valid_/.test(metric.name) && says.length === 0)
      this.#missing(
        'an option that says what is valid, for instance valid_format or valid_values',
        options,
        OPTIONS_OF['invalid'],
      );
    for (const [low, high] of [
      [validity.min, validity.max],
      [validity.minLength, validity.maxLength],
    ])
      if (low !== undefined && high !== undefined && low > high)
        this.#diagnostics.push(
          diagnostic(
            'dq.empty-range',
            { low: String(low), high: String(high) },
            { at: rangeOf(this.#file.path, this.#text) },
          ),
        );
    for (const format of [validity.format, validity.invalidFormat])
      if (format !== undefined) this.#format(format);
    for (const pattern of [validity.regex, validity.invalidRegex, validity.missingRegex])
      if (pattern !== undefined) this.#regex(pattern);
    return validity;
  }

  #format(format: Located<string>): void {
    if (DQ_FORMATS.includes(format.value.toLowerCase().replaceAll('_', ' '))) return;
    this.#diagnostics.push(
      diagnostic(
        'dq.unknown-format',
        { name: format.value },
        { at: rangeOf(this.#file.path, format), hint: didYouMean(format.value, DQ_FORMATS) },
      ),
    );
  }

  #regex(pattern: Located<string>): void {
    const detail = regexProblem(pattern.value);
    if (detail === undefined) return;
    const at = rangeOf(this.#file.path, pattern);
    this.#diagnostics.push(diagnostic('dq.bad-regex', { pattern: pattern.value, detail }, { at }));
  }

  #checkOptions(rule: ParsedRule, options: RuleOptions): void {
    const metric = 'metric' in rule ? rule.metric.name : '';
    const validity = /^(in)?valid_/.test(metric)
      ? OPTIONS_OF['invalid']
      : /^missing_/.test(metric)
        ? OPTIONS_OF['missing']
        : [];
    const allowed = new Set<string>([...(OPTIONS_OF[rule.kind] ?? []), ...(validity ?? [])]);
    const special = new Set(Object.values(OPTIONS_OF).flat());
    const useless = uselessFor(rule, options);
    for (const key of Object.keys(options) as (keyof RuleOptions)[]) {
      if ((!special.has(key) || allowed.has(key)) && !useless.includes(key)) continue;
      const value = options[key];
      const at =
        value !== null && typeof value === 'object' && 'start' in value
          ? rangeOf(this.#file.path, value as Located<unknown>)
          : rangeOf(this.#file.path, this.#text);
      this.#diagnostics.push(diagnostic('dq.option-of-other-rule', { option: key }, { at }));
    }
  }
}

/** Options of every rule that would do nothing for this one: columns and whole queries have no rows to filter. */
function uselessFor({ kind }: ParsedRule, options: RuleOptions): readonly (keyof RuleOptions)[] {
  return kind === 'schema' || (kind === 'failed-rows' && options.fail_query !== undefined) ? ['filter'] : [];
}

function simple(values: readonly Data[] | undefined): readonly (string | number | boolean)[] | undefined {
  // NULL is missing, whatever a list says.
  return values
    ?.filter((value) => value !== null)
    .map((value) => (typeof value === 'object' ? JSON.stringify(value) : value));
}

/** The dimension a rule is usually about. */
export function dimensionOf(assertion: DqAssertion): DqDimension {
  switch (assertion.kind) {
    case 'freshness':
      return 'timeliness';
    case 'schema':
      return 'conformity';
    case 'reference':
    case 'row-count-same':
      return 'consistency';
    case 'failed-rows':
      return 'validity';
    case 'for-each-column':
      return dimensionOf(assertion.rule);
    case 'group-by':
      return assertion.rules[0] === undefined ? 'coverage' : dimensionOf(assertion.rules[0]);
    case 'change':
    case 'anomaly':
    case 'distribution':
      return 'accuracy';
    case 'metric': {
      const { name } = assertion.metric;
      if (name === 'row_count') return 'coverage';
      if (name.startsWith('missing')) return 'completeness';
      if (name.startsWith('duplicate') || name.startsWith('unique') || name.startsWith('distinct'))
        return 'uniqueness';
      return /^(in)?valid_/.test(name) ? 'validity' : 'accuracy';
    }
  }
}

/** In which unit the value of a rule is compared. */
export function unitOf(assertion: DqAssertion): DqUnit {
  switch (assertion.kind) {
    case 'freshness':
      return 'seconds';
    case 'metric':
      return assertion.metric.name.endsWith('_percent') ? 'percent' : 'none';
    case 'change':
      return assertion.comparison.unit;
    case 'for-each-column':
      return unitOf(assertion.rule);
    case 'group-by':
      return assertion.rules[0] === undefined ? 'none' : unitOf(assertion.rules[0]);
    case 'schema':
    case 'reference':
    case 'row-count-same':
    case 'failed-rows':
    case 'anomaly':
    case 'distribution':
      return 'none';
  }
}
