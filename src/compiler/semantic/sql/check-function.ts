import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { nearest } from '../../../foundation/diagnostics/nearest.ts';
import type { Call } from '../../../foundation/sql/tree.ts';
import type { SqlNode } from '../../../foundation/sql/walk.ts';
import { ALLOWED_FUNCTIONS, isAllowedFunction } from './allowed-functions.ts';
import { type Problems, positionOf } from './problems.ts';
import { hasNestedLists, rowsProblem, sizeProblem } from './sized-functions.ts';

const TABLE_FUNCTIONS: ReadonlySet<string> = new Set([
  'generate_series',
  'range',
  'unnest',
  'generate_subscripts',
]);

/** Reports a function that strangers may not call, or not with these arguments. Of a table function the call is not looked at again. */
export function checkFunction(node: SqlNode, problems: Problems): void {
  if (node.kind === 'table-function') checkTable(node.call, problems);
  else if (node.kind === 'call') checkCall(node, problems);
  else if ((node.kind === 'lambda' || node.kind === 'comprehension') && hasNestedLists(node))
    problems.add(() =>
      diagnostic(
        'semantic.sql-too-large',
        { name: 'A list', problem: 'it cannot be made inside a list that is made the same way' },
        { at: positionOf(node.span) },
      ),
    );
}

function checkTable(call: Call, problems: Problems): void {
  const name = call.name.name.toLowerCase();
  if (call.qualifiers.length > 0 || !TABLE_FUNCTIONS.has(name))
    problems.add(() =>
      diagnostic(
        'semantic.sql-unknown-table',
        { name: `${written(call)}(…)` },
        { at: positionOf(call.span) },
      ),
    );
  else tooLarge(call, rowsProblem(call), problems);
}

function checkCall(call: Call, problems: Problems): void {
  const { name, qualifiers, span } = call;
  if (qualifiers.length === 0 && isAllowedFunction(name.name)) {
    tooLarge(call, sizeProblem(call), problems);
    return;
  }
  problems.add(() => {
    const like = qualifiers.length > 0 ? name.name : nearest(name.name, ALLOWED_FUNCTIONS);
    const isTable = TABLE_FUNCTIONS.has(name.name.toLowerCase());
    const hint =
      qualifiers.length > 0 && isAllowedFunction(name.name)
        ? `write ${name.name}(…), with the value inside`
        : isTable
          ? `write it in FROM: FROM ${name.name}(…)`
          : like !== undefined && isAllowedFunction(like)
            ? `did you mean ${like}?`
            : undefined;
    return diagnostic(
      'semantic.sql-unknown-function',
      { name: written(call) },
      { at: positionOf(span), hint },
    );
  });
}

function tooLarge({ name, span }: Call, problem: string | undefined, problems: Problems): void {
  if (problem !== undefined)
    problems.add(() =>
      diagnostic('semantic.sql-too-large', { name: name.name, problem }, { at: positionOf(span) }),
    );
}

function written({ qualifiers, name }: Call): string {
  return [...qualifiers, name].map((each) => each.name).join('.');
}
