import { createHash, type Hash } from 'node:crypto';
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import { Failure } from '../../domain/failure.ts';
import type { FilePieces, FileWriter } from '../../domain/file-writer.ts';
import type { SampleFile } from './sample/csv-sink.ts';
import { generateSample, SCALE_MAX } from './sample/generate-sample.ts';
import { refuseForeignFiles, writeMarker } from './sample/sample-marker.ts';

/** The scale a user wrote; a coded failure when it is none. */
export function sampleScale(text: string): number {
  const scale = Number(text);
  if (/^\d+$/.test(text) && scale >= 1 && scale <= SCALE_MAX) return scale;
  throw new Failure(
    diagnostic('cli.bad-value', {
      name: '--scale',
      value: text,
      expected: `a whole number from 1 to ${SCALE_MAX}`,
    }),
  );
}

export interface SampleOptions {
  readonly scale: number;
  /** Replace files that no sample wrote. */
  readonly isForced: boolean;
  /** Called now and then with the bytes written so far. */
  readonly onProgress: (bytes: number) => void;
}

/** Generates the data of the example project into its data/ and seeds/; the files appear when all of them are complete. Files of the user's are refused, see `refuseForeignFiles`. */
export async function sample(
  writer: FileWriter,
  { scale, isForced, onProgress }: SampleOptions,
): Promise<readonly SampleFile[]> {
  if (!isForced) refuseForeignFiles(writer);
  const hashes = new Map<string, Hash>();
  const open = new Map<string, FilePieces>();
  let bytes = 0;
  try {
    const files = await generateSample({
      scale,
      async write(path, chunk) {
        const pieces = open.get(path) ?? writer.open(path);
        open.set(path, pieces);
        pieces.write(chunk);
        const hash = hashes.get(path) ?? createHash('sha256');
        hashes.set(path, hash.update(chunk));
        bytes += chunk.length;
        onProgress(bytes);
        // Ctrl-C and the progress line get their turn.
        await new Promise(setImmediate);
      },
    });
    for (const pieces of open.values()) pieces.finish();
    writeMarker(writer, scale, new Map([...hashes].map(([path, hash]) => [path, hash.digest('hex')])));
    return files;
  } catch (error) {
    for (const pieces of open.values()) pieces.discard();
    throw error;
  }
}
