import { relationSql } from '../../../domain/relation.ts';
import { type Materialize, subquery } from './table-write.ts';

/** FULL: the table is rebuilt and replaces the old one in one step. */
export const materializeFull: Materialize = async ({ session, sending, relation, layout }, { query }) => ({
  rows: sending.send(session.replaceTable(relation, query, layout)),
});

/** Only the table with its columns, for `--empty-backfill`; an existing one stays as it is. */
export const materializeEmpty: Materialize = async (write, { query }) => {
  const { session, sending, relation, layout, batch, dialect } = write;
  if (batch.isFirst)
    sending.send(
      session.replaceTable(relation, `SELECT * FROM ${subquery(query)} AS plinth__query WHERE FALSE`, layout),
    );
  else sending.send(session.query(`SELECT 1 FROM ${relationSql(relation, dialect)} WHERE FALSE`));
  return { rows: Promise.resolve(0) };
};
