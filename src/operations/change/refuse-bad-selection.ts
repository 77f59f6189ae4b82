import { Failure, failure } from '../../domain/failure.ts';
import type { HeldSelection } from '../../domain/quarantine.ts';
import { relationSql } from '../../domain/relation.ts';
import { parseExpression } from '../../foundation/sql/parse/parse-query.ts';
import { heldCondition } from '../../runtime/execute/held-columns.ts';
import type { OpenedWorldReader } from '../open-world.ts';
import type { Quarantine } from './held-tables-of.ts';

/** Throws unless it is said which rows are meant, in a condition that can be trusted, and there are such rows. */
export async function refuseBadSelection(
  { engine }: OpenedWorldReader,
  { model, relation }: Quarantine,
  {
    selection,
    isAll,
    environment,
  }: { readonly selection: HeldSelection; readonly isAll: boolean; readonly environment: string },
): Promise<void> {
  const isChosen = Object.values(selection).some((part) => part !== undefined);
  if (!isAll && !isChosen) throw failure('quarantine.nothing-chosen', { model });
  const from = relationSql(relation, engine.dialect);
  const bad = (problem: string): Failure => failure('quarantine.bad-condition', { problem });
  const { where } = selection;
  if (where !== undefined) {
    const parsed = parseExpression(where, engine.dialect);
    if (!parsed.ok) throw bad('it is not one expression of SQL');
    const seen = await engine
      .inspect(`SELECT 1 FROM ${from} WHERE (\n${where}\n)`)
      .catch((error: unknown) => {
        throw error instanceof Failure ? bad(withoutStop(error.diagnostic.message)) : error;
      });
    if (seen.tables.length !== 1) throw bad('it reads another table');
    if (!seen.isStable) throw bad('its answer depends on chance or on the clock');
  }
  const counted = await engine
    .query(`SELECT COUNT(*) FROM ${from} WHERE ${heldCondition(selection, engine.dialect)}`)
    .catch((error: unknown) => {
      const isOurs = error instanceof Failure && error.code === 'engine.statement-failed';
      throw isOurs && where !== undefined ? bad(withoutStop(error.diagnostic.message)) : error;
    });
  if (Number(counted.rows[0]?.[0] ?? 0) > 0) return;
  throw failure('quarantine.nothing-held', {
    model,
    environment,
    which: isChosen ? ' that meet what was asked for' : '',
  });
}

const withoutStop = (message: string): string => message.replace(/\.$/, '');
