import { diagnostic } from '../domain/diagnostics/catalog.ts';
import { physicalRelation, relationText, viewRelation } from '../domain/relation.ts';
import type { Diagnostic } from '../foundation/diagnostics/diagnostic.ts';
import type { Recovery } from '../runtime/execute/recover.ts';
import type { OpenedWorld } from './open-world.ts';

/** What somebody dropped behind our back, one warning for each table and view. */
export function lostWarnings(
  { engine, naming }: Pick<OpenedWorld, 'engine' | 'naming'>,
  environment: string,
  { lostTables, lostViews }: Pick<Recovery, 'lostTables' | 'lostViews'>,
): readonly Diagnostic[] {
  const { identifierMax } = engine.capabilities;
  return [
    ...lostTables.map((table) =>
      diagnostic('environment.table-lost', {
        table: relationText(physicalRelation(table, identifierMax)),
        model: table.model,
      }),
    ),
    ...lostViews.map((model) =>
      diagnostic('environment.view-lost', {
        view: relationText(viewRelation(model, naming(environment))),
        environment,
      }),
    ),
  ];
}
