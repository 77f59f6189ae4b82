import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { MemberFilter } from '../../../domain/semantic-model.ts';
import { type Located, rangeOf } from '../../../foundation/yaml/located.ts';
import { type MemberCheckContext, resolveMember } from './check-member.ts';
import type { Target } from './member-resolver.ts';
import type { NamedSemantic } from './semantic-world.ts';

/** Policies filter by dimensions, also behind joins, and mask those of their own semantic model. */
export function checkPolicies(scope: NamedSemantic, context: MemberCheckContext): void {
  for (const { filter, mask } of scope.semantic.policies) {
    for (const each of filter) checkFilter(each, scope, context);
    for (const member of mask) checkMask(member, scope, context);
  }
}

function checkFilter(filter: MemberFilter, scope: NamedSemantic, context: MemberCheckContext): void {
  if (filter.kind !== 'member') {
    for (const each of filter.filters) checkFilter(each, scope, context);
    return;
  }
  const { member, operator } = filter;
  dimension(member, scope, context);
  if (operator !== 'measureFilter') return;
  const problem = 'has the operator measureFilter, which restricts no rows';
  context.report(
    diagnostic('semantic.bad-filter', { problem }, { at: rangeOf(scope.semantic.file, member) }),
  );
}

/** Those of others have policies of their own. */
function checkMask(member: Located<string>, scope: NamedSemantic, context: MemberCheckContext): void {
  const [model, ...rest] = member.value.split('.');
  if (dimension(member, scope, context) === undefined || model === undefined || rest.length === 0) return;
  const { name, file } = scope.semantic;
  context.report(
    diagnostic(
      'semantic.foreign-mask',
      { name: member.value, semantic: name.value, model },
      { at: rangeOf(file, member) },
    ),
  );
}

function dimension(
  member: Located<string>,
  scope: NamedSemantic,
  { resolver, report }: MemberCheckContext,
): Target | undefined {
  return resolveMember(resolver, member, {
    expected: 'dimension',
    from: scope,
    file: scope.semantic.file,
    report,
  });
}
