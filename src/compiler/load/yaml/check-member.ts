import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { GRANULARITIES } from '../../../domain/semantic-model.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import { didYouMean } from '../../../foundation/diagnostics/nearest.ts';
import { type Located, rangeOf } from '../../../foundation/yaml/located.ts';
import type { MemberResolver, Target } from './member-resolver.ts';
import { isTimeType, type NamedSemantic, type SemanticWorld, sortOf } from './semantic-world.ts';

interface MemberUse {
  readonly expected: 'measure' | 'dimension' | 'segment';
  readonly from: NamedSemantic | undefined;
  /** Whether a column that is not a dimension is accepted. */
  readonly allowsColumns?: boolean;
  readonly file: string;
  readonly report: (diagnostic: Diagnostic) => void;
}

/** What every check of members needs. */
export interface MemberCheckContext {
  readonly resolver: MemberResolver;
  readonly report: (diagnostic: Diagnostic) => void;
}

/** A member by name, of the sort a place needs. */
export function resolveMember(
  resolver: MemberResolver,
  member: Located<string>,
  use: MemberUse,
): Target | undefined {
  const at = rangeOf(use.file, member);
  const prefers = use.expected === 'measure' ? 'measure' : 'column';
  const target = resolver.resolve(
    { parts: member.value.split('.'), at, prefers, allowsColumns: use.allowsColumns === true },
    use.from,
  );
  if (target?.kind !== 'member' || target.member.kind === use.expected) return target;
  const found = sortOf(target.member);
  use.report(
    diagnostic(
      'semantic.wrong-member',
      { name: member.value, found, model: target.scope.name, expected: `a ${use.expected}` },
      { at },
    ),
  );
  return undefined;
}

/** A time dimension and the granularity it is asked for. */
export function checkTime(
  target: Target,
  member: Located<string>,
  granularity: Located<string> | undefined,
  context: { readonly file: string; readonly report: (diagnostic: Diagnostic) => void },
): void {
  if (isTimeType(target.type) === false)
    context.report(
      diagnostic(
        'semantic.not-time',
        { name: member.value, found: target.type },
        { at: rangeOf(context.file, member) },
      ),
    );
  if (granularity === undefined) return;
  const own =
    target.kind === 'member' && target.member.kind === 'dimension'
      ? (target.member.dimension?.granularities ?? []).map(({ name }) => name.value)
      : [];
  const known = [...GRANULARITIES, ...own];
  if (known.includes(granularity.value) || own.includes('')) return;
  context.report(
    diagnostic(
      'semantic.unknown-granularity',
      { name: granularity.value, dimension: member.value },
      { at: rangeOf(context.file, granularity), hint: didYouMean(granularity.value, known) },
    ),
  );
}

/** A granularity whose dimension is not known: it is wrong when no dimension at all has it. */
export function checkGranularity(
  granularity: Located<string>,
  world: SemanticWorld,
  context: {
    readonly file: string;
    readonly dimension: Located<string>;
    readonly report: (diagnostic: Diagnostic) => void;
  },
): void {
  const own = [...world.semantics.values()].flatMap(({ semantic }) =>
    (semantic.dimensions ?? []).flatMap(({ granularities }) => granularities.map(({ name }) => name.value)),
  );
  const known = [...GRANULARITIES, ...own];
  if (known.includes(granularity.value) || known.includes('')) return;
  context.report(
    diagnostic(
      'semantic.unknown-granularity',
      { name: granularity.value, dimension: context.dimension.value || 'any dimension' },
      { at: rangeOf(context.file, granularity), hint: didYouMean(granularity.value, known) },
    ),
  );
}
