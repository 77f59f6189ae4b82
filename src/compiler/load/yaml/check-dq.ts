import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { DqAssertion, DqMetric, DqPack } from '../../../domain/dq-pack.ts';
import { splitModelName } from '../../../domain/model-name.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import { didYouMean } from '../../../foundation/diagnostics/nearest.ts';
import type { Dialect } from '../../../foundation/sql/dialect.ts';
import { parseExpression, parseQuery } from '../../../foundation/sql/parse/parse-query.ts';
import type { QueryProblem } from '../../../foundation/sql/query-facts.ts';
import { resolveQuery } from '../../../foundation/sql/resolve/resolve-query.ts';
import type { Query } from '../../../foundation/sql/tree.ts';
import { wildcard } from '../../../foundation/wildcard.ts';
import { type Located, type LocatedText, rangeInText, rangeOf } from '../../../foundation/yaml/located.ts';
import { selectOf } from './check-expression.ts';
import { tableNameOf } from './external-models.ts';
import { type CheckedModel, isTimeType } from './semantic-world.ts';

/** Checks packs against the models: models and columns exist, types fit, SQL can be read, names are unique. */
export function checkDqPacks(
  packs: readonly DqPack[],
  models: Iterable<CheckedModel>,
): readonly Diagnostic[] {
  const byName = new Map([...models].map((model) => [model.name, model]));
  const diagnostics: Diagnostic[] = [];
  const seen = new Map<string, string>();
  for (const pack of packs) {
    const other = pack.name.value === '' ? undefined : seen.get(pack.name.value);
    if (other === undefined) seen.set(pack.name.value, pack.file);
    else
      diagnostics.push(
        diagnostic(
          'dq.duplicate-name',
          { name: pack.name.value, other },
          { at: rangeOf(pack.file, pack.name) },
        ),
      );
    new PackCheck(pack, byName, diagnostics).run();
  }
  return diagnostics;
}

/** Metrics that need numbers. */
const NUMERIC = new Set([
  'avg',
  'sum',
  'min',
  'max',
  'median',
  'percentile',
  'stddev',
  'stddev_pop',
  'stddev_samp',
  'variance',
  'var_pop',
  'var_samp',
]);

class PackCheck {
  readonly #pack: DqPack;
  readonly #models: ReadonlyMap<string, CheckedModel>;
  readonly #diagnostics: Diagnostic[];
  readonly #model: CheckedModel | undefined;
  readonly #dialect: Dialect;

  constructor(pack: DqPack, models: ReadonlyMap<string, CheckedModel>, diagnostics: Diagnostic[]) {
    this.#pack = pack;
    this.#models = models;
    this.#diagnostics = diagnostics;
    this.#model = this.#find(pack.model, true);
    this.#dialect = this.#model?.dialect ?? 'duckdb';
  }

  run(): void {
    const pack = this.#pack;
    this.#condition(pack.filter);
    if (pack.profiles !== '*') for (const column of pack.profiles) this.#column(column, this.#model);
    for (const rule of pack.rules) {
      this.#condition(rule.filter);
      this.#assertion(rule.assertion);
    }
  }

  #at(located: { readonly start: number; readonly end: number }) {
    return rangeOf(this.#pack.file, located);
  }

  /** Rules may also name tables outside the project, so only the pack's own model, and what is nearly the name of one, must be a model of it. */
  #find(name: Located<string>, isRequired: boolean): CheckedModel | undefined {
    if (name.value === '') return undefined;
    const folded = tableNameOf(name.value, this.#dialect ?? 'duckdb') ?? name.value;
    const model = this.#models.get(name.value) ?? this.#models.get(folded);
    if (model === undefined) {
      const hint = didYouMean(name.value, this.#models.keys());
      const severity = isRequired || hint !== undefined ? 'error' : 'warning';
      this.#diagnostics.push(
        diagnostic('dq.unknown-model', { name: name.value }, { at: this.#at(name), hint, severity }),
      );
    }
    return model;
  }

  /** The type of a column; undefined when it is unknown or missing. */
  #column(column: Located<string>, model: CheckedModel | undefined): string | undefined {
    if (model === undefined) return undefined;
    const found = model.columns.find((each) => each.name.toLowerCase() === column.value.toLowerCase());
    if (found !== undefined) return found.type === 'UNKNOWN' ? undefined : found.type;
    if (model.hasAllColumns)
      this.#diagnostics.push(
        diagnostic(
          'dq.unknown-column',
          { model: model.name, column: column.value },
          {
            at: this.#at(column),
            hint: didYouMean(
              column.value,
              model.columns.map((each) => each.name),
            ),
          },
        ),
      );
    return undefined;
  }

