import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { ModelDefinition } from '../../domain/model.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { Pivot } from '../../foundation/sql/tree.ts';
import { walkQuery } from '../../foundation/sql/walk.ts';
import type { ParsedModel } from './parsed-model.ts';

/** A pivot whose values are read from the data gives a table other columns with every write, and no engine makes a view of it. */
export function checkPivots(
  { file, name, ranges }: ModelDefinition,
  { query, text, map, hasForeignSpans }: ParsedModel,
): readonly Diagnostic[] {
  if (!/\bpivot/i.test(text)) return [];
  const diagnostics: Diagnostic[] = [];
  walkQuery(query, {
    table: (node) => {
      if (node.kind !== 'pivot') return;
      for (const { expression, values } of node.on) {
        if (!isOpen(values)) continue;
        const { start, end } = expression.span;
        const at = hasForeignSpans ? ranges['query'] : { file, ...map.original(start, end) };
        const column = hasForeignSpans ? 'a column' : text.slice(start, end);
        diagnostics.push(diagnostic('model.pivot-needs-in', { model: name, column }, { at }));
      }
    },
  });
  return diagnostics;
}

/** None, those of a query, or ANY. */
function isOpen(values: Pivot['on'][number]['values']): boolean {
  if (values === undefined) return true;
  return values.some(
    ({ expression }) =>
      expression.kind === 'subquery' ||
      (expression.kind === 'column' &&
        !expression.name.quoted &&
        expression.name.name.toLowerCase() === 'any'),
  );
}
