import type { LineageEdge, LineageGraph, LineageNode } from '../../domain/lineage.ts';
import type { Terminal } from '../terminal.ts';
import { printable } from './printable.ts';

interface Line {
  readonly id: string;
  readonly depth: number;
  /** For each level above whether its branch goes on below. */
  readonly open: readonly boolean[];
  readonly isLast: boolean;
  readonly isRepeated: boolean;
  readonly transformation?: string;
}

/** The graph as indented text: what it comes from, then what it goes to; a whole project from its sources down. What was drawn once is only named the second time. */
export function lineageTree(graph: LineageGraph, terminal: Terminal): string {
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]));
  const draw = (lines: readonly Line[]): readonly string[] =>
    lines.map((line) => drawLine(line, nodes, terminal));
  const upstream = Map.groupBy(graph.edges, ({ to }) => to);
  const downstream = Map.groupBy(graph.edges, ({ from }) => from);
  if (graph.focus === undefined) {
    const roots = graph.nodes.filter(({ id }) => !upstream.has(id)).map(({ id }) => id);
    // In a cycle no model is a source; its members are still shown.
    return draw(treeOf(roots.length > 0 ? roots : [...nodes.keys()], downstream, 'to')).join('\n');
  }
  const focus = nodes.get(graph.focus) as LineageNode;
  const lines = [terminal.style('bold', printable(labelOf(focus))) + faintDetail(focus, terminal)];
  const sides = [
    ['Comes from', treeOf([graph.focus], upstream, 'from').slice(1)],
    ['Goes to', treeOf([graph.focus], downstream, 'to').slice(1)],
  ] as const;
  for (const [title, tree] of sides)
    if (tree.length > 0)
      lines.push(
        '',
        title,
        ...draw(tree.map((line) => ({ ...line, depth: line.depth - 1, open: line.open.slice(1) }))),
      );
  return lines.join('\n');
}

/** Depth first, without recursion: a chain may be longer than the stack. */
function treeOf(
  roots: readonly string[],
  next: ReadonlyMap<string, readonly LineageEdge[]>,
  end: 'from' | 'to',
): readonly Line[] {
  const lines: Line[] = [];
  const drawn = new Set<string>();
  const stack: Omit<Line, 'isRepeated'>[] = roots
    .map((id, index) => ({ id, depth: 0, open: [], isLast: index === roots.length - 1 }))
    .reverse();
  for (let line = stack.pop(); line !== undefined; line = stack.pop()) {
    const edges = next.get(line.id) ?? [];
    const isRepeated = drawn.has(line.id) && edges.length > 0;
    lines.push({ ...line, isRepeated });
    if (drawn.has(line.id)) continue;
    drawn.add(line.id);
    for (let i = edges.length - 1; i >= 0; i--) {
      const edge = edges[i] as LineageEdge;
      stack.push({
        id: edge[end],
        depth: line.depth + 1,
        open: [...line.open, !line.isLast],
        isLast: i === edges.length - 1,
        ...(edge.transformation === undefined ? {} : { transformation: edge.transformation }),
      });
    }
  }
  return lines;
}

function drawLine(line: Line, nodes: ReadonlyMap<string, LineageNode>, terminal: Terminal): string {
  const node = nodes.get(line.id) as LineageNode;
  const label = `${printable(labelOf(node))}${faintDetail(node, terminal, line.transformation)}`;
  const repeated = line.isRepeated ? terminal.style('dim', ' (see above)') : '';
  if (terminal.mode !== 'rich') return `${'  '.repeat(line.depth + 1)}${label}${repeated}`;
  const [through, last, bar] = terminal.hasUnicode ? ['├─ ', '└─ ', '│  '] : ['|- ', '`- ', '|  '];
  const branches = line.open.map((isOpen) => (isOpen ? bar : '   '));
  return `${terminal.style('dim', `${branches.join('')}${line.isLast ? last : through}`)}${label}${repeated}`;
}

/** What people call it: a model by its name, a column with its model, a semantic model or metric with its kind in front. */
export function labelOf({ name, column, kind }: LineageNode): string {
  if (column !== undefined) return `${name}.${column}`;
  return kind === 'semantic' || kind === 'metric' ? `${kind} ${name}` : name;
}

function faintDetail(
  { kind, column, type }: LineageNode,
  terminal: Terminal,
  transformation?: string,
): string {
  const facts =
    column === undefined
      ? [kind]
      : [
          type,
          transformation === 'identity' ? undefined : transformation,
          kind === 'undeclared' ? kind : undefined,
        ];
  const shown = kind === 'semantic' || kind === 'metric' ? [] : facts.filter((fact) => fact !== undefined);
  return shown.length === 0 ? '' : terminal.style('dim', `  ${printable(shown.join(', '))}`);
}
