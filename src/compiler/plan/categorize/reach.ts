import { parseQuery } from '../../../foundation/sql/parse/parse-query.ts';
import { compareSides, selfRead, unproven } from './compare-queries.ts';
import { isSameTable, type Side } from './evaluate-query.ts';
import { type ComparedModel, type QueryChange, same, type UpstreamEffect } from './query-change.ts';
import { throughKind } from './through-kind.ts';

/**
 * How changes of tables that a model reads reach its own rows, its query being the same: the query is compared with
 * itself, once over the tables as they were and once as they are. `child.columnsOf` says the columns as they are.
 */
export function reach(effect: UpstreamEffect | readonly UpstreamEffect[], child: ComparedModel): QueryChange {
  const effects = ('change' in effect ? [effect] : effect).filter(({ change }) => change.kind !== 'same');
  if (effects.length === 0) return same('nothing it reads changed');
  const parsed = parseQuery(child.query, child.model.dialect);
  if (!parsed.ok) return unproven(child, child, 'the query cannot be read, so anything may reach it');
  const columnsBefore = (table: string): readonly string[] | undefined => {
    const effect = effects.find((each) => isSameTable(each.table, table));
    return effect === undefined ? child.columnsOf(table) : effect.columnsBefore;
  };
  const side: Omit<Side, 'effects' | 'columnsOf' | 'firstChoice'> = {
    compared: child,
    query: parsed.value,
    dialect: child.model.dialect,
  };
  const found = compareSides((apart) => [
    { ...side, effects: [], columnsOf: columnsBefore, firstChoice: 0 },
    { ...side, effects, columnsOf: child.columnsOf, firstChoice: apart },
  ]);
  if ('reason' in found) return unproven(child, child, found.reason);
  if (found.change.kind === 'same')
    return same(`it reads nothing that changed in ${effects.map((each) => each.table).join(', ')}`);
  return throughKind(selfRead(found.change, child), child.model);
}
