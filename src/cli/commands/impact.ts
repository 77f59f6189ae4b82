import type { SupposedChange } from '../../domain/impact.ts';
import { OWNER_READER } from '../../domain/impact-for.ts';
import { impactJson } from '../../domain/impact-json.ts';
import { appliedProduct } from '../../operations/catalog/applied-product.ts';
import { impactOf } from '../../operations/catalog/impact.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { openFollowing } from '../open-following.ts';
import { impactText } from '../render/impact-text.ts';

/** What a change would reach of what was applied: the files may be further already. */
export async function run(context: CommandContext): Promise<CommandAnswer> {
  const { product, identity } = await openFollowing(context);
  const { values, arguments: words } = context;
  const [ref = ''] = words;
  const change = (values.get('change') ?? 'values') as SupposedChange;
  const applied = await appliedProduct(product, identity, values.get('env'));
  const found = await impactOf(product, { applied, seen: applied }, { ref, change, reader: OWNER_READER });
  if (!found.ok) return { error: found.problem };
  const { graph, report } = found.found;
  const { nodes, edges } = graph;
  const breaking = nodes.some(({ effect }) => effect === 'breaks');
  return {
    data: { ref, change, breaking, nodes, edges, ...impactJson(report) },
    print: (terminal) => {
      const lines = impactText(terminal, report);
      for (const line of lines.slice(1)) terminal.out(line);
      if (report.models.length + report.semantics.length + report.perspectives.length === 0)
        terminal.note('Nothing is made of it.');
    },
  };
}
