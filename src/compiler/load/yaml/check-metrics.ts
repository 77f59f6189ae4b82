import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { isAdditive } from '../../../domain/measure-type.ts';
import type { Metric } from '../../../domain/metric.ts';
import type { Measure, MemberFilter } from '../../../domain/semantic-model.ts';
import { didYouMean } from '../../../foundation/diagnostics/nearest.ts';
import { orderByDependencies } from '../../../foundation/graph.ts';
import { type Located, type LocatedText, rangeInText, rangeOf } from '../../../foundation/yaml/located.ts';
import { checkGranularity, checkTime, type MemberCheckContext, resolveMember } from './check-member.ts';
import { readMemberExpression } from './member-expression.ts';
import type { Target } from './member-resolver.ts';
import type { NamedSemantic } from './semantic-world.ts';

/** Checks what metrics refer to, and that they do not refer to each other in a circle. */
export function checkMetrics(metrics: readonly Metric[], context: MemberCheckContext): void {
  const byName = new Map(metrics.map((metric) => [metric.name.value.toLowerCase(), metric]));
  const dependencies = new Map<string, string[]>();
  for (const metric of metrics) {
    const used = new MetricCheck(metric, byName, context).run();
    dependencies.set(metric.name.value.toLowerCase(), [...used]);
  }
  for (const cycle of orderByDependencies(dependencies).cycles) {
    const first = byName.get(cycle[0] as string);
    context.report(
      diagnostic(
        'metric.cycle',
        { path: cycle.join(' → ') },
        { at: first && rangeOf(first.file, first.name) },
      ),
    );
  }
}

class MetricCheck {
  readonly #metric: Metric;
  readonly #metrics: ReadonlyMap<string, Metric>;
  readonly #context: MemberCheckContext;
  readonly #used: string[] = [];

  constructor(metric: Metric, metrics: ReadonlyMap<string, Metric>, context: MemberCheckContext) {
    this.#metric = metric;
    this.#metrics = metrics;
    this.#context = context;
  }

  run(): readonly string[] {
    const metric = this.#metric;
    const base = this.#calculation();
    const { ts, granularity, file } = metric;
    const { report, resolver } = this.#context;
    const time = ts && this.#member(ts, 'dimension', base);
    if (ts !== undefined && time !== undefined) checkTime(time, ts, granularity, { file, report });
    else if (granularity !== undefined)
      checkGranularity(granularity, resolver.world, { file, report, dimension: ts ?? metric.name });
    const seen = new Set(['ts', 'measure']);
    for (const { name, ref } of metric.dimensions) {
      this.#member(ref, 'dimension', base);
      if (seen.has(name.toLowerCase()))
        this.#context.report(diagnostic('metric.duplicate-dimension', { name }, { at: this.#at(ref) }));
      seen.add(name.toLowerCase());
    }
    for (const segment of metric.segments) this.#member(segment, 'segment', base);
    for (const filter of metric.filters)
      if (filter.kind === 'filter') this.#filter(filter.filter, base);
      else this.#expression(filter.expression, (parts, at) => this.#reference(parts, at, base));
    return this.#used;
  }

  #at(located: { readonly start: number; readonly end: number }) {
    return rangeOf(this.#metric.file, located);
  }

