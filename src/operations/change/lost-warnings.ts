import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import { type Environment, tableOf } from '../../domain/environment.ts';
import { physicalRelation, relationText, viewRelation } from '../../domain/relation.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { Recovery } from '../../runtime/execute/recover.ts';
import type { ShownDifference } from '../../runtime/execute/shown-differences.ts';
import type { OpenedWorldReader } from '../open-world.ts';

/** What other programs dropped or changed, one warning for each table, view and column. */
export function lostWarnings(
  { engine, naming }: Pick<OpenedWorldReader, 'engine' | 'naming'>,
  environment: string,
  { lostTables, lostViews, differences, drift }: Omit<Recovery, 'events' | 'hasChangedState'>,
): readonly Diagnostic[] {
  const { identifierMax } = engine.capabilities;
  return [
    ...(drift === undefined
      ? []
      : [diagnostic('environment.shown-again', { environment, older: drift.older, detail: drift.detail })]),
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
    ...differences.map((difference) => differenceWarning(environment, difference)),
  ];
}

function differenceWarning(environment: string, difference: ShownDifference): Diagnostic {
  const { model } = difference;
  const view = relationText(difference.view);
  const table = relationText(difference.table);
  switch (difference.kind) {
    case 'other-query':
      return diagnostic('environment.view-replaced', { view, environment });
    case 'column-gone':
      return diagnostic('environment.column-lost', { column: difference.column, table, model, environment });
    case 'other-type': {
      const { column, was, is } = difference;
      return diagnostic('environment.column-retyped', { column, table, model, was, is });
    }
  }
}

/** Models whose views a plan makes again: all of them when the warehouse shows another promotion than the state has. */
export async function viewsToMakeAgain(
  { state }: Pick<OpenedWorldReader, 'state'>,
  environment: string,
  { lostViews, differences, drift }: Recovery,
): Promise<{ readonly lostViews: readonly string[]; readonly shown?: Environment }> {
  if (drift !== undefined) {
    const entries = (await state.snapshots.environment(environment))?.entries ?? [];
    const models = entries.filter((entry) => tableOf(entry) !== undefined).map(({ model }) => model);
    return { lostViews: models, ...(drift.shown === undefined ? {} : { shown: drift.shown }) };
  }
  // A view cannot be made over a column that is not there.
  const gone = new Set(differences.flatMap((one) => (one.kind === 'column-gone' ? [one.model] : [])));
  const changed = differences.map(({ model }) => model).filter((model) => !gone.has(model));
  return { lostViews: [...new Set([...lostViews, ...changed])] };
}
