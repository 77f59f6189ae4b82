import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { LineageGraph } from '../../domain/lineage.ts';
import { lineageOf } from '../../operations/catalog/lineage.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { loadForCommand } from '../load-for-command.ts';
import { lineagePage } from '../picture/lineage-page.ts';
import { lineageMermaid } from '../render/lineage-mermaid.ts';
import { lineageTree } from '../render/lineage-tree.ts';

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const { switches, values, arguments: words } = context;
  if (switches.has('upstream') && switches.has('downstream'))
    return { error: diagnostic('cli.conflicting-options', { one: '--upstream', other: '--downstream' }) };
  const depth = values.get('depth');
  if (depth !== undefined && !/^[1-9]\d{0,5}$/.test(depth))
    return {
      error: diagnostic('cli.bad-value', {
        name: '--depth',
        value: depth,
        expected: 'a whole number from 1',
      }),
    };

  const loaded = await loadForCommand(context);
  const found = lineageOf(loaded.project, words[0], {
    direction: switches.has('upstream') ? 'upstream' : switches.has('downstream') ? 'downstream' : 'both',
    depthMax: depth === undefined ? Number.POSITIVE_INFINITY : Number(depth),
  });
  if (!found.ok) return { error: found.problem };
  const graph = found.found;
  const title = `Lineage of ${graph.focus ?? loaded.project.config.displayName ?? loaded.project.config.name}`;
  return {
    data: jsonOf(graph),
    print: (terminal) => {
      switch (values.get('format') ?? 'text') {
        case 'json':
          return terminal.out(JSON.stringify(jsonOf(graph)));
        case 'mermaid':
          return terminal.out(lineageMermaid(graph));
        case 'html':
          return terminal.write(lineagePage(graph, title));
        default:
          return terminal.out(lineageTree(graph, terminal));
      }
    },
    diagnostics: loaded.diagnostics.filter(({ severity }) => severity === 'error'),
    sources: loaded.sources,
  };
}

/** Bare data: nodes and edges with snake_case names; absent facts are null. */
function jsonOf({ level, focus, nodes, edges }: LineageGraph): unknown {
  return {
    level,
    focus: focus ?? null,
    nodes: nodes.map(({ id, name, column, kind, type, owner }) => ({
      id,
      name,
      ...(level === 'column' ? { column: column ?? null, type: type ?? null } : {}),
      kind,
      owner: owner ?? null,
    })),
    edges: edges.map(({ from, to, transformation }) => ({
      from,
      to,
      ...(transformation === undefined ? {} : { transformation }),
    })),
  };
}
