import { describe, expect, test } from 'vitest';
import type { LineageGraph } from '../../domain/lineage.ts';
import { lineagePage } from '../picture/lineage-page.ts';
import { createTerminal } from '../terminal.ts';
import { lineageMermaid } from './lineage-mermaid.ts';
import { lineageTree } from './lineage-tree.ts';

const rich = (locale: string) =>
  createTerminal({
    stdout: { isTTY: true, columns: 80, write: () => true },
    stderr: { isTTY: true, write: () => true },
    isInputTerminal: true,
    variables: { NO_COLOR: '1', LANG: locale },
    color: 'auto',
    isJson: false,
    isQuiet: false,
    isVerbose: false,
    platform: 'linux',
  });
const graph: LineageGraph = {
  level: 'model',
  focus: 'd',
  nodes: ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, name: id, kind: 'view' })),
  edges: [
    { from: 'a', to: 'b' },
    { from: 'a', to: 'c' },
    { from: 'b', to: 'd' },
    { from: 'c', to: 'd' },
    { from: 'b', to: 'c' },
    { from: 'd', to: 'e' },
  ],
};

describe('lineage as a tree', () => {
  test('draws branches on a terminal, and what was drawn once is only named again', () =>
    expect(lineageTree(graph, rich('C.UTF-8'))).toBe(
      [
        'd  view',
        '',
        'Comes from',
        '├─ b  view',
        '│  └─ a  view',
        '└─ c  view',
        '   ├─ a  view',
        '   └─ b  view (see above)',
        '',
        'Goes to',
        '└─ e  view',
      ].join('\n'),
    ));
  test('uses plain characters where the locale has no others', () =>
    expect(lineageTree(graph, rich('C'))).toContain('`- c  view'));
  test('of a circle ends', () => {
    const circle: LineageGraph = {
      level: 'model',
      nodes: graph.nodes.slice(0, 2),
      edges: [
        { from: 'a', to: 'b' },
        { from: 'b', to: 'a' },
      ],
    };
    expect(lineageTree(circle, rich('C.UTF-8'))).toContain('(see above)');
  });
});

describe('names with characters of the target', () => {
  const name = '</text><script>alert("#1")</script>';
  const hostile: LineageGraph = { level: 'model', nodes: [{ id: name, name, kind: 'view' }], edges: [] };
  test('stay text on the page', () => expect(lineagePage(hostile, name)).not.toContain('<script>alert'));
  test('stay labels in Mermaid', () =>
    expect(lineageMermaid(hostile)).toBe(
      'flowchart LR\n  n0["</text><script>alert(#quot;#35;1#quot;)</script>"]',
    ));
});
