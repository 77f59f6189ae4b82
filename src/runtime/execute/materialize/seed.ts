import { failure } from '../../../domain/failure.ts';
import { quoteText } from '../../../foundation/sql/quote.ts';
import { materializeFull } from './full.ts';
import type { Materialize, TableWrite } from './table-write.ts';

/** SEED: the table is its file, and the file must still be the one that was planned. */
export const materializeSeed: Materialize = async (write, source) => {
  const written = await materializeFull(write, source);
  const checked = write.sending.send(refuseOtherContent(write));
  return { rows: write.sending.send(checked.then(() => written.rows)) };
};

async function refuseOtherContent({ session, sending, model, dialect }: TableWrite): Promise<void> {
  const { source } = model;
  if (source.kind !== 'seed' || dialect !== 'duckdb') return;
  const { rows } = await sending.send(
    session.query(`SELECT SHA256(content) FROM READ_BLOB(${quoteText(source.path, dialect)})`),
  );
  if (rows[0]?.[0] !== source.contentHash)
    throw failure('audit.seed-changed', { path: source.path, model: model.name });
}
