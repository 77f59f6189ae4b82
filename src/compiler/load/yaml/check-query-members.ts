import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { Metric } from '../../../domain/metric.ts';
import type { ModelTest, QueryMember } from '../../../domain/model-test.ts';
import { didYouMean } from '../../../foundation/diagnostics/nearest.ts';
import { type Located, rangeOf } from '../../../foundation/yaml/located.ts';
import { checkGranularity, checkTime, type MemberCheckContext, resolveMember } from './check-member.ts';
import type { Target } from './member-resolver.ts';

/** Checks the members that the semantic queries of tests name; metrics are queried as tables, too. */
export function checkQueryMembers(
  tests: readonly ModelTest[],
  metrics: readonly Metric[],
  context: MemberCheckContext,
): void {
  const byName = new Map(metrics.map((metric) => [metric.name.value.toLowerCase(), metric]));
  for (const { subject, file } of tests)
    if (subject.kind === 'semantic-query')
      for (const each of subject.members) new MemberCheck(each, file, context).run(byName);
}

class MemberCheck {
  readonly #query: QueryMember;
  readonly #file: string;
  readonly #context: MemberCheckContext;

  constructor(member: QueryMember, file: string, context: MemberCheckContext) {
    this.#query = member;
    this.#file = file;
    this.#context = context;
  }

  run(metrics: ReadonlyMap<string, Metric>): void {
    const { member, expected } = this.#query;
    const parts = member.value.split('.');
    const metric = metrics.get((parts[0] as string).toLowerCase());
    if (metric !== undefined) this.#column(metric, parts[1] ?? '');
    // The model whose name is wrong may be a metric whose name could not be read.
    else if (
      metrics.has('') &&
      !this.#context.resolver.world.semantics.has((parts[0] as string).toLowerCase())
    )
      return;
    else if (expected === 'time') this.#time(member);
    else if (parts.length === 3 && expected !== 'measure') this.#bucket(member, parts);
    else this.#member(member);
  }

  #member(member: Located<string>): Target | undefined {
    const { expected } = this.#query;
    const use = { from: undefined, file: this.#file, report: this.#context.report };
    const { resolver } = this.#context;
    if (expected !== 'measure or dimension')
      return resolveMember(resolver, member, {
        ...use,
        expected: expected === 'time' ? 'dimension' : expected,
      });
    const at = rangeOf(this.#file, member);
    return resolver.resolve(
      { parts: member.value.split('.'), at, prefers: 'column', allowsColumns: false },
      undefined,
    );
  }

  #time(member: Located<string>): void {
    const { granularity } = this.#query;
    const context = { file: this.#file, report: this.#context.report };
    const target = this.#member(member);
    if (target !== undefined) checkTime(target, member, granularity, context);
    else if (granularity !== undefined)
      checkGranularity(granularity, this.#context.resolver.world, { ...context, dimension: member });
  }

  /** `orders.order_date.month`: the last part is a granularity of the dimension. */
  #bucket(member: Located<string>, parts: readonly string[]): void {
    const dimension = { ...member, value: parts.slice(0, 2).join('.') };
    const target = this.#member(dimension);
    if (target === undefined) return;
    const granularity = { ...member, value: parts[2] as string };
    checkTime(target, dimension, granularity, { file: this.#file, report: this.#context.report });
  }

  #column(metric: Metric, name: string): void {
    const { member } = this.#query;
    const known = ['measure', 'ts', ...metric.dimensions.map((each) => each.name)];
    if (known.some((each) => each.toLowerCase() === name.toLowerCase())) return;
    this.#context.report(
      diagnostic(
        'test.unknown-metric-column',
        { metric: metric.name.value, column: name },
        { at: rangeOf(this.#file, member), hint: didYouMean(name, known) },
      ),
    );
  }
}
