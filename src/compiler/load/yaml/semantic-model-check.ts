import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { isAggregateType, needsNumber } from '../../../domain/measure-type.ts';
import type { Behavior, Dimension, Measure, SemanticJoin } from '../../../domain/semantic-model.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import { didYouMean } from '../../../foundation/diagnostics/nearest.ts';
import { parseWrittenTime } from '../../../foundation/time/relative-date.ts';
import { type Located, type LocatedText, rangeInText, rangeOf } from '../../../foundation/yaml/located.ts';
import { cannotAggregate } from './cannot-aggregate.ts';
import { checkDerivedFilters } from './check-derived-filters.ts';
import { type ExpressionChecker, isConditionByForm, typeOfExpression } from './check-expression.ts';
import { checkGranularity, checkTime, resolveMember } from './check-member.ts';
import { checkPolicies } from './check-policies.ts';
import { checkStock } from './check-stock.ts';
import type { ExpressionOwner } from './fan-out-check.ts';
import type { MemberResolver, Target } from './member-resolver.ts';
import { isTimeType, type NamedSemantic } from './semantic-world.ts';
import { unevenness } from './unevenness.ts';

/** References between computed members, for finding circles: `model.member` → members it uses. */
export type MemberDependencies = Map<string, string[]>;

/** Checks one semantic model against the model behind it and the semantic models around it. */
export class SemanticModelCheck {
  readonly #scope: NamedSemantic;
  readonly #resolver: MemberResolver;
  readonly #expressions: ExpressionChecker;
  readonly #dependencies: MemberDependencies;
  readonly #report: (diagnostic: Diagnostic) => void;
  #hasDuplicates = false;

  constructor(
    scope: NamedSemantic,
    context: {
      readonly resolver: MemberResolver;
      readonly expressions: ExpressionChecker;
      readonly dependencies: MemberDependencies;
      readonly report: (diagnostic: Diagnostic) => void;
    },
  ) {
    this.#scope = scope;
    this.#resolver = context.resolver;
    this.#expressions = context.expressions;
    this.#dependencies = context.dependencies;
    this.#report = context.report;
  }

  run(): void {
    const { semantic, model } = this.#scope;
    this.#uniqueNames();
    for (const column of semantic.primaryKey) this.#column(column);
    const hasKey = semantic.primaryKey.length > 0 || semantic.broken?.includes('primary_key') === true;
    if (model !== undefined && !hasKey && model.grains.length === 0)
      this.#report(
        diagnostic(
          'semantic.missing-key',
          { name: semantic.name.value, model: model.name },
          { at: this.#at(semantic.name) },
        ),
      );
    for (const dimension of semantic.dimensions ?? []) this.#dimension(dimension);
    for (const measure of semantic.measures) this.#measure(measure);
    for (const { name, expression } of semantic.segments)
      if (expression.value !== '') this.#condition(expression, ownerWords('segment', name));
    for (const join of semantic.joins) this.#join(join);
    checkPolicies(this.#scope, { resolver: this.#resolver, report: this.#report });
    for (const rollup of semantic.rollups) {
      if (rollup.measures.length === 0 && rollup.broken?.includes('measures') !== true)
        this.#report(
          diagnostic('semantic.empty-rollup', { name: rollup.name.value }, { at: this.#at(rollup.name) }),
        );
      for (const member of rollup.measures) this.#member(member, 'measure');
      for (const member of rollup.dimensions) this.#member(member, 'dimension');
      for (const member of rollup.segments) this.#member(member, 'segment');
      this.#time(rollup.timeDimension, rollup.granularity);
    }
  }

  #at(located: { readonly start: number; readonly end: number }) {
    return rangeOf(this.#scope.semantic.file, located);
  }

  #uniqueNames(): void {
    const { semantic } = this.#scope;
    const seen = new Map<string, string>();
    const check = (name: Located<string>, what: string): void => {
      const key = name.value.toLowerCase();
      if (key === '') return;
      const other = seen.get(key);
      if (other === undefined) {
        seen.set(key, what);
        return;
      }
      this.#hasDuplicates = true;
      this.#report(
        diagnostic(
          'semantic.duplicate-member',
          { name: name.value, what: other, model: semantic.name.value },
          { at: this.#at(name) },
        ),
      );
    };
    for (const { name } of semantic.dimensions ?? []) check(name, 'a dimension');
    for (const { name } of semantic.measures) check(name, 'a measure');
    for (const { name } of semantic.segments) check(name, 'a segment');
    seen.clear();
    for (const { name } of semantic.joins) check(name, 'a join');
    seen.clear();
    for (const { name } of semantic.rollups) check(name, 'a rollup');
  }

  #column(column: Located<string>): void {
    const { columns, knowsColumns, model, members } = this.#scope;
    const key = column.value.toLowerCase();
    if (!knowsColumns || model === undefined || key === '' || columns.has(key)) return;
    const member = members.get(key);
    if (member?.kind === 'dimension' && member.dimension?.expression !== undefined) return;
    this.#report(
      diagnostic(
        'semantic.unknown-column',
        { model: model.name, column: column.value },
        { at: this.#at(column), hint: didYouMean(column.value, columns.keys()) },
      ),
    );
  }

