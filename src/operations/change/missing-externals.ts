import { externalsRead } from '../../compiler/plan/externals-read.ts';
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Plan } from '../../domain/plan.ts';
import { externalRelation, relationText } from '../../domain/relation.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { OpenedWorldReader } from '../open-world.ts';

/** External tables that new queries read and the warehouse does not have. */
export async function missingExternals(
  { engine }: OpenedWorldReader,
  plan: Plan,
): Promise<readonly string[]> {
  const relations = new Map(externalsRead(plan).map((name) => [name, externalRelation(name)]));
  const found = await engine.columnsOf([...relations.values()]);
  return [...relations].filter(([, relation]) => !found.has(relationText(relation))).map(([name]) => name);
}

export function missingTables(names: readonly string[]): Diagnostic {
  const shown = names.slice(0, 5).join(', ');
  const rest = names.length > 5 ? ` and ${names.length - 5} more` : '';
  return diagnostic('plan.external-missing', { tables: `${shown}${rest}` });
}
