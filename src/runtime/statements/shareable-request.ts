import type { EngineReader } from '../../domain/engine.ts';
import { Failure } from '../../domain/failure.ts';
import type { TableId } from '../../domain/relation.ts';
import type { SubmitRequest } from '../../domain/state-store.ts';

/** A submission before the data is looked at. */
export type UnversionedRequest = Omit<
  SubmitRequest,
  'worker' | 'room' | 'keptMs' | 'versions' | 'isShared'
> & {
  /** All whose data the answer depends on; absent: nothing can say whether it would be the same again. */
  readonly tables?: readonly TableId[];
  /** Of `tables`, when they were just read. */
  readonly tableVersions?: readonly string[];
};

/**
 * With the versions of the data as the warehouse has them now: no kept answer, and no work under way, counts that was not
 * computed from these. Where the engine cannot say, nothing is shared, and the work itself reports what is wrong.
 */
export async function shareableRequest(
  engine: EngineReader,
  { tables, tableVersions, ...asked }: UnversionedRequest,
): Promise<Omit<SubmitRequest, 'worker' | 'room' | 'keptMs'>> {
  const versions = tables && (tableVersions ?? (await versionsNow(engine, tables)));
  if (tables === undefined || versions === undefined) return { ...asked, versions: [], isShared: false };
  const task = { ...asked.task, shared: { question: asked.question, tables } };
  return { ...asked, task, versions, isShared: true };
}

/** Undefined when the engine cannot say it now. */
export async function versionsNow(
  engine: EngineReader,
  tables: readonly TableId[],
): Promise<readonly string[] | undefined> {
  if (tables.length === 0) return [];
  try {
    return await engine.dataVersions(tables);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return undefined;
  }
}
