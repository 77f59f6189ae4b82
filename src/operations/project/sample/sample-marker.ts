import { createHash } from 'node:crypto';
import { failure } from '../../../domain/failure.ts';
import type { FileWriter } from '../../../domain/file-writer.ts';
import { fixedFiles, SAMPLE_PATHS } from './generate-sample.ts';

/** Lists what the last sample wrote, so that a later one replaces its own files and no others. Lies in data/, which is not committed. */
const MARKER = 'data/.plinth-sample';

/** Throws `cli.sample-overwrites` when a file that the sample would replace is not, byte for byte, one that a sample wrote. */
export function refuseForeignFiles(writer: FileWriter): void {
  const written = readMarker(writer);
  const fixed = fixedFiles();
  const foreign = SAMPLE_PATHS.filter((path) => {
    const found = digestOf(writer.contents(path));
    if (found === undefined || found === written.get(path)) return false;
    const text = fixed.get(path);
    return text === undefined || found !== digestOf([Buffer.from(text)]);
  });
  if (foreign.length > 0) throw failure('cli.sample-overwrites', { files: foreign.join(', ') });
}

/** Remembers what was written: SHA-256 of each file by its path. */
export function writeMarker(writer: FileWriter, scale: number, files: ReadonlyMap<string, string>): void {
  writer.replace(MARKER, `${JSON.stringify({ scale, files: Object.fromEntries(files) }, null, 2)}\n`);
}

function readMarker(writer: FileWriter): ReadonlyMap<string, unknown> {
  const pieces = writer.contents(MARKER);
  if (pieces === undefined) return new Map();
  try {
    const { files } = JSON.parse(Buffer.concat([...pieces]).toString('utf8')) as { readonly files: object };
    return new Map(Object.entries(files));
  } catch {
    // A marker that was edited proves nothing, so every file counts as the user's.
    return new Map();
  }
}

function digestOf(pieces: Iterable<Uint8Array> | undefined): string | undefined {
  if (pieces === undefined) return undefined;
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}