  #assertion(assertion: DqAssertion): void {
    switch (assertion.kind) {
      case 'metric':
      case 'change':
      case 'anomaly':
        this.#metric(assertion.metric);
        return;
      case 'freshness': {
        const type = this.#column(assertion.column, this.#model);
        if (type !== undefined && isTimeType(type) === false)
          this.#mismatch('freshness', assertion.column, type, 'a date or a timestamp');
        return;
      }
      case 'schema':
        // Required and forbidden columns are about the table in the warehouse, which may differ from what the project knows.
        return;
      case 'reference': {
        const target = this.#find(assertion.model, false);
        for (const column of assertion.columns) this.#column(column, this.#model);
        for (const column of assertion.targetColumns) this.#column(column, target);
        return;
      }
      case 'row-count-same':
        this.#find(assertion.model, false);
        return;
      case 'distribution':
        this.#column(assertion.column, this.#model);
        return;
      case 'failed-rows':
        this.#condition(assertion.condition);
        this.#query(assertion.query);
        return;
      case 'for-each-column':
        this.#forEach(assertion);
        return;
      case 'group-by':
        for (const column of assertion.columns) this.#column(column, this.#model);
        for (const rule of assertion.rules) this.#assertion(rule);
    }
  }

  #metric(metric: DqMetric): void {
    for (const column of metric.columns) {
      const type = this.#column(column, this.#model);
      if (type === undefined || !NUMERIC.has(metric.name)) continue;
      const isNumber = /^(DECIMAL|U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE|BIGNUM|BOOLEAN)/.test(
        type,
      );
      if (!isNumber) this.#mismatch(metric.name, column, type, 'a number');
    }
  }

  #mismatch(metric: string, column: Located<string>, found: string, expected: string): void {
    this.#diagnostics.push(
      diagnostic(
        'dq.type-mismatch',
        { metric, column: column.value, found, expected },
        { at: this.#at(column) },
      ),
    );
  }

  #forEach(assertion: DqAssertion & { kind: 'for-each-column' }): void {
    const model = this.#model;
    if (model?.hasAllColumns === true)
      for (const pattern of assertion.patterns) {
        const fits = columnPattern(pattern.value);
        if (!model.columns.some((column) => fits(column.name)))
          this.#diagnostics.push(
            diagnostic(
              'dq.no-matching-column',
              { model: model.name, pattern: pattern.value },
              { at: this.#at(pattern) },
            ),
          );
      }
    this.#assertion(assertion.rule);
  }

  #condition(text: LocatedText | undefined): void {
    if (text === undefined) return;
    const parsed = parseExpression(text.value, this.#dialect);
    if (!parsed.ok) this.#badSql(text, parsed.error);
    else if (this.#model !== undefined) {
      const { catalog, schema, table } = splitModelName(this.#model.name);
      const query = selectOf(
        parsed.value,
        [catalog, schema, table].filter((part) => part !== undefined),
      );
      this.#resolve(query, text, (problem) => problem.kind === 'unknown-column');
    }
  }

  #query(text: LocatedText | undefined): void {
    if (text === undefined) return;
    const parsed = parseQuery(text.value, this.#dialect);
    if (!parsed.ok) this.#badSql(text, parsed.error);
    else this.#resolve(parsed.value, text, () => true);
  }

  /** What is certainly wrong with the names of a query; tables outside the project may have any column. */
  #resolve(query: Query, text: LocatedText, isAsked: (problem: QueryProblem) => boolean): void {
    const read = new Set<string>();
    const schemaOf = (parts: readonly string[]) => {
      const model = this.#models.get(parts.join('.'));
      if (model?.hasAllColumns !== true) return undefined;
      read.add(model.name);
      return model;
    };
    const { problems } = resolveQuery(query, schemaOf, { dialect: this.#dialect });
    for (const problem of problems) {
      if (!problem.isCertain || !isAsked(problem)) continue;
      const { name: column, span, candidates } = problem;
      const at = rangeInText(this.#pack.file, text, span.start, span.end);
      const hint = didYouMean(column, candidates);
      const model = [...read].join(' or ');
      if (problem.kind === 'unknown-column' && model !== '')
        this.#diagnostics.push(diagnostic('dq.unknown-column', { model, column }, { at, hint }));
      else this.#diagnostics.push(diagnostic('dq.bad-sql', { detail: problemWords(problem) }, { at, hint }));
    }
  }

  #badSql(
    text: LocatedText,
    error: { readonly message: string; readonly span: { readonly start: number; readonly end: number } },
  ): void {
    const at = rangeInText(this.#pack.file, text, error.span.start, error.span.end);
    this.#diagnostics.push(diagnostic('dq.bad-sql', { detail: error.message.replace(/\.$/, '') }, { at }));
  }
}

function problemWords({ kind, name }: QueryProblem): string {
  switch (kind) {
    case 'unknown-column':
      return `there is no column ${name}`;
    case 'ambiguous-column':
      return `the column ${name} could be that of several tables`;
    case 'unknown-table-alias':
      return `there is no table or alias ${name} here`;
    case 'star-without-from':
      return 'a star without FROM stands for nothing';
    case 'column-count':
      return `the branches have different numbers of columns, ${name}`;
    case 'star-not-expanded':
    case 'duplicate-column':
    case 'too-deep':
    case 'too-much-work':
      return kind.replaceAll('-', ' ');
  }
}

/** Which names of columns `*_id` means; `%` works, too. */
export const columnPattern = (pattern: string): ((column: string) => boolean) =>
  wildcard(pattern.replaceAll('%', '*'));
