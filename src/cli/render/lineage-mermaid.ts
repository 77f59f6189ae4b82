import type { LineageGraph, LineageNode } from '../../domain/lineage.ts';
import { labelOf } from './lineage-tree.ts';

const SHAPES: Readonly<Record<string, readonly [open: string, close: string]>> = {
  undeclared: ['[(', ')]'],
  external: ['[(', ')]'],
  seed: ['[/', '/]'],
  semantic: ['([', '])'],
  metric: ['{{', '}}'],
};

/** Mermaid's flowchart text; names become labels, so that no character of a name can break the syntax. */
export function lineageMermaid({ nodes, edges, focus, level }: LineageGraph): string {
  const ids = new Map(nodes.map(({ id }, index) => [id, `n${index}`]));
  const lines = ['flowchart LR'];
  if (level === 'model') for (const node of nodes) lines.push(`  ${ids.get(node.id)}${boxOf(node)}`);
  else
    [...Map.groupBy(nodes, ({ name }) => name)].forEach(([name, columns], index) => {
      lines.push(`  subgraph m${index}[${quoted(name)}]`);
      for (const node of columns) lines.push(`    ${ids.get(node.id)}[${quoted(node.column ?? '')}]`);
      lines.push('  end');
    });
  for (const { from, to, transformation } of edges) {
    const label = transformation === undefined || transformation === 'identity' ? '' : `|${transformation}|`;
    lines.push(`  ${ids.get(from)} -->${label} ${ids.get(to)}`);
  }
  if (focus !== undefined) lines.push(`  style ${ids.get(focus)} stroke-width:3px`);
  return lines.join('\n');
}

function boxOf(node: LineageNode): string {
  const [open, close] = SHAPES[node.kind] ?? ['[', ']'];
  return `${open}${quoted(labelOf(node))}${close}`;
}

/** In Mermaid a quoted label may hold anything but quotes; `#` begins an entity. */
const quoted = (text: string): string =>
  `"${text
    .replaceAll('#', '#35;')
    .replaceAll('"', '#quot;')
    .replaceAll(/[\r\n]+/g, ' ')}"`;