  #dimension(dimension: Dimension): void {
    const what = ownerWords('dimension', dimension.name);
    const isUnread = dimension.broken?.includes('expression') === true;
    let type = dimension.expression === undefined && !isUnread ? this.#columnType(dimension.name) : 'UNKNOWN';
    if (dimension.expression === undefined) {
      if (!isUnread) this.#column(dimension.name);
    } else {
      const checked = this.#expressions.check(dimension.expression, this.#scope, {
        kind: 'row',
        what,
        owner: { kind: 'dimension', name: dimension.name.value },
      });
      if (checked !== undefined) {
        this.#depends(dimension.name.value, checked.targets.values());
        if (dimension.granularities.length > 0) type = typeOfExpression(checked, this.#scope);
      }
    }
    if (dimension.type === 'time') type = 'TIMESTAMP';
    else if (dimension.broken?.includes('type') === true) type = 'UNKNOWN';
    if (dimension.maskExpression !== undefined)
      this.#expressions.check(dimension.maskExpression, this.#scope, {
        kind: 'row',
        what: `the mask of ${what}`,
      });
    if (dimension.granularities.length > 0 && isTimeType(type) === false)
      this.#report(
        diagnostic(
          'semantic.not-time',
          { name: dimension.name.value, found: type },
          { at: this.#at(dimension.name) },
        ),
      );
    for (const { name, interval, offset, origin } of dimension.granularities) {
      const problem = unevenness(interval.value, offset?.value, origin?.value);
      if (problem !== undefined)
        this.#report(
          diagnostic(
            'semantic.uneven-granularity',
            { name: name.value, problem },
            { at: this.#at(origin ?? interval) },
          ),
        );
      if (offset !== undefined && origin !== undefined)
        this.#report(
          diagnostic('semantic.origin-and-offset', { name: name.value }, { at: this.#at(origin) }),
        );
      const written = origin === undefined ? undefined : parseWrittenTime(origin.value);
      if (origin !== undefined && (written === undefined || 'reason' in written))
        this.#report(diagnostic('semantic.bad-origin', { value: origin.value }, { at: this.#at(origin) }));
    }
    this.#behavior(dimension.behavior);
  }

  #columnType(name: Located<string>): string {
    return this.#scope.columns.get(name.value.toLowerCase()) ?? 'UNKNOWN';
  }

  #measure(measure: Measure): void {
    const { name, type, expression, broken = [] } = measure;
    const isTypeKnown = !broken.includes('type');
    const isAggregate = isAggregateType(type);
    const at = this.#at(name);
    if (expression === undefined && type !== 'count' && isTypeKnown && !broken.includes('expression'))
      this.#report(
        diagnostic(
          'semantic.missing-expression',
          { name: name.value, type },
          { at: this.#at(measure.typeAt) },
        ),
      );
    if (type === 'percentile' && measure.p === undefined && !broken.includes('p'))
      this.#report(diagnostic('semantic.missing-percentile', { name: name.value }, { at }));
    if (measure.rollingWindow !== undefined && !isAggregate && isTypeKnown)
      this.#report(diagnostic('semantic.window-needs-aggregate', { name: name.value, type }, { at }));
    if (expression !== undefined) {
      const what = ownerWords('measure', name);
      const checked = this.#expressions.check(expression, this.#scope, {
        kind: !isTypeKnown ? 'any' : isAggregate ? 'aggregated' : 'derived',
        what,
        type,
        owner: { kind: 'measure', name: name.value, isDerived: !isAggregate },
      });
      if (checked !== undefined) {
        this.#depends(name.value, checked.targets.values());
        if (isTypeKnown && !isAggregate)
          checkDerivedFilters(measure, checked, { scope: this.#scope, report: this.#report });
        if (needsNumber(type)) {
          const found = typeOfExpression(checked, this.#scope);
          const problem = cannotAggregate(type, found);
          if (problem !== undefined)
            this.#report(
              diagnostic(
                'semantic.type-mismatch',
                { type, expression: expression.value.trim(), found, expected: problem },
                { at: rangeInText(this.#scope.semantic.file, expression, 0, expression.value.length) },
              ),
            );
        }
      }
    }
    for (const filter of measure.filters)
      this.#condition(filter, `a filter of ${ownerWords('measure', name)}`, {
        kind: 'measure',
        name: name.value,
        isDerived: false,
      });
    this.#behavior(measure.behavior);
    const { timeDimension, per = [] } = measure.behavior ?? {};
    for (const member of [...(timeDimension === undefined ? [] : [timeDimension]), ...per])
      this.#expressions.fanOuts.addMember(name.value, this.#scope, member);
    checkStock(measure, isAggregate, { scope: this.#scope, report: this.#report });
  }

  /** An expression that decides about rows: its type, where it is certain, is boolean. */
  #condition(text: LocatedText, what: string, owner?: ExpressionOwner): void {
    const use = { kind: 'row', what, ...(owner && { owner }) } as const;
    const checked = this.#expressions.check(text, this.#scope, use);
    if (checked === undefined || checked.targets.size < checked.expression.references.length) return;
    if (isConditionByForm(checked.expression.tree)) return;
    const found = typeOfExpression(checked, this.#scope);
    if (/^(BOOLEAN|UNKNOWN|NULL|JSON|VARIANT)/.test(found)) return;
    const at = rangeInText(this.#scope.semantic.file, text, 0, text.value.length);
    this.#report(diagnostic('semantic.not-boolean', { what, expression: text.value.trim(), found }, { at }));
  }

  #behavior(behavior: Behavior | undefined): void {
    this.#time(behavior?.timeDimension, undefined);
    for (const column of behavior?.per ?? []) this.#column(column);
  }

  #depends(name: string, targets: Iterable<Target>): void {
    const used: string[] = [];
    for (const target of targets)
      if (target.kind === 'member') used.push(`${target.scope.name}.${target.member.name}`);
    // Most measures use columns only and are in no circle; of two members of one name the last counts.
    if (used.length > 0 || this.#hasDuplicates) this.#dependencies.set(`${this.#scope.name}.${name}`, used);
  }

  #join(join: SemanticJoin): void {
    const target = this.#resolver.world.semantics.get(join.model.value.toLowerCase());
    if (target === undefined && (join.model.value === '' || this.#resolver.world.hasNameless)) return;
    if (target === undefined) {
      const names = [...this.#resolver.world.semantics.values()].map((scope) => scope.name);
      this.#report(
        diagnostic(
          'semantic.unknown-semantic-model',
          { name: join.model.value },
          { at: this.#at(join.model), hint: didYouMean(join.model.value, names) },
        ),
      );
      return;
    }
    if (join.type === 'many_to_many') this.#bridge(join, target);
    if (join.on.value === '') return;
    const checked = this.#expressions.check(join.on, this.#scope, {
      kind: 'row',
      what: `the join ${join.name.value}`,
    });
    if (checked === undefined) return;
    const sides = new Set<string>();
    for (const [reference, used] of checked.targets) {
      const first =
        reference.parts.length === 2
          ? (reference.parts[0] as string).toLowerCase()
          : this.#scope.name.toLowerCase();
      const isTarget = first === join.name.value.toLowerCase() || first === join.model.value.toLowerCase();
      const isOwn = first === this.#scope.name.toLowerCase();
      if (isTarget) sides.add('target');
      if (isOwn) sides.add('own');
      if (!isTarget && !isOwn)
        this.#report(
          diagnostic(
            'semantic.join-foreign-model',
            { name: join.name.value, model: used.scope.name },
            { at: rangeInText(this.#scope.semantic.file, join.on, reference.start, reference.end) },
          ),
        );
    }
    if (checked.expression.columns.length > 0) sides.add('own');
    const isComplete = checked.targets.size === checked.expression.references.length;
    for (const [side, scope] of [
      ['own', this.#scope],
      ['target', target],
    ] as const)
      if (isComplete && !sides.has(side))
        this.#report(
          diagnostic(
            'semantic.join-one-sided',
            { name: join.name.value, missing: scope.name },
            { at: this.#at(join.on) },
          ),
        );
  }

  #bridge(join: SemanticJoin, target: NamedSemantic): void {
    if (join.through === undefined) {
      this.#report(
        diagnostic('semantic.bridge-missing', { name: join.name.value }, { at: this.#at(join.name) }),
      );
      return;
    }
    const bridge = this.#resolver.scope(join.through.value, undefined, this.#at(join.through));
    if (bridge === undefined) return;
    for (const side of [this.#scope, target]) {
      const isJoined =
        bridge.semantic.joins.some((each) => each.model.value.toLowerCase() === side.name.toLowerCase()) ||
        side.semantic.joins.some(
          (each) => each !== join && each.model.value.toLowerCase() === bridge.name.toLowerCase(),
        );
      if (!isJoined)
        this.#report(
          diagnostic(
            'semantic.bridge-without-path',
            { bridge: bridge.name, name: join.name.value, model: side.name },
            { at: this.#at(join.through) },
          ),
        );
    }
  }

  #member(member: Located<string>, expected: 'measure' | 'dimension' | 'segment'): Target | undefined {
    return resolveMember(this.#resolver, member, {
      expected,
      from: this.#scope,
      file: this.#scope.semantic.file,
      report: this.#report,
    });
  }

  #time(member: Located<string> | undefined, granularity: Located<string> | undefined): void {
    const target = member && this.#member(member, 'dimension');
    const context = { file: this.#scope.semantic.file, report: this.#report };
    if (target !== undefined && member !== undefined) checkTime(target, member, granularity, context);
    else if (granularity !== undefined)
      checkGranularity(granularity, this.#resolver.world, {
        ...context,
        dimension: member ?? this.#scope.semantic.name,
      });
  }
}

/** How messages call a member, also one whose name could not be read. */
function ownerWords(sort: string, name: Located<string>): string {
  return name.value === '' ? `this ${sort}` : `the ${sort} ${name.value}`;
}
