import type { Materialize } from './table-write.ts';
import { listSql, subquery } from './table-write.ts';

/** VIEW: no rows are stored. Columns are listed where they are known, so that a table below cannot add to them unseen. */
export const materializeView: Materialize = async (write, { query, columns }) => {
  const { session, sending, relation, model, dialect } = write;
  const names = columns.map(({ name }) => name);
  const isListed = names.length > 0 && new Set(names.map((name) => name.toLowerCase())).size === names.length;
  const described = model.columns.flatMap(({ name, description }) =>
    description === undefined ? [] : [[name, description] as const],
  );
  sending.send(
    session.replaceViews([
      {
        view: relation,
        query: isListed
          ? `SELECT ${listSql(names, dialect)} FROM ${subquery(query)} AS plinth__query`
          : query,
        ...(model.description === undefined ? {} : { comment: model.description }),
        columnComments: Object.fromEntries(described),
      },
    ]),
  );
  return { rows: Promise.resolve(0) };
};
