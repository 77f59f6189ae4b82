import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { MemberFilter } from '../../../domain/semantic-model.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import { type Located, rangeOf } from '../../../foundation/yaml/located.ts';
import { resolveMember } from './check-member.ts';
import type { MemberResolver, Target } from './resolve-member.ts';
import type { SemanticScope } from './semantic-scope.ts';

interface Around {
  readonly resolver: MemberResolver;
  readonly report: (diagnostic: Diagnostic) => void;
}

/** Policies filter by dimensions, also behind joins, and mask those of their own semantic model. */
export function checkPolicies(scope: SemanticScope, around: Around): void {
  for (const { filter, mask } of scope.semantic.policies) {
    for (const each of filter) checkFilter(each, scope, around);
    for (const member of mask) checkMask(member, scope, around);
  }
}

function checkFilter(filter: MemberFilter, scope: SemanticScope, around: Around): void {
  if (filter.kind !== 'member') {
    for (const each of filter.filters) checkFilter(each, scope, around);
    return;
  }
  const { member, operator } = filter;
  dimension(member, scope, around);
  if (operator !== 'measureFilter') return;
  const problem = 'has the operator measureFilter, which restricts no rows';
  around.report(diagnostic('semantic.bad-filter', { problem }, { at: rangeOf(scope.semantic.file, member) }));
}

/** Those of others have policies of their own. */
function checkMask(member: Located<string>, scope: SemanticScope, around: Around): void {
  const [model, ...rest] = member.value.split('.');
  if (dimension(member, scope, around) === undefined || model === undefined || rest.length === 0) return;
  const { name, file } = scope.semantic;
  around.report(
    diagnostic(
      'semantic.foreign-mask',
      { name: member.value, semantic: name.value, model },
      { at: rangeOf(file, member) },
    ),
  );
}

function dimension(
  member: Located<string>,
  scope: SemanticScope,
  { resolver, report }: Around,
): Target | undefined {
  return resolveMember(resolver, member, {
    expected: 'dimension',
    from: scope,
    file: scope.semantic.file,
    report,
  });
}
