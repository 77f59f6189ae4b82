/*
 * Measures aggregate each row of their semantic model once, so what they use has one value for each row: own columns, and models
 * reached to-one. Dimensions may lie where one row meets many; a measure that uses such a dimension is then wrong, too.
 *
 *   measure ── {items.price} ──▶ fan-out?          measure ── {size} ──▶ dimension ── {items.price} ──▶ fan-out?
 */
import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import { type Located, type LocatedText, rangeInText, rangeOf } from '../../../foundation/yaml/located.ts';
import type { MemberReference } from './member-expression.ts';
import type { MemberResolver, Target } from './member-resolver.ts';
import type { NamedSemantic } from './semantic-world.ts';

/** Whose expression it is. */
export type ExpressionOwner =
  | { readonly kind: 'dimension'; readonly name: string }
  /** `isDerived`: only what stands inside an aggregate is of one row. */
  | { readonly kind: 'measure'; readonly name: string; readonly isDerived: boolean };

/** What one reference of an expression leads to. */
interface Use {
  readonly scope: NamedSemantic;
  readonly parts: readonly string[];
  readonly target: Target;
}

interface MeasureUse extends Use {
  readonly measure: string;
  readonly at: { readonly file: string; readonly start: number; readonly end: number };
}

/** Gathers what members use while they are checked, and then finds the measures that use a model of which one row can match several. */
export class FanOutCheck {
  readonly #resolver: MemberResolver;
  readonly #report: (diagnostic: Diagnostic) => void;
  readonly #dimensions = new Map<string, Use[]>();
  readonly #measures: MeasureUse[] = [];
  /** Models where dimensions fan out, by dimension; undefined for those that do not, also while one is looked at. */
  readonly #known = new Map<string, string | undefined>();

  constructor(resolver: MemberResolver, report: (diagnostic: Diagnostic) => void) {
    this.#resolver = resolver;
    this.#report = report;
  }

  add(
    owner: ExpressionOwner,
    scope: NamedSemantic,
    { text, targets }: { readonly text: LocatedText; readonly targets: ReadonlyMap<MemberReference, Target> },
  ): void {
    for (const [{ parts, start, end, isAggregated }, target] of targets) {
      if (isOwnColumn(target, scope)) continue;
      const use: Use = { scope, parts, target };
      if (owner.kind === 'dimension') this.#used(scope, owner.name, use);
      else if (!owner.isDerived || isAggregated)
        this.#measures.push({
          ...use,
          measure: owner.name,
          at: rangeInText(scope.semantic.file, text, start, end),
        });
    }
  }

  /** A dimension that a measure names outside its expressions: the time of a stock, what it is kept for. */
  addMember(measure: string, scope: NamedSemantic, member: Located<string>): void {
    const name = member.value.slice(member.value.indexOf('.') + 1);
    const found = scope.members.get(name.toLowerCase());
    if (found?.kind === 'dimension')
      this.#measures.push({
        scope,
        parts: [name],
        target: { kind: 'member', scope, member: found, type: found.type },
        measure,
        at: rangeOf(scope.semantic.file, member),
      });
  }

  #used(scope: NamedSemantic, name: string, use: Use): void {
    const key = keyOf(scope, name);
    const known = this.#dimensions.get(key);
    if (known === undefined) this.#dimensions.set(key, [use]);
    else known.push(use);
  }

  run(): void {
    for (const use of this.#measures) {
      const model = this.#fanOut(use);
      const { measure: name, scope, at } = use;
      if (model !== undefined)
        this.#report(diagnostic('semantic.fan-out-in-measure', { name, model, fact: scope.name }, { at }));
    }
  }

  /** The semantic model of which one row can meet several, if there is one on the way. */
  #fanOut({ scope, parts, target }: Use): string | undefined {
    const [first = ''] = parts;
    if (parts.length > 1 && this.#resolver.isToOne(first, scope) === false) return target.scope.name;
    if (target.kind !== 'member') return undefined;
    const key = keyOf(target.scope, target.member.name);
    if (this.#known.has(key)) return this.#known.get(key);
    this.#known.set(key, undefined);
    let found: string | undefined;
    for (const use of this.#dimensions.get(key) ?? []) found ??= this.#fanOut(use);
    this.#known.set(key, found);
    return found;
  }
}

const keyOf = ({ name }: NamedSemantic, member: string): string => `${name}.${member}`.toLowerCase();

function isOwnColumn(target: Target, scope: NamedSemantic): boolean {
  return target.kind === 'column' && target.scope === scope;
}
