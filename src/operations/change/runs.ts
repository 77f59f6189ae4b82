import { failure } from '../../domain/failure.ts';
import type { Run } from '../../domain/run.ts';
import type { OpenedWorldReader } from '../open-world.ts';
import type { HistoryRequest } from './plans.ts';

/** Runs, newest first; applying a plan is a run, too. */
export function runs(
  { state }: OpenedWorldReader,
  request: HistoryRequest & { readonly status?: Run['status'] },
): Promise<readonly Run[]> {
  return state.journal.runs(request);
}

/** One run by its id, with what became of each model. */
export async function storedRun({ state }: OpenedWorldReader, id: string): Promise<Run> {
  const found = await state.journal.run(id);
  if (found === undefined) throw failure('cli.unknown-run', { id });
  return found;
}

/** The same for doors that know no commands: `run.not-found` when there is none. */
export async function knownRun({ state }: OpenedWorldReader, id: string): Promise<Run> {
  const found = await state.journal.run(id);
  if (found === undefined) throw failure('run.not-found', { id });
  return found;
}
