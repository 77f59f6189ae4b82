/*
 * The rows of one answer on their way to where they are kept: small ones stay in memory, larger ones go to the result
 * store as they come.
 */
import type { Reading } from '../../domain/engine.ts';
import { failure } from '../../domain/failure.ts';
import type { ResultStore, ResultWriter } from '../../domain/result-store.ts';
import type { StatementLimits } from '../../domain/server-limits.ts';
import type { ExecutionTask, ResultPlace } from '../../domain/statement.ts';
import { withFreedMemory } from '../../foundation/with-freed-memory.ts';
import { resultBytesMax } from './result-room.ts';

const NEWLINE = 10;

/** Rows that were collected. */
export interface Collected {
  readonly place: ResultPlace;
  readonly rowCount: number;
  readonly bytes: number;
  readonly isTruncated: boolean;
}

/** Reads an answer to its end or to the row limit; what is not kept is not left behind. */
export async function collectResult(
  reading: Reading,
  {
    task,
    name,
    results,
    limits,
    claim,
  }: {
    readonly task: Pick<ExecutionTask, 'rowLimit' | 'onLimit'>;
    readonly name: string;
    readonly results: ResultStore;
    readonly limits: StatementLimits;
    /** Makes room for so many bytes, before they are written. */
    readonly claim: (bytes: number) => Promise<void>;
  },
): Promise<Collected> {
  const held: Buffer[] = [];
  let writer: ResultWriter | undefined;
  let rowCount = 0;
  let bytes = 0;
  let isTruncated = false;
  const keep = async (lines: Buffer): Promise<void> => {
    if (lines.length === 0) return;
    bytes += lines.length;
    const max = resultBytesMax(limits);
    if (bytes > max) throw failure('statement.result-too-large', { bytes_max: max });
    if (writer === undefined && bytes <= limits.inlineBytesMax) {
      held.push(lines);
      return;
    }
    await claim(bytes);
    if (writer === undefined) {
      writer = await results.begin(name);
      for (const before of held.splice(0)) await writer.write(before);
    }
    await writer.write(lines);
  };
  try {
    for await (const chunk of withFreedMemory(reading.lines)) {
      const left = task.rowLimit === undefined ? Number.POSITIVE_INFINITY : task.rowLimit - rowCount;
      const { rows, end } = countLines(chunk, left);
      isTruncated = end < chunk.length;
      if (isTruncated && task.onLimit === 'fail')
        throw failure('statement.too-many-rows', { limit: task.rowLimit ?? 0 });
      rowCount += rows;
      await keep(chunk.subarray(0, end));
      if (isTruncated) break;
    }
    await writer?.finish();
  } catch (error) {
    await writer?.abandon();
    throw error;
  }
  const place: ResultPlace =
    writer === undefined ? { kind: 'inline', lines: joined(held, bytes) } : { kind: 'file', name };
  return { place, rowCount, bytes, isTruncated };
}

/** In memory of their own: what is sent to another thread is copied with all that shares its memory. */
function joined(held: readonly Buffer[], bytes: number): Buffer {
  const lines = Buffer.allocUnsafeSlow(bytes);
  let at = 0;
  for (const piece of held) at += piece.copy(lines, at);
  return lines;
}

/** Lines up to a greatest number, and where they end. */
function countLines(chunk: Buffer, max: number): { readonly rows: number; readonly end: number } {
  let end = 0;
  let rows = 0;
  while (end < chunk.length && rows < max) {
    const next = chunk.indexOf(NEWLINE, end);
    if (next === -1) throw new Error('an engine answers in whole lines');
    end = next + 1;
    rows++;
  }
  return { rows, end };
}