  /** Checks what is computed; the semantic model whose rows are counted, from which everything else must be reachable. */
  #calculation(): NamedSemantic | undefined {
    const { calculation } = this.#metric;
    switch (calculation.kind) {
      case 'simple':
        return this.#member(calculation.measure, 'measure', undefined)?.scope;
      case 'ratio': {
        const numerator = this.#member(calculation.numerator, 'measure', undefined)?.scope;
        this.#member(calculation.denominator, 'measure', undefined);
        return numerator;
      }
      case 'cumulative': {
        const target = this.#member(calculation.measure, 'measure', undefined);
        const measure =
          target?.kind === 'member' && target.member.kind === 'measure' ? target.member.measure : undefined;
        const isTypeKnown = measure?.broken?.includes('type') !== true;
        if (measure !== undefined && isTypeKnown && !isAdditive(measure.type))
          this.#context.report(
            diagnostic(
              'metric.not-additive',
              { name: calculation.measure.value, type: measure.type },
              { at: this.#at(calculation.measure) },
            ),
          );
        if (measure !== undefined) this.#accumulated(measure, calculation.measure);
        return target?.scope;
      }
      case 'conversion': {
        const base = this.#member(calculation.base, 'measure', undefined)?.scope;
        const conversion = this.#member(calculation.conversion, 'measure', undefined)?.scope;
        const entity = this.#member(calculation.entity, 'dimension', base, true)?.scope;
        if (conversion !== undefined && entity !== undefined)
          this.#context.resolver.checkPath(conversion, entity, this.#at(calculation.entity));
        for (const fact of [base, conversion]) this.#oneValue(calculation.entity, fact);
        if (this.#metric.ts !== undefined) this.#oneValue(this.#metric.ts, base);
        return base;
      }
      case 'derived': {
        const names = new Map(calculation.inputs.map((input) => [input.name.value.toLowerCase(), input]));
        this.#expression(calculation.expression, (parts, at) => {
          const name = parts.join('.');
          // Inputs that are missing are reported as such.
          if (names.size > 0 && !names.has(name.toLowerCase()))
            this.#context.report(
              diagnostic(
                'metric.unknown-input',
                { name },
                {
                  at,
                  hint: didYouMean(
                    name,
                    calculation.inputs.map((input) => input.name.value),
                  ),
                },
              ),
            );
        });
        for (const { ref } of calculation.inputs) this.#input(ref);
        return undefined;
      }
    }
  }

  /** Conversions compare one value of each row. */
  #oneValue(member: Located<string>, fact: NamedSemantic | undefined): void {
    const [first = ''] = member.value.split('.');
    if (fact === undefined || this.#context.resolver.isToOne(first, fact) !== false) return;
    const names = { name: member.value, model: first, fact: fact.name };
    this.#context.report(diagnostic('semantic.fan-out-in-measure', names, { at: this.#at(member) }));
  }

  /** The window of the metric would stand in place of what the measure says about time itself. */
  #accumulated({ behavior, rollingWindow }: Measure, { value: name, ...place }: Located<string>): void {
    const at = this.#at(place);
    if (behavior?.type === 'stock')
      this.#context.report(
        diagnostic(
          'semantic.bad-stock',
          { name, problem: 'cannot be accumulated, because it is not added up over time' },
          { at, hint: 'use type: simple, or a measure without that behavior' },
        ),
      );
    if (rollingWindow !== undefined)
      this.#context.report(
        diagnostic(
          'semantic.bad-window',
          { problem: `of ${name} and that of the metric cannot both hold` },
          { at, hint: 'use type: simple, or a measure without a window' },
        ),
      );
  }

  #input(ref: Located<string>): void {
    const key = ref.value.toLowerCase();
    if (this.#metrics.has(key)) {
      this.#used.push(key);
      return;
    }
    if (ref.value.includes('.')) this.#member(ref, 'measure', undefined);
    // The metric whose name could not be read may be the one.
    else if (!this.#metrics.has(''))
      this.#context.report(
        diagnostic(
          'metric.unknown-metric',
          { name: ref.value },
          { at: this.#at(ref), hint: didYouMean(ref.value, this.#metrics.keys()) },
        ),
      );
  }

  #member(
    member: Located<string>,
    expected: 'measure' | 'dimension' | 'segment',
    from: NamedSemantic | undefined,
    allowsColumns = false,
  ): Target | undefined {
    if (member.value === '') return undefined;
    if (member.value.split('.').length !== 2) {
      this.#context.report(
        diagnostic('metric.bad-reference', { name: member.value }, { at: this.#at(member) }),
      );
      return undefined;
    }
    return resolveMember(this.#context.resolver, member, {
      expected,
      from,
      allowsColumns,
      file: this.#metric.file,
      report: this.#context.report,
    });
  }

  #filter(filter: MemberFilter, base: NamedSemantic | undefined): void {
    if (filter.kind !== 'member') for (const each of filter.filters) this.#filter(each, base);
    else if (filter.operator === 'measureFilter') this.#member(filter.member, 'measure', base);
    else this.#member(filter.member, 'dimension', base);
  }

  #reference(
    parts: readonly string[],
    at: { file: string; start: number; end: number },
    base: NamedSemantic | undefined,
  ): void {
    if (parts.length === 2)
      this.#context.resolver.resolve({ parts, at, prefers: 'column', allowsColumns: true }, base);
    else this.#context.report(diagnostic('metric.bad-reference', { name: parts.join('.') }, { at }));
  }

  #expression(
    text: LocatedText,
    check: (parts: readonly string[], at: { file: string; start: number; end: number }) => void,
  ): void {
    if (text.value === '') return;
    const read = readMemberExpression(text.value, 'duckdb');
    const { file } = this.#metric;
    if (!read.ok) {
      const { message, span } = read.error;
      this.#context.report(
        diagnostic(
          'metric.bad-expression',
          { detail: message },
          { at: rangeInText(file, text, span.start, span.end) },
        ),
      );
      return;
    }
    for (const { parts, start, end } of read.value.references)
      check(parts, rangeInText(file, text, start, end));
    for (const { column } of read.value.columns)
      this.#context.report(
        diagnostic(
          'metric.bad-reference',
          { name: column.name.name },
          {
            at: rangeInText(file, text, column.span.start, column.span.end),
            hint: `write {${column.name.name}}`,
          },
        ),
      );
  }
}
