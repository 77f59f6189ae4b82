import { parseAst } from 'vitest/node';
import type { Counts } from '../falling-counts.ts';

const FUNCTIONS: ReadonlySet<string> = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
]);

/** What gives a function that has no name of its own one. */
const NAMING: Readonly<Record<string, 'id' | 'key'>> = {
  VariableDeclarator: 'id',
  MethodDefinition: 'key',
  PropertyDefinition: 'key',
  Property: 'key',
};

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** Functions with more lines than `max`, the functions in them included: by file and name, how many lines each has. */
export function longFunctions(
  files: readonly { readonly name: string; readonly text: string }[],
  max: number,
): Counts {
  const found: Record<string, number> = {};
  for (const { name, text } of files) {
    const linesOf = ({ start, end }: Node): number => text.slice(start, end).split('\n').length;
    const visit = (node: unknown, named: string): void => {
      if (Array.isArray(node)) for (const each of node) visit(each, named);
      // What is short has no long function in it.
      if (!isNode(node) || linesOf(node) <= max) return;
      const own = nameIn(node['id']) ?? named;
      if (FUNCTIONS.has(node.type))
        found[`${name} ${own}`] = Math.max(found[`${name} ${own}`] ?? 0, linesOf(node));
      const namedBy = NAMING[node.type];
      const inner = (namedBy && nameIn(node[namedBy])) ?? (isWrapper(node) ? named : 'callback');
      for (const child of Object.values(node)) visit(child, inner);
    };
    if (text.split('\n').length > max) visit(parseAst(text, { lang: 'ts' }), 'callback');
  }
  return found;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value;

const nameIn = (id: unknown): string | undefined =>
  isNode(id) && typeof id['name'] === 'string' ? id['name'] : undefined;

/** What may stand between a name and its function. */
const isWrapper = ({ type }: Node): boolean => type.startsWith('TS') || type === 'ParenthesizedExpression';
