import { printExpression } from '../../foundation/sql/print/print-query.ts';
import type { Expression } from '../../foundation/sql/tree.ts';
import { rewrite } from '../../foundation/sql/walk.ts';
import { answerName, type LogicalQuery, type Part } from './logical-query.ts';
import { column } from './tree-nodes.ts';

/** The logical query in words, one line each. */
export function explainQuery(logical: LogicalQuery, rollup?: string): readonly string[] {
  const lines: string[] = [];
  if (rollup !== undefined) lines.push(`answered from the rollup ${rollup}`);
  for (const part of logical.parts) lines.push(...partLines(part));
  if (logical.parts.length > 1)
    lines.push(
      logical.keys.length === 0
        ? 'then: the parts side by side'
        : `then: the parts together by ${logical.keys.map(({ name }) => name).join(', ')}`,
    );
  for (const { column: output, value } of logical.outputs)
    if (answerName(value) === undefined) lines.push(`${output.name} = ${words(value)}`);
  for (const condition of logical.having) lines.push(`keep rows where ${words(condition)}`);
  if (logical.order.length > 0)
    lines.push(
      `order by ${logical.order.map(({ value, direction }) => `${words(value)} ${direction.toLowerCase()}`).join(', ')}`,
    );
  if (logical.limit !== undefined)
    lines.push(
      `at most ${logical.limit} rows${logical.offset === undefined ? '' : ` from row ${logical.offset}`}`,
    );
  return lines;
}

function partLines(part: Part): readonly string[] {
  const { fact, nodes, keys, where, components, variant } = part;
  const lines = [`${part.name}: rows of ${fact.name}${variant.kind === 'plain' ? '' : ` (${variant.kind})`}`];
  for (const { alias, model, join } of nodes)
    if (join !== undefined)
      lines.push(
        `  ${join.edge.isToOne ? 'to one' : 'to many'} ${model.name}${alias === model.name ? '' : ` as ${alias}`} from ${join.parent}`,
      );
  if (part.isFannedOut) lines.push('  each row once for each group');
  for (const condition of where) lines.push(`  where ${words(condition)}`);
  for (const { name, value } of keys) lines.push(`  by ${name} = ${words(value)}`);
  for (const { name, call } of components) lines.push(`  ${name} = ${words(call)}`);
  return lines;
}

function words(expression: Expression): string {
  const plain = rewrite(expression, (node) => {
    const name = answerName(node);
    return name === undefined ? node : column(undefined, name);
  });
  const text = printExpression(plain, 'duckdb');
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text;
}

const TEXT_MAX = 400;
